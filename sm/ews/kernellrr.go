package ews

import "cotenant/tenant"

func init() {
	register(policy{name: "kernel-lrr", about: "round robin over kernels, greedy then oldest inside a kernel",
		make: func(int) Scheduler { return &kernelLRR{} }})
}

// kernelLRR takes turns between kernels and is greedy-then-oldest inside each:
// Maestro's scheduler for co-running kernels (CCBP section 8).
type kernelLRR struct {
	order ageOrder
	next  int // kernel that is served next
	slots [16]uint64
	last  [16]int // slot that issued last for each kernel, plus one
	owner [MaxSlots]tenant.ID
}

func (k *kernelLRR) Pick(ready, _ uint64) int {
	for i := range k.slots {
		id := (k.next + i) % len(k.slots)
		if candidates := ready & k.slots[id]; candidates != 0 {
			if last := k.last[id] - 1; last >= 0 && candidates>>uint(last)&1 != 0 {
				return last
			}
			return k.order.oldest(candidates)
		}
	}
	return -1
}

func (k *kernelLRR) Issued(slot int, _ uint64) {
	id := int(k.owner[slot])
	k.last[id] = slot + 1
	k.next = (id + 1) % len(k.slots)
}

func (k *kernelLRR) Placed(slot int, id tenant.ID) {
	k.order.add(slot)
	k.owner[slot] = id
	k.slots[id] |= 1 << uint(slot)
}

func (k *kernelLRR) Removed(slot int) {
	k.order.remove(slot)
	id := k.owner[slot]
	k.slots[id] &^= 1 << uint(slot)
	if k.last[id] == slot+1 {
		k.last[id] = 0
	}
}
