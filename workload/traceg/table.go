package traceg

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/workload"
	"cotenant/workload/packed"
)

// maxForms and maxForm, in characters, bound the memory of the table of
// distinct instructions. The number is that of 4 MiB of machine code; the
// largest kernels known have a tenth of it.
const (
	maxForms = 1 << 18
	maxForm  = 256
)

// form is what the parser needs of a distinct instruction: all of its line
// that does not change from warp to warp.
type form struct {
	head, tail string // text before and behind the mask
	pc         uint32
	first      int32 // index in the table; of three, by space, if generic
	next       int32 // form that followed this one last
	registers  int   // of all kinds that the line lists
	follows    bool  // the line goes on behind the tail: a memory operand, or values of registers
	memory     bool  // mode and addresses follow the tail
	bulk       bool  // and have a count
	addressed  bool  // and are wanted
	generic    bool
	branch     bool
	exit       bool
	commits    bool // closes the warp's group of products: a Commit is behind it in the table
}

// limits of the counts of registers in a line, and of a lane's bytes.
const (
	maxDst   = 4
	maxSrc   = 6
	maxWidth = 128 // far above the 32 of the widest access known
	maxNamed = 32  // of all kinds, where a line lists predicates and uniform registers
)

// lookup takes a line apart field by field, finds its form or makes it, and
// returns its mask and what follows the form's tail. All faults of the
// unchanging part of a line are found here: a line that match accepts has
// the text of a line that was accepted here.
func (p *parser) lookup(line []byte) (f int32, mask uint32, rest []byte, err error) {
	c := cursor{b: line}
	if p.header.lineInfo {
		if n := c.field(); !isCount(n) {
			return p.malformed("source line", n, "a decimal number")
		}
	}
	field := c.field()
	pc, ok := hex(field)
	if !ok || pc > math.MaxUint32 {
		return p.malformed("PC", field, "a hexadecimal number of at most 32 bits")
	}
	field = c.field()
	m, ok := hex(field)
	if !ok || m > math.MaxUint32 {
		return p.malformed("mask", field, "a hexadecimal number of at most 32 bits")
	}
	mask = uint32(m)
	maskAt, behindMask := c.i-len(field), c.i

	var regs [maxDst + maxSrc]uint8
	dst, results, err := p.registers(&c, "results", regs[:0:maxDst])
	if err != nil {
		return 0, 0, nil, err
	}
	text := c.field()
	if !isOpcode(text) {
		return p.malformed("opcode", text, "a name in capitals, as LDG.E.64")
	}
	src, sources, err := p.registers(&c, "sources", regs[maxDst:maxDst])
	if err != nil {
		return 0, 0, nil, err
	}
	name, _, _ := bytes.Cut(text, []byte{'.'})
	op, known := opcodes[string(name)]
	if !known && !p.opt.UnknownOpcodeALU {
		return 0, 0, nil, p.in.errorf("unknown opcode %s; --unknown-opcode=alu takes unknown opcodes as integer instructions", clip(text))
	}
	commits := false
	if op.traits&warpgroup != 0 {
		if commits, ok = p.commits(&c); !ok {
			return p.malformed("commit flag", c.field(), "0 or 1")
		}
	}
	field = c.field()
	width, ok := count(field, math.MaxInt32)
	if !ok {
		return p.malformed("memory width", field, "a decimal number")
	}
	if op.class.IsMemory() && op.traits&bulk == 0 && (width > maxWidth || width&(width-1) != 0) {
		return p.malformed("memory width", field, "1, 2, 4, 8, 16, 32, 64 or 128 bytes")
	}
	memory := width > 0 || op.traits&bulk != 0
	end := c.i
	immediate := c.i
	values := false
	if !memory {
		end = len(line)
		if at, ok := p.values(c); ok {
			end, values = at, true // they change from warp to warp
		}
		if err := p.endOfLine(&c, results+sources); err != nil {
			return 0, 0, nil, err
		}
	}

	p.key = append(append(p.key[:0], line[:maskAt]...), line[behindMask:end]...)
	if f, ok = p.byText[string(p.key)]; ok {
		return f, mask, line[end:], nil
	}
	if len(p.forms) > maxForms {
		return 0, 0, nil, p.in.errorf("one more distinct instruction than the %d that are valid in a kernel", maxForms)
	}
	if len(p.key) > maxForm {
		return 0, 0, nil, p.in.errorf("the instruction has %d characters without mask and addresses; valid are at most %d", len(p.key), maxForm)
	}
	key := string(p.key)
	made := form{
		head:   key[:maskAt],
		tail:   key[maskAt:],
		pc:     uint32(pc),
		memory: memory,
		bulk:   op.traits&bulk != 0,

		registers: results + sources,
		follows:   memory || values,
		commits:   commits,
	}
	if err := p.add(&made, op, string(text), dst, src, string(line[immediate:end])); err != nil {
		return 0, 0, nil, err
	}
	f = int32(len(p.forms))
	p.forms = append(p.forms, made)
	p.byText[key] = f
	return f, mask, line[end:], nil
}

