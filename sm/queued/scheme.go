package queued

import (
	"cotenant/sm/issuequeue"
	"cotenant/sm/operandlog"
	"cotenant/sm/residency"
	"cotenant/workload"
)

// Scheme is a way to handle page faults of instructions that stops the warp and replays
// them. A file of its own registers it.
type Scheme struct {
	Name    string
	Rules   issuequeue.Rules
	Storage *StorageKind // nil: the scheme keeps nothing beside the queue
}

// StorageKind makes the storage of a scheme.
type StorageKind struct {
	// Validate reports a size in bytes (sm.faults.log_bytes) that does not do for tbs
	// thread blocks.
	Validate func(bytes, tbs int) error
	New      func(bytes, tbs int) Storage
}

// Storage keeps what a scheme needs to replay instructions of global memory in flight,
// in a part for each thread block.
//
// The contract: Edge begins each edge, before all else. A thread block has a place below
// the number of thread blocks of an SM, from Open to Close. Alloc takes what an
// instruction of a class needs when it issues; there must be Room. Release gives it back
// when the instruction cannot fault any more, and a later Edge makes room of it. The
// entries that a drained thread block has not released go into its context: Saved counts
// their bytes, and Restore takes them again, instruction by instruction, wherever the
// thread block goes on. Every SM of a GPU has room for that.
type Storage interface {
	Edge()
	// Open gives a thread block its part, with residents thread blocks at most on the SM.
	Open(place, residents int)
	Close(place int)
	Room(place int, c workload.Class) bool
	Alloc(place int, c workload.Class)
	Release(place int, c workload.Class)
	Restore(place int, c workload.Class)
	Saved(place int) (bytes int)
	// Given is the number of entries of all parts.
	Given() int
}

var storages = map[string]*StorageKind{operandLog: {operandlog.Validate, newOperandLog}}

// Register adds a scheme.
func Register(s Scheme) {
	issuequeue.Register(s.Name, s.Rules)
	if s.Storage != nil {
		storages[s.Name] = s.Storage
	}
}

// operandLog is the scheme with an operand log (thesis 6.3.3).
const operandLog = "operand-log"

// logged is the Storage of an operand log.
type logged struct {
	*operandlog.Log
	entries int
}

func newOperandLog(bytes, tbs int) Storage {
	entries := bytes / operandlog.EntryBytes
	return &logged{operandlog.New(entries, tbs), entries}
}

func (l *logged) Open(place, residents int) {
	l.Log.Open(place, operandlog.Partition(l.entries, residents))
}
func (l *logged) Room(place int, c workload.Class) bool {
	return l.Log.Room(place, operandlog.Entries(c))
}
func (l *logged) Alloc(place int, c workload.Class)   { l.Log.Alloc(place, operandlog.Entries(c)) }
func (l *logged) Release(place int, c workload.Class) { l.Log.Release(place, operandlog.Entries(c)) }
func (l *logged) Restore(place int, c workload.Class) { l.Log.Restore(place, operandlog.Entries(c)) }
func (l *logged) Saved(place int) int                 { return operandlog.EntryBytes * l.Log.Saved(place) }

// open gives a thread block its part of the storage. If several kernels can share the
// SM, all its slots of thread blocks can be taken; else as many as its own kernel fills.
func (p *Pipeline) open(b *residency.Block) {
	for b.Storage = 1; p.places[b.Storage-1]; b.Storage++ {
	}
	p.places[b.Storage-1] = true
	residents := p.spec.Capacity.TBs
	if p.parts.Kernels <= 1 {
		n, _ := p.spec.Capacity.Occupancy(b.Demand)
		residents = max(n, 1)
	}
	p.storage.Open(b.Storage-1, residents)
}

// Close takes a thread block's part of the storage back.
func (p *Pipeline) Close(b *residency.Block) {
	if b.Storage > 0 {
		p.places[b.Storage-1] = false
		p.storage.Close(b.Storage - 1)
		b.Storage = 0
	}
}

// Stored is the number of entries of the storage that thread blocks have, used or not.
func (p *Pipeline) Stored() int {
	if p.storage == nil {
		return 0
	}
	return p.storage.Given()
}
