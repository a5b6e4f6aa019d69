package ptx

import (
	"hash/fnv"
	"slices"

	"cotenant/workload"
)

// Functions of which a program takes the address have numbers from 1 on, in the order in which the linked
// files first do so. The number plus a hash of the files is the address, so that other files' functions have
// others. A call through a pointer becomes a branch by the number to a call of each function with the
// parameters and results of the call's prototype; a pointer to none of them is a fault.

// functionsOf is where the addresses of the files' functions begin.
func functionsOf(files []File) uint64 {
	h := fnv.New32a()
	for _, f := range files {
		h.Write(f.Text)
	}
	return uint64(h.Sum32() >> 1)
}

// addressOf is the address of a function.
func (l *linker) addressOf(f *Func) uint64 {
	n, known := l.addresses[f]
	if !known {
		l.pointed = append(l.pointed, f)
		n = uint64(len(l.pointed))
		l.addresses[f] = n
	}
	return l.functions + n
}

// prototype reads a prototype after its .callprototype: results, a name that does not count, parameters.
func (p *parser) prototype() *Func {
	f := &Func{}
	if p.peek().is("(") {
		f.Returns = p.unnamed()
	}
	p.name("_")
	if p.peek().is("(") {
		f.Params = p.unnamed()
	}
	p.accept(".noreturn")
	p.expect(";", "a prototype")
	return f
}

// unnamed reads the parameters of a prototype.
func (p *parser) unnamed() []*Var {
	p.expect("(", "a parameter list")
	var vars []*Var
	for p.err == nil && !p.accept(")") {
		if len(vars) > 0 {
			p.expect(",", "a parameter list")
		}
		if t := p.next(); !t.is(".param") && !t.is(".reg") {
			p.fail(t, "%v in a parameter list; valid are .param and .reg", t)
			return nil
		}
		v := p.typed(Param)
		v.Name = p.name("a parameter").text
		p.dimensions(v)
		vars = append(vars, v)
	}
	return vars
}

