package dispatcher

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/protocol"
)

// blocked takes an SM's word that a thread block waits for faults, or does so no more.
// The thread block may have left the table.
func (d *Driver) blocked(sm int, m *protocol.TBBlocked) {
	b := d.blocks.Find(sm, m.Serial)
	if b == nil {
		return
	}
	d.loaded(b) // the SM's word can come before the engine's
	event := tbtable.Served
	if m.On {
		event = tbtable.Block
	}
	d.blocks.Move(b, event)
	switch b.State() {
	case tbtable.Running, tbtable.Blocked:
		d.switchTBs(sm, b.Kernel)
	case tbtable.Ready:
		d.refill(sm, b.Kernel)
	}
}

// refill lets the thread blocks of a kernel that are off the chip take the slots that
// are vacant on their SM, or any other if the kernel has no thread block there.
func (d *Driver) refill(sm int, k *tbtable.Kernel) {
	d.switchTBs(sm, k)
	d.blocks.Strand(sm, k)
}

// switchTBs lets an SM's thread block scheduler act for a kernel after a change
// (thesis 6.4.1).
func (d *Driver) switchTBs(sm int, k *tbtable.Kernel) {
	s := &d.spec.BlockSwitching
	if s.Extra == 0 || d.err != nil {
		return
	}
	m := policy.Switch
	if s.Ideal {
		m = policy.Ideal
	}
	in, out := d.blocks.Swap(sm, k, s.Extra)
	for _, b := range in {
		d.send(b, sm)
	}
	for _, b := range out {
		d.stats.Tenants[k.Tenant].BlockSwitches++
		d.blocks.Move(b, tbtable.Switch)
		d.orderSave(b, m, false, true)
	}
}

// askRecalled asks the policy to place the thread blocks that were recalled at the edge
// before. The delay keeps the View of a policy that is deciding.
func (d *Driver) askRecalled() bool {
	moved := d.blocks.Requeue()
	if moved {
		d.ask(policy.ContextSaved)
	}
	return moved
}
