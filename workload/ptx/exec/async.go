package exec

import (
	"fmt"
	"math/bits"

	"cotenant/workload/ptx"
)

// Asynchronous copies are made when they are issued, so a program that forgets to wait for them computes
// the right result here. LaunchConfig.CheckAsync looks for that: the bytes that a copy writes are marked
// until the thread that copies has waited for its group, and a load of a marked byte is an error. It does
// not look at bulk copies, nor at what wgmma reads from shared memory.

// asyncMarks are the marks of a thread block, by byte of shared memory, and the groups of its threads.
type asyncMarks struct {
	marks []asyncMark
	// open is the number of a thread's group that copies join, and waited that of the first for which the
	// thread has not waited.
	open, waited []uint32
	products     []earlyMarks // by warp
}

// asyncMark is what wrote a byte: a thread's copy, in a group; line 0 is none.
type asyncMark struct {
	line   int32
	thread int32
	group  uint32
}

// startAsync is for a thread block before its first instruction.
func (tb *TB) startAsync() {
	if !tb.launch.checkAsync {
		return
	}
	if tb.async == nil {
		tb.async = &asyncMarks{}
	}
	threads := len(tb.Warps) * lanes
	*tb.async = asyncMarks{make([]asyncMark, len(tb.shared)), make([]uint32, threads), make([]uint32, threads), make([]earlyMarks, len(tb.Warps))}
}

// copied marks what a lane's copy writes.
func (w *Warp) copied(o *op, lane int, at, bytes uint64) {
	if w.tb.async == nil {
		return
	}
	thread := w.index*lanes + lane
	mark := asyncMark{int32(o.inst.Line), int32(thread), w.tb.async.open[thread]}
	for i := at; i < at+bytes; i++ {
		w.tb.async.marks[i] = mark
	}
}

// buildGroups builds cp.async.commit_group, wait_group and wait_all, which end groups of copies.
func buildGroups(b *builder) {
	commits, waits, left := !b.in.Has("wait_group"), !b.in.Has("commit_group"), uint32(0)
	if b.in.Has("wait_group") {
		left = uint32(min(b.in.Src[0].Imm, 1<<31))
	}
	b.o.run = func(w *Warp, _ *op) {
		if w.tb.async != nil {
			w.group(commits, waits, left)
		}
	}
}

// group commits the open groups of the active lanes, and waits until at most some of them are left.
func (w *Warp) group(commits, waits bool, left uint32) {
	a := w.tb.async
	for m := w.active; m != 0; m &= m - 1 {
		thread := w.index*lanes + bits.TrailingZeros32(m)&(lanes-1)
		if commits {
			a.open[thread]++
		}
		if open := a.open[thread]; waits && open >= left {
			a.waited[thread] = max(a.waited[thread], open-left)
		}
	}
}

// checkAsync looks at a load that is about to be made by the lanes in w.active.
func (w *Warp) checkAsync(o *op) {
	switch o.inst.Op {
	case "ld", "ldu", "ldmatrix", "atom":
	default:
		return
	}
	if o.space != ptx.Shared && o.space != ptx.Generic {
		return
	}
	whole := w.active
	if o.addressed != 0 {
		w.active &= o.addressed
	}
	w.locate(o)
	a, size := w.tb.async, uint64(o.bytes)*uint64(o.vec)
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		addr, space := w.addrs[i], w.space
		if space == ptx.Generic {
			space = spaceOf(addr)
			addr -= windows[space]
		}
		if space != ptx.Shared {
			continue
		}
		for at := addr; at < addr+size && at < uint64(len(a.marks)); at++ {
			mark := &a.marks[at]
			if mark.line == 0 {
				continue
			}
			if mark.group < a.waited[mark.thread] {
				mark.line = 0
				continue
			}
			w.fail(o, LaunchFailure, i, fmt.Sprintf("it reads the byte at %#x of shared memory, which cp.async of line %d writes; thread %v has not waited for that copy",
				at, mark.line, placeIn(w.launch.block, int(mark.thread))))
			return
		}
	}
	w.active = whole
}
