package ptx

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// The fragments of wmma are opaque: a program may load and store them, multiply them, and treat
// all their elements alike. Here wmma becomes other instructions: loads and stores of a lane's
// own elements, and two mma of 16 rows and 8 columns. So a fragment of wmma
// is a fragment of mma, or two, of the left and right or upper and lower half, but for the elements of A and
// B in depth: a lane has neighbours, which it loads together where they are so in memory. If the program has
// twice as many registers, the second half of them is a copy. m8n32k16 multiplies the transposed matrices.

// fragment says where a lane's elements of a matrix are. Lane 4g+t has at each place the element
// x = g + a constant and y = step*t + a constant, where x is a row or a column.
type fragment struct {
	step   int
	xIsRow bool
	bytes  int // of an element
	// words are the registers: the constants of x and of y, for each element.
	words [][][2]int
	// copies is how many times the words are repeated.
	copies int
}

// wmmaShape is rows, columns and depth.
type wmmaShape struct{ m, n, k int }

// outer adds a fragment as of A of mma: 16 elements along x.
func (f *fragment) outer(first, depth, perWord int) {
	for j := range depth / (2 * perWord) {
		var word [][2]int
		for e := range perWord {
			word = append(word, [2]int{first + 8*(j%2), perWord*(j/2) + e})
		}
		f.words = append(f.words, word)
	}
}

// inner adds a fragment as of B of mma: 8 elements along x.
func (f *fragment) inner(first, depth, perWord int) {
	for j := range depth / (4 * perWord) {
		var word [][2]int
		for e := range perWord {
			word = append(word, [2]int{first, perWord*j + e})
		}
		f.words = append(f.words, word)
	}
}

// wmmaFragment is that of matrix a, b, c or d, of some registers.
func wmmaFragment(matrix string, s wmmaShape, t Type, registers int) *fragment {
	f := &fragment{bytes: t.Size(), copies: 1}
	perWord := max(4/f.bytes, 1)
	flipped := s.m == 8 && s.n == 32
	if f.step = s.k / 4; matrix == "c" || matrix == "d" {
		f.step = 2
		f.xIsRow = !flipped
		pairs := func(x, y int) {
			for e := 0; e < 2; e += perWord {
				word := [][2]int{{x, y + e}}
				if perWord == 2 {
					word = append(word, [2]int{x, y + 1})
				}
				f.words = append(f.words, word)
			}
		}
		switch {
		case s.m == 8 && s.n == 8:
			pairs(0, 0)
		case s.m == 16:
			for q := range 2 {
				pairs(0, 8*q)
				pairs(8, 8*q)
			}
		default:
			for q := range 4 {
				pairs(8*q, 0)
			}
		}
		return f
	}
	f.xIsRow = matrix == "a"
	size := s.m // along x
	if matrix == "b" {
		size = s.n
	}
	switch {
	case size == 8:
		f.inner(0, s.k, perWord)
	case size == 16 && matrix == "b": // two of B
		f.inner(0, s.k, perWord)
		f.inner(8, s.k, perWord)
	default:
		for first := 0; first < size; first += 16 {
			f.outer(first, s.k, perWord)
		}
	}
	f.copies = max(registers/len(f.words), 1)
	return f
}

// wmmaInOrder returns the modifiers of wmma.mma with the size behind the layouts and the rounding behind
// the size. Public programs write the size first, as mma has it, and nvcc the rounding last.
func wmmaInOrder(mods []string) []string {
	at := slices.IndexFunc(mods, func(mod string) bool { return mod == "row" || mod == "col" })
	if at < 1 || mods[0] != "mma" || at+2 > len(mods) {
		return mods
	}
	ordered := slices.Clone(mods)
	if before := mods[at-1]; strings.HasPrefix(before, "m") && at > 1 {
		copy(ordered[at-1:], mods[at:at+2])
		ordered[at+1] = before
		at--
	}
	if last := len(mods) - 1; mods[last] == "rn" && last > at+3 {
		ordered = slices.Insert(ordered[:last:last], at+3, "rn")
	}
	return ordered
}

