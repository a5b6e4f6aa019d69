package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"cotenant/workload/ptx"
)

// A function has one place for its registers and variables. That does for functions that a thread is in at most
// once at a time; a function that calls itself, or is called by what it calls, needs more.

// Frame is a function that calls itself, in a form that does so with one place for its registers: what it needs
// behind a call is in a frame of the thread's stack, which grows by each call.
type Frame struct {
	Func *ptx.Func
	// Stack is the register with the address, in local memory, of the end of the stack. All functions of a
	// program share it.
	Stack int
	// Bytes is the size of a frame, a multiple of FrameAlign and not 0.
	Bytes int
}

// FrameAlign is what the addresses of frames are multiples of.
const FrameAlign = 16

// WithFrame gives a function with a Cycle a frame. It begins by making room for the frame and gives it back
// where it returns. Its variables in local memory are in the frame. Around a call of its cycle it stores and loads
// the registers that hold values. Parameters that it reads behind such a call it copies to
// the frame first, and results that it writes before one it copies from there last. The problem says what
// of the function it cannot do, "" if nothing.
func WithFrame(f *ptx.Func) (frame Frame, problem string) {
	h := *f
	h.Regs, h.Names = append(slices.Clone(f.Regs), ptx.U32), append(slices.Clone(f.Names), "%stack")
	m := framer{from: f, to: &h, blocks: blocksOf(f), stack: len(f.Regs), at: map[*ptx.Var]int{}}
	if problem = m.layOut(); problem != "" {
		return Frame{}, problem
	}
	m.rewrite()
	return Frame{Func: &h, Stack: m.stack, Bytes: m.bytes}, ""
}

// framer is the state of WithFrame.
type framer struct {
	from, to *ptx.Func
	blocks   []block // of from
	stack    int
	at       map[*ptx.Var]int // offsets of variables in the frame
	taken    []*ptx.Var       // parameters that are copied to the frame
	given    []*ptx.Var       // results that are copied from there
	live     [][]int          // registers to keep, by instruction; nil but for calls of the cycle
	slots    [][]int          // and their offsets in the frame
	bytes    int
	begins   []int // where what an instruction has become begins
}

// recursive reports whether an instruction is a call that may come back to the function.
func (m *framer) recursive(in *ptx.Inst) bool {
	return in.Op == "call" && in.Src[0].Func.Cycle == m.from.Cycle
}

// layOut decides what is in the frame, and where.
func (m *framer) layOut() (problem string) {
	f := m.from
	for _, v := range f.Vars {
		if v.Space == ptx.Local {
			m.put(v)
		}
	}
	behind, before := m.around()
	for i := range f.Insts {
		in := &f.Insts[i]
		for _, o := range slices.Concat(in.Dst, in.Src) {
			if _, known := m.at[o.Var]; known || o.Var == nil {
				continue
			}
			switch {
			case in.Op == "call": // copies its arguments when it begins, and its results when it has ended
				if slices.Contains(f.Params, o.Var) || slices.Contains(f.Returns, o.Var) {
					return "it passes on " + o.Var.Name + " itself; valid is a .param variable of the body"
				}
			case slices.Contains(f.Params, o.Var) && (behind[i] || o.Kind == ptx.AddressOf):
				m.put(o.Var)
				m.taken = append(m.taken, o.Var)
			case slices.Contains(f.Returns, o.Var) && (before[i] || o.Kind == ptx.AddressOf):
				m.put(o.Var)
				m.given = append(m.given, o.Var)
			}
		}
	}
	copied := 0
	for _, v := range slices.Concat(m.taken, m.given) {
		copied += v.Bytes
	}
	if copied > maxCopied {
		return fmt.Sprintf("it keeps %d bytes of parameters and results behind calls of itself; valid is up to %d", copied, maxCopied)
	}
	for _, v := range slices.Concat(f.Vars, m.taken, m.given) {
		if _, in := m.at[v]; in && v.Align > FrameAlign {
			return fmt.Sprintf("%s is aligned to %d bytes; valid is up to %d", v.Name, v.Align, FrameAlign)
		}
	}
	if m.keep() > maxKept {
		return fmt.Sprintf("it keeps more than %d registers around its calls of itself; valid is up to that", maxKept)
	}
	m.bytes = max(FrameAlign, (m.bytes+FrameAlign-1)&^(FrameAlign-1))
	return ""
}

