package exec

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// spinSteps bounds the loops that Spins finds, in instructions.
const spinSteps = 4096

// Spins reports whether the warp is in a loop that it cannot leave as long as no other warp, and no copy,
// writes memory: executed on its own it comes back to a state that it had, and writes nothing but what memory
// already holds. what names the read that it waits with, "" if the loop reads no memory. The warp itself
// stays where it is.
func (w *Warp) Spins() (what string, spins bool) {
	if w.fault != nil || w.waits != nil || w.mask == 0 {
		return "", false
	}
	c := w.clone()
	before := c.clone()
	var loop spinLoop
	for n, power := 0, 1; n < spinSteps; n++ {
		if !c.stepAlone(&loop) {
			return "", false
		}
		if c.equals(before) {
			return loop.String(), true
		}
		if n == power { // Brent, BIT 20, 1980
			before, power, loop = c.clone(), 2*power, spinLoop{}
		}
	}
	return "", false
}

// spinLoop is what is known of a loop: its first read of memory that others can write, and a line of the
// program's own source in it.
type spinLoop struct {
	read   *op
	change string // what the read waits for
	source string // FILE:LINE, outside the headers that cotenant brings
}

// String says what the warp waits for.
func (l *spinLoop) String() string {
	if l.read == nil {
		return ""
	}
	place := fmt.Sprintf("%s:%d", l.read.fn.File, l.read.inst.Line)
	if l.source != "" {
		place += " (" + l.source + ")"
	}
	return fmt.Sprintf("%s at %s waits for %s", l.read.inst.Opcode(), place, l.change)
}

// pass notes an instruction of the loop.
func (l *spinLoop) pass(o *op) {
	if file, line := o.fn.Origin(o.inst.Line); l.source == "" && file != "" && !strings.Contains(file, "/include/cotenant/") {
		l.source = fmt.Sprintf("%s:%d", file, line)
	}
}

// clone is a warp in the same state, whose accesses are not watched.
func (w *Warp) clone() *Warp {
	c := *w
	c.regs, c.preds, c.stack, c.local = slices.Clone(w.regs), slices.Clone(w.preds), slices.Clone(w.stack), slices.Clone(w.local)
	l := *w.launch
	l.watches, l.printed = false, nil
	c.launch = &l
	return &c
}

// equals compares what the warp's further instructions depend on, apart from memory.
func (w *Warp) equals(o *Warp) bool {
	return w.pc == o.pc && w.rpc == o.rpc && w.mask == o.mask && w.alive == o.alive && w.carry == o.carry &&
		slices.Equal(w.preds, o.preds) && slices.Equal(w.stack, o.stack) && slices.Equal(w.regs, o.regs)
}

// alone are the instructions that have no effect beyond the warp's registers and its path.
var alone = map[string]bool{}

func init() {
	for _, name := range []string{"mov", "add", "addc", "sub", "subc", "mul", "mad", "mul24", "mad24", "sad", "div", "rem", "abs", "neg",
		"min", "max", "popc", "clz", "bfind", "brev", "bfe", "bfi", "fma", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "testp",
		"copysign", "and", "or", "xor", "not", "cnot", "lop3", "shf", "shl", "shr", "prmt", "setp", "set", "selp", "slct", "cvt", "cvta",
		"isspacep", "vote", "match", "activemask", "shfl", "elect", "dp4a", "dp2a", "bra", "membar", "fence", "nanosleep", "ld", "ldu"} {
		alone[name] = true
	}
}

// stepAlone executes an instruction of a clone. It is not ok if that ends the warp or has an effect on others;
// then memory is as before.
func (w *Warp) stepAlone(loop *spinLoop) (ok bool) {
	o := &w.ops[w.pc]
	loop.pass(o)
	w.active = w.mask & (w.preds[o.guard] ^ o.guardFlip)
	atomic := o.inst.Op == "atom" || o.inst.Op == "red"
	if w.active == 0 { // it has no effect
		_, err := w.Step()
		return err == nil && w.mask != 0
	}
	if o.waitsForCluster() {
		loop.read, loop.change = o, "the other warps of its cluster"
		return w.holdsInCluster()
	}
	looks := o.inst.Op == "mbarrier" && !o.writes // it changes registers alone
	if !looks && (o.barrier || !(alone[o.inst.Op] || (atomic || o.inst.Op == "st") && o.addressed == 0 && !o.inst.Has("async"))) {
		return false
	}
	var views [][]byte
	var old []byte
	if o.memory && o.addressed == 0 {
		w.locate(o)
		n := uint64(o.bytes) * uint64(o.vec)
		for m := w.active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			v := w.reach(o, i, w.addrs[i], n)
			if v.data == nil || w.space == ptx.Local && o.writes {
				return false
			}
			if o.writes {
				data := v.at(w.addrs[i])[:n]
				views, old = append(views, data), append(old, data...)
			}
			if loop.read == nil && (atomic || !o.writes) && (w.space == ptx.Global || w.space == ptx.Shared) {
				loop.read, loop.change = o, "a change of "+w.describeRead(w.addrs[i])
				if v.data != nil && looks {
					loop.change = w.describeBarrier(w.addrs[i], v.at(w.addrs[i]))
				}
			}
		}
	}
	_, err := w.Step()
	changed := false
	for i, v := range views {
		changed = changed || !slices.Equal(v, old[i*len(v):][:len(v)])
	}
	if changed { // the lanes in reverse: the first that wrote a place knows what it held
		for i := len(views) - 1; i >= 0; i-- {
			copy(views[i], old[i*len(views[i]):])
		}
	}
	return err == nil && !changed && w.mask != 0
}

// describeRead says where an address of the space of the last access lies.
func (w *Warp) describeRead(addr uint64) string {
	if w.space != ptx.Global {
		return fmt.Sprintf("byte %d of shared memory", addr)
	}
	where := fmt.Sprintf("%#x", addr)
	if a := w.memory.find(addr); a != nil {
		where += " in " + a.String()
	}
	return where
}

// spinInstructions is the number of instructions of warps without the end of a thread block after which Execute
// looks whether all warps spin.
const spinInstructions = 4_000_000

// spinning reports whether all warps of thread blocks spin or wait at barriers, and what for.
func spinning(blocks []*schedule) (what []string, all bool) {
	var list []*schedule
	for _, s := range blocks {
		if s != nil {
			list = append(list, s.cluster...)
		}
	}
	for _, s := range list {
		for i, w := range s.tb.Warps {
			if w.mask == 0 || s.waiting[i].Barrier {
				continue
			}
			text, ok := w.Spins()
			if !ok {
				return nil, false
			}
			if !slices.Contains(what, text) {
				what = append(what, text)
			}
		}
	}
	return what, len(what) > 0
}

// spinError is of a launch that cannot end.
func (p *Program) spinError(what []string) error {
	for i, text := range what {
		if text == "" {
			what[i] = "a loop reads no memory"
		}
	}
	return workload.Errorf(p.kernel.File, p.kernel.Line, "kernel %s never ends: all warps wait in loops or at barriers for what nothing is left to do: %s",
		p.kernel.Name, strings.Join(what[:min(len(what), 4)], "; "))
}
