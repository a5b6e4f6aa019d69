// Package journey follows single loads through the GPU: it notes when a load, and the first
// of its accesses to a cache, comes to each place on its way.
package journey

import (
	"cotenant/components"
	"cotenant/tenant"
)

// Stop is a place on the way of a load.
type Stop uint8

// The stops, in the order of the way. A load that hits, or that joins a miss under way,
// does not come to all of them.
const (
	Issued    Stop = iota // to the load-store unit
	Accessed              // a cache of the SM has taken its first access
	Left                  // the read has left the SM
	Arrived               // at the L2 slice
	LookedUp              // in the L2
	Requested             // the DRAM controller has taken the read
	Commanded             // with its first column command
	Fetched               // the last data have left the DRAM
	Filled                // they have come to the L2
	Answered              // the reply has left the L2
	Returned              // it has come to the SM
	Performed             // all accesses of the load are done
	NumStops
)

// ID is the number of a journey in progress; 0 is none.
type ID = uint16

// Journey is the way of a load.
type Journey struct {
	Tenant  tenant.ID
	SM      int
	Slice   int    // of the L2, if the load has come there
	PC      uint32 // of the load, in bytes from the kernel's first instruction
	Address uint64 // line of its first access, tenant included
	Missed  bool   // no cache of the SM has the data of the access
	Joined  bool   // in the L2, the access waits for another's fetch alone
	Lane    int    // a number that no other journey of the tenant has meanwhile
	cycles  [NumStops]uint64
	seen    uint16
}

// Cycle is the core cycle of a stop; false if the load has not come there.
func (j *Journey) Cycle(s Stop) (cycle uint64, ok bool) { return j.cycles[s], j.seen>>s&1 != 0 }

// most is the number of journeys at one time.
const most = 1 << 12

// Recorder chooses the loads of a GPU and follows them.
type Recorder struct {
	every uint64          // core cycles
	core  components.Time // period of the core clock
	ended func(*Journey)
	next  [tenant.Max]uint64 // cycle from which the next load is followed
	open  []*Journey         // by ID
	free  []ID
	lanes [tenant.Max][]bool
}

// New follows the first load that each tenant issues in each span of core cycles, which are
// above 0 and have the period core. ended is told of each when it has been performed; it must
// not keep it.
func New(every uint64, core components.Time, ended func(*Journey)) *Recorder {
	return &Recorder{every: every, core: core, ended: ended, open: make([]*Journey, 1)}
}

// Begin returns the number of the journey of a load that issues, 0 if it is not followed.
func (r *Recorder) Begin(t tenant.ID, sm int, pc uint32, cycle uint64, at components.Time) ID {
	if cycle < r.next[t] {
		return 0
	}
	var id ID
	if last := len(r.free) - 1; last >= 0 {
		id, r.free = r.free[last], r.free[:last]
	} else if len(r.open) > most {
		return 0
	} else {
		id, r.open = ID(len(r.open)), append(r.open, &Journey{})
	}
	r.next[t] = (cycle/r.every + 1) * r.every
	lane := 0
	for lane < len(r.lanes[t]) && r.lanes[t][lane] {
		lane++
	}
	if lane == len(r.lanes[t]) {
		r.lanes[t] = append(r.lanes[t], false)
	}
	r.lanes[t][lane] = true
	*r.open[id] = Journey{Tenant: t, SM: sm, PC: pc, Lane: lane}
	r.Mark(id, Issued, at)
	return id
}

// Access notes that a cache has taken the first access of a load, which has missed or not.
func (r *Recorder) Access(id ID, line uint64, missed bool, at components.Time) {
	r.open[id].Address, r.open[id].Missed = line, missed
	r.Mark(id, Accessed, at)
}

// Slice notes that a read has come to a slice of the L2.
func (r *Recorder) Slice(id ID, slice int, at components.Time) {
	r.open[id].Slice = slice
	r.Mark(id, Arrived, at)
}

// Join notes that a read waits for a fetch of the L2 that is under way.
func (r *Recorder) Join(id ID) { r.open[id].Joined = true }

// Mark notes that a load has come to a stop.
func (r *Recorder) Mark(id ID, s Stop, at components.Time) {
	j := r.open[id]
	j.cycles[s] = uint64(at / r.core)
	j.seen |= 1 << s
}

// Perform ends a journey.
func (r *Recorder) Perform(id ID, at components.Time) {
	r.Mark(id, Performed, at)
	r.ended(r.open[id])
	r.Abandon(id)
	r.free = append(r.free, id)
}

// Abandon forgets a journey that does not go on. Its number is not used again, because its
// read may be on its way.
func (r *Recorder) Abandon(id ID) {
	j := r.open[id]
	r.lanes[j.Tenant][j.Lane] = false
}