// wmma turns an instruction whose operands have been checked into others.
func (p *parser) wmma(in *Inst) {
	var s wmmaShape
	for _, mod := range in.Mods {
		if strings.HasPrefix(mod, "m") && mod != "mma" {
			fmt.Sscanf(mod, "m%dn%dk%d", &s.m, &s.n, &s.k)
		}
	}
	switch in.Mods[0] {
	case "load":
		typ := U8
		if per := perByte(in); per > 1 {
			s.k /= per
		} else {
			typ = in.Types[0]
		}
		f := wmmaFragment(in.Mods[1], s, typ, len(registersOf(in.Dst[0])))
		p.wmmaMove(in, f, registersOf(in.Dst[0]), in.Src[0], in.Src[1:], s)
	case "store":
		f := wmmaFragment(in.Mods[1], s, in.Types[0], len(registersOf(in.Src[1])))
		p.wmmaMove(in, f, registersOf(in.Src[1]), in.Src[0], in.Src[2:], s)
	default:
		p.wmmaMultiply(in, s)
	}
	in.Op = ""
}

// perByte is how many elements of A or B are in a byte if they are smaller.
func perByte(in *Inst) int {
	switch {
	case in.Has("s4"), in.Has("u4"):
		return 2
	case in.Has("b1"):
		return 8
	}
	return 1
}

// registersOf are the elements of a vector, or a single register.
func registersOf(o Operand) []Operand {
	if o.Kind == Vector {
		return o.Elems
	}
	return []Operand{o}
}

// emit adds an instruction behind the one being read, with its guard.
func (p *parser) emit(like *Inst, code string, operands ...Operand) {
	parts := strings.Split(code, ".")
	in := Inst{Line: like.Line, Op: parts[0], Guard: like.Guard, GuardNot: like.GuardNot, Vec: 1, Target: -1}
	for _, mod := range parts[1:] {
		in.modifier(mod)
	}
	forms, problem := selectForms(in.Op, in.Mods)
	for _, f := range forms {
		if problem = p.fits(&in, f, operands); problem == "" {
			p.split(&in, f, slices.Clone(operands))
			p.behind = append(p.behind, in)
			return
		}
	}
	p.fail(p.start, "%s", problem)
}

// temporary is a register that no program names.
func (p *parser) temporary(t Type) Operand {
	p.f.Regs = append(p.f.Regs, t)
	p.f.Names = append(p.f.Names, fmt.Sprintf("%%wmma%d", len(p.f.Regs)))
	if len(p.f.Regs) > maxNamed {
		p.fail(p.peek(), "function %s uses more than %d registers; valid is less", p.f.Name, maxNamed)
	}
	return Operand{Kind: Register, Reg: len(p.f.Regs) - 1}
}

func number(n int) Operand { return Operand{Kind: Immediate, Reg: -1, Imm: uint64(n)} }

// wmmaMove loads or stores a fragment.
func (p *parser) wmmaMove(in *Inst, f *fragment, registers []Operand, at Operand, stride []Operand, s wmmaShape) {
	row := slices.Contains(in.Mods, "row")
	along := row == f.xIsRow // elements that follow each other in y do so in memory
	leading := wmmaLeading(in.Mods[1], s, row)
	if len(stride) > 0 {
		leading = stride[0]
		if per := perByte(in); per > 1 { // a stride counts elements, f bytes
			leading = p.temporary(B32)
			p.emit(in, "shr.u32", leading, stride[0], number(bits.TrailingZeros(uint(per))))
		}
	}
	lane, g, t := p.temporary(B32), p.temporary(B32), p.temporary(B32)
	p.emit(in, "mov.u32", lane, Operand{Kind: Special, Reg: -1, Imm: uint64(specialByName["%laneid"])})
	p.emit(in, "shr.u32", g, lane, number(2))
	p.emit(in, "and.b32", t, lane, number(3))
	if f.step > 1 {
		p.emit(in, "mul.lo.u32", t, t, number(f.step))
	}
	offset := p.temporary(B32)
	if along {
		p.emit(in, "mad.lo.u32", offset, g, leading, t)
	} else {
		p.emit(in, "mad.lo.u32", offset, t, leading, g)
	}
	a := &wmmaAddress{p: p, in: in, leading: leading, bytes: f.bytes, lines: map[int]Operand{}}
	a.begin(at, offset)
	done := make([]bool, len(f.words))
	for k, word := range f.words {
		// The word that follows in memory, which the same access moves.
		next := slices.IndexFunc(f.words, func(w [][2]int) bool { return w[0] == [2]int{word[0][0], word[0][1] + len(word)} })
		switch {
		case done[k]:
		case along && next > k && f.bytes*len(word) == 4:
			done[next] = true
			a.access("v2.b32", along, word[0], Operand{Kind: Vector, Reg: -1, Elems: []Operand{registers[k], registers[next]}})
		case len(word) == 1 || along:
			a.access(fmt.Sprintf("b%d", 8*f.bytes*len(word)), along, word[0], registers[k])
		default:
			p.wmmaParts(in, a, word, registers[k])
		}
	}
	if in.Mods[0] != "load" {
		return
	}
	for k := len(f.words); k < len(f.words)*f.copies; k++ {
		if registers[k].Kind == Register {
			p.emit(in, "mov.b32", registers[k], registers[k%len(f.words)])
		}
	}
}

