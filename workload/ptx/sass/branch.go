package sass

import "cotenant/workload/ptx"

// branchTargets marks the instructions that a branch goes to.
func branchTargets(f *ptx.Func) []bool {
	marks := make([]bool, len(f.Insts)+1)
	for i := range f.Insts {
		if t := f.Insts[i].Target; t >= 0 {
			marks[t] = true
		}
		for _, t := range f.Insts[i].Targets {
			marks[t] = true
		}
	}
	return marks
}

// leavesLine reports whether something else than the next instruction, or
// another warp, may follow.
func leavesLine(in *ptx.Inst) bool {
	switch in.Op {
	case "bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier":
		return true
	}
	return false
}

// shortBranch reports whether a compiler would predicate what a conditional
// branch jumps over: a few instructions that are entered by nothing else and
// are without control flow.
func shortBranch(f *ptx.Func, index int, targets []bool) bool {
	in := &f.Insts[index]
	if in.Op != "bra" || in.Guard < 0 || in.Target <= index || in.Target > index+1+predicated {
		return false
	}
	for i := index + 1; i < in.Target; i++ {
		if leavesLine(&f.Insts[i]) || targets[i] {
			return false
		}
	}
	return true
}
