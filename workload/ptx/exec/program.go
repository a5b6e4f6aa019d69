package exec

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// Program is a kernel and the functions it calls, ready to run. It is constant:
// any number of launches may use it at the same time.
type Program struct {
	module *ptx.Module
	kernel *ptx.Func
	ops    []op
	// regs and preds are how many slots and predicates a warp has; the last
	// slots hold the special registers that the program reads.
	regs, preds int
	specials    []ptx.SpecialRegister
	consts      []launchConstant
	params      []int
	textures    []*ptx.Var
	byHandle    bool // a texture is read by a handle
	shared      *layout
	sharedBytes int // static
	dynamic     int // where dynamic shared memory starts
	localBytes  int // of a thread, call arguments included
	firstLocal  int // as much of it as a thread has at first
	paramBytes  int
	// stack is the slot with the end of a thread's stack, which begins at stackBase in local memory; 0 without.
	stack, stackBase int
	// startsAtZero says that a register may be read before it is written.
	startsAtZero bool
	footprint    footprint
	prints       bool
	startsQuiet  bool // nothing writes shared memory before the first barrier
	// idle keeps thread blocks (*[]*schedule) that Execute has made, for the next launch.
	idle sync.Pool
}

// launchConstant is a value that all lanes read: bits, plus the address of v if
// it is set, which is known when the module is in memory.
type launchConstant struct {
	bits uint64
	v    *ptx.Var
}

// firstPred numbers the predicates of a program, firstSlot its registers. Below are
// the predicate and the slot that take unwanted results, and a predicate that is
// always true.
const (
	unwanted = iota
	alwaysTrue
	firstPred

	firstSlot = unwanted + 1
)

// Compile prepares a kernel of a module. The error names file, line and
// instruction of the first thing in it that cannot be run.
func Compile(m *ptx.Module, kernel string) (*Program, error) {
	var entries []string
	for _, f := range m.Funcs {
		if f.Entry && f.Name == kernel {
			c := newCompiler(m, f)
			if err := c.compile(); err != nil {
				return nil, err
			}
			return c.p, nil
		}
		if f.Entry {
			entries = append(entries, f.Name)
		}
	}
	return nil, workload.Errorf(m.File, 0, "no kernel %s; valid are %s", kernel, strings.Join(entries, ", "))
}

// With is the program with its kernel in another form that computes the same,
// as a compiler makes it (see flow.Merge and flow.Schedule). Shared variables
// stay at their places.
func (p *Program) With(kernel *ptx.Func) (*Program, error) {
	c := newCompiler(p.module, kernel)
	c.shared = p.shared.clone()
	return c.p, c.compile()
}

// Place says where a shared variable is: all of its address, or as much as
// follows from the declaration if a launch decides the size. It says nothing of
// other variables (see flow.Place).
func (p *Program) Place(v *ptx.Var) (address uint64, knownBits int) {
	if v.Space != ptx.Shared {
		return 0, 0
	}
	if at, ok := p.shared.offsets[v]; ok {
		return uint64(at), 64
	}
	return 0, bits.TrailingZeros64(uint64(max(v.Align, 1)))
}

// Len is the number of instructions, with one more for the end of each
// function. A program counter is less.
func (p *Program) Len() int { return len(p.ops) }

// At returns the instruction at a program counter and the function it belongs
// to; the instruction is nil at the end of a function.
func (p *Program) At(pc int) (*ptx.Inst, *ptx.Func) { return p.ops[pc].inst, p.ops[pc].fn }

// File is the name of the file that the program was written in.
func (p *Program) File() string { return p.module.File }

// ParamOffsets are the positions of the kernel's parameters in the parameter
// block, in bytes, and ParamBytes is the size of the block.
func (p *Program) ParamOffsets() []int { return slices.Clone(p.params) }

// ParamBytes is the size of the parameter block.
func (p *Program) ParamBytes() int { return p.paramBytes }

// SharedBytes is the static shared memory of a thread block.
func (p *Program) SharedBytes() int { return p.sharedBytes }

// LocalBytes is the local memory of a thread.
func (p *Program) LocalBytes() int { return p.localBytes }

// layout places variables one behind the other.
type layout struct {
	offsets map[*ptx.Var]int
	end     int
}

func newLayout() *layout { return &layout{offsets: map[*ptx.Var]int{}} }

func (l *layout) clone() *layout { return &layout{offsets: maps.Clone(l.offsets), end: l.end} }

func (l *layout) place(v *ptx.Var) int {
	if at, ok := l.offsets[v]; ok {
		return at
	}
	l.align(v.Align)
	l.offsets[v] = l.end
	l.end += v.Bytes
	return l.offsets[v]
}

func (l *layout) align(n int) {
	n = max(n, 1)
	l.end = (l.end + n - 1) / n * n
}
