package contract

import (
	"cotenant/cta_dispatcher/policy"

	"github.com/sarchlab/akita/v3/sim"
)

// owners keeps the slots that the policy has given to each kernel on each SM, by the
// policy's actions alone: a thread block that finishes, faults or comes back changes
// nothing. It stands between the referee and the SM driver.
type owners struct {
	policy.Actions
	*trial
	owned []map[launch]int // by SM
}

// owner wraps the driver's Actions and watches switched thread blocks.
func (t *trial) owner(a policy.Actions) policy.Actions {
	if t.slotsOwned == nil {
		return a
	}
	t.slotsOwned.Actions = a
	return t.slotsOwned
}

// watchSlots compares the driver's account of slots after every edge of the driver.
func (t *trial) watchSlots() {
	if t.driverSpec.BlockSwitching.Extra == 0 {
		return
	}
	t.slotsOwned = &owners{trial: t}
	for range t.sms {
		t.slotsOwned.owned = append(t.slotsOwned.owned, map[launch]int{})
	}
	t.engine.AcceptHook(t.slotsOwned)
}

// Func makes owners a sim.Hook.
func (o *owners) Func(ctx sim.HookCtx) {
	if ctx.Pos != sim.HookPosAfterEvent || ctx.Item.(sim.Event).Handler() != sim.Handler(&o.driver.Module) || o.fault != nil {
		return
	}
	kernels := o.driver.Kernels()
	if err := o.driver.Blocks().Check(kernels); err != nil {
		o.fail("thread block table: %v", err)
	}
	for sm, owned := range o.owned {
		placed := o.placed(sm)
		for l, n := range owned {
			if _, active := placed[l]; !active {
				if n > 0 && o.finished[l] < o.kernel(l).tbs {
					o.fail("launch %d of tenant %d has no slots on SM %d, and owns %d", l.number, l.tenant, sm, n)
				}
				delete(owned, l)
			}
		}
		for _, k := range kernels {
			l := launch{k.Tenant, k.Launch}
			if vacant := o.driver.Blocks().Vacant(sm, k); vacant < 0 || placed[l]+vacant != owned[l] {
				o.fail("launch %d of tenant %d has %d thread blocks and %d vacant slots on SM %d, and owns %d", k.Launch, k.Tenant, placed[l], vacant, sm, owned[l])
			}
		}
	}
}

// placed counts the thread blocks of an SM that hold slots, by launch.
func (o *owners) placed(sm int) map[launch]int {
	n := map[launch]int{}
	for _, k := range o.driver.Kernels() {
		n[launch{k.Tenant, k.Launch}] = o.driver.Blocks().Held(sm, k)
	}
	return n
}

// Place fills a vacant slot of the kernel if there is one.
func (o *owners) Place(tenant, sm int) {
	l := launch{tenant, o.referee.view.Tenants[tenant].Launch}
	o.Actions.Place(tenant, sm)
	o.owned[sm][l] = max(o.owned[sm][l], o.placed(sm)[l])
}

// Preempt takes a slot with each thread block.
func (o *owners) Preempt(tenant, sm, n int, m policy.Mechanism) {
	before := o.placed(sm)
	o.Actions.Preempt(tenant, sm, n, m)
	for l, now := range o.placed(sm) {
		o.owned[sm][l] -= before[l] - now
	}
}

// PreemptSM takes all slots.
func (o *owners) PreemptSM(sm int, m policy.Mechanism) {
	o.Actions.PreemptSM(sm, m)
	clear(o.owned[sm])
}