// wmmaLeading is the distance of lines that a program means if it gives none.
func wmmaLeading(matrix string, s wmmaShape, row bool) Operand {
	rows, columns := s.m, s.n
	switch matrix {
	case "a":
		columns = s.k
	case "b":
		rows = s.k
	}
	if row {
		return number(columns)
	}
	return number(rows)
}

// wmmaParts moves a word with elements that lie apart in memory.
func (p *parser) wmmaParts(in *Inst, a *wmmaAddress, word [][2]int, register Operand) {
	size := fmt.Sprintf("b%d", 8*a.bytes)
	parts := Operand{Kind: Vector, Reg: -1}
	for range word {
		parts.Elems = append(parts.Elems, p.temporary(B16))
	}
	if in.Mods[0] == "store" {
		p.emit(in, "mov.b32", parts, register)
	}
	for e, part := range parts.Elems {
		a.access(size, false, word[e], part)
	}
	if in.Mods[0] == "load" && register.Kind == Register {
		p.emitPack(in, register, parts)
	}
}

// emitPack joins parts into a register. mov takes no vector of registers that are wider than
// its parts, so that parts of 8 bits are joined in two steps.
func (p *parser) emitPack(in *Inst, register, parts Operand) {
	if len(parts.Elems) == 2 {
		p.emit(in, "mov.b32", register, parts)
		return
	}
	halves := Operand{Kind: Vector, Reg: -1}
	for i := 0; i < len(parts.Elems); i += 2 {
		half, upper := p.temporary(B16), p.temporary(B16)
		p.emit(in, "shl.b16", upper, parts.Elems[i+1], number(8))
		p.emit(in, "or.b16", half, parts.Elems[i], upper)
		halves.Elems = append(halves.Elems, half)
	}
	p.emit(in, "mov.b32", register, halves)
}

// wmmaAddress makes the addresses of a lane's elements.
type wmmaAddress struct {
	p       *parser
	in      *Inst
	leading Operand
	bytes   int
	imm     uint64          // of all addresses
	lines   map[int]Operand // pointers, by how many lines they are behind the first
	wide    bool            // pointers of 64 bits
}

// begin makes the address of the first element.
func (a *wmmaAddress) begin(at, offset Operand) {
	base := Operand{Kind: Register, Reg: at.Reg}
	a.imm = at.Imm
	a.wide = a.in.Space != Shared || at.Reg >= 0 && a.p.f.Regs[at.Reg].Size() == 8
	typ, move := B32, "mov.u32"
	if a.wide {
		typ, move = B64, "mov.u64"
	}
	if at.Reg < 0 {
		base = a.p.temporary(typ)
		from := Operand{Kind: Immediate, Reg: -1}
		if at.Var != nil {
			from = Operand{Kind: AddressOf, Reg: -1, Var: at.Var}
		}
		a.p.emit(a.in, move, base, from)
	}
	a.lines[0] = a.add(base, offset, a.bytes)
}

