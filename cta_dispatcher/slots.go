package dispatcher

// KernelSlots counts the slots of one kernel on an SM that switches thread blocks on
// page faults. The policy gave the kernel Placed + Vacant slots there; a thread block
// that finishes or is switched leaves its slot vacant.
type KernelSlots struct {
	Tenant int
	Launch uint64 // of the tenant's launches, from 0
	// Placed counts the thread blocks that hold a slot: on the SM, or about to come
	// back to it. The policy's preemptions take slots at once, so thread blocks that
	// leave for the policy do not count.
	Placed int
	// Vacant counts the slots to which thread blocks that are off the chip may come back.
	Vacant int
	// OffChip counts the thread blocks that are off the chip because of faults.
	OffChip int
}

// Slots lists the slots of the active kernels on an SM; none unless thread blocks are
// switched on page faults. The list tells a monitor or a test how switching stands.
func (d *Driver) Slots(sm int) (list []KernelSlots) {
	if d.switching == nil {
		return nil
	}
	for _, l := range d.switching.sms[sm] {
		s := KernelSlots{Tenant: l.kernel.Tenant, Launch: l.kernel.Launch, Vacant: l.vacant, OffChip: len(l.off)}
		for _, p := range d.ledger.sms[sm].placements {
			if p.kernel == l.kernel && p.state != leaving && p.state != left && !d.ledger.view.SMs[sm].Reserved {
				s.Placed++
			}
		}
		list = append(list, s)
	}
	return list
}
