package exec

import (
	"fmt"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// LaunchConfig.CheckAsync also looks for programs that use a result of wgmma before they have waited
// for it. Registers of D are marked until their warp has waited for the group of the product. A marked
// register may be copied, and be accumulated to by further products; any other use is an error.

// earlyMarks are the marks of a warp's registers.
type earlyMarks struct {
	// open is the number of the group that products join, and waited that of the first for which
	// the warp has not waited.
	open, waited uint32
	of           map[earlyRegister]earlyMark
}

type earlyRegister struct {
	f   *ptx.Func
	reg int
}

// earlyMark is the product that writes a register: its line and group.
type earlyMark struct {
	line  int
	group uint32
}

// checkProducts looks at an instruction that the lanes in w.active are about to execute.
func (w *Warp) checkProducts(o *op) {
	e, in := &w.tb.async.products[w.index], o.inst
	switch {
	case in.Op == "wgmma" && in.Has("mma_async"):
		accumulators := in.Src[len(in.Src)-1:]
		w.checkUses(o, e, in.Src[:len(in.Src)-1], "reads")
		if e.of == nil {
			e.of = map[earlyRegister]earlyMark{}
		}
		mark := earlyMark{in.Line, e.open}
		flow.EachRegister(in.Dst, func(reg int) { e.of[earlyRegister{o.fn, reg}] = mark })
		flow.EachRegister(accumulators, func(reg int) { e.of[earlyRegister{o.fn, reg}] = mark })
	case in.Op == "wgmma" && in.Has("commit_group"):
		e.open++
	case in.Op == "wgmma" && in.Has("wait_group"):
		if left := uint32(in.Src[0].Imm); e.open >= left {
			e.waited = max(e.waited, e.open-left)
		}
	case len(e.of) == 0:
	default:
		if from, to, ok := flow.Copies(in); ok {
			if mark, marked := e.of[earlyRegister{o.fn, from}]; marked {
				e.of[earlyRegister{o.fn, to}] = mark
			} else {
				delete(e.of, earlyRegister{o.fn, to})
			}
			return
		}
		w.checkUses(o, e, in.Src, "reads")
		w.checkUses(o, e, in.Dst, "writes")
	}
}

// checkUses fails if a product that the warp has not waited for writes a register among operands.
func (w *Warp) checkUses(o *op, e *earlyMarks, operands []ptx.Operand, use string) {
	flow.EachRegister(operands, func(reg int) {
		mark, marked := e.of[earlyRegister{o.fn, reg}]
		if !marked || w.fault != nil {
			return
		}
		if mark.group < e.waited {
			delete(e.of, earlyRegister{o.fn, reg})
			return
		}
		w.fail(o, LaunchFailure, 0, fmt.Sprintf("it %s %sa result of wgmma of line %d; the warp has not waited for that product", use, registerName(o.fn, reg), mark.line))
	})
}

// registerName is the name of a register as a message has it, "" if it is none of the program's.
func registerName(f *ptx.Func, reg int) string {
	if reg >= len(f.Names) {
		return ""
	}
	return f.Names[reg] + ", "
}