// add puts the packed instruction of a form into the table.
func (p *parser) add(f *form, op opcode, text string, dst, src []uint8, immediate string) error {
	in := op.entry(f.pc, text, p.header.binary, dst, src, immediate)
	if in.Class.IsMemory() && !f.memory {
		return p.in.errorf("%s has memory width 0; valid is a width and addresses", text)
	}
	if full, ok := p.listed[f.text()]; ok {
		in.Dst, in.Src = full.dst, full.src
	}
	f.addressed = in.Class.IsMemory()
	f.branch = in.Class == workload.Branch
	f.exit = in.Class == workload.Exit
	f.generic = op.space == anywhere
	f.first = int32(len(p.table.Insts))
	shown := shown(text, dst, src)
	if !f.generic {
		p.table.Insts, p.table.Texts = append(p.table.Insts, in), append(p.table.Texts, shown)
		if f.commits {
			p.table.Insts = append(p.table.Insts, packed.Entry{PC: f.pc, Class: workload.Commit, Dst: workload.NoRegs4, Src: workload.NoRegs10, Warps: workload.ProductGroups})
			p.table.Texts = append(p.table.Texts, shown)
		}
		return nil
	}
	for _, s := range genericSpaces {
		in.Space = s
		p.table.Insts, p.table.Texts = append(p.table.Insts, in), append(p.table.Texts, shown)
	}
	return nil
}

// shown is an instruction as an assembler writes it, as far as the trace tells: opcode,
// results, sources.
func shown(text string, dst, src []uint8) string {
	for i, r := range slices.Concat(dst, src) {
		sep := ", "
		if i == 0 {
			sep = " "
		}
		text += sep + "R" + strconv.Itoa(int(r))
	}
	return text
}

// text is the form's part of a line, its fields one space apart.
func (f *form) text() string { return strings.Join(strings.Fields(f.head+" "+f.tail), " ") }

// entry is what an instruction's unchanging text means for code of a binary
// version.
func (o opcode) entry(pc uint32, text string, binary int, dst, src []uint8, immediate string) packed.Entry {
	name, m := split(text)
	dst, src = o.assign(m, dst, src)
	in := packed.Entry{PC: pc, Class: o.class, Space: o.space, Flags: o.flags}
	switch {
	case o.class == workload.Barrier && m.has("ARV"):
		in.Class = workload.Nop
	case name == "DEPBAR":
		switch n, _ := (&cursor{b: []byte(immediate)}).decimal(); {
		case binary >= firstCopies:
			in.Class, in.Barrier = workload.Await, uint8(min(n, math.MaxUint8))
		case n > 0:
			in.Class = workload.Nop
		}
	case name == "WARPGROUP" && m.has("DEPBAR"):
		n, _ := (&cursor{b: []byte(immediate)}).decimal()
		in.Class, in.Barrier, in.Warps = workload.Await, uint8(min(n, math.MaxUint8)), workload.ProductGroups
	case o.class == workload.Atomic && (len(dst) == 0 || dst[0] == workload.NoReg):
		in.Class = workload.Reduction
	}
	memory := in.Class.IsMemory()
	if memory && m.bypassesL1() {
		in.Flags |= workload.BypassL1
	}
	if name == "LDG" && (m.has("CI", "CONSTANT") || binary < firstLDG) {
		in.Flags |= workload.ReadOnly
	}
	switch {
	case name == "LDSM" || name == "STSM":
		in.Width = uint8(4 * matrixWords(m))
	case memory || in.Class == workload.Constant:
		in.Width = uint8(m.width())
	case in.Class == workload.Tensor:
		in.Width = uint8(shape(name, m))
	}
	o.registers(&in, name, m, binary, dst, src)
	if o.traits&warpgroup != 0 {
		in.Barrier, in.Warps = columnParts(m), sharedMatrices(dst, src)
		if in.Barrier > 0 { // the warp waits for the product's group, not for registers
			in.Dst = workload.NoRegs4
		}
	}
	return in
}

// firstCopies is the first binary version with LDGSTS: Ampere's.
const firstCopies = 80

// firstLDG is the first binary version where LDG is any load of global memory.
// Kepler's LDG goes by the read-only cache, its other loads are LD.
const firstLDG = 50

// genericSpaces is the order of a generic instruction's three table entries.
var genericSpaces = [...]workload.Space{workload.Global, workload.Shared, workload.Local}