func (m *framer) put(v *ptx.Var) { m.at[v] = m.room(v.Bytes, max(v.Align, 1)) }

// room is the offset of further bytes in the frame.
func (m *framer) room(bytes, align int) int {
	at := (m.bytes + align - 1) / align * align
	m.bytes = at + bytes
	return at
}

// around says of each instruction whether it may follow a call of the cycle, and whether one may follow it.
func (m *framer) around() (behind, before []bool) {
	insts := m.from.Insts
	behind, before = make([]bool, len(insts)), make([]bool, len(insts))
	calls := make([]bool, len(m.blocks))
	for i, b := range m.blocks {
		calls[i] = slices.ContainsFunc(insts[b.first:b.end], func(in ptx.Inst) bool { return m.recursive(&in) })
	}
	near := func(forward bool) []bool { // a call is before a block or, going backward, behind it
		known := make([]bool, len(m.blocks))
		settle(m.blocks, forward, func(i int, sources []int) bool {
			was := known[i]
			known[i] = slices.ContainsFunc(sources, func(s int) bool { return known[s] || calls[s] })
			return known[i] != was
		})
		return known
	}
	up, down := near(true), near(false)
	for i, b := range m.blocks {
		for at, called := b.first, up[i]; at < b.end; at++ {
			behind[at] = called
			called = called || m.recursive(&insts[at])
		}
		for at, calls := b.end-1, down[i]; at >= b.first; at-- {
			before[at] = calls
			calls = calls || m.recursive(&insts[at])
		}
	}
	return behind, before
}

// maxCopied is the most bytes of parameters and results that a function may copy.
const maxCopied = 32 << 10

// maxKept is the most registers that a function may keep around its calls, each of which takes a store and a load.
const maxKept = 1 << 17

// keep finds the registers to keep around each call of the cycle, and returns how many there are for all calls, or
// more than maxKept. The calls share the room for them.
func (m *framer) keep() (all int) {
	f := m.from
	m.live, m.slots = make([][]int, len(f.Insts)), make([][]int, len(f.Insts))
	start, most := m.bytes, m.bytes
	before := liveBefore(f, m.blocks)
	now := newRegSet(f)
	for _, b := range m.blocks {
		now.clear()
		for _, s := range b.succs {
			before[s].addTo(now)
		}
		for i := b.end - 1; i >= b.first; i-- {
			in := &f.Insts[i]
			if m.recursive(in) {
				now.Each(func(reg int) { m.live[i] = append(m.live[i], reg) })
				slices.SortStableFunc(m.live[i], func(a, b int) int { return cmp.Compare(m.kept(b).Size(), m.kept(a).Size()) })
				m.bytes = start
				for _, reg := range m.live[i] {
					size := m.kept(reg).Size()
					m.slots[i] = append(m.slots[i], m.room(size, size))
				}
				most = max(most, m.bytes)
				if all += len(m.live[i]); all > maxKept {
					return all
				}
			}
			now.step(in)
		}
	}
	m.bytes = most
	return all
}

// kept is the type as which a register is stored.
func (m *framer) kept(reg int) ptx.Type {
	if m.from.Regs[reg] == ptx.Pred {
		return ptx.B32
	}
	return bitsOf(m.from.Regs[reg].Size())
}

func bitsOf(bytes int) ptx.Type {
	return map[int]ptx.Type{1: ptx.B8, 2: ptx.B16, 4: ptx.B32, 8: ptx.B64}[bytes]
}

