package ws

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// gpu is a View that actions change as the SM driver's do. Thread blocks that are to
// leave an SM are gone at once, unless it holds them.
type gpu struct {
	policy.Actions
	*testing.T
	view     policy.View
	policy   *ws
	holds    bool
	preempts int      // thread blocks, at the last event
	windows  []uint64 // lengths of the windows opened at the last event
}

func newGPU(t *testing.T, spec string, sms, tenants int) *gpu {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	g := &gpu{T: t, policy: p.(*ws)}
	g.view.Tenants = make([]policy.Tenant, tenants)
	for i := range sms {
		g.view.SMs = append(g.view.SMs, policy.SM{Capacity: &ccbp16, Schedulers: 4, TBs: make([]int, tenants), Leaving: make([]int, tenants)})
		g.view.Windows = append(g.view.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}})
	}
	require.NoError(t, g.policy.Needs().Check(&g.view))
	return g
}

func (g *gpu) event(e policy.Event) {
	g.preempts, g.windows = 0, nil
	g.view.Event = e
	g.policy.Decide(&g.view, g)
	preempts, windows := g.preempts, g.windows
	g.view.Event = policy.TBPreempted
	g.policy.Decide(&g.view, g) // for the room of leaving thread blocks
	g.preempts, g.windows = preempts, windows
}

// arrive lets a tenant come with a kernel of 999 thread blocks.
func (g *gpu) arrive(tenant, threads int) {
	g.view.Tenants[tenant] = policy.Tenant{Present: true, Rank: g.view.Present()}
	g.launch(tenant, threads)
}

func (g *gpu) launch(tenant, threads int) {
	t := &g.view.Tenants[tenant]
	t.Waiting, t.Kernels, t.Demand = 999, 1, of(threads)
	g.view.Active = append(g.view.Active, tenant)
	g.event(policy.KernelArrived)
}

// finish ends a tenant's kernel.
func (g *gpu) finish(tenant int) {
	g.view.Tenants[tenant].Waiting = 0
	for i := range g.view.SMs {
		g.end(tenant, i, g.view.SMs[i].TBs[tenant])
	}
	for i, a := range g.view.Active {
		if a == tenant {
			g.view.Active = append(g.view.Active[:i:i], g.view.Active[i+1:]...)
		}
	}
	g.event(policy.KernelFinished)
}

// end ends n of a tenant's thread blocks on an SM.
func (g *gpu) end(tenant, sm, n int) {
	for range n {
		g.view.SMs[sm].TBs[tenant]--
		g.view.SMs[sm].Usage.Release(g.view.Tenants[tenant].Demand)
	}
}

// window ends a window of 1,000 cycles. each has the thread instructions of a thread block in
// a cycle, by tenant, up to the most on an SM; stalls the part of the SM's time spent waiting
// for memory.
func (g *gpu) window(each, most, stalls []float64) {
	g.count(each, most, stalls)
	g.event(policy.WindowEnded)
}

// count is window without the event.
func (g *gpu) count(each, most, stalls []float64) {
	for i := range g.view.Windows {
		var c protocol.SMCounters
		for tenant := range each {
			c.Tenants[tenant].ThreadInstructions = uint64(1000 * min(most[tenant], each[tenant]*float64(g.view.SMs[i].TBs[tenant])))
			c.Tenants[tenant].MemoryStalls = uint64(4 * 1000 * stalls[tenant])
		}
		w := &g.view.Windows[i]
		w.From, w.To, w.Counters = w.To, w.To+1000, c
	}
}

// have lists, by SM, the thread blocks of each tenant.
func (g *gpu) have() (list [][]int) {
	for i := range g.view.SMs {
		list = append(list, append([]int(nil), g.view.SMs[i].TBs...))
	}
	return list
}

// shown is the phase, and of each tenant the thread blocks on an SM and the prediction.
func (g *gpu) shown() (list []float64) {
	for _, r := range g.policy.Needs().Registers() {
		list = append(list, r.Value)
	}
	return list
}

// Place makes gpu a policy.Actions, as the methods below.
func (g *gpu) Place(tenant, sm int) {
	require.True(g, g.view.Fits(tenant, sm), "tenant %d on SM %d", tenant, sm)
	g.view.Tenants[tenant].Waiting--
	g.view.SMs[sm].Usage.Take(g.view.Tenants[tenant].Demand)
	g.view.SMs[sm].TBs[tenant]++
}

func (g *gpu) Preempt(tenant, sm, n int, m policy.Mechanism) {
	require.Equal(g, g.policy.mechanism, m)
	g.preempts += n
	if g.holds {
		g.view.SMs[sm].Leaving[tenant] += n
		return
	}
	g.view.Tenants[tenant].Waiting += n
	g.end(tenant, sm, n)
}

func (g *gpu) Window(cycles uint64, kinds ...string) {
	require.Empty(g, kinds)
	g.windows = append(g.windows, cycles)
}
