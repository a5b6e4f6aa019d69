package qos

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// gpu is a View that actions change like the SM driver's, with the sent controls.
type gpu struct {
	*testing.T
	policy   *qos
	view     policy.View
	sent     [][]protocol.Control     // by SM, at the last event
	preempts int                      // TBs, at the last event
	last     map[int]*protocol.Quotas // by SM
}

// newGPU has SMs with four schedulers, with slots for thread blocks as their only limit, and
// places for tenants.
func newGPU(t *testing.T, spec string, sms, slots, tenants int) *gpu {
	g := &gpu{T: t, policy: parse(t, spec), last: map[int]*protocol.Quotas{}}
	capacity := &occupancy.Capacity{TBs: slots, Threads: 1024, Warps: 32, SharedOptions: []int{0}}
	for i := range sms {
		g.view.SMs = append(g.view.SMs, policy.SM{Capacity: capacity, Schedulers: 4, IssueWidth: 1,
			TBs: make([]int, tenants), Leaving: make([]int, tenants), Tenants: make([]occupancy.Demand, tenants)})
		g.view.Windows = append(g.view.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}, Counters: counters{}})
	}
	g.view.Tenants = make([]policy.Tenant, tenants)
	return g
}

// event asks the policy.
func (g *gpu) event(e policy.Event) {
	g.sent, g.preempts = make([][]protocol.Control, len(g.view.SMs)), 0
	g.view.Event = e
	g.policy.Decide(&g.view, g)
}

// arrive lets a tenant come with a kernel of TBs of 32 threads.
func (g *gpu) arrive(tenant, tbs int, goal float64, since uint64) {
	t := &g.view.Tenants[tenant]
	rank := g.view.Present()
	*t = policy.Tenant{Present: true, Rank: rank, Since: since}
	t.Goal = goal
	g.launch(tenant, tbs)
}

// launch has it start a kernel.
func (g *gpu) launch(tenant, tbs int) {
	t := &g.view.Tenants[tenant]
	t.Waiting, t.Kernels, t.Demand = tbs, 1, of(32)
	g.view.Active = append(g.view.Active, tenant)
	g.event(policy.KernelArrived)
}

// finish ends n of a tenant's TBs on an SM, and its kernel with the last.
func (g *gpu) finish(tenant, sm, n int) {
	t, s := &g.view.Tenants[tenant], &g.view.SMs[sm]
	for range n {
		t.Running--
		s.TBs[tenant]--
		s.Usage.Release(t.Demand)
		event := policy.TBFinished
		if t.Running+t.Waiting == 0 {
			event = policy.KernelFinished
			g.retire(tenant)
		}
		g.event(event)
	}
}

func (g *gpu) retire(tenant int) {
	g.view.Tenants[tenant].Kernels = 0
	for i, a := range g.view.Active {
		if a == tenant {
			g.view.Active = append(g.view.Active[:i:i], g.view.Active[i+1:]...)
		}
	}
}

// epoch ends an epoch of 10,000 cycles. lanes has the thread instructions that each tenant
// issued on each SM, idle its idle warps at each of 100 samples.
func (g *gpu) epoch(lanes, idle []uint64) {
	g.epochBySM(lanes, func(int) []uint64 { return idle })
}

// epochBySM is epoch with the idle warps of each SM.
func (g *gpu) epochBySM(lanes []uint64, idle func(sm int) []uint64) {
	for i := range g.view.Windows {
		var c counters
		c.IdleSamples = 100
		for tenant, n := range lanes {
			c.Tenants[tenant].ThreadInstructions = n
		}
		for tenant, n := range idle(i) {
			c.Tenants[tenant].IdleWarps = 100 * n
		}
		w := &g.view.Windows[i]
		w.From, w.To, w.Counters = w.To, w.To+10_000, c
	}
	g.event(policy.Epoch)
}

// leave has the TBs that are to leave an SM be gone, their contexts in memory.
func (g *gpu) leave(sm int) {
	s := &g.view.SMs[sm]
	for tenant := range s.Leaving {
		for s.Leaving[tenant] > 0 {
			t := &g.view.Tenants[tenant]
			s.Leaving[tenant]--
			s.TBs[tenant]--
			s.Usage.Release(t.Demand)
			t.Running--
			t.Saving++
			g.event(policy.TBPreempted)
			t.Saving--
			t.Waiting++
			g.event(policy.ContextSaved)
		}
	}
}

// have lists, by SM, the TBs of each tenant that stay.
func (g *gpu) have() (list [][]int) {
	for i := range g.view.SMs {
		var counts []int
		for tenant := range g.view.Tenants {
			counts = append(counts, g.view.SMs[i].Staying(tenant))
		}
		list = append(list, counts)
	}
	return list
}

// quotas lists, by SM, the quotas that were sent at the last event: of each tenant
// the amount, -1 if it keeps its own; nil for an SM to which none were sent.
func (g *gpu) quotas() (list [][]int64) {
	for _, sent := range g.sent {
		var of []int64
		for _, c := range sent {
			if m, ok := c.(*protocol.Quotas); ok {
				of = amounts(m, len(g.view.Tenants))
			}
		}
		list = append(list, of)
	}
	return list
}

// amounts lists tenants' amounts, -1 for a quota that stays.
func amounts(m *protocol.Quotas, tenants int) (list []int64) {
	for _, q := range m.Of[:tenants] {
		if !q.Given {
			q.Amount = -1
		}
		list = append(list, q.Amount)
	}
	return list
}

// Place makes gpu a policy.Actions, as the methods below.
func (g *gpu) Place(tenant, sm int) {
	if !g.view.Fits(tenant, sm) {
		g.Fatalf("a TB of tenant %d does not fit on SM %d", tenant, sm)
	}
	t, s := &g.view.Tenants[tenant], &g.view.SMs[sm]
	t.Waiting--
	t.Running++
	s.TBs[tenant]++
	s.Usage.Take(t.Demand)
}

// Preempt marks TBs as leaving.
func (g *gpu) Preempt(tenant, sm, n int, m policy.Mechanism) {
	s := &g.view.SMs[sm]
	if n < 1 || n > s.Staying(tenant) || m != g.policy.mechanism {
		g.Fatalf("%d TBs of tenant %d are to leave SM %d by %v", n, tenant, sm, m)
	}
	s.Leaving[tenant] += n
	g.preempts += n
}

// Send records.
func (g *gpu) Send(u protocol.Unit, c protocol.Control) {
	if u.Kind != protocol.KindSM {
		g.Fatalf("%v", u)
	}
	g.sent[u.Index] = append(g.sent[u.Index], c)
	if m, ok := c.(*protocol.Quotas); ok {
		g.last[u.Index] = m
	}
}

func (g *gpu) PreemptSM(int, policy.Mechanism)          { g.Fatal("a whole SM") }
func (g *gpu) Relocate(_, _, _ int, _ policy.Mechanism) { g.Fatal("relocation") }
func (g *gpu) Window(uint64, ...string)                 { g.Fatal("a window") }
