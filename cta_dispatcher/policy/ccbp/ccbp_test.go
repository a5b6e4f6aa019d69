package ccbp

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// gpu is a View of two SMs like sm, and a policy on it. Actions take effect at once.
type gpu struct {
	policy.Actions
	*testing.T
	policy *ccbp
	view   policy.View
	sent   []protocol.Control // to SM 0, in the last event
	others []protocol.Control // to SM 1
	left   int                // TBs that were preempted
}

func newGPU(t *testing.T, spec string, tenants int) *gpu {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	g := &gpu{T: t, policy: p.(*ccbp)}
	g.view.Tenants = make([]policy.Tenant, tenants)
	g.view.Machine = policy.Machine{ReplyBytesPerSecond: 2 * 24 * 160 / 0.6 / 200e-9, DRAMBytesPerSecond: 2 * 18 * 128 / 0.7 / 200e-9,
		RateIntervalSeconds: 200e-9, FlitBytes: 32, L1LineBytes: 128, L2LineBytes: 128}
	for i := range 2 {
		g.view.SMs = append(g.view.SMs, policy.SM{Capacity: sm, TBs: make([]int, tenants), Leaving: make([]int, tenants)})
		g.view.Windows = append(g.view.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}})
	}
	require.NoError(t, g.policy.Needs().Check(&g.view))
	return g
}

func (g *gpu) Place(tenant, sm int) {
	t, s := &g.view.Tenants[tenant], &g.view.SMs[sm]
	t.Waiting--
	s.TBs[tenant]++
	s.Usage.Take(t.Demand)
}

func (g *gpu) Preempt(tenant, sm, n int, m policy.Mechanism) {
	require.Equal(g, policy.Switch, m)
	g.left += n
	g.view.SMs[sm].Leaving[tenant] += n
}

func (g *gpu) Send(u protocol.Unit, c protocol.Control) {
	if u.Index == 0 {
		g.sent = append(g.sent, c)
	} else {
		g.others = append(g.others, c)
	}
}

func (g *gpu) event(e policy.Event) {
	g.Helper()
	g.sent, g.others = nil, nil
	g.view.Event = e
	g.policy.Decide(&g.view, g)
	require.Equal(g, g.sent, g.others, "all SMs are told the same")
}

// arrive lets a tenant launch a kernel with TBs of some threads.
func (g *gpu) arrive(tenant, threads int) {
	g.Helper()
	t := &g.view.Tenants[tenant]
	*t = policy.Tenant{Present: true, Rank: tenant, Demand: of(threads), Waiting: 1000}
	t.IsolatedIPC = 100
	g.view.Active = append(g.view.Active, tenant)
	g.event(policy.KernelArrived)
}

// end has TBs of a tenant end on all SMs.
func (g *gpu) end(tenant, n int) {
	g.Helper()
	for range n {
		for i := range g.view.SMs {
			s := &g.view.SMs[i]
			s.TBs[tenant]--
			s.Usage.Release(g.view.Tenants[tenant].Demand)
			g.event(policy.TBFinished)
		}
	}
}

// quit has a tenant end with all its TBs.
func (g *gpu) quit(tenant int) {
	g.Helper()
	for i := range g.view.SMs {
		s := &g.view.SMs[i]
		for ; s.TBs[tenant] > 0; s.TBs[tenant]-- {
			s.Usage.Release(g.view.Tenants[tenant].Demand)
		}
	}
	g.view.Tenants[tenant] = policy.Tenant{}
	g.view.Active = g.view.Active[:0]
	for i := range g.view.Tenants {
		if g.view.Tenants[i].Present {
			g.view.Active = append(g.view.Active, i)
		}
	}
	g.event(policy.KernelFinished)
}

// epochs passes n epochs with these counts; the first SM has three times as many requests as
// the second.
func (g *gpu) epochs(n int, e *sample) {
	g.Helper()
	for range n {
		for i := range g.view.Windows {
			part := func(n uint64) uint64 { return n/2 + uint64(1-2*i)*(n/4) }
			c := protocol.SMCounters{RateIntervals: 50}
			for tenant, k := range e.counts {
				c.Tenants[tenant] = protocol.SMTenant{MemoryRequests: part(k.MemoryRequests), Reads: part(k.Reads), Replies: part(k.Replies),
					DRAMAccesses: part(k.DRAMAccesses), Demand: part(k.Demand), ThreadInstructions: part(k.ThreadInstructions)}
			}
			w := &g.view.Windows[i]
			w.From, w.To, w.Counters = w.To, w.To+10_000, c
		}
		g.event(policy.Epoch)
	}
}

func (g *gpu) have() (list [][]int) {
	for i := range g.view.SMs {
		list = append(list, g.view.SMs[i].TBs)
	}
	return list
}

