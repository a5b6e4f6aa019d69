// Package operandlog models the log of the source operands of an SM's memory
// instructions in flight: a faulted instruction is replayed from the log (thesis 6.3.3).
// It counts entries; their contents do not matter to a simulation that executes each
// instruction once.
//
// A thread block takes entries from its partition when a memory instruction issues, and
// gives them back when the instruction cannot fault any more, in the cycle after its
// last TLB check. They can be taken again from the cycle after that. The caller's ticks
// keep the time: Release is called in the tick of the release, and the next Edge, which
// begins each tick, makes the entries usable.
package operandlog

import (
	"fmt"

	"cotenant/workload"
)

// EntryBytes is the size of an entry: 32 lanes of 8 bytes.
const EntryBytes = 8 * workload.WarpSize

// largest is the number of entries of the instructions that take most.
const largest = 2

// Entries is the number of entries that a memory instruction of a class takes: 1 for the
// address, and 1 for the data if it writes. Thesis 6.3.3 says so for loads and stores;
// atomics and reductions have data as stores do.
func Entries(c workload.Class) int {
	if c == workload.Load {
		return 1
	}
	return largest
}

// Partition is the number of entries of a log for each of tbs thread blocks.
func Partition(entries, tbs int) int { return entries / tbs }

// Validate reports a log that leaves each of tbs thread blocks too few entries for a
// store.
func Validate(bytes, tbs int) error {
	if bytes%EntryBytes != 0 || Partition(bytes/EntryBytes, tbs) < largest {
		return fmt.Errorf("log_bytes is %d, must be a multiple of %d and at least %d, %d entries for each of %d thread blocks",
			bytes, EntryBytes, largest*EntryBytes*tbs, largest, tbs)
	}
	return nil
}

// Log is the log of one SM.
type Log struct {
	entries, given int // of all partitions
	blocks         []block
	late           bool // entries have been released since the last Edge
}

// block is the partition of one thread block.
type block struct {
	size, used int
	late       int // released since the last Edge, still used
}

// New makes a log of a number of entries, for an SM with tbs slots of thread blocks.
func New(entries, tbs int) *Log { return &Log{entries: entries, blocks: make([]block, tbs)} }

// Edge begins a tick: what was released in the one before can be taken.
func (l *Log) Edge() {
	if !l.late {
		return
	}
	l.late = false
	for i := range l.blocks {
		b := &l.blocks[i]
		b.used -= b.late
		b.late = 0
	}
}

// Open gives the thread block of a slot a partition, which it has until Close. The
// partitions of an SM are together no larger than the log.
func (l *Log) Open(tb, partition int) {
	if l.given += partition; l.given > l.entries {
		panic(fmt.Sprintf("operandlog: partitions of %d entries in a log of %d", l.given, l.entries))
	}
	l.blocks[tb] = block{size: partition}
}

// Close takes the partition back, with all that is in it.
func (l *Log) Close(tb int) {
	l.given -= l.blocks[tb].size
	l.blocks[tb] = block{}
}

// Given is the number of entries of all partitions.
func (l *Log) Given() int { return l.given }

// Alloc takes n entries of a thread block's partition, or reports that it has not
// as many.
func (l *Log) Alloc(tb, n int) bool {
	b := &l.blocks[tb]
	if b.used+n > b.size {
		return false
	}
	b.used += n
	return true
}

// Room reports whether Alloc would take n entries.
func (l *Log) Room(tb, n int) bool { return l.blocks[tb].used+n <= l.blocks[tb].size }

// Release gives n entries back in this tick.
func (l *Log) Release(tb, n int) {
	l.blocks[tb].late += n
	l.late = true
}

// Saved is the number of entries that a thread block has taken and not released. Once
// its warps are quiet, these are the entries of squashed instructions, which go into its
// context.
func (l *Log) Saved(tb int) int { return l.blocks[tb].used - l.blocks[tb].late }

// Restore takes the entries of a context in a new partition, which is at least as
// large: the smallest of all SMs is the one to give.
func (l *Log) Restore(tb, saved int) {
	if !l.Alloc(tb, saved) {
		panic(fmt.Sprintf("operandlog: a context of %d entries in a partition of %d", saved, l.blocks[tb].size))
	}
}