// rewrite writes the function's instructions.
func (m *framer) rewrite() {
	f, h := m.from, m.to
	h.Insts = make([]ptx.Inst, 0, 2*len(f.Insts)+4)
	m.shift(f.Line, register(m.stack, ptx.U32), m.bytes)
	for _, v := range m.taken {
		m.copy(v, v.Line, true)
	}
	for i := range f.Insts {
		m.begins = append(m.begins, len(h.Insts))
		in := f.Insts[i]
		switch {
		case in.Op == "ret" && len(m.given) > 0: // there are the copies of the results
			in.Op, in.Mods, in.Target = "bra", nil, len(f.Insts)
			h.Insts = append(h.Insts, in)
		case in.Op == "ret":
			m.leave(&in)
		case m.recursive(&in):
			m.call(i)
		default:
			m.framed(&in)
			h.Insts = append(h.Insts, in)
		}
	}
	m.begins = append(m.begins, len(h.Insts))
	m.leave(&ptx.Inst{Op: "ret", Line: f.Line, Vec: 1, Guard: -1, Target: -1})
	for i := range f.Insts { // the branches of the text; those around calls are right already
		in := &h.Insts[m.begins[i]]
		if op := f.Insts[i].Op; op != "bra" && op != "brx" && (op != "ret" || len(m.given) == 0) {
			continue
		}
		if in.Target >= 0 {
			in.Target = m.begins[in.Target]
		}
		in.Targets = slices.Clone(in.Targets)
		for k, t := range in.Targets {
			in.Targets[k] = m.begins[t]
		}
	}
}

// add appends an instruction.
func (m *framer) add(line int, op string, t ptx.Type, space ptx.Space, dst, src []ptx.Operand) *ptx.Inst {
	in := ptx.Inst{Line: line, Op: op, Types: []ptx.Type{t}, Space: space, Vec: 1, Guard: -1, Target: -1, Dst: dst, Src: src}
	if op == "ld" || op == "st" {
		in.Mods = append(in.Mods, space.String())
	}
	in.Mods = append(in.Mods, t.String())
	m.to.Insts = append(m.to.Insts, in)
	return &m.to.Insts[len(m.to.Insts)-1]
}

// shift adds a number to the end of the stack.
func (m *framer) shift(line int, to ptx.Operand, by int) {
	number := ptx.Operand{Kind: ptx.Immediate, Type: ptx.U32, Reg: -1, Imm: uint64(uint32(by))}
	m.add(line, "add", ptx.U32, ptx.Generic, []ptx.Operand{to}, []ptx.Operand{register(m.stack, ptx.U32), number})
}

// inFrame is an address in the frame.
func (m *framer) inFrame(offset int) ptx.Operand {
	return ptx.Operand{Kind: ptx.Address, Reg: m.stack, Imm: uint64(offset - m.bytes)}
}

// fresh is a new register.
func (m *framer) fresh(t ptx.Type) ptx.Operand {
	reg := len(m.to.Regs)
	m.to.Regs, m.to.Names = append(m.to.Regs, t), append(m.to.Names, "%frame"+strconv.Itoa(reg))
	return register(reg, t)
}

func register(reg int, t ptx.Type) ptx.Operand {
	return ptx.Operand{Kind: ptx.Register, Type: t, Reg: reg}
}

// copy copies a parameter to the frame, or a result from it.
func (m *framer) copy(v *ptx.Var, line int, in bool) {
	for done := 0; done < v.Bytes; {
		size := 8
		for done+size > v.Bytes || size > max(v.Align, 1) {
			size /= 2
		}
		t := bitsOf(size)
		value := m.fresh(t)
		outside := ptx.Operand{Kind: ptx.Address, Reg: -1, Var: v, Imm: uint64(done)}
		from, to := outside, m.inFrame(m.at[v]+done)
		spaces := []ptx.Space{ptx.Param, ptx.Local}
		if !in {
			from, to = to, from
			slices.Reverse(spaces)
		}
		m.add(line, "ld", t, spaces[0], []ptx.Operand{value}, []ptx.Operand{from})
		m.add(line, "st", t, spaces[1], nil, []ptx.Operand{to, value})
		done += size
	}
}

