package exec

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
)

// Warp is 32 threads that execute together. It is driven from outside: Next
// shows the instruction that comes next, Step executes it.
type Warp struct {
	ops    []op
	regs   []slot
	preds  []uint32
	consts []slot
	active uint32 // lanes of the current instruction

	// The path being executed: its lanes are at pc until they meet other lanes
	// at rpc. The paths that wait are on the stack.
	pc, rpc int32
	mask    uint32
	stack   []path
	alive   uint32 // lanes that have not exited
	carry   uint32 // condition code of add.cc and its kin

	space  ptx.Space // of the access that is made
	access Access    // the last one
	sleep  uint32    // ns that the last nanosleep takes
	affine bool      // access has its addresses, addrs has not
	texel  uint8     // bytes of a texel, if the access is of a tiled texture
	// Of a bulk copy: the rows that a lane stands for, of so many lines of 16 bytes, and the
	// mbarrier that hears of it.
	rowsOf, units, tells uint8
	// tellsOwn says that the mbarrier is the thread block's own, and outgoing what other thread blocks are told when a
	// bulk copy has come.
	tellsOwn bool
	outgoing []outgoing
	addrs    slot
	scratch  slot
	barrier  Result // of the last barrier
	fault    error
	// waits is a bar.red without its result yet, for the lanes in waitsMask.
	waits     *op
	waitsFor  *reduction
	waitsMask uint32
	barriers  uint16 // that the warp has come to, if the launch is watched
	turn      uint32 // barriers that all warps wait at it has come to
	// clusterPhase is the phase of the cluster's barrier in which the warp arrived last.
	clusterPhase uint32

	local      []byte // the lanes' local memory, one after the other
	localBytes int    // of a lane: the program's, or less while the stack is not deep
	// used[0] to used[1] is what the lanes have reached of theirs since it was
	// zero, and kept[0] to kept[1] what they have ever reached: it may be large, and most
	// of it never reached.
	used   [2]uint64
	kept   [2]uint64
	params []byte
	memory *Memory

	program *Program
	launch  *launch
	tb      *TB
	index   int
	steps   uint64
}

// Result is what an instruction did.
type Result struct {
	// Active are the lanes that took part: on the path, with a guard that held.
	Active uint32
	// Access is what the instruction accesses, if that is memory and any lane is
	// active; parameters do not count as memory. It is valid until the warp's
	// next Step.
	Access *Access
	// Redirect says that the next instruction is not the one behind this.
	Redirect bool
	// Barrier says that the warp must not go on before the barrier BarrierID is
	// complete; Arrive says that it counts there but need not wait. A barrier is
	// complete when BarrierWarps warps have come, or with 0 all warps of the
	// thread block that have not ended.
	Barrier, Arrive bool
	BarrierID       uint8
	// Nanoseconds is how long the warp sleeps, at most longestSleep.
	Nanoseconds  uint32
	BarrierWarps int
	// Retries says that the warp has looked for something that other warps are to do.
	Retries bool
}

// Access is an access to memory by the active lanes of a warp.
type Access struct {
	// Lanes are the addresses, by lane. If it is nil, the active lanes' addresses
	// are Base + Stride*(lane - lowest active lane).
	Lanes  *[32]uint64
	Base   uint64 // bytes
	Stride int32  // bytes
	// Space is where the addresses are; a generic access has become an access
	// of another space, and its addresses are offsets there. It stays Generic, with
	// generic addresses, if the lanes access several spaces.
	Space ptx.Space
	// Width is the number of bytes that each lane accesses.
	Width uint8
	// Rows is above 0 for a bulk copy, of which each lane stands for so many rows of Width
	// times 16 bytes, and MBarrier the number of the mbarrier that it tells. MBarrier of any other access is
	// its Eviction.
	Rows, MBarrier uint8
}

// Eviction is what an access says to the L2, unless it is a bulk copy.
func (a *Access) Eviction() workload.Eviction { return workload.Eviction(a.MBarrier) }

// path is a set of lanes that wait for other lanes: to execute from pc until they
// reach rpc, or, if call is set, for the lanes in called to return to pc.
type path struct {
	pc, rpc int32
	mask    uint32
	call    bool
	called  uint32
}

