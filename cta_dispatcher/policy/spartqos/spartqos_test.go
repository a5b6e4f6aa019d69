package spartqos

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// gpu is a linear GPU around a literal View, with any number of waiting thread blocks. Each SM
// has room for a single thread block, and issues a fixed number of instructions in a cycle for
// its tenant.
type gpu struct {
	policy.Actions
	*testing.T
	view    policy.View
	policy  *spartqos
	perSM   []float64 // IPC of an SM, by tenant
	emptied []int     // SMs that are preempted, until free
	by      policy.Mechanism
	free    bool // SMs are empty at the end of the epoch
	moved   int  // SMs that were preempted
}

func newGPU(t *testing.T, spec string, sms int, perSM ...float64) *gpu {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	g := &gpu{T: t, policy: p.(*spartqos), perSM: perSM, free: true}
	n := len(perSM)
	g.view.Tenants = make([]policy.Tenant, n)
	for i := range sms {
		g.view.SMs = append(g.view.SMs, policy.SM{Capacity: &occupancy.Capacity{TBs: 1}, TBs: make([]int, n), Leaving: make([]int, n)})
		g.view.Windows = append(g.view.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}})
	}
	require.NoError(t, g.policy.Needs().Check(&g.view))
	return g
}

// arrive has a tenant arrive with a kernel.
func (g *gpu) arrive(id int, goal float64) {
	rank := g.view.Present()
	g.view.Tenants[id] = policy.Tenant{Present: true, Rank: rank, Waiting: 1000, Demand: occupancy.Demand{TBs: 1}, Attributes: tenant.Attributes{Goal: goal}}
	g.view.Active = append(g.view.Active, id)
	g.ask(policy.KernelArrived)
}

// pause removes a tenant's kernel and its thread blocks on SMs.
func (g *gpu) pause(id int) {
	g.view.Tenants[id].Waiting = 0
	for i, t := range g.view.Active {
		if t == id {
			g.view.Active = append(g.view.Active[:i], g.view.Active[i+1:]...)
			break
		}
	}
	for i := range g.view.SMs {
		if s := &g.view.SMs[i]; s.TBs[id] > 0 {
			s.TBs[id], s.Usage.TBs = 0, 0
		}
	}
	g.ask(policy.KernelFinished)
}

// launch gives it another one.
func (g *gpu) launch(id int) {
	g.view.Tenants[id].Waiting = 1000
	g.view.Active = append(g.view.Active, id)
	g.ask(policy.KernelArrived)
}

func (g *gpu) ask(e policy.Event) {
	g.view.Event = e
	g.policy.Decide(&g.view, g)
}

func (g *gpu) Place(id, sm int) {
	require.False(g, g.view.SMs[sm].Reserved)
	g.view.Tenants[id].Waiting--
	g.view.SMs[sm].Usage.TBs++
	g.view.SMs[sm].TBs[id]++
}

func (g *gpu) PreemptSM(sm int, m policy.Mechanism) {
	g.by = m
	g.view.SMs[sm].Reserved = true
	g.emptied = append(g.emptied, sm)
	g.moved++
}

// empty has preempted SMs be empty.
func (g *gpu) empty() {
	for _, sm := range g.emptied {
		s := &g.view.SMs[sm]
		for id, n := range s.TBs {
			g.view.Tenants[id].Waiting += n
			s.TBs[id] = 0
		}
		s.Usage.TBs, s.Reserved = 0, false
	}
	if len(g.emptied) > 0 {
		g.emptied = g.emptied[:0]
		g.ask(policy.SMFreed)
	}
}

// epochs simulates n epochs of 10k cycles.
func (g *gpu) epochs(n int) {
	for range n {
		if g.free {
			g.empty()
		}
		for i := range g.view.SMs {
			w := &g.view.Windows[i]
			var c protocol.SMCounters
			for id, n := range g.view.SMs[i].TBs {
				c.Tenants[id].ThreadInstructions = uint64(float64(n) * g.perSM[id] * 10_000)
			}
			w.From, w.To, w.Counters = w.To, w.To+10_000, c
		}
		g.ask(policy.Epoch)
	}
}

// have is how many SMs run each tenant.
func (g *gpu) have() (list []int) {
	for id := range g.perSM {
		n := 0
		for i := range g.view.SMs {
			n += g.view.SMs[i].TBs[id]
		}
		list = append(list, n)
	}
	return list
}

func TestStepComesAtTheEndOfEachWindow(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10)
	g.arrive(0, 115)
	g.arrive(1, 0)
	g.epochs(9)
	require.Equal(t, []int{8, 8}, g.have())
	require.Equal(t, 8, g.moved)
	g.epochs(1)
	g.empty()
	require.Equal(t, []int{12, 4}, g.have())
	g.perSM[0] = 8
	g.epochs(9)
	require.Equal(t, 12, g.moved)
	g.epochs(1)
	g.empty()
	require.Equal(t, []int{13, 3}, g.have(), "a small step")
	g.perSM[0] = 10
	g.epochs(10)
	g.empty()
	require.Equal(t, []int{12, 4}, g.have(), "an SM that is not needed is given back")
	g.epochs(100)
	require.Equal(t, []int{12, 4}, g.have())
	require.Equal(t, 14, g.moved, "and nobody moves any more")
}

