package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// Code is the lowered form of a function.
type Code struct {
	f     *ptx.Func
	first []int32 // of each PTX instruction's sequence in list, and the end
	list  []workload.Inst
	// predicates has the branches that are predication.
	predicates []bool
}

// At returns the sequence of the PTX instruction with the given index; it is
// empty if the instruction costs nothing. Class, registers, PC and Space are set,
// and whether it multiplies.
func (c *Code) At(index int) []workload.Inst { return c.list[c.first[index]:c.first[index+1]] }

// Skipped returns what a warp issues without an active lane when all its lanes
// take the branch with the given index: the instructions that the branch jumps
// over, if it is predication, and nothing otherwise.
func (c *Code) Skipped(index int) []workload.Inst {
	if !c.predicates[index] {
		return nil
	}
	return c.list[c.first[index+1]:c.first[c.f.Insts[index].Target]]
}

// Move adds a distance to the addresses of all instructions, and returns the
// address behind the last one.
func (c *Code) Move(by uint32) uint32 {
	for i := range c.list {
		c.list[i].PC += by
	}
	return by + uint32(len(c.list)*pcStep)
}

// pcStep is the size of a machine instruction in bytes, as from Volta on.
const pcStep = 16

// Lower lowers a function.
func Lower(f *ptx.Func, opt Options) *Code {
	l := newLowering(f, opt)
	for i := range f.Insts {
		l.code.first = append(l.code.first, int32(len(l.code.list)))
		l.lower(i)
	}
	l.code.first = append(l.code.first, int32(len(l.code.list)))
	return l.code
}

// lowering is the state of Lower.
type lowering struct {
	f       *ptx.Func
	opt     Options
	regs    *registers
	targets []bool
	folds   map[int]fold
	folded  map[int]bool // operands of folds
	// absorbed has the instructions that are part of their readers.
	absorbed []bool
	code     *Code
	// guard is the predicate, as a machine register, of what a branch that is
	// predication jumps over; until is where that ends.
	guard uint8
	until int
}

func newLowering(f *ptx.Func, opt Options) *lowering {
	targets := branchTargets(f)
	absorbed := absorbed(f, opt)
	l := &lowering{
		f: f, opt: opt, regs: assign(f, absorbed, opt), targets: targets, absorbed: absorbed,
		folds:  addressFolds(f, targets, opt),
		folded: map[int]bool{},
		code:   &Code{f: f, first: make([]int32, 0, len(f.Insts)+1), predicates: make([]bool, len(f.Insts))},
		guard:  workload.NoReg,
	}
	for _, fold := range l.folds {
		l.folded[fold.operand] = true
	}
	return l
}

// steps is the sequence of an instruction, empty if it costs nothing.
func (l *lowering) steps(index int) []step {
	in := &l.f.Insts[index]
	if l.folded[index] || l.absorbed[index] || l.free(in) {
		return nil
	}
	if fold, ok := l.folds[index]; ok {
		return fold.steps
	}
	return sequence(l.f, in, l.opt)
}

// lower appends the sequence of one instruction. All but the first of a
// sequence depend on the one before, as carries and refinement steps do.
func (l *lowering) lower(index int) {
	in, c := &l.f.Insts[index], l.code
	if index == l.until {
		l.guard = workload.NoReg
	}
	if !l.opt.KeepBranches && shortBranch(l.f, index, l.targets) {
		c.predicates[index] = true
		l.guard, l.until = l.regs.machine[in.Guard], in.Target
		return
	}
	steps := l.steps(index)
	if steps == nil {
		return
	}
	base := workload.Inst{Dst: l.regs.results(in), Src: l.sources(index), Space: space(in)}
	for _, s := range steps {
		for range s.count {
			inst := base
			inst.Class, inst.Flags = s.class, s.flags
			switch inst.Class {
			case workload.Tensor:
				inst.Width = uint8(shapeOf(in))
				if in.Op == "wgmma" {
					inst.Dst, inst.Barrier, inst.Warps = workload.NoRegs4, parts(in), sharedMatrices(in)
				}
			case workload.Commit:
				inst.Warps = groupKind(in)
			case workload.Await:
				if inst.Barrier, inst.Warps = mayWait(in), groupKind(in); inst.Warps == workload.ClusterWaits {
					inst.Flags |= workload.Unmet
				} else if inst.Warps == workload.PhaseWaits {
					inst.Dst, inst.Space = workload.NoRegs4, workload.Global
					if in.Has("try_wait") {
						inst.Flags |= workload.Unmet // unless the phase has ended
					}
				}
			case workload.Reduction:
				if in.Op == "mbarrier" {
					inst.Warps = workload.Arrival
				} else if in.Has("mbarrier") {
					inst.Warps = workload.CopyArrival
				}
			}
			if in.Op == "cp" && in.Has("cg") {
				inst.Flags |= workload.BypassL1
			}
			if inst.Class == workload.Load && in.Has("nc") {
				inst.Flags |= workload.ReadOnly
			}
			inst.PC = uint32(len(c.list) * pcStep)
			if len(c.list) > int(c.first[index]) && base.Dst[0] != workload.NoReg {
				inst.Src = workload.NoRegs10
				inst.Src[0] = base.Dst[0]
			}
			c.list = append(c.list, inst)
		}
	}
}

// sources lists the registers that an instruction reads: its guard, the guard
// of the branch that it is predication of, its operands, and the operands of
// instructions that are part of it. A product of matrices reads up to ten: four of A, two
// of B and four accumulators.
func (l *lowering) sources(index int) [10]uint8 {
	in := &l.f.Insts[index]
	r := &sourceList{regs: l.regs, list: workload.NoRegs10, most: plainSources}
	if in.Op == "mma" {
		r.most = len(r.list)
	}
	if in.Guard >= 0 {
		r.put(l.regs.machine[in.Guard])
	}
	if l.guard != workload.NoReg {
		r.put(l.guard)
	}
	if fold, ok := l.folds[index]; ok {
		operand := &l.f.Insts[fold.operand]
		r.addAll(operand.Src)
		for i := range in.Src {
			if in.Src[i].Reg != operand.Dst[0].Reg {
				r.addAll(in.Src[i : i+1])
			}
		}
		return r.list
	}
	r.addAll(in.Src)
	return r.list
}

// free reports whether an instruction leaves no trace in machine code.
func (l *lowering) free(in *ptx.Inst) bool {
	switch in.Op {
	case "prefetch", "prefetchu", "pmevent", "applypriority", "discard":
		return true
	case "cvta", "mov":
		if from, to, ok := flow.Copies(in); ok && l.regs.class[from] != l.regs.class[to] {
			return false
		}
		return !l.opt.KeepMoves && (len(in.Src) == 0 || in.Src[0].Kind != ptx.Special)
	case "ld", "st":
		return !l.opt.KeepParams && in.Space == ptx.Param
	}
	return false
}

// space is the address space of a memory instruction as far as its text says;
// generic addresses are told apart when they are executed.
func space(in *ptx.Inst) workload.Space {
	switch {
	case in.Op == "tex":
		return workload.Texture
	case in.Space == ptx.Shared, in.Op == "ldmatrix", in.Op == "stmatrix":
		return workload.Shared
	case in.Space == ptx.Local:
		return workload.Local
	case in.Space == ptx.Const && (in.Op == "ld" || in.Op == "ldu"):
		return workload.Constants
	}
	return workload.Global
}
