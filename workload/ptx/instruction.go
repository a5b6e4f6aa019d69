package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// instruction reads one instruction with its guard.
func (p *parser) instruction() {
	p.inside, p.start, p.behind = true, p.peek(), nil
	in := Inst{Line: p.start.line, Guard: -1, Vec: 1, Target: -1}
	if p.accept("@") {
		p.guard(&in)
	}
	op := p.name("an operation")
	in.Op = op.text
	for p.peek().kind == dottedToken {
		in.modifier(p.next().text[1:])
	}
	found, problem := selectForms(in.Op, in.Mods)
	if problem != "" {
		if ordered := inOrder(in.Op, in.Mods); !slices.Equal(ordered, in.Mods) {
			in.Mods = ordered
			found, problem = selectForms(in.Op, in.Mods)
		}
	}
	switch {
	case problem != "":
		p.fail(p.start, "%s", problem)
	case in.Op == "bra":
		p.branches = append(p.branches, branch{inst: len(p.f.Insts), target: label{p.name("a label"), p.scope}})
	case in.Op == "brx":
		p.brx(&in)
	case in.Op == "call":
		p.call(&in)
	default:
		p.plain(&in, found)
	}
	p.expect(";", "an instruction")
	if p.err == nil && in.Op != "" {
		p.f.Insts = append(p.f.Insts, in)
	}
	if p.err == nil {
		p.f.Insts = append(p.f.Insts, p.behind...)
	}
	p.inside = false
}

// statementText is the text of the instruction being read, for messages.
func (p *parser) statementText() string {
	s := p.source[p.start.pos:]
	s, _, _ = strings.Cut(s[:min(len(s), 1000)], ";")
	return clip(s)
}

func (p *parser) guard(in *Inst) {
	in.GuardNot = p.accept("!")
	t := p.name("a predicate")
	if o := p.named(t); p.err == nil {
		if o.Kind != Register || p.f.Regs[o.Reg] != Pred {
			p.fail(t, "guard %v is not a predicate; valid is a register declared as .pred", t)
		}
		in.Guard = o.Reg
	}
}

// modifier notes a modifier and what it says of types, space and vectors.
func (in *Inst) modifier(mod string) {
	switch mod {
	case "shared::cta", "shared::cluster":
		in.InCluster = in.InCluster || mod == "shared::cluster"
		mod = "shared"
	case "param::entry", "param::func":
		mod = "param"
	case "v2", "x2":
		in.Vec = 2
	case "v4", "x4":
		in.Vec = 4
	case "v8":
		in.Vec = 8
	}
	if t, ok := typeByName[mod]; ok {
		in.Types = append(in.Types, t)
	}
	if s, ok := spaceByName[mod]; ok {
		in.Space = s
	}
	in.Mods = append(in.Mods, mod)
}

// plain reads the operands of an instruction of the common shape, and checks
// them against the forms that its modifiers can be of.
func (p *parser) plain(in *Inst, forms []*pattern) {
	var operands []Operand
	for !p.peek().is(";") || len(operands) > 0 {
		operands = append(operands, p.operand())
		if !p.accept(",") {
			break
		}
	}
	if p.err != nil {
		return
	}
	problem := ""
	for _, f := range forms {
		if problem = p.fits(in, f, operands); problem == "" {
			p.split(in, f, operands)
			if in.Op == "wmma" {
				p.wmma(in)
			}
			if in.isHalved() {
				p.halve(in)
			}
			if in.Op == "ret" {
				p.giveResults(in)
			}
			return
		}
	}
	p.fail(p.start, "%s", problem)
}

// isHalved reports whether an instruction loads or stores 32 bytes a lane, which only global memory takes.
func (in *Inst) isHalved() bool {
	return (in.Op == "ld" || in.Op == "st") && in.Space == Global && in.Vec*in.size() == 32
}

// halve turns an access to 32 bytes into two to 16 bytes. The one that may overwrite the address comes last.
func (p *parser) halve(in *Inst) {
	at, elements, rest := in.Src[0], []Operand(nil), in.Src[1:]
	if in.Op == "ld" {
		elements = in.Dst[0].Elems
	} else {
		elements, rest = rest[0].Elems, rest[1:]
	}
	n := in.Vec / 2
	mods := slices.Clone(in.Mods)
	mods[slices.Index(mods, fmt.Sprintf("v%d", in.Vec))] = fmt.Sprintf("v%d", n)
	order := []int{0, 1}
	if in.Op == "ld" && slices.ContainsFunc(elements[:n], func(o Operand) bool { return o.Kind == Register && o.Reg == at.Reg }) {
		order = []int{1, 0}
	}
	for _, half := range order {
		address, part := at, Operand{Kind: Vector, Reg: -1, Elems: slices.Clone(elements[half*n : (half+1)*n])}
		address.Imm += uint64(16 * half)
		operands := []Operand{part, address}
		if in.Op == "st" {
			slices.Reverse(operands)
		}
		p.emit(in, in.Op+"."+strings.Join(mods, "."), append(operands, rest...)...)
	}
	in.Op = ""
}

// split sorts operands that fit a form into written and read ones.
func (p *parser) split(in *Inst, f *pattern, operands []Operand) {
	in.Dst, in.Src = operands[:len(f.dst):len(f.dst)], operands[len(f.dst):]
	if len(f.dst) > 0 && f.dst[0].pair && in.Dst[0].Kind == Vector {
		in.Dst = in.Dst[0].Elems
	}
	switch in.Op {
	case "wgmma":
		if len(in.Dst) > 0 {
			before := in.Dst[0]
			before.Elems = slices.Clone(before.Elems)
			in.Src = append(in.Src, before)
		}
	case "tex":
		coordinates := Operand{Kind: Vector, Reg: -1, Elems: in.Src[0].Elems}
		in.Src[0].Elems = nil
		in.Src = slices.Insert(slices.Clone(in.Src), 1, coordinates)
	case "brkpt":
		in.Op = "trap"
	}
}

func (p *parser) brx(in *Inst) {
	t := p.peek()
	index := p.operand()
	p.expect(",", "brx.idx")
	name := p.name("a list of branch targets")
	list, ok := p.scope.findList(name.text)
	switch {
	case p.err != nil:
		return
	case !ok:
		p.fail(name, "no list of branch targets %v; valid is the label of a .branchtargets before", name)
		return
	}
	if problem := p.scalar(U32, false, &index, false); problem != "" {
		p.fail(t, "%s", problem)
	}
	in.Src = []Operand{index}
	p.branches = append(p.branches, branch{inst: len(p.f.Insts), list: list})
}