func TestGoalsAreReachedWithinAFewWindows(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 20, 5)
	g.arrive(0, 40)
	g.arrive(1, 150)
	g.arrive(2, 0)
	g.epochs(31)
	require.Equal(t, []int{4, 8, 4}, g.have())
	moved := g.moved
	g.epochs(100)
	require.Equal(t, moved, g.moved)
}

// TestStepIsKeptThoughAThirdTenantIsSilent: the second has its goal, gives nothing, and
// issues nothing in the window behind the step.
func TestStepIsKeptThoughAThirdTenantIsSilent(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10, 10)
	g.arrive(0, 65)
	g.arrive(1, 50)
	g.arrive(2, 0)
	g.epochs(10)
	g.empty()
	require.Equal(t, []int{7, 5, 4}, g.have())
	moved := g.moved
	g.perSM[1] = 0
	g.epochs(40)
	g.empty()
	require.Equal(t, []int{7, 5, 4}, g.have())
	require.Equal(t, moved, g.moved)
}

func TestRegistersShowGoalIPCAndSMs(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10)
	require.Empty(t, g.policy.Needs().Registers())
	g.arrive(1, 115)
	g.arrive(0, 0)
	g.epochs(10)
	require.Equal(t, []policy.RegisterValue{
		{Name: "goal", Tenant: 0, Value: 0}, {Name: "ipc", Tenant: 0, Value: 80}, {Name: "sms", Tenant: 0, Value: 4},
		{Name: "goal", Tenant: 1, Value: 115}, {Name: "ipc", Tenant: 1, Value: 80}, {Name: "sms", Tenant: 1, Value: 12},
	}, g.policy.Needs().Registers())
	g.view.Tenants[1].Present = false
	g.pause(1)
	g.epochs(1)
	require.Equal(t, []policy.RegisterValue{
		{Name: "goal", Tenant: 0, Value: 0}, {Name: "ipc", Tenant: 0, Value: 80}, {Name: "sms", Tenant: 0, Value: 16},
		{Name: "goal", Tenant: 1, Value: 0}, {Name: "ipc", Tenant: 1, Value: 0}, {Name: "sms", Tenant: 1, Value: 0},
	}, g.policy.Needs().Registers())
}

func TestNoStepWhileAnSMOfTheLastOneIsBeingEmptied(t *testing.T) {
	g := newGPU(t, "spart-qos:preempt=drain", 16, 10, 10)
	g.arrive(0, 115)
	g.arrive(1, 0)
	g.epochs(10)
	g.free = false
	require.Len(t, g.emptied, 4)
	require.Equal(t, policy.Drain, g.by)
	g.epochs(30)
	require.Equal(t, 12, g.moved)
	g.free = true
	g.epochs(1)
	require.Equal(t, []int{12, 4}, g.have())
	g.perSM[0] = 9
	g.epochs(8)
	require.Equal(t, 12, g.moved, "nine epochs count, of which the last is this")
	g.epochs(1)
	require.Equal(t, 13, g.moved)
}

func TestPauseLendsSMsAndTheyComeBack(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10, 10)
	g.arrive(0, 95)
	g.arrive(1, 30)
	g.arrive(2, 0)
	g.epochs(32)
	g.empty()
	require.Equal(t, []int{10, 3, 3}, g.have())
	g.pause(0)
	g.epochs(1)
	require.Equal(t, []int{0, 3, 3}, g.have(), "a short pause")
	g.epochs(1)
	require.Equal(t, []int{0, 3, 13}, g.have(), "the goal of the second is reached as it is")
	moved := g.moved
	g.launch(0)
	g.empty()
	require.Equal(t, []int{10, 3, 3}, g.have())
	require.Equal(t, moved+10, g.moved)
}

func TestWindowsGoOnOverPauses(t *testing.T) {
	// Half of its time the tenant has no kernel; its goal is of all of it.
	g := newGPU(t, "spart-qos", 16, 10, 10)
	g.arrive(0, 50)
	g.arrive(1, 0)
	for range 4 {
		g.epochs(5)
		g.pause(0)
		g.epochs(5)
		g.launch(0)
		g.empty()
	}
	require.Greater(t, g.have()[0], 8)
}

func TestTenantThatEndsLeavesItsSMsAndBeginsAWindow(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10, 10)
	g.arrive(0, 95)
	g.arrive(1, 0)
	g.arrive(2, 0)
	g.epochs(10)
	g.empty()
	require.Equal(t, []int{10, 3, 3}, g.have())
	g.epochs(5)
	g.view.Tenants[1].Present = false
	moved := g.moved
	g.pause(1)
	require.Equal(t, []int{10, 0, 6}, g.have())
	require.Equal(t, moved, g.moved)
	g.perSM[0] = 9
	g.epochs(9)
	require.Equal(t, []int{10, 0, 6}, g.have())
	g.epochs(1)
	g.empty()
	require.Equal(t, []int{11, 0, 5}, g.have())
}

