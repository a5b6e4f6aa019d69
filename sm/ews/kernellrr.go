package ews

// kernelLRR takes turns between kernels and is greedy-then-oldest inside each:
// Maestro's scheduler for co-running kernels (CCBP section 8).
type kernelLRR struct {
	order ageOrder
	next  int // kernel whose turn it is
	slots [16]uint64
	last  [16]int // slot that issued last for each kernel, plus one
	owner [MaxSlots]uint8
}

func (k *kernelLRR) Pick(ready, _ uint64) int {
	for i := range k.slots {
		kernel := (k.next + i) % len(k.slots)
		if candidates := ready & k.slots[kernel]; candidates != 0 {
			if last := k.last[kernel] - 1; last >= 0 && candidates>>uint(last)&1 != 0 {
				return last
			}
			return k.order.oldest(candidates)
		}
	}
	return -1
}

func (k *kernelLRR) Issued(slot int, _ uint64) {
	kernel := int(k.owner[slot])
	k.last[kernel] = slot + 1
	k.next = (kernel + 1) % len(k.slots)
}

func (k *kernelLRR) Placed(slot int, kernel uint8) {
	k.order.add(slot)
	k.owner[slot] = kernel
	k.slots[kernel] |= 1 << uint(slot)
}

func (k *kernelLRR) Removed(slot int) {
	k.order.remove(slot)
	kernel := k.owner[slot]
	k.slots[kernel] &^= 1 << uint(slot)
	if k.last[kernel] == slot+1 {
		k.last[kernel] = 0
	}
}
