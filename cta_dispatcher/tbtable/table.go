package tbtable

import (
	"fmt"
	"slices"

	"cotenant/components"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/workload"
)

// Entry is a thread block's place in the table.
type Entry struct {
	TB     *workload.TB
	Kernel *Kernel
	SM     int    // of its last placement
	Serial uint64 // of its last placement
	// Context is where the thread block goes on; nil if it starts from the beginning.
	Context *protocol.Context
	Bytes   int // of the context in memory
	// Mechanism is that of its last preemption. Halt says that the whole SM halts while the
	// context is saved and loaded, and Fault that page faults were the reason.
	Mechanism   policy.Mechanism
	Halt, Fault bool

	state State
	// slot is the context memory that the thread block is saved to, -1 if no context moves;
	// source is the slot that it is loaded from.
	slot, source int32
	blocked      uint64 // number of its last change to Blocked
}

// State is the thread block's state.
func (b *Entry) State() State { return b.state }

// Addr is the address of the thread block's context; ok is false if no context moves.
func (b *Entry) Addr() (addr uint64, ok bool) {
	if b.slot < 0 {
		return 0, false
	}
	return b.Kernel.contexts.address(b.slot), true
}

// Table holds the thread blocks of all active kernels.
type Table struct {
	view *policy.View
	// on lists the thread blocks of each SM in the order of placement; off lists those off
	// the chip because of faults in the order of leaving.
	on, off  [][]*Entry
	recalled []*Entry
	unused   components.Pool[Entry]
	serial   uint64   // of the next placement
	blocks   uint64   // changes to Blocked so far
	in, out  []*Entry // the result of Swap
}

// NewTable makes an empty table for the SMs of a View, which it keeps up to date.
func NewTable(view *policy.View) *Table {
	return &Table{view: view, on: make([][]*Entry, len(view.SMs)), off: make([][]*Entry, len(view.SMs))}
}

// Begin readies a kernel for its first thread block. contextBytes is the size of a
// thread block's context.
func (t *Table) Begin(k *Kernel, contextBytes int) {
	k.contexts, k.vacant = newContextMemory(k.Account, contextBytes), make([]int, len(t.on))
}

// First is the thread block of a kernel that is placed next: the first preempted one, or
// a New one without a TB.
func (t *Table) First(k *Kernel) *Entry {
	if len(k.preempted) > 0 {
		return k.preempted[0]
	}
	b := t.unused.Get()
	*b = Entry{Kernel: k, slot: -1}
	return b
}

// Find is the thread block of a placement on an SM, still there or off the chip; nil if
// the table has none.
func (t *Table) Find(sm int, serial uint64) *Entry {
	for _, list := range [...][]*Entry{t.on[sm], t.off[sm]} {
		for _, b := range list {
			if b.Serial == serial {
				return b
			}
		}
	}
	return nil
}

// On lists the thread blocks of an SM in the order of placement, without those off the
// chip because of faults. The list is valid until the next Move.
func (t *Table) On(sm int) []*Entry { return t.on[sm] }

// Off lists the thread blocks that are off an SM because of faults in the order of
// leaving. The list is valid until the next Move.
func (t *Table) Off(sm int) []*Entry { return t.off[sm] }

// Last is the last placed thread block of a tenant on an SM in any of the given states;
// nil if there is none.
func (t *Table) Last(tenant, sm int, states ...State) *Entry {
	list := t.on[sm]
	for i := len(list) - 1; i >= 0; i-- {
		if b := list[i]; b.Kernel.Tenant == tenant && slices.Contains(states, b.state) {
			return b
		}
	}
	return nil
}

// Place gives a thread block a placement on an SM, which must have room for it.
func (t *Table) Place(b *Entry, sm int) {
	e := Place
	if b.Context != nil && b.slot >= 0 {
		e, b.source = Load, b.slot
	}
	b.Serial = t.serial
	t.serial++
	t.move(b, e, sm)
}

// Order notes the mechanism by which a thread block leaves, and takes memory for its
// context if the context moves.
func (t *Table) Order(b *Entry, m policy.Mechanism) {
	b.Mechanism, b.slot = m, -1
	if m == policy.Switch {
		b.slot = b.Kernel.contexts.take()
	}
}

// Move changes a thread block's state by an event other than Place and Load. It panics
// if the state refuses the event.
func (t *Table) Move(b *Entry, e Event) { t.move(b, e, b.SM) }

func (t *Table) move(b *Entry, e Event, sm int) {
	from := b.state
	to, ok := from.After(e)
	if !ok {
		panic(fmt.Sprintf("thread block %d of launch %d of tenant %d on SM %d is %v, and the event is %v",
			b.TB.ID, b.Kernel.Launch, b.Kernel.Tenant, b.SM, from, e))
	}
	if e == Place || e == Load || standings[from].list != standings[to].list {
		t.delist(b)
		b.state, b.SM = to, sm
		t.enlist(b)
	}
	b.state = to
	t.count(b, from, to)
	t.vacate(b, from, e)
	switch {
	case e == Restored:
		b.Kernel.contexts.put(b.source)
	case to == Blocked:
		b.blocked = t.blocks
		t.blocks++
	case to == Done:
		t.unused.Put(b)
	}
}

// list is the list that a thread block's state belongs to, nil for none.
func (t *Table) list(b *Entry) *[]*Entry {
	switch standings[b.state].list {
	case onSM:
		return &t.on[b.SM]
	case offSM:
		return &t.off[b.SM]
	case recalled:
		return &t.recalled
	case queued:
		return &b.Kernel.preempted
	}
	return nil
}

func (t *Table) enlist(b *Entry) {
	if list := t.list(b); list != nil {
		*list = append(*list, b)
	}
}

func (t *Table) delist(b *Entry) {
	if list := t.list(b); list != nil {
		i := slices.Index(*list, b)
		*list = slices.Delete(*list, i, i+1)
	}
}

// count changes the View by a thread block's change of state.
func (t *Table) count(b *Entry, from, to State) {
	was, is := &standings[from], &standings[to]
	k, s := b.Kernel, &t.view.SMs[b.SM]
	v := &t.view.Tenants[k.Tenant]
	if room := change(was.room, is.room); room > 0 {
		s.Usage.Take(k.Demand)
		s.Tenants[k.Tenant] = s.Tenants[k.Tenant].Add(k.Demand)
	} else if room < 0 {
		s.Usage.Release(k.Demand)
		s.Tenants[k.Tenant] = s.Tenants[k.Tenant].Sub(k.Demand)
	}
	running, saving := change(was.room, is.room), change(was.saving, is.saving)
	s.TBs[k.Tenant] += running
	k.Running += running
	v.Running += running
	k.Saving += saving
	v.Saving += saving
	s.Leaving[k.Tenant] += change(was.leaving, is.leaving)
	v.Loading += change(was.loading, is.loading)
	k.Waiting += change(was.waiting, is.waiting)
	if k.Next {
		v.Waiting = k.Waiting
	}
	if to == Done {
		k.Done++
		v.Finished++
	}
}

// change is the difference that a change of state makes to a count.
func change(was, is bool) int {
	switch {
	case is && !was:
		return 1
	case was && !is:
		return -1
	}
	return 0
}