func TestNewcomerTakesNoSMThatAGoalNeeds(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10, 10)
	g.arrive(0, 115)
	g.arrive(1, 0)
	g.epochs(21)
	g.empty()
	require.Equal(t, []int{12, 4}, g.have()[:2])
	g.arrive(2, 0)
	g.empty()
	require.Equal(t, []int{12, 2, 2}, g.have())
}

func TestThoseWhoArriveAtOnceShareInTheOrderOfArrival(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10, 10)
	for id := range g.view.Tenants {
		g.view.Tenants[id] = policy.Tenant{Present: true, Rank: 2 - id, Waiting: 1000, Demand: occupancy.Demand{TBs: 1}}
	}
	g.view.Active = []int{2, 1, 0}
	g.ask(policy.KernelArrived)
	require.Equal(t, []int{5, 5, 6}, g.have())
	g.epochs(1)
	require.Equal(t, []float64{5, 6}, []float64{g.policy.Needs().Registers()[2].Value, g.policy.Needs().Registers()[8].Value})
}

func TestEpochOfAnArrivalDoesNotCount(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 1000, 10)
	g.arrive(0, 80)
	g.epochs(3)
	g.arrive(1, 0)
	g.epochs(1)
	g.perSM[0] = 10
	g.epochs(9)
	require.Equal(t, []int{8, 8}, g.have())
	require.Equal(t, 80.0, g.policy.Needs().Registers()[1].Value)
}

func TestStepBeforeAnArrivalIsNotUndone(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10, 10)
	g.arrive(0, 70)
	g.arrive(1, 0)
	g.epochs(10)
	g.empty()
	require.Equal(t, []int{7, 9, 0}, g.have())
	g.arrive(2, 0)
	g.perSM[0] = 5
	g.empty()
	require.Equal(t, []int{7, 5, 4}, g.have())
	g.epochs(10)
	g.empty()
	require.Equal(t, []int{14, 1, 1}, g.have(), "and the next is a large one again")
}

func TestWhoBorrowedSMsIsNotSaidToMissItsGoal(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10)
	g.arrive(0, 70)
	g.arrive(1, 0)
	g.epochs(9)
	g.pause(1)
	g.epochs(1)
	require.Equal(t, []float64{7, 9}, []float64{g.policy.Needs().Registers()[2].Value, g.policy.Needs().Registers()[5].Value}, "it has just given one")
	g.epochs(1)
	require.Equal(t, []int{16, 0}, g.have())
	g.perSM[0] = 1
	g.epochs(20)
	require.Zero(t, g.policy.Needs().Registers()[1].Value)
	g.launch(1)
	g.empty()
	require.Equal(t, []int{7, 9}, g.have())
}

func TestWhoIsLeftAloneHasAllSMsAndIsMeasured(t *testing.T) {
	g := newGPU(t, "spart-qos", 16, 10, 10)
	g.arrive(0, 70)
	g.arrive(1, 0)
	g.epochs(10)
	g.empty()
	g.view.Tenants[1].Present = false
	g.pause(1)
	g.epochs(10)
	require.Equal(t, []int{16, 0}, g.have())
	require.Equal(t, 160.0, g.policy.Needs().Registers()[1].Value)
}

func TestSMsOfSeveralKindsAreRefused(t *testing.T) {
	v := &policy.View{SMs: []policy.SM{{}, {Kind: 1}}}
	require.ErrorContains(t, check(v), "SMs of several kinds")
}

func TestWindowIsAMultipleOfTheEpoch(t *testing.T) {
	for spec, want := range map[string]string{
		"window=150k,epoch=100k":        "policy spart-qos: option window=150k: must be a multiple of epoch=100k",
		"window=5k":                     "policy spart-qos: option window=5k: must be a multiple of epoch=10k",
		"epoch=1M":                      "policy spart-qos: option window=100k: must be a multiple of epoch=1M",
		"window=0":                      "policy spart-qos: option window=0: must be a whole number from 1000 to 1000000000, such as 2k or 2M",
		"epoch=0":                       "policy spart-qos: option epoch=0: must be a whole number from 1000 to 1000000000, such as 2k or 2M",
		"preempt=none":                  "policy spart-qos: option preempt=none: valid: switch, drain, ideal",
		"window=10k":                    "",
		"window=1M,epoch=1k":            "",
		"window=1000M,epoch=1000M":      "",
		"preempt=ideal,window=20k":      "",
		"preempt=drain,epoch=2k":        "",
		"preempt=switch,window=1000000": "",
	} {
		p, err := policy.Parse("spart-qos:" + spec)
		if want != "" {
			require.EqualError(t, err, want)
			continue
		}
		require.NoError(t, err, spec)
		require.True(t, p.Needs().Goals && p.Needs().Concurrent)
	}
}
