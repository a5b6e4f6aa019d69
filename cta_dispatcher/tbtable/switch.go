package tbtable

import "slices"

// Thread blocks that wait for page faults give their slots to other thread blocks of
// their kernel (thesis 6.4.1). Each SM decides for each kernel by itself: all thread
// blocks of a kernel need the same of the SM, so each slot takes each of them.

// vacate keeps the number of vacant slots. The policy gives and takes slots with its
// thread blocks; a thread block that finishes or is switched leaves its slot to the
// kernel, unless the policy has taken the slot or the SM.
func (t *Table) vacate(b *Entry, from State, e Event) {
	vacant := &b.Kernel.vacant[b.SM]
	switch e {
	case Place, Load:
		if from != Moving && *vacant > 0 {
			*vacant--
		}
	case Left:
		if from == Switching || from == SwitchingServed {
			*vacant++
		}
	case Finish:
		if from != Leaving && from != LeavingRestoring && !t.view.SMs[b.SM].Reserved {
			*vacant++
		}
	}
}

// Held is the number of a kernel's thread blocks that hold slots on an SM. When a policy
// preempts, it takes the slots at once.
func (t *Table) Held(sm int, k *Kernel) int {
	if t.view.SMs[sm].Reserved {
		return 0
	}
	return k.count(t.on[sm], Leaving, LeavingRestoring, Saving)
}

// count counts a kernel's thread blocks on a list, except those in some states.
func (k *Kernel) count(list []*Entry, except ...State) (n int) {
	for _, b := range list {
		if b.Kernel == k && !slices.Contains(except, b.state) {
			n++
		}
	}
	return n
}

// Vacant is the number of slots on an SM to which thread blocks of a kernel off the
// chip can come back.
func (t *Table) Vacant(sm int, k *Kernel) int { return k.vacant[sm] }

// OffChip is the number of a kernel's thread blocks that are off an SM because of
// faults.
func (t *Table) OffChip(sm int, k *Kernel) int { return k.count(t.off[sm]) }

// Swap chooses thread blocks of a kernel that are to come back to an SM, and blocked ones
// that are to leave it. At most extra thread blocks are off the chip for the sake of new
// ones. The lists are valid until the next Swap.
func (t *Table) Swap(sm int, k *Kernel, extra int) (in, out []*Entry) {
	t.in, t.out = t.in[:0], t.out[:0]
	c := choice{maxExtra: extra}
	for _, b := range t.on[sm] {
		switch {
		case b.Kernel != k:
		case b.state == Blocked:
			t.out = append(t.out, b)
		case b.state == Switching || b.state == SwitchingServed:
			c.saving++
		}
	}
	for _, b := range t.off[sm] {
		if b.Kernel != k {
			continue
		}
		c.extra++
		if b.state == Ready {
			t.in = append(t.in, b)
		}
	}
	if c.extra == 0 && len(t.out) == 0 {
		return nil, nil
	}
	slices.SortFunc(t.in, byBlocked)
	slices.SortFunc(t.out, byBlocked)
	c.extra += c.saving
	c.ready, c.blocked = len(t.in), len(t.out)
	if !t.view.SMs[sm].Reserved { // else no other thread block comes
		c.free, c.pending = t.free(sm, k), k.Waiting
	}
	n, m := c.choose()
	return t.in[:n], t.out[:m]
}

// byBlocked orders thread blocks by the time at which they came to wait for faults.
func byBlocked(a, b *Entry) int { return int(a.blocked) - int(b.blocked) }

// free counts the vacant slots that the SM has room for and a ready thread block in t.in
// could take. A tenant does not come back to an SM that only other tenants use.
func (t *Table) free(sm int, k *Kernel) (n int) {
	view := &t.view.SMs[sm]
	if view.TBs[k.Tenant] == 0 && view.Usage.TBs > 0 {
		return 0
	}
	usage := view.Usage
	for most := min(k.vacant[sm], len(t.in)); n < most && view.Capacity.Fits(&usage, k.Demand); n++ {
		usage.Take(k.Demand)
	}
	return n
}

// choice holds the numbers of thread blocks that Swap chooses by.
type choice struct {
	ready   int // to come back
	blocked int // to leave
	saving  int // on their way off the SM because of faults; their slots are not free yet
	free    int // vacant slots
	pending int // that the policy could place
	// extra is the number of thread blocks off the chip or on the way there. It exceeds
	// maxExtra while a ready thread block waits for the slot of a leaving one.
	extra, maxExtra int
}

// choose fills free slots with ready thread blocks. A blocked thread block leaves only if
// another can run instead: a ready one, or a new one while fewer than maxExtra are off
// the chip. The slot of each thread block that is being saved comes first.
func (c choice) choose() (in, out int) {
	in = min(c.free, c.ready)
	c.extra -= in
	c.ready -= in + c.saving
	if c.ready < 0 {
		c.pending += c.ready
		c.ready = 0
	}
	for ; out < c.blocked; out++ {
		switch {
		case c.ready > 0:
			c.ready--
		case c.pending > 0 && c.extra < c.maxExtra:
			c.pending--
		default:
			return in, out
		}
		c.extra++
	}
	return in, out
}

// Strand recalls the ready thread blocks of a kernel if no thread block of the kernel is
// left on their SM, since none would make room by its end.
func (t *Table) Strand(sm int, k *Kernel) {
	if k.count(t.on[sm], Saving) == 0 {
		t.recall(t.off[sm], k, Ready)
	}
}

// TakeSM recalls the thread blocks of a kernel that an SM has switched or is switching,
// with their slots: the policy takes the SM.
func (t *Table) TakeSM(sm int, k *Kernel) {
	t.recall(t.off[sm], k, OffSaving, OffSavingServed, OffChip, Ready)
	t.recall(t.on[sm], k, Switching, SwitchingServed)
	k.vacant[sm] = 0
}

// recall recalls a kernel's thread blocks on a list that are in some states.
func (t *Table) recall(list []*Entry, k *Kernel, states ...State) {
	for _, b := range slices.Clone(list) {
		if b.Kernel == k && slices.Contains(states, b.state) {
			t.Move(b, Recall)
		}
	}
}

// Requeue puts the recalled thread blocks into their kernels' queues and reports whether
// there were any.
func (t *Table) Requeue() (moved bool) {
	for ; len(t.recalled) > 0; moved = true {
		t.Move(t.recalled[0], Requeue)
	}
	return moved
}
