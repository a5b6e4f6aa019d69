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
	memory     bool  // mode and addresses follow the tail
	bulk       bool  // and have a count
	addressed  bool  // and are wanted
	generic    bool
	branch     bool
	exit       bool
}

// limits of the counts of registers in a line, and of a lane's bytes.
const (
	maxDst   = 4
	maxSrc   = 6
	maxWidth = 128 // far above the 32 of the widest access known
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
	dst, err := p.registers(&c, "results", regs[:0:maxDst])
	if err != nil {
		return 0, 0, nil, err
	}
	text := c.field()
	if !isOpcode(text) {
		return p.malformed("opcode", text, "a name in capitals, as LDG.E.64")
	}
	src, err := p.registers(&c, "sources", regs[maxDst:maxDst])
	if err != nil {
		return 0, 0, nil, err
	}
	name, _, _ := bytes.Cut(text, []byte{'.'})
	op, known := opcodes[string(name)]
	if !known && !p.opt.UnknownOpcodeALU {
		return 0, 0, nil, p.in.errorf("unknown opcode %s; --unknown-opcode=alu takes unknown opcodes as integer instructions", clip(text))
	}
	if op.traits&warpgroup != 0 {
		skipCommitFlag(&c)
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
	if !memory {
		if err := p.endOfLine(&c); err != nil {
			return 0, 0, nil, err
		}
		end = len(line)
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
		switch n, _ := decimal(bytes.TrimSpace([]byte(immediate))); {
		case binary >= firstCopies:
			in.Class, in.Barrier = workload.Await, uint8(min(n, math.MaxUint8))
		case n > 0:
			in.Class = workload.Nop
		}
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
	return in
}

// firstCopies is the first binary version with LDGSTS: Ampere's.
const firstCopies = 80

// firstLDG is the first binary version where LDG is any load of global memory.
// Kepler's LDG goes by the read-only cache, its other loads are LD.
const firstLDG = 50

// genericSpaces is the order of a generic instruction's three table entries.
var genericSpaces = [...]workload.Space{workload.Global, workload.Shared, workload.Local}

// registers reads a count and as many registers behind it, into regs.
func (p *parser) registers(c *cursor, what string, regs []uint8) ([]uint8, error) {
	f := c.field()
	n, ok := count(f, cap(regs))
	if !ok {
		return nil, p.in.errorf("malformed number of %s %q; valid is 0 to %d", what, clip(f), cap(regs))
	}
	for range n {
		f := c.field()
		if len(f) < 2 || f[0] != 'R' {
			return nil, p.in.errorf("malformed register %q among %d %s; valid is R0 to R255", clip(f), n, what)
		}
		r, ok := count(f[1:], 255)
		if !ok {
			return nil, p.in.errorf("malformed register %q among %d %s; valid is R0 to R255", clip(f), n, what)
		}
		regs = append(regs, uint8(r))
	}
	return regs, nil
}

// endOfLine checks that an immediate is left of a line if there is one in every
// line of the file, and else nothing. The first line decides.
func (p *parser) endOfLine(c *cursor) error {
	if p.immediates == undecided {
		p.immediates = never
		if !c.atEnd() && p.header.version >= 4 {
			p.immediates = always
		}
	}
	if p.immediates == never {
		if c.atEnd() {
			return nil
		}
		return p.in.errorf("%q is too much for this instruction; valid is the end of the line", clip(c.field()))
	}
	if c.atEnd() {
		return p.in.errorf("the line ends before its immediate, or lacks an address; valid are all addresses and an immediate, as the first line of the file has one")
	}
	if _, ok := c.decimal(); !ok {
		return p.in.errorf("malformed immediate %q; valid is a decimal number", clip(c.field()))
	}
	if !c.atEnd() {
		return p.in.errorf("%q is too much for this instruction; valid is the end of the line", clip(c.field()))
	}
	return nil
}

// skipCommitFlag skips the flag that some tracers write between the sources
// and the width of a warpgroup instruction: there are then three numbers left.
func skipCommitFlag(c *cursor) {
	ahead := *c
	flag := ahead.field()
	if ahead.field(); len(flag) == 1 && len(ahead.field()) > 0 {
		c.field()
	}
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
