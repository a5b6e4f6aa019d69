// Package issuequeue models the issue queue of an SM that issues out of order, without
// speculation and without renaming (thesis 2.4). One queue holds the waiting
// instructions of all warps. The package also keeps the instructions that have issued
// and not committed, because waiting instructions must respect their registers.
//
// A waiting instruction can issue when no older instruction of its warp, waiting or in
// flight, has a result to write that it reads or writes, or a source to read that it
// writes. Memory instructions of a warp issue in order, and barriers behind them; a
// fence waits until all older memory instructions have committed. Fetch stops behind a
// memory instruction until it issues, behind a control instruction until it commits, and
// behind a global memory instruction as the Rules of a scheme say.
//
// # Time
//
// In every tick the caller calls Edge first, then delivers what has completed (Checked,
// Commit, Fault, Squash, Resume), then issues (Ready, Pick, Issue), then fetches
// (Wanted, Enter), always with the number of the tick. What is delivered in tick t
// happened in cycle t-1: Commit(id, t) means that the instruction's commit stage was
// cycle t-1, so its dependents can issue in t; an instruction that issues in i and
// executes for E cycles commits in i+E+2 and is delivered in i+E+3, which is i plus its
// latency. Checked(id, t) means that the last TLB check was in t-1, so the sources are
// released in t, overwriters issue from t+1, and the scheme that waits for the check has
// fetch open in t. Sources that are read in the operand stage, i+1, let overwriters
// issue from i+2. What enters in t can issue from t+1. A tick in which any of these is
// called must be followed by the next tick.
//
// # Faults
//
// When an instruction of a warp has faulted (Fault), the warp neither fetches nor issues
// until Resume. Its instructions in flight without a fault drain. A faulted instruction
// is squashed: it waits again, in its place in the order of fetch. All instructions that
// wait then are the replay queue. In the schemes that disable the warp, instructions
// older than the faulted one issue all the same, since the warp goes on at the faulted
// instruction alone.
package issuequeue

import (
	"math"

	"cotenant/sm/warps"
	"cotenant/workload"
)

// ID is the number of an instruction, from Enter or Restore to its
// commit, or until its warp is cleared. Numbers are small and used again.
type ID uint32

const none = ID(math.MaxUint32)

// never is a cycle that does not come.
const never = uint64(math.MaxUint64)

// Kind says which rules an instruction follows.
type Kind uint8

// The kinds.
const (
	Arithmetic  Kind = iota
	Memory           // of global memory or through the texture cache: it may fault
	OtherMemory      // of shared, constant and local memory
	ControlKind      // branches, barriers and exits
	Fence            // waits for its warp's older memory instructions, and is control
)

func (k Kind) isMemory() bool { return k == Memory || k == OtherMemory }

// state is where an instruction is.
type state uint8

const (
	waiting  state = iota // it has not issued, or was squashed
	flying                // issued
	finished              // its execution has ended, and it waits for its turn to commit
)

// entry is an instruction that waits or is in flight.
type entry struct {
	src, dst set
	inst     workload.Inst
	// from is the first cycle in which the entry can issue. Once it has issued, free is
	// the first cycle in which younger instructions can overwrite its sources.
	from, free uint64
	next, prev ID // of its warp, in the order of fetch
	seq        uint32
	slot       uint8
	unit       warps.Unit
	kind       Kind
	state      state
	ordered    bool // issues in order with its warp's memory instructions
	queued     bool // takes an entry of the queue
	replayed   bool // has issued before, and faulted
	drains     bool // issues though its warp has faulted
	missed     bool // its result comes from beyond the L1
}

// warp is the state of a warp slot.
type warp struct {
	head, tail ID
	closed     ID                 // the instruction behind which fetch stops
	first      [warps.NumUnits]ID // oldest that can issue, by unit
	seq        uint32
	waiting    uint16
	flying     uint16 // and finished ones
	drains     uint16
	faulted    bool
	wide       bool // an instruction writes registers from 64 on
}

const chunk = 64 // entries that are made at a time

// Queue holds the waiting instructions of one SM, and its instructions in flight.
type Queue struct {
	rules   Rules
	entries int
	inOrder bool // issue
	retires bool // commit in order
	now     uint64
	count   int // entries taken
	chunks  []*[chunk]entry
	unused  ID // first of the free entries
	warps   []warp
	open    warps.Mask // fetch is
	dirty   warps.Mask // to be looked at again
	soon    warps.Mask // to be looked at in the next cycle
	turn    warps.Mask // the oldest is finished: it commits at the next edge
	retired warps.Mask // one has committed for the cycle before this one
	ready   [warps.NumUnits]warps.Mask
	hazard  warps.Mask // has waiting instructions, and none can issue
	long    warps.Mask // and waits for a result from beyond the L1
	listed  []ID       // by Waiting
}

// New makes the queue of an SM with one scheduler of at most 64 slots, which Specs
// are to be validated for. Spec and rules are valid.
func New(spec Spec, rules Rules, slots warps.Slots) *Queue {
	q := &Queue{rules: rules, entries: spec.Entries, inOrder: spec.issuesInOrder(), retires: spec.CommitsInOrder(),
		unused: none, warps: make([]warp, slots.Count())}
	for i := range q.warps {
		q.warps[i] = emptyWarp
	}
	return q
}