// leave writes what a return has become.
func (m *framer) leave(in *ptx.Inst) {
	around := -1
	if in.Guard >= 0 {
		around = m.unless(in)
	}
	for _, v := range m.given {
		m.copy(v, in.Line, false)
	}
	m.shift(in.Line, register(m.stack, ptx.U32), -m.bytes)
	ret := *in
	ret.Guard, ret.GuardNot = -1, false
	m.to.Insts = append(m.to.Insts, ret)
	m.endOf(around)
}

// unless writes a branch around what stands under the guard of an instruction.
func (m *framer) unless(in *ptx.Inst) (branch int) {
	m.to.Insts = append(m.to.Insts, ptx.Inst{Line: in.Line, Op: "bra", Vec: 1, Guard: in.Guard, GuardNot: !in.GuardNot, Target: 0})
	return len(m.to.Insts) - 1
}

// endOf sets the target of a branch of unless, if there is one.
func (m *framer) endOf(branch int) {
	if branch >= 0 {
		m.to.Insts[branch].Target = len(m.to.Insts)
	}
}

// call writes what a call of the cycle has become.
func (m *framer) call(i int) {
	in := m.from.Insts[i]
	around := -1
	if in.Guard >= 0 {
		around = m.unless(&in)
		in.Guard, in.GuardNot = -1, false
	}
	number := func(v uint64) ptx.Operand { return ptx.Operand{Kind: ptx.Immediate, Type: ptx.B32, Reg: -1, Imm: v} }
	for k, reg := range m.live[i] {
		t := m.kept(reg)
		value := register(reg, t)
		if m.from.Regs[reg] == ptx.Pred {
			value = m.fresh(ptx.B32)
			m.add(in.Line, "selp", ptx.B32, ptx.Generic, []ptx.Operand{value}, []ptx.Operand{number(1), number(0), register(reg, ptx.Pred)})
		}
		m.add(in.Line, "st", t, ptx.Local, nil, []ptx.Operand{m.inFrame(m.slots[i][k]), value})
	}
	m.to.Insts = append(m.to.Insts, in)
	for k, reg := range m.live[i] {
		t := m.kept(reg)
		value, of := register(reg, t), m.from.Regs[reg] == ptx.Pred
		if of {
			value = m.fresh(ptx.B32)
		}
		m.add(in.Line, "ld", t, ptx.Local, []ptx.Operand{value}, []ptx.Operand{m.inFrame(m.slots[i][k])})
		if of {
			test := m.add(in.Line, "setp", ptx.B32, ptx.Generic, []ptx.Operand{register(reg, ptx.Pred)}, []ptx.Operand{value, number(0)})
			test.Mods = []string{"ne", "b32"}
		}
	}
	m.endOf(around)
}

// framed has an instruction use the frame for the variables that are there.
func (m *framer) framed(in *ptx.Inst) {
	in.Src = slices.Clone(in.Src)
	for i := range in.Src {
		o := &in.Src[i]
		at, ok := m.at[o.Var]
		switch {
		case !ok || o.Var == nil:
		case o.Kind == ptx.AddressOf:
			address := m.fresh(ptx.U32)
			m.shift(in.Line, address, int(o.Imm)+at-m.bytes)
			if o.Type.Size() == 8 {
				low := address
				address = m.fresh(ptx.U64)
				convert := m.add(in.Line, "cvt", ptx.U64, ptx.Generic, []ptx.Operand{address}, []ptx.Operand{low})
				convert.Mods, convert.Types = []string{"u64", "u32"}, []ptx.Type{ptx.U64, ptx.U32}
			}
			address.Type = o.Type
			*o = address
		default:
			imm := o.Imm
			*o = m.inFrame(at)
			o.Imm += imm
			in.Mods = slices.Clone(in.Mods)
			if k := slices.Index(in.Mods, "param"); k >= 0 {
				in.Mods[k] = "local"
			}
			in.Space = ptx.Local
		}
	}
}
