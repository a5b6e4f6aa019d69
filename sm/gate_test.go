package sm

import (
	"testing"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/gate"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

// mockGate is a gate with fields for masks. It notes the issues that it hears of.
type mockGate struct {
	*MockGate
	active      bool
	all, memory warps.Mask
	issued      [][]workload.Class // by issue
	slots       []int
}

// gated is a bench of one scheduler with mocks of gates, each active or not.
func gated(t *testing.T, spec Spec, active ...bool) (*bench, []*mockGate) {
	b, ctrl := newBench(t, spec), gomock.NewController(t)
	b.ungated()
	var gates []*mockGate
	for _, active := range active {
		g := &mockGate{MockGate: NewMockGate(ctrl), active: active}
		g.EXPECT().Control(gomock.Any()).AnyTimes().Return(true)
		g.EXPECT().Active().AnyTimes().DoAndReturn(func() bool { return g.active })
		if active {
			g.EXPECT().Masks(0).AnyTimes().DoAndReturn(func(int) (warps.Mask, warps.Mask) { return g.all, g.memory })
			g.EXPECT().Edge().AnyTimes().Return(true)
			g.EXPECT().Issued(0, gomock.Any(), gomock.Any()).AnyTimes().Do(func(_, slot int, insts []workload.Inst) {
				var classes []workload.Class
				for i := range insts {
					classes = append(classes, insts[i].Class)
				}
				g.slots, g.issued = append(g.slots, slot), append(g.issued, classes)
			})
		}
		gates = append(gates, g)
		b.sm.gates.Add(g)
	}
	b.turn()
	return b, gates
}

// ungated takes the SM's gates away.
func (b *bench) ungated() {
	*b.sm.gates = *gate.SetOf(b.sm.signals[:len(b.sm.residents.Schedulers)])
}

// turn has the SM look at its gates anew, as at a control message.
func (b *bench) turn() {
	b.sm.control(&protocol.Quotas{})
	b.sm.Wake()
}

// turnFor changes gates so that the SM sees it at a cycle.
func (b *bench) turnFor(cycle uint64, change func()) {
	a := &action{at: cycle - 1, act: func() { change(); b.turn() }}
	a.Init("Action", b.Clock, a)
	a.Start()
}

// action is something that happens at a cycle.
type action struct {
	components.Module
	at  uint64
	act func()
}

func (a *action) Tick(cycle uint64) bool {
	if cycle < a.at {
		a.WakeAt(a.at)
	} else {
		a.act()
	}
	return false
}

// warp expects a gate to be told that a warp comes and ends.
func (g *mockGate) warp(slot int, id tenant.ID) {
	gomock.InOrder(g.EXPECT().Placed(0, slot, id, gomock.Any()), g.EXPECT().Ended(0, slot))
}

func TestActiveGateIsToldOfEachSchedulersCycle(t *testing.T) {
	b, g := gated(t, dualIssue(), true)
	g[0].warp(0, 3)
	b.place(3, program(script.Op(workload.Int, 1), script.Op(workload.SFU, 2), script.Op(workload.SFU, 3), script.Op(workload.Int, 4, 3)))
	b.run()
	require.Equal(t, [][]workload.Class{{workload.Int, workload.SFU}, {workload.SFU}, {workload.Int}}, g[0].issued)
	require.Equal(t, []int{0, 0, 0}, g[0].slots)
}

func TestInactiveGateIsToldOfWarpsAlone(t *testing.T) {
	b, g := gated(t, oneScheduler(), false)
	g[0].warp(0, 3)
	g[0].warp(1, 3)
	b.place(3, independent(5), independent(5))
	b.run()
	require.Equal(t, uint64(10), b.kernel(3).WarpInstructions)
}

func TestInactiveGateBesideAnActiveOneIsNotAsked(t *testing.T) {
	for _, active := range [][]bool{{true, false}, {false, true}} {
		b, g := gated(t, oneScheduler(), active...)
		for _, m := range g {
			m.warp(0, 0)
			if m.active {
				m.all = 1
			}
		}
		r := b.place(0, program(step))[0]
		b.turnFor(50, func() { g[0].all, g[1].all = 0, 0 })
		b.run()
		require.Equal(t, []uint64{50}, r.issued, "the active one holds it back")
		require.Len(t, append(g[0].slots, g[1].slots...), 1)
	}
}

func TestGateThatBecomesInactiveLetsGo(t *testing.T) {
	b, g := gated(t, oneScheduler(), true)
	g[0].warp(0, 0)
	g[0].all = 1
	r := b.place(0, program(step))[0]
	b.turnFor(50, func() { g[0].active = false })
	b.run()
	require.Equal(t, []uint64{50}, r.issued)
	require.Empty(t, g[0].slots)
}

func TestGateIsToldThatAWarpHasEndedBeforeItsLastIssue(t *testing.T) {
	b, g := gated(t, oneScheduler(), true)
	g[0].EXPECT().Placed(0, 0, tenant.ID(0), gomock.Any())
	g[0].EXPECT().Ended(0, 0).Do(func(_, _ int) { require.Len(t, g[0].slots, 1) })
	b.place(0, independent(2))
	b.run()
	require.Len(t, g[0].slots, 2)
}

func TestGateIsToldThatAWarpThatLeavesHasEnded(t *testing.T) {
	b, g := gated(t, oneScheduler(), true)
	g[0].warp(0, 0)
	b.place(0, alu(1000))
	e := b.preEng(evict(1, 50))
	b.RunTo(100)
	require.Len(t, e.evicted(), 1)
}

func TestGatedWarpIssuesNothingAndItsTenantPays(t *testing.T) {
	b, g := gated(t, oneScheduler(), true)
	g[0].warp(0, 3)
	g[0].all = 1
	r := b.place(3, program(step))[0]
	b.turnFor(50, func() { g[0].all = 0 })
	b.run()
	require.Equal(t, []uint64{50}, r.issued)
	// Ready from 3 on.
	require.Equal(t, uint64(50-3), b.kernel(3).Stalls[Quota])
}

func TestGateForMemoryHoldsBackMemoryInstructionsOnly(t *testing.T) {
	b, g := gated(t, oneScheduler(), true)
	g[0].warp(0, 0)
	g[0].warp(1, 0)
	g[0].memory = 0b01
	held := b.place(0, program(independent(2), load(9, 0), step), program(load(9, 0), step))
	b.turnFor(200, func() { g[0].memory = 0 })
	b.run()
	require.Equal(t, []uint64{200, 201}, held[0].issued[2:])
	require.Less(t, held[1].issued[1], uint64(10), "the other slot's memory instructions go")
}

func TestSecondInstructionOfACycleIsGatedToo(t *testing.T) {
	b, g := gated(t, dualIssue(), true)
	g[0].warp(0, 0)
	g[0].memory = 1
	r := b.place(0, program(script.Op(workload.Int, 1), load(2, 0)))[0]
	b.turnFor(100, func() { g[0].memory = 0 })
	b.run()
	require.Equal(t, uint64(100), r.issued[1])
	require.Equal(t, [][]workload.Class{{workload.Int}, {workload.Load}}, g[0].issued)
}

func TestWarpPassesIfEveryGateLetsIt(t *testing.T) {
	b, g := gated(t, oneScheduler(), true, true)
	for _, m := range g {
		m.warp(0, 0)
		m.warp(1, 0)
	}
	g[0].all, g[1].all = 0b01, 0b10
	r := b.place(0, program(step), program(step))
	b.turnFor(50, func() { g[0].all = 0 })
	b.turnFor(100, func() { g[1].all = 0 })
	b.run()
	require.Equal(t, [][]uint64{{50}, {100}}, [][]uint64{r[0].issued, r[1].issued})
	require.Equal(t, []int{0, 1}, g[1].slots, "both are told of both issues")
}

func TestMemoryInstructionPassesIfEveryGateLetsIt(t *testing.T) {
	b, g := gated(t, oneScheduler(), true, true)
	for _, m := range g {
		m.warp(0, 0)
		m.warp(1, 0)
	}
	g[0].memory, g[1].memory = 0b01, 0b10
	r := b.place(0, program(load(1, 0)), program(load(1, 0)))
	b.turnFor(50, func() { g[0].memory = 0 })
	b.turnFor(100, func() { g[1].memory = 0 })
	b.run()
	require.Equal(t, [][]uint64{{50}, {100}}, [][]uint64{r[0].issued, r[1].issued})
}

func TestGateThatClosesWithAnIssueHoldsTheNextOneBack(t *testing.T) {
	b, g := gated(t, oneScheduler(), true)
	m := g[0].MockGate
	b.ungated()
	b.sm.gates.Add(&limit{MockGate: m, left: 3})
	b.turn()
	m.EXPECT().Placed(0, 0, tenant.ID(0), gomock.Any())
	r := b.place(0, independent(8))[0]
	b.RunTo(50)
	require.Len(t, r.issued, 3)
	require.Equal(t, []uint64{0, 1, 2}, relative(r.issued, r.issued[0]))
}

// limit lets left instructions issue.
type limit struct {
	*MockGate
	left int
}

func (l *limit) Issued(_, _ int, insts []workload.Inst) { l.left -= len(insts) }

func (l *limit) Masks(int) (all, memory warps.Mask) {
	if l.left <= 0 {
		all = ^warps.Mask(0)
	}
	return all, 0
}
