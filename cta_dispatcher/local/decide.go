// Package local is the thread block scheduler of one SM that switches thread blocks
// on faults (thesis 6.4.1): one whose warps all wait for faults leaves the SM, if
// another can run instead, and comes back once its faults are served. Decide is the
// rule and knows no time; Blocks is where the thread blocks of an SM are. Moving
// contexts, and what that takes, is the caller's.
//
// All thread blocks are taken to need the same of the SM, so that each slot takes each
// of them.
package local

// ID is the caller's number of a thread block.
type ID uint32

// View is what the scheduler of an SM sees.
type View struct {
	// Active is the number of thread blocks that have a slot, those that are restored
	// included, those that are saved not.
	Active int
	// Blocked are those of them of which all warps that have not ended wait for faults
	// or at barriers, at least one for a fault, and nothing is in flight; the one that
	// has been for longest comes first. When its faults are served a thread block is
	// not blocked any more.
	Blocked []ID
	// OffChip is the number of thread blocks that have been saved.
	OffChip int
	// Ready are those of them whose faults are all served; the one that has been off
	// the chip for longest comes first.
	Ready []ID
	// Saving is the number of thread blocks that are being saved. Their slots are not
	// free yet.
	Saving int
	// Free is the number of slots without a thread block for which none has been asked.
	Free int
	// Extra is the number of thread blocks that are off the chip or being saved, and
	// MaxExtra how many there may be for the sake of new ones (thesis 6.4.1: 4).
	// Extra is above that while a ready one waits for the slot of one that is saved.
	Extra, MaxExtra int
	// Pending is the number of thread blocks that the SM driver could send.
	Pending int
}

// Actions are what is to be done.
type Actions struct {
	// Out are blocked thread blocks to be saved.
	Out []ID
	// In are ready thread blocks to be restored into free slots.
	In []ID
	// Ask is the number of thread blocks to ask the SM driver for, for free slots.
	Ask int
}

// Decide fills free slots, with thread blocks that are ready before new ones, and
// sends blocked ones away for which there is another: a ready one, or, while there
// is room for extra ones, a new one. Each slot that is being saved has a claim to
// one of them already. Nobody who can run ever leaves. Decide is to be called
// whenever the View has changed.
func Decide(v View) (a Actions) {
	n := min(v.Free, len(v.Ready))
	a.In = v.Ready[:n:n]
	a.Ask = min(v.Free-n, v.Pending)
	extra := v.Extra - n
	ready, pending := len(v.Ready)-n-v.Saving, v.Pending-a.Ask
	if ready < 0 {
		pending += ready
		ready = 0
	}
	out := 0
	for ; out < len(v.Blocked); out++ {
		if ready > 0 {
			ready--
		} else if pending > 0 && extra < v.MaxExtra {
			pending--
		} else {
			break
		}
		extra++
	}
	a.Out = v.Blocked[:out:out]
	return a
}
