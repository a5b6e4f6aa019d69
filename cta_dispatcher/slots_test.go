package dispatcher

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// kernelSlots counts the slots of one kernel on an SM.
type kernelSlots struct {
	placed  int // held by thread blocks
	vacant  int
	offChip int // thread blocks
}

// slots lists the slots of the active kernels on the first SM.
func (b *bench) slots() (list []kernelSlots) {
	for _, k := range b.driver.Kernels() {
		t := b.driver.Blocks()
		list = append(list, kernelSlots{t.Held(0, k), t.Vacant(0, k), t.OffChip(0, k)})
	}
	return list
}

// once acts at the first event at which the policy could place nothing more.
func once(act func(v *policy.View, a policy.Actions)) policy.Policy {
	done := false
	return acting(func(v *policy.View, a policy.Actions) {
		if !done {
			done = true
			act(v, a)
		}
	})
}

func TestSlotsThatTheThreadBlocksLeaveAreVacant(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 4)))})
	b.faulting(map[int]uint64{0: 5000})
	b.run(40)
	require.Equal(t, []kernelSlots{{placed: 2}}, b.slots())
	b.run(1000) // B, C and D have finished, A is leaving
	require.Equal(t, []kernelSlots{{placed: 1, vacant: 1}}, b.slots())
	b.run(2000)
	require.Equal(t, []kernelSlots{{vacant: 2, offChip: 1}}, b.slots())
	b.run(6000) // A comes back
	require.Equal(t, []kernelSlots{{placed: 1, vacant: 1}}, b.slots())
}

func TestAThreadBlockComesBackToItsVacantSlotOnAnEmptySM(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 3))), policy: policyFunc(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.KernelArrived {
			a.Place(0, 0)
			a.Place(0, 0)
		}
	})})
	b.faulting(map[int]uint64{0: 5000})
	b.run(4900)
	require.Equal(t, []kernelSlots{{vacant: 2, offChip: 1}}, b.slots())
	b.run(5010)
	require.Equal(t, []kernelSlots{{placed: 1, vacant: 1}}, b.slots(), "the policy need not place it")
}

func TestAPolicyThatDrainsAnSMTakesItsSlots(t *testing.T) {
	b := switchingBench(t, setup{sms: 2, capacity: slots(2), tenants: tenants(app(large("k", 9))),
		policy: once(func(_ *policy.View, a policy.Actions) { a.PreemptSM(0, policy.Drain) })})
	b.gpu.Times.Run = func(_ tenant.ID, _ uint64, tb int) uint64 { return 100 * uint64(1+tb) }
	b.run(150) // A has finished, C has not
	require.Equal(t, []kernelSlots{{}}, b.slots())
	require.True(t, b.driver.ledger.view.SMs[0].Reserved)
	b.run(330)
	require.False(t, b.driver.ledger.view.SMs[0].Reserved)
	require.Equal(t, []kernelSlots{{placed: 2}}, b.slots(), "no more than the policy has placed anew")
}

func TestAPreemptedThreadBlockLeavesNoSlot(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 2))),
		policy: once(func(_ *policy.View, a policy.Actions) { a.Preempt(0, 0, 1, policy.Switch) })})
	b.duration = 5000
	b.run(40)
	require.Equal(t, []kernelSlots{{placed: 1}}, b.slots())
	b.run(1200) // the thread block comes back in the slot that the policy gives it
	require.Equal(t, []kernelSlots{{placed: 2}}, b.slots())
}

func TestAPolicyThatEmptiesAnSMTakesItsVacantSlots(t *testing.T) {
	taken := false
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 3))), policy: acting(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.TBFinished && v.SMs[0].Usage.TBs == 1 && !taken { // a slot is vacant
			taken = true
			a.PreemptSM(0, policy.Switch)
		}
	})})
	b.gpu.Times.Run = func(_ tenant.ID, _ uint64, tb int) uint64 { return [...]uint64{100, 300, 5000}[tb] }
	b.run(320)
	require.True(t, taken)
	require.Equal(t, []kernelSlots{{}}, b.slots())
	b.run(3000)
	require.Equal(t, []kernelSlots{{placed: 1}}, b.slots())
}

func TestAThreadBlockThatEndsWhileItIsToLeaveLeavesNoSlot(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 3))), policy: policyFunc(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.KernelArrived {
			a.Place(0, 0)
			a.Place(0, 0)
			a.Preempt(0, 0, 1, policy.Switch)
		}
	})})
	b.gpu.Times.Run = func(_ tenant.ID, _ uint64, tb int) uint64 { return [...]uint64{5000, 100, 0}[tb] }
	b.run(1000)
	require.Equal(t, uint64(1), b.driver.Stats().Tenants[0].TBsCompleted)
	require.Equal(t, []kernelSlots{{placed: 1}}, b.slots())
}

// A listener is told which thread blocks leave because of faults.
func TestThoseThatLeaveForAFaultSaySo(t *testing.T) {
	var faults []bool
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 4))),
		policy: once(func(_ *policy.View, a policy.Actions) { a.Preempt(0, 0, 1, policy.Switch) })})
	b.duration = 9000
	b.faulting(map[int]uint64{0: 5000})
	b.driver.listener.TBLeaving = func(e TBEvent) { faults = append(faults, e.Fault) }
	b.run(4000)
	require.Equal(t, []bool{false, true}, faults)
}

// Room on an SM is no slot: the policy has taken D's. A comes back when B ends.
func TestAThreadBlockDoesNotComeBackToRoomThatThePolicyTook(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(3), tenants: lateSecond(3000, app(large("k", 5)), app(large("other", 1))),
		policy: policyFunc(func(v *policy.View, a policy.Actions) {
			switch {
			case v.Tenants[1].Present && v.Event == policy.KernelArrived:
				a.Preempt(0, 0, 1, policy.Switch)
			case !v.Tenants[1].Present:
				for v.Fits(0, 0) {
					a.Place(0, 0)
				}
			}
		})})
	b.faulting(map[int]uint64{0: 5000})
	b.gpu.Times.Run = func(_ tenant.ID, _ uint64, tb int) uint64 { return [...]uint64{100, 6000, 9000, 9000}[tb] }
	b.run(2900)
	require.Equal(t, []kernelSlots{{placed: 3, offChip: 1}}, b.slots(), "D has A's slot")
	b.run(5500)
	require.Equal(t, kernelSlots{placed: 2, offChip: 1}, b.slots()[0], "A is ready")
	require.Equal(t, 2, b.driver.ledger.view.SMs[0].Usage.TBs)
	b.run(6500)
	require.Equal(t, kernelSlots{placed: 2}, b.slots()[0], "B has ended")
}

// The policy takes an SM during a switch. The thread block then no longer counts as switched.
func TestASwitchUnderWayOnAnSMThatIsTakenIsForgotten(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: lateSecond(500, app(large("k", 5)), app(large("other", 1))),
		policy: acting(func(v *policy.View, a policy.Actions) {
			if v.Tenants[1].Present && v.Event == policy.KernelArrived {
				a.PreemptSM(0, policy.Switch)
			}
		})})
	b.duration = 9000
	b.faulting(map[int]uint64{0: 5000})
	b.run(400)
	require.NotNil(t, b.driver.Blocks().Last(0, 0, tbtable.Switching))
	b.run(1500)
	require.Nil(t, b.driver.Blocks().Last(0, 0, tbtable.Switching))
	require.Empty(t, b.driver.Blocks().Off(0))
}