// targets reads the names of a .calltargets, of which the first has the prototype.
func (p *parser) targets() *Func {
	var first *Func
	for p.err == nil {
		name := p.name("a function")
		sym := p.scope.find(name.text)
		if sym == nil || sym.fn == nil || sym.fn.Entry {
			p.fail(name, "%v is not a declared .func; valid is a function of this file", name)
			break
		}
		if first == nil {
			first = sym.fn
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";", "a list of functions")
	return first
}

// throughPointer reads the rest of a call behind its arguments: the name of a prototype.
func (p *parser) throughPointer(pointer token, in *Inst, results, arguments []Operand) {
	o := p.named(pointer)
	name := p.name("a prototype")
	if p.err != nil {
		return
	}
	if o.Kind != Register {
		p.fail(pointer, "%v is not a declared .func; valid are a function of this file and a register that holds the address of one", pointer)
		return
	}
	if problem := p.scalar(U64, false, &o, false); problem != "" {
		p.fail(pointer, "%s", problem)
		return
	}
	prototype, ok := lookUp(p.scope, name.text, func(s *scope) map[string]*Func { return s.prototypes })
	if !ok {
		p.fail(name, "no prototype %v; valid is the label of a .callprototype or .calltargets before", name)
		return
	}
	o.Func = prototype
	arguments = p.passed(name, in, "arguments", arguments, prototype.Params)
	in.Dst = p.passed(name, in, "results", results, prototype.Returns)
	in.Src = append([]Operand{o}, arguments...)
}

// isThroughPointer reports whether an instruction is a call through a pointer that is not resolved yet.
func (i *Inst) isThroughPointer() bool { return i.Op == "call" && i.Src[0].Kind == Register }

// resolvePointers puts branches to calls of functions in the place of a function's calls through pointers.
func (l *linker) resolvePointers(f *Func) {
	calls := 0
	for i := range f.Insts {
		if !f.Insts[i].isThroughPointer() {
			continue
		}
		if calls++; len(f.Insts)+calls*(len(l.pointed)+1) > maxInsts {
			f.clear(workload.Errorf(f.File, f.Insts[i].Line, "function %s has calls through pointers to %d functions, which makes more than %d instructions; valid is less",
				f.Name, len(l.pointed), maxInsts))
			return
		}
	}
	blocks := map[int][]Inst{}
	index := -1 // the register of branches
	at := make([]int, len(f.Insts)+1)
	for i := range f.Insts {
		at[i+1] = at[i] + 1
		if in := &f.Insts[i]; in.isThroughPointer() {
			if index < 0 {
				index = len(f.Regs)
				f.Regs, f.Names = append(f.Regs, U32), append(f.Names, "%call")
			}
			blocks[i] = l.byNumber(f, in, index, at[i])
			at[i+1] = at[i] + len(blocks[i])
		}
	}
	if index < 0 {
		return
	}
	insts := make([]Inst, 0, at[len(f.Insts)])
	for i, in := range f.Insts {
		if blocks[i] != nil {
			insts = append(insts, blocks[i]...)
			continue
		}
		if in.Target >= 0 {
			in.Target = at[in.Target]
		}
		for k, t := range in.Targets {
			in.Targets[k] = at[t]
		}
		insts = append(insts, in)
	}
	f.Insts = insts
}

// byNumber is a branch by the number in the pointer of a call, the calls that it goes to, and the trap; the
// first instruction will stand at begin.
func (l *linker) byNumber(f *Func, call *Inst, index, begin int) []Inst {
	pointer := call.Src[0]
	var block []Inst
	add := func(in Inst) {
		in.Line, in.Vec = call.Line, 1
		block = append(block, in)
	}
	if call.Guard >= 0 { // around all of it
		add(Inst{Op: "bra", Guard: call.Guard, GuardNot: !call.GuardNot})
	}
	low := Operand{Kind: Register, Type: U32, Reg: index}
	add(Inst{Op: "cvt", Mods: []string{"u32", "u64"}, Types: []Type{U32, U64}, Guard: -1, Target: -1, Dst: []Operand{low},
		Src: []Operand{{Kind: Register, Type: U64, Reg: pointer.Reg}}})
	add(Inst{Op: "sub", Mods: []string{"u32"}, Types: []Type{U32}, Guard: -1, Target: -1, Dst: []Operand{low},
		Src: []Operand{low, {Kind: Immediate, Type: U32, Reg: -1, Imm: l.functions}}})
	branch := len(block)
	add(Inst{Op: "brx", OfPointer: true, Mods: []string{"idx"}, Guard: -1, Target: -1, Src: []Operand{low}})
	targets := make([]int, len(l.pointed)+1)
	for i := range targets {
		targets[i] = begin + len(block)
	}
	add(Inst{Op: "trap", OfPointer: true, Guard: -1, Target: -1})
	var ends []int
	for i, to := range l.pointed {
		if !to.accepts(pointer.Func) || !l.defined[to] {
			continue
		}
		targets[i+1] = begin + len(block)
		direct := *call
		direct.Guard, direct.GuardNot = -1, false
		direct.Src = append([]Operand{{Kind: FuncName, Reg: -1, Func: to}}, call.Src[1:]...)
		add(direct)
		ends = append(ends, len(block))
		add(Inst{Op: "bra", Guard: -1})
		l.calls = append(l.calls, callSite{f, to, call.Line})
	}
	if call.Guard >= 0 {
		ends = append(ends, 0)
	}
	for _, i := range ends {
		block[i].Target = begin + len(block)
	}
	block[branch].Targets = targets
	return block
}

// accepts reports whether a function has the parameters and results of a prototype.
func (f *Func) accepts(prototype *Func) bool {
	same := func(a, b *Var) bool { return a.Bytes == b.Bytes }
	return slices.EqualFunc(f.Params, prototype.Params, same) && slices.EqualFunc(f.Returns, prototype.Returns, same)
}