var emptyWarp = warp{head: none, tail: none, closed: none, first: noFirst}

var noFirst = func() (first [warps.NumUnits]ID) {
	for u := range first {
		first[u] = none
	}
	return first
}()

func bitOf(slot int) warps.Mask { return 1 << slot }

func (q *Queue) at(id ID) *entry { return &q.chunks[id/chunk][id%chunk] }

// Start begins a warp in an empty slot: it can be fetched for.
func (q *Queue) Start(slot int) {
	q.warps[slot] = emptyWarp
	q.open |= bitOf(slot)
}

// Clear forgets all of a warp. The numbers of its instructions are void: the caller must
// not deliver instructions that were in flight.
func (q *Queue) Clear(slot int) {
	w, bit := &q.warps[slot], bitOf(slot)
	for id := w.head; id != none; {
		next := q.at(id).next
		q.drop(id)
		id = next
	}
	*w = emptyWarp
	for u := range q.ready {
		q.ready[u] &^= bit
	}
	for _, m := range []*warps.Mask{&q.open, &q.dirty, &q.soon, &q.turn, &q.retired, &q.hazard, &q.long} {
		*m &^= bit
	}
}

// drop gives an entry back.
func (q *Queue) drop(id ID) {
	e := q.at(id)
	if e.queued {
		q.count--
	}
	e.next, q.unused = q.unused, id
}

// Wanted are the slots that can be fetched for now: their fetch is open, and the
// queue has room.
func (q *Queue) Wanted() warps.Mask {
	if q.count >= q.entries {
		return 0
	}
	return q.open
}

// Full reports whether all entries of the queue are taken.
func (q *Queue) Full() bool { return q.count >= q.entries }

// Enter puts a copy of the warp's next instruction into the queue, which is fetched
// in this tick and can issue from the next one on. The slot must be Wanted.
func (q *Queue) Enter(slot int, inst *workload.Inst, unit warps.Unit, kind Kind) ID {
	id := q.add(slot, inst, unit, kind)
	e := q.at(id)
	e.from, e.queued = q.now+1, true
	q.count++
	if kind != Arithmetic {
		q.warps[slot].closed = id
		q.open &^= bitOf(slot)
	}
	q.soon |= bitOf(slot)
	return id
}

// add appends an instruction to its warp's list.
func (q *Queue) add(slot int, inst *workload.Inst, unit warps.Unit, kind Kind) ID {
	if q.unused == none {
		q.grow()
	}
	id, w := q.unused, &q.warps[slot]
	e := q.at(id)
	q.unused = e.next
	*e = entry{inst: *inst, next: none, prev: w.tail, seq: w.seq, slot: uint8(slot), unit: unit, kind: kind,
		ordered: kind.isMemory() || inst.Class == workload.Barrier || inst.Class == workload.Commit || inst.Class == workload.Await}
	for _, r := range inst.Src {
		if r == workload.NoReg {
			break
		}
		e.src.add(r)
	}
	for _, r := range inst.Dst {
		if r == workload.NoReg {
			break
		}
		e.dst.add(r)
	}
	w.wide = w.wide || e.dst.wide()
	if w.tail == none {
		w.head = id
	} else {
		q.at(w.tail).next = id
	}
	w.tail = id
	w.seq++
	w.waiting++
	return id
}

// grow makes entries that stay where they are.
func (q *Queue) grow() {
	c, first := new([chunk]entry), ID(len(q.chunks)*chunk)
	q.chunks = append(q.chunks, c)
	for i := chunk - 1; i >= 0; i-- {
		c[i].next, q.unused = q.unused, first+ID(i)
	}
}

// Inst is the copy of an instruction, which the caller can complete in its place
// but for its registers. It lies there until the instruction commits.
func (q *Queue) Inst(id ID) *workload.Inst { return &q.at(id).inst }

// Unit is the unit that an instruction entered for.
func (q *Queue) Unit(id ID) warps.Unit { return q.at(id).unit }

// Kind is the kind that it entered with.
func (q *Queue) Kind(id ID) Kind { return q.at(id).kind }

// Resolve sets what kind of memory instruction one is that is about to issue: where a
// generic address leads is known when it has been executed.
func (q *Queue) Resolve(id ID, kind Kind) { q.at(id).kind = kind }

// Slot is the slot of its warp.
func (q *Queue) Slot(id ID) int { return int(q.at(id).slot) }

// Replayed reports whether it has issued before and was squashed.
func (q *Queue) Replayed(id ID) bool { return q.at(id).replayed }

// Idle reports whether nothing of a warp is in flight. Of a warp that has faulted
// it also says that nothing is left which issues all the same: the warp is quiet.
func (q *Queue) Idle(slot int) bool { return q.warps[slot].flying == 0 && q.warps[slot].drains == 0 }

// Len is the number of a warp's instructions that wait, and that are in flight.
func (q *Queue) Len(slot int) (waiting, inFlight int) {
	return int(q.warps[slot].waiting), int(q.warps[slot].flying)
}