func (g *gpu) register(name string, tenant int) float64 {
	for _, r := range g.policy.Needs().Registers() {
		if r.Name == name && r.Tenant == tenant {
			return r.Value
		}
	}
	require.Fail(g, "no register", name)
	return 0
}

// rates makes an SM's control: requests of an interval by tenant, negative for a tenant that
// goes first, 0 without a limit.
func rates(of ...float64) *protocol.Rates {
	m := &protocol.Rates{On: true}
	for i, r := range of {
		m.Of[i] = protocol.Rate{Given: true, Limited: r != 0 && r != first, Sensitive: r < 0}
		if m.Of[i].Limited {
			m.Of[i].Requests = uint32(max(r, -r) * protocol.RateOne)
		}
	}
	return m
}

// first stands for a tenant that goes first and has no limit.
const first = -1e9

func active(of ...uint8) *protocol.ActiveTBs {
	m := &protocol.ActiveTBs{On: true}
	copy(m.Most[:], of)
	return m
}

func TestATenantAloneHasEverythingAndNoRates(t *testing.T) {
	g := newGPU(t, "ccbp", 2)
	g.arrive(0, 2)
	require.Equal(t, [][]int{{8, 0}, {8, 0}}, g.have())
	for range 40 {
		g.epochs(1, per100(20, 40, 0, 0))
		require.Empty(t, g.sent)
	}
}

func TestDetectionOfAPair(t *testing.T) {
	g := newGPU(t, "ccbp", 3)
	g.arrive(0, 2)
	g.arrive(1, 1)
	require.Equal(t, [][]int{{8, 0, 0}, {8, 0, 0}}, g.have(), "nobody is preempted")
	quiet := per100(4, 4, 12, 12)
	g.epochs(6, quiet)
	require.Equal(t, float64(warmUp), g.register("phase", -1), "the first has too many yet")
	g.end(0, 4)
	require.Equal(t, [][]int{{4, 8, 0}, {4, 8, 0}}, g.have())
	g.epochs(1, quiet)
	require.Equal(t, float64(factors), g.register("phase", -1))
	g.epochs(1, quiet)
	require.Empty(t, g.sent)
	g.epochs(1, quiet)
	require.Equal(t, []protocol.Control{rates(12, 12, 0)}, g.sent)
	require.InDelta(t, 12, g.register("rate", 1), 1e-9)
	g.epochs(1, quiet)
	require.Empty(t, g.sent)
	g.epochs(1, quiet)
	require.Equal(t, []protocol.Control{rates(-12, 0, 0), active(0, 8)}, g.sent)
	require.Equal(t, []float64{1, 2, 0}, []float64{g.register("type", 0), g.register("type", 1), g.register("type", 2)})
	require.InDelta(t, 12, g.register("demand", 1), 1e-9)
	for n := 8; n > 0; n-- {
		g.epochs(1, per100(4, 4, 99, 99))
		require.Empty(t, g.sent)
		g.epochs(1, per100(4, 4, 2*float64(n), 99))
		if n > 1 {
			require.Equal(t, []protocol.Control{active(0, uint8(n)-1)}, g.sent)
		}
	}
	require.Equal(t, []protocol.Control{rates(first, 12, 0), &protocol.ActiveTBs{}}, g.sent)
	require.Equal(t, []float64{5, 6}, []float64{g.register("tbs", 0), g.register("tbs", 1)})
	require.Equal(t, []float64{1, float64(climbing)}, []float64{g.register("prior_lsk", -1), g.register("phase", -1)})
	require.Equal(t, [][]int{{4, 8, 0}, {4, 8, 0}}, g.have(), "those that are too many end")
	g.end(1, 2)
	require.Equal(t, [][]int{{5, 6, 0}, {5, 6, 0}}, g.have())
	require.Zero(t, g.left)
}

func TestSensitiveKernelsGoFirstWithoutRates(t *testing.T) {
	g := newGPU(t, "ccbp", 2)
	g.arrive(0, 2)
	g.arrive(1, 1)
	g.end(0, 4)
	g.epochs(9, per100(4, 4, 5, 5))
	require.Equal(t, []protocol.Control{rates(first, first)}, g.sent)
}