// add is a pointer plus a product.
func (a *wmmaAddress) add(base, factor Operand, times int) Operand {
	if a.wide {
		sum := a.p.temporary(B64)
		a.p.emit(a.in, "mad.wide.u32", sum, factor, number(times), base)
		return sum
	}
	sum := a.p.temporary(B32)
	a.p.emit(a.in, "mad.lo.u32", sum, factor, number(times), base)
	return sum
}

// access loads or stores the element at constants of x and y.
func (a *wmmaAddress) access(typ string, along bool, at [2]int, data Operand) {
	line, place := at[0], at[1]
	if !along {
		line, place = place, line
	}
	pointer, ok := a.lines[line]
	if !ok {
		pointer = a.add(a.lines[0], a.leading, line*a.bytes)
		a.lines[line] = pointer
	}
	address := Operand{Kind: Address, Reg: pointer.Reg, Imm: a.imm + uint64(place*a.bytes)}
	space := ""
	if a.in.Space != Generic {
		space = "." + a.in.Space.String()
	}
	if a.in.Mods[0] == "load" {
		a.p.emit(a.in, "ld"+space+"."+typ, data, address)
	} else {
		a.p.emit(a.in, "st"+space+"."+typ, address, data)
	}
}

// wmmaMultiply makes a product of two mma, or of one for m8n8k4.
func (p *parser) wmmaMultiply(in *Inst, s wmmaShape) {
	types := in.Mods[len(in.Mods)-4:]
	saturate := in.Has("satfinite")
	if saturate {
		types = in.Mods[len(in.Mods)-5 : len(in.Mods)-1]
	}
	if len(in.Types) == 2 && perByte(in) == 1 { // f16, which the types do not name
		types = []string{in.Types[0].String(), "f16", "f16", in.Types[1].String()}
	}
	d, a, b, c := registersOf(in.Dst[0]), registersOf(in.Src[0]), registersOf(in.Src[1]), registersOf(in.Src[2])
	if s.m == 8 && s.n == 8 {
		p.emit(in, fmt.Sprintf("mma.sync.aligned.m8n8k%d.row.col.%s", s.k, smallProduct(in, types, saturate)), in.Dst[0], in.Src[0], in.Src[1], in.Src[2])
		return
	}
	outer, inner := a, b
	if s.m == 8 {
		outer, inner = b, a
		types = []string{types[0], types[2], types[1], types[3]}
	}
	perWord := 4 / max(typeByName[types[1]].Size(), 1)
	wordsA, wordsB := s.k/(2*perWord), s.k/(4*perWord)
	code := fmt.Sprintf("mma.sync.aligned.m16n8k%d.row.col.", s.k)
	if saturate && types[0] == "s32" {
		code += "satfinite."
	}
	code += strings.Join(types, ".")
	group := func(list []Operand, n, at int) Operand {
		return Operand{Kind: Vector, Reg: -1, Elems: slices.Clone(list[at*n : (at+1)*n])}
	}
	into := d
	if overlap(d[:len(d)/2], append(slices.Concat(a, b), c[len(c)/2:]...)) {
		into = nil
		for range d {
			into = append(into, p.temporary(B32))
		}
	}
	for q := range 2 {
		first, second := q, 0
		if s.m == 16 {
			first, second = 0, q
		}
		p.emit(in, code, group(into, len(into)/2, q), group(outer, wordsA, first), group(inner, wordsB, second), group(c, len(c)/2, q))
		p.behind[len(p.behind)-1].Neighbours = true
	}
	for i := range d {
		if &into[0] != &d[0] && d[i].Kind == Register {
			p.emit(in, "mov.b32", d[i], into[i])
		}
	}
}

// smallProduct are the last modifiers of mma that makes a product of 8 rows and columns.
func smallProduct(in *Inst, types []string, saturate bool) string {
	list := strings.Join(types, ".")
	switch {
	case saturate:
		return "satfinite." + list
	case in.Has("and"):
		return list + ".and.popc"
	case in.Has("xor"):
		return list + ".xor.popc"
	}
	return list
}

// overlap reports whether two lists have a register in common.
func overlap(a, b []Operand) bool {
	return slices.ContainsFunc(a, func(x Operand) bool {
		return x.Kind == Register && slices.ContainsFunc(b, func(y Operand) bool { return y.Kind == Register && y.Reg == x.Reg })
	})
}
