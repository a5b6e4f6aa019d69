package exec

import (
	"fmt"
	"math/bits"
)

// settle finds the path that goes on when lanes have left, or have come to
// where they meet other lanes. Afterwards the mask is 0 only if the warp has ended.
func (w *Warp) settle() {
	for {
		switch {
		case w.mask == 0:
			if len(w.stack) == 0 {
				return
			}
			w.pop()
		case w.pc == w.rpc:
			w.pop()
		case w.ops[w.pc].inst == nil:
			w.leaveFunction(w.mask)
		default:
			return
		}
	}
}

// pop goes on with the path on top of the stack, of which the lanes that meet
// there are part.
func (w *Warp) pop() {
	last := len(w.stack) - 1
	p := w.stack[last]
	w.stack = w.stack[:last]
	w.pc, w.rpc, w.mask = p.pc, p.rpc, p.mask
	if p.call {
		call := &w.ops[p.pc-1]
		w.copyLocal(call.list[call.arguments:], p.called&w.alive)
	}
}

// leaveFunction takes lanes out of all paths of the function; in the kernel
// itself they exit.
func (w *Warp) leaveFunction(m uint32) {
	w.mask &^= m
	for i := len(w.stack) - 1; i >= 0; i-- {
		if w.stack[i].call {
			return
		}
		w.stack[i].mask &^= m
	}
	if w.alive &^= m; w.alive == 0 {
		w.gone()
	}
}

// split lets the active lanes go on at pc and the rest behind the branch,
// until they meet at rpc. Where a path starts there it has nothing to do.
func (w *Warp) split(pc, rpc int32) {
	rest := w.mask &^ w.active
	if w.rpc != rpc { // else the lanes wait there already
		w.stack = append(w.stack, path{pc: rpc, rpc: w.rpc, mask: w.mask})
		w.rpc = rpc
	}
	switch {
	case w.pc == rpc:
		w.pc, w.mask = pc, w.active
	case pc == rpc:
		w.mask = rest
	default:
		w.stack = append(w.stack, path{pc: pc, rpc: rpc, mask: w.active})
		w.mask = rest
	}
}

// program counters of a function's instructions follow its placement.
func (b *builder) pc(inst int) int32 { return b.at.pc + int32(inst) }

func buildBra(b *builder) {
	b.o.target = b.pc(b.in.Target)
	b.o.reconverge = b.pc(b.meet)
	b.o.ends = true
	b.o.run = runBra
}

func runBra(w *Warp, o *op) {
	if w.active == w.mask {
		w.pc = o.target
		return
	}
	w.split(o.target, o.reconverge)
}

// buildBrx builds a branch with several targets.
func buildBrx(b *builder) {
	for _, t := range b.in.Targets {
		b.o.list = append(b.o.list, b.pc(t))
	}
	b.o.reconverge = b.pc(b.meet)
	b.o.ends = true
	b.o.run = runBrx
	if b.in.OfPointer {
		b.o.run = func(w *Warp, o *op) {
			indices := w.src(o.a)
			for m := w.active; m != 0; m &= m - 1 {
				if i := bits.TrailingZeros32(m); uint32(indices[i]) >= uint32(len(o.list)) {
					w.failPointer(o, i)
					return
				}
			}
			runBrx(w, o)
		}
	}
}

func runBrx(w *Warp, o *op) {
	indices := w.src(o.a)
	all := w.active
	for all != 0 {
		i := bits.TrailingZeros32(all) & (lanes - 1)
		index := uint32(indices[i])
		if index >= uint32(len(o.list)) {
			w.failIndex(o, i, index)
			return
		}
		w.active = 0
		for m := all; m != 0; m &= m - 1 {
			k := bits.TrailingZeros32(m) & (lanes - 1)
			if uint32(indices[k]) == index {
				w.active |= 1 << k
			}
		}
		all &^= w.active
		if w.active == w.mask {
			w.pc = o.list[index]
			return
		}
		w.split(o.list[index], o.reconverge)
	}
}

// buildCall lays out the copies of arguments before the call and of results
// after it: triples of source, destination and size in local memory.
func buildCall(b *builder) {
	in, o := b.in, &b.o
	f := in.Src[0].Func
	local := b.c.local
	for i, v := range f.Params {
		from := in.Src[1+i].Var
		if b.isKernelParam(from) {
			b.fail("argument %s is a parameter of the kernel; valid are .param variables of the body", from.Name)
			return
		}
		o.list = append(o.list, int32(local.place(from)), int32(local.place(v)), int32(v.Bytes))
	}
	o.arguments = len(o.list)
	for i, v := range f.Returns {
		o.list = append(o.list, int32(local.place(v)), int32(local.place(in.Dst[i].Var)), int32(v.Bytes))
	}
	to := b.c.place(f)
	o.target = to.pc
	o.ends = true
	o.run = runCall
	if to.frame > 0 {
		o.imm = uint64(to.frame)
		o.run = runFramedCall
	}
}

// runFramedCall is runCall for a function with a frame of o.imm bytes.
func runFramedCall(w *Warp, o *op) {
	ends := w.src(int32(w.program.stack))
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		end := int(uint32(ends[i])) + int(o.imm)
		if end > w.localBytes && end <= w.program.localBytes {
			w.growLocal(end)
		}
		if end > w.localBytes {
			w.fail(o, StackOverflow, i, fmt.Sprintf("the stack of %d bytes is full; valid are calls that are less deep, %d bytes each for this function", stackBytes, o.imm))
			return
		}
	}
	runCall(w, o)
}

func runCall(w *Warp, o *op) {
	w.copyLocal(o.list[:o.arguments], w.active)
	w.stack = append(w.stack, path{pc: w.pc, rpc: w.rpc, mask: w.mask, call: true, called: w.active})
	w.pc, w.rpc, w.mask = o.target, noMeeting, w.active
}

// copyLocal moves bytes within the local memory of each of some lanes.
func (w *Warp) copyLocal(triples []int32, m uint32) {
	size := w.localBytes
	for k := 0; k < len(triples); k += 3 {
		w.useLocal(uint64(triples[k+1]), uint64(triples[k+2]))
	}
	for ; m != 0; m &= m - 1 {
		at := w.local[bits.TrailingZeros32(m)*size:]
		for k := 0; k < len(triples); k += 3 {
			from, to, n := triples[k], triples[k+1], triples[k+2]
			copy(at[to:to+n], at[from:from+n])
		}
	}
}

func runRet(w *Warp, _ *op) { w.leaveFunction(w.active) }

func runExit(w *Warp, _ *op) {
	w.mask &^= w.active
	for i := range w.stack {
		w.stack[i].mask &^= w.active
	}
	if w.alive &^= w.active; w.alive == 0 {
		w.gone()
	}
}

// trap stops the program, or tells of a failed assertion.
func (b *builder) trap() {
	b.o.run, b.o.ends = runTrap, true
	if b.in.OfPointer {
		b.o.run = runTrapOfPointer
	}
	if a := b.in.Asserts; a != nil {
		text, file, line, function := b.addressOf(a.Text, 0), b.addressOf(a.File, 0), b.addressOf(a.Line, 0), b.addressOf(a.Function, 0)
		b.o.run = func(w *Warp, o *op) {
			w.failAssertion(o, w.src(text)[0], w.src(file)[0], w.src(line)[0], w.src(function)[0])
		}
	}
}

func runTrapOfPointer(w *Warp, o *op) { w.failPointer(o, bits.TrailingZeros32(w.active)) }

func runTrap(w *Warp, o *op) {
	w.fail(o, LaunchFailure, bits.TrailingZeros32(w.active), "the program stops itself")
}
