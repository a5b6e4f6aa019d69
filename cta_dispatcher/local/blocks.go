package local

import (
	"fmt"
	"slices"
)

// State is where a thread block is.
type State uint8

// The states.
const (
	Running   State = iota // on the SM
	Blocked                // on the SM, and all that is left of it waits for faults
	Saving                 // leaves the SM
	OffChip                // has left, and has faults that are not served
	Ready                  // has left, and could run
	Restoring              // comes back
	numStates
)

// String names the state.
func (s State) String() string {
	return [...]string{"running", "blocked", "saving", "off chip", "ready", "restoring"}[s]
}

type block struct {
	id     ID
	state  State
	served bool // while it is saved, its faults have been
}

// Blocks are the thread blocks of one SM, on it and off the chip.
type Blocks struct {
	slots, maxExtra int
	asked           int     // for so many the SM driver has been asked
	list            []block // on the SM as they came, others as they blocked or left
	ready, blocked  []ID    // of View
}

// New makes the account of an SM with so many slots for thread blocks.
func New(slots, maxExtra int) *Blocks { return &Blocks{slots: slots, maxExtra: maxExtra} }

// move puts a thread block from one state into another, behind all that are there.
func (b *Blocks) move(id ID, to, from State) {
	i := slices.IndexFunc(b.list, func(x block) bool { return x.id == id })
	if i < 0 || b.list[i].state != from {
		panic(fmt.Sprintf("local: thread block %d is to be %s and is not %s", id, to, from))
	}
	x := b.list[i]
	x.state, x.served = to, false
	b.list = append(slices.Delete(b.list, i, i+1), x)
}

// Place puts a new thread block on the SM, which has been asked for or not.
func (b *Blocks) Place(id ID) {
	b.asked = max(b.asked-1, 0)
	b.list = append(b.list, block{id: id})
}

// Refused notes that the SM driver has no thread block for one that was asked for.
func (b *Blocks) Refused() { b.asked-- }

// Block notes that a running thread block is blocked and quiet.
func (b *Blocks) Block(id ID) { b.move(id, Blocked, Running) }

// Served notes that the last fault of a thread block is served, wherever it is: it can
// run, once it has been restored if it has left or is leaving.
func (b *Blocks) Served(id ID) {
	for i := range b.list {
		x := &b.list[i]
		if x.id != id {
			continue
		}
		switch x.state {
		case Blocked:
			x.state = Running
		case Saving:
			x.served = true
		case OffChip:
			x.state = Ready // in its place: it has been off the chip as long as before
		}
	}
}

// Saved notes that a thread block has left.
func (b *Blocks) Saved(id ID) {
	for i := range b.list {
		if x := &b.list[i]; x.id == id && x.state == Saving {
			x.state = OffChip
			if x.served {
				x.state = Ready
			}
			return
		}
	}
	panic(fmt.Sprintf("local: thread block %d is not being saved", id))
}

// Restored notes that a thread block runs again.
func (b *Blocks) Restored(id ID) { b.move(id, Running, Restoring) }

// Remove forgets a thread block that has finished, or that the SM has lost, off the
// chip or on it: a policy that takes the SM makes all of them preempted thread blocks
// like others.
func (b *Blocks) Remove(id ID) {
	b.list = slices.DeleteFunc(b.list, func(x block) bool { return x.id == id })
}

// Apply notes what is being done: it begins when this returns.
func (b *Blocks) Apply(a Actions) {
	for _, id := range a.In {
		b.move(id, Restoring, Ready)
	}
	for _, id := range a.Out {
		b.move(id, Saving, Blocked)
	}
	b.asked += a.Ask
}

// State is where a thread block is, and whether it is this SM's.
func (b *Blocks) State(id ID) (State, bool) {
	for _, x := range b.list {
		if x.id == id {
			return x.state, true
		}
	}
	return 0, false
}

// View is for Decide. Pending is the number of thread blocks that the SM driver could
// send. The View is valid until the next one is made.
func (b *Blocks) View(pending int) View {
	var n [numStates]int
	b.ready, b.blocked = b.ready[:0], b.blocked[:0]
	for _, x := range b.list {
		n[x.state]++
		switch x.state {
		case Ready:
			b.ready = append(b.ready, x.id)
		case Blocked:
			b.blocked = append(b.blocked, x.id)
		}
	}
	active := n[Running] + n[Blocked] + n[Restoring]
	off := n[OffChip] + n[Ready]
	return View{Active: active, Blocked: b.blocked, OffChip: off, Ready: b.ready, Saving: n[Saving],
		Free: max(0, b.slots-active-n[Saving]-b.asked), Extra: off + n[Saving], MaxExtra: b.maxExtra, Pending: pending}
}