// registers reads a count and as many registers behind it. It appends general registers to regs
// and returns the number of all: from valuedVersion on lines list predicates (P) and uniform
// registers (UR, UP) too, which carry no dependence here.
func (p *parser) registers(c *cursor, what string, regs []uint8) (general []uint8, all int, err error) {
	most, valid := cap(regs), "R0 to R255"
	if p.header.version >= valuedVersion {
		most, valid = maxNamed, "R0 to R255, or a number behind UR, P or UP"
	}
	f := c.field()
	n, ok := count(f, most)
	if !ok {
		return nil, 0, p.in.errorf("malformed number of %s %q; valid is 0 to %d", what, clip(f), most)
	}
	for range n {
		f := c.field()
		kind := bytes.TrimRight(f, "0123456789")
		r, ok := count(f[len(kind):], 255)
		switch isGeneral := string(kind) == "R"; {
		case !ok || !isGeneral && (p.header.version < valuedVersion || string(kind) != "UR" && string(kind) != "P" && string(kind) != "UP"):
			return nil, 0, p.in.errorf("malformed register %q among %d %s; valid is %s", clip(f), n, what, valid)
		case isGeneral && len(regs) == cap(regs):
			return nil, 0, p.in.errorf("%q is one general register more than the %d %s that are valid", clip(f), cap(regs), what)
		case isGeneral:
			regs = append(regs, uint8(r))
		}
	}
	return regs, n, nil
}

// endOfLine checks that an immediate is left of a line if there is one in every
// line of the file, and else nothing. The first line decides. From valuedVersion on up to two
// immediates are left, then NoVal, or Val and the values of as many registers, or neither.
func (p *parser) endOfLine(c *cursor, registers int) error {
	if p.header.version >= valuedVersion {
		c.immediates()
		switch f := c.field(); string(f) {
		case "", "NoVal":
		case "Val":
			if err := p.registerValues(c, registers); err != nil {
				return err
			}
		default:
			_, _, _, err := p.malformed("end of the line", f, "up to two immediates, and NoVal or Val")
			return err
		}
		return p.nothingLeft(c)
	}
	if p.immediates == undecided {
		p.immediates = never
		if !c.atEnd() && p.header.version >= 4 {
			p.immediates = always
		}
	}
	if p.immediates == never {
		return p.nothingLeft(c)
	}
	if c.atEnd() {
		return p.in.errorf("the line ends before its immediate, or lacks an address; valid are all addresses and an immediate, as the first line of the file has one")
	}
	if _, ok := c.decimal(); !ok {
		return p.in.errorf("malformed immediate %q; valid is a decimal number", clip(c.field()))
	}
	return p.nothingLeft(c)
}

func (p *parser) nothingLeft(c *cursor) error {
	if c.atEnd() {
		return nil
	}
	return p.in.errorf("%q is too much for this instruction; valid is the end of the line", clip(c.field()))
}

// immediates skips up to two decimal numbers of at most 64 bits, with a sign or without.
func (c *cursor) immediates() {
	for range 2 {
		ahead := *c
		if f := ahead.field(); len(f) == 0 || len(f) > 20 || len(bytes.Trim(bytes.TrimPrefix(f, []byte("-")), "0123456789")) > 0 {
			return
		}
		*c = ahead
	}
}

// values finds the place behind the immediates from which on a line has values of registers.
func (p *parser) values(c cursor) (at int, ok bool) {
	if p.header.version < valuedVersion {
		return 0, false
	}
	c.immediates()
	at = c.i
	return at, string(c.field()) == "Val"
}

// registerValues reads the values of registers: of each a number of values, 1 for all lanes or one
// for each, and these. The model has no use for them.
func (p *parser) registerValues(c *cursor, registers int) error {
	for range registers {
		n, ok := c.decimal()
		if !ok || n != 1 && n != workload.WarpSize {
			_, _, _, err := p.malformed("number of values of a register", c.field(), "1, or 32")
			return err
		}
		for range n {
			if _, ok := c.hex(); !ok {
				_, _, _, err := p.malformed("value of a register", c.field(), "a hexadecimal number")
				return err
			}
		}
	}
	return nil
}

// commits reads the flag that stands between the sources and the width of a warpgroup
// instruction and says whether it closes the warp's group of products. Before valuedVersion only
// some tracers write it, after which three numbers are left; without it each instruction is a
// group.
func (p *parser) commits(c *cursor) (commits, ok bool) {
	ahead := *c
	flag := ahead.field()
	ok = len(flag) == 1 && (flag[0] == '0' || flag[0] == '1')
	if p.header.version < valuedVersion {
		if ahead.field(); len(flag) != 1 || len(ahead.field()) == 0 {
			return true, true
		}
	}
	if ok {
		c.field()
	}
	return ok && flag[0] == '1', ok
}

func (p *parser) malformed(what string, field []byte, valid string) (int32, uint32, []byte, error) {
	if len(field) == 0 {
		return 0, 0, nil, p.in.errorf("the instruction ends before its %s; valid is %s", what, valid)
	}
	return 0, 0, nil, p.in.errorf("malformed %s %q; valid is %s", what, clip(field), valid)
}

func isCount(f []byte) bool {
	_, ok := count(f, math.MaxInt32)
	return ok
}

// isOpcode tells an opcode from a register, a number or worse in its place.
func isOpcode(f []byte) bool {
	if len(f) < 2 || f[0] < 'A' || f[0] > 'Z' {
		return false
	}
	for _, c := range f {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return f[0] != 'R' || !isCount(f[1:])
}