// noMeeting is the rpc of a path that ends with its function.
const noMeeting = -1

// reset puts the warp before the first instruction of the kernel, with a
// number of threads.
func (w *Warp) reset(threads int) {
	if w.program.startsAtZero {
		clear(w.regs)
	}
	if p := w.program; p.stack > 0 {
		for i := range w.regs[p.stack] {
			w.regs[p.stack][i] = uint64(p.stackBase)
		}
	}
	clear(w.preds)
	w.preds[alwaysTrue] = allLanes
	w.clearLocal()
	w.stack = w.stack[:0]
	w.pc, w.rpc = 0, noMeeting
	w.mask = allLanes >> (lanes - threads)
	w.alive = w.mask
	w.carry, w.steps = 0, 0
	w.fault, w.waits = nil, nil
	w.outgoing = w.outgoing[:0]
	w.barriers, w.turn, w.clusterPhase = 0, 0, 0
	w.readSpecials()
	w.settle()
}

// clearLocal sets the local memory to zero.
func (w *Warp) clearLocal() {
	size := uint64(w.localBytes)
	for at := uint64(0); at < uint64(len(w.local)) && w.used[0] < w.used[1]; at += size {
		clear(w.local[at+w.used[0] : at+w.used[1]])
	}
	w.used = [2]uint64{size, 0}
}

// growLocal gives each lane local memory for a deeper stack, up to an address and more.
func (w *Warp) growLocal(end int) {
	size := min(max(end, 2*w.localBytes), w.program.localBytes)
	grown := make([]byte, lanes*size)
	for i := range lanes {
		copy(grown[i*size:], w.local[i*w.localBytes:][:w.localBytes])
	}
	w.local, w.localBytes = grown, size
}

// useLocal notes that lanes reach n bytes of their local memory.
func (w *Warp) useLocal(at, n uint64) {
	w.used[0], w.used[1] = min(w.used[0], at), max(w.used[1], at+n)
	if w.used[0] < w.kept[0] || w.used[1] > w.kept[1] {
		w.keepLocal()
	}
}

// keepLocal notes that the launch takes more of the host's memory for local memory.
func (w *Warp) keepLocal() {
	before := w.kept[1] - min(w.kept[0], w.kept[1])
	w.kept = [2]uint64{min(w.kept[0], w.used[0]), max(w.kept[1], w.used[1])}
	w.launch.local += lanes * (w.kept[1] - w.kept[0] - before)
}

// Next returns the instruction that the warp executes next; not ok when all
// its threads have exited.
func (w *Warp) Next() (inst *ptx.Inst, ok bool) {
	if w.mask == 0 {
		return nil, false
	}
	return w.ops[w.pc].inst, true
}

// PC is the program counter of the next instruction (see Program.At).
func (w *Warp) PC() int { return int(w.pc) }

// Step executes the next instruction for the lanes where its guard holds. An error
// (an access outside memory, a trap) is final and names the thread.
func (w *Warp) Step() (Result, error) {
	if w.fault != nil || w.mask == 0 {
		return Result{}, w.fault
	}
	if w.waits != nil {
		w.finishReduction()
	}
	o := &w.ops[w.pc]
	w.active = w.mask & (w.preds[o.guard] ^ o.guardFlip)
	behind := w.pc + 1
	w.pc = behind
	w.steps++
	w.affine = false
	r := Result{Active: w.active}
	if w.active != 0 {
		if w.launch.watches {
			w.watched(o, behind-1)
		} else {
			o.run(w, o)
		}
		if o.memory {
			if o.addressed != 0 {
				r.Active = w.active
			}
			if w.active != 0 {
				r.Access = w.accessed(o)
			}
			if o.barrier { // a look at an mbarrier
				r.Retries = w.barrier.Retries
			}
		} else if o.barrier {
			r = w.barrier
		} else if o.sleeps {
			r.Nanoseconds = w.sleep
		}
	}
	if o.ends || w.pc == w.rpc {
		w.settle()
		r.Redirect = w.pc != behind
	}
	return r, w.fault
}