func TestWhatIsKnownOfASetIsKept(t *testing.T) {
	g := newGPU(t, "ccbp:variant=drf,preempt=switch,ls_unlimited=off", 3)
	g.arrive(0, 2)
	g.arrive(1, 1)
	require.Equal(t, 8, g.left, "of both SMs")
	for i := range g.view.SMs {
		s := &g.view.SMs[i]
		s.Leaving[0] = 0
		s.TBs[0] = 4
		for range 4 {
			s.Usage.Release(of(2))
		}
	}
	g.event(policy.TBPreempted)
	require.Equal(t, [][]int{{4, 8, 0}, {4, 8, 0}}, g.have())
	g.epochs(9, per100(4, 4, 12, 12))
	for n := 8; n > 0; n-- {
		g.epochs(2, per100(4, 4, 2*float64(n), 99))
	}
	require.Equal(t, []protocol.Control{rates(-5, 12, 0), &protocol.ActiveTBs{}}, g.sent)
	require.Equal(t, float64(settled), g.register("phase", -1))

	// A third comes: another set, even CTAs without rates.
	g.arrive(2, 1)
	require.Equal(t, []protocol.Control{&protocol.Rates{}}, g.sent)
	require.Equal(t, float64(warmUp), g.register("phase", -1))
	require.Equal(t, []float64{2, 5, 5}, []float64{g.register("tbs", 0), g.register("tbs", 1), g.register("tbs", 2)})
	g.epochs(3, per100(4, 4, 12, 12))
	g.quit(2)
	require.Equal(t, []protocol.Control{rates(-5, 12, 0)}, g.sent, "at once what was found for two")
	require.Equal(t, float64(settled), g.register("phase", -1))
	g.quit(1)
	require.Equal(t, []protocol.Control{&protocol.Rates{}}, g.sent)
	require.Equal(t, float64(none), g.register("phase", -1))
	require.Equal(t, 8, g.view.SMs[0].TBs[0])
}

func TestAnotherKernelOfATenantIsAnotherSet(t *testing.T) {
	g := newGPU(t, "ccbp:variant=drf", 2)
	g.arrive(0, 2)
	g.arrive(1, 1)
	g.end(0, 4)
	g.epochs(4, per100(4, 4, 12, 12))
	g.quit(0)
	g.view.Tenants[0] = policy.Tenant{Present: true, Demand: of(4), Waiting: 1000}
	g.view.Active = []int{1, 0}
	g.event(policy.KernelArrived)
	require.Equal(t, 2.0, g.register("tbs", 0))
	g.end(1, 8)
	g.epochs(3, per100(4, 4, 12, 12))
	require.Equal(t, float64(warmUp), g.register("phase", -1))
	require.Len(t, g.policy.studies, 2)
}

func TestTooLargeThreadBlocksGoRound(t *testing.T) {
	g := newGPU(t, "ccbp", 3)
	for tenant := range 3 {
		g.view.Tenants[tenant] = policy.Tenant{Present: true, Rank: tenant, Demand: of(9), Waiting: 1000}
	}
	g.view.Active = []int{0, 1, 2}
	g.event(policy.KernelArrived)
	require.Equal(t, [][]int{{1, 0, 0}, {0, 1, 0}}, g.have(), "the first goes to another on each SM")
	require.Equal(t, float64(crowded), g.register("phase", -1))
	g.epochs(9, per100(4, 4, 12, 12))
	require.Zero(t, g.policy.targets.Sum(2))
	g.epochs(1, per100(4, 4, 12, 12))
	require.Equal(t, []int{0, 1}, g.policy.targets.TBs[2], "its turn")
	require.Empty(t, g.sent)
}

func TestWhatGPUsItGoesWith(t *testing.T) {
	g := newGPU(t, "ccbp", 1)
	known := g.view.Machine
	g.view.Machine.DRAMBytesPerSecond = 0
	require.ErrorContains(t, g.policy.Needs().Check(&g.view), "bandwidth")
	g.view.Machine = known
	g.view.SMs[1].Kind = 1
	require.ErrorContains(t, g.policy.Needs().Check(&g.view), "several kinds")
}

func TestOptions(t *testing.T) {
	for spec, message := range map[string]string{
		"sustain=0": "0.05 to 1", "sustain=1.1": "0.05 to 1", "sustain=NaN": "0.05 to 1", "variant=online": "adj, drf",
		"metric=ipc": "hspeedup, wspeedup", "preempt=drain": "none, switch", "climb=yes": "on, off", "ls_unlimited=1": "on, off", "epoch=1": "1000",
	} {
		_, err := policy.Parse("ccbp:" + spec)
		require.ErrorContains(t, err, message, spec)
	}
	for spec, wants := range map[string]policy.Alone{"ccbp": {IPC: true}, "ccbp:variant=drf": {}, "ccbp:variant=drf,climb=on": {IPC: true}} {
		p, err := policy.Parse(spec)
		require.NoError(t, err)
		require.Equal(t, wants, p.Needs().Alone, spec)
		require.True(t, policy.Sends[*protocol.Rates](p) && policy.Sends[*protocol.ActiveTBs](p))
	}
}
