package traceg

import (
	"bytes"
	"io"
	"math"
	"sync/atomic"

	"cotenant/workload"
	"cotenant/workload/packed"
)

// occurrence says in which lines of a file something is.
type occurrence uint8

const (
	undecided occurrence = iota
	never
	always
)

// parser turns the text of thread blocks into blocks.
type parser struct {
	in     *lines
	header header
	opt    Options

	packed.Shelf
	table  *packed.Table
	listed map[string]registerLists // see listed.go
	forms  []form                   // the first stands for the start of a warp
	byText map[string]int32
	last   int32 // form of the last line
	// immediates says which lines end with an immediate.
	immediates occurrence
	key        []byte
	access     packed.Access
	packer     packed.Packer
	warps      []bool // of the thread block that have been read

	seen []uint64 // bit set of the thread blocks read, by position in the grid
	// stopping ends the thread block before its next warp, with errStopped.
	stopping atomic.Bool
}

func newParser(in *lines, h header, opt Options, listed map[string]registerLists) *parser {
	table := &packed.Table{}
	shelf := packed.NewShelf(table, (h.block.Count()+workload.WarpSize-1)/workload.WarpSize)
	return &parser{
		in:     in,
		header: h,
		listed: listed,
		opt:    opt,
		Shelf:  shelf,
		table:  table,
		forms:  []form{{head: "\n"}}, // which no line begins with
		byText: map[string]int32{},
		seen:   make([]uint64, (h.grid.Count()+63)/64),
		packer: packed.NewPacker(shelf.Pool),
	}
}

// begin finds the start of the next thread block. It reports false at the end
// of the file.
func (p *parser) begin() (bool, error) {
	for {
		b, err := p.in.nextText()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if string(b) == "#BEGIN_TB" {
			return true, nil
		}
		// The header ends with a comment on the format of the lines.
		if b[0] != '#' || string(b) == "#END_TB" {
			return false, p.in.errorf("%q is outside a thread block; valid is #BEGIN_TB", clip(b))
		}
	}
}

// block reads a thread block from the line after #BEGIN_TB to #END_TB.
func (p *parser) block(b *packed.Block) error {
	p.packer.Start(b)
	p.warps = append(p.warps[:0], make([]bool, len(b.Streams))...)
	placed := false
	for {
		line, err := p.text()
		if err != nil {
			return err
		}
		if string(line) == "#END_TB" {
			break
		}
		key, value, ok := setting(line)
		switch {
		case ok && string(key) == "thread block":
			if placed {
				return p.in.errorf("second \"thread block\" line; valid is one after each #BEGIN_TB")
			}
			placed = true
			err = p.place(value)
		case ok && bytes.HasPrefix(key, []byte("cluster ")):
			// The place in a cluster, which Hopper tracers add.
		case !placed:
			err = p.in.errorf("%q comes before the thread block's position; valid is \"thread block = x,y,z\"", clip(line))
		case ok && string(key) == "warp":
			err = p.warp(b, value)
		case line[0] == '#' || ok:
			err = p.in.errorf("unknown line %q in a thread block; valid are \"warp = n\" and #END_TB", clip(line))
		default:
			err = p.surplus(line)
		}
		if err != nil {
			return err
		}
	}
	if !placed {
		return p.in.errorf("thread block without position; valid is \"thread block = x,y,z\" after #BEGIN_TB")
	}
	b.Rewind() // a warp that is not in the trace did nothing
	return nil
}

// place checks a thread block's position.
func (p *parser) place(value []byte) error {
	at, ok := triple(value, math.MaxInt32)
	g := p.header.grid
	if !ok || at.X >= g.X || at.Y >= g.Y || at.Z >= g.Z {
		return p.in.errorf("thread block is %q; valid is x,y,z inside the grid %v", clip(value), g)
	}
	id := (at.Z*g.Y+at.Y)*g.X + at.X
	if p.seen[id/64]>>(id%64)&1 != 0 {
		return p.in.errorf("thread block %q is in the trace twice; valid is once", value)
	}
	p.seen[id/64] |= 1 << (id % 64)
	return nil
}

// warp reads a warp from its number, value, to its last instruction.
func (p *parser) warp(b *packed.Block, value []byte) error {
	if p.stopping.Load() {
		return errStopped
	}
	w, ok := count(value, len(b.Streams)-1)
	if !ok {
		return p.in.errorf("warp is %q; valid is 0 to %d for a block of %s", clip(value), len(b.Streams)-1, workload.Count(p.header.block.Count(), "thread"))
	}
	if p.warps[w] {
		return p.in.errorf("warp %d is in the thread block twice; valid is once", w)
	}
	p.warps[w] = true
	line, err := p.text()
	if err != nil {
		return err
	}
	key, value, ok := setting(line)
	if !ok || string(key) != "insts" {
		return p.in.errorf("%q follows \"warp = %d\"; valid is \"insts = n\"", clip(line), w)
	}
	n, ok := count(value, math.MaxInt32)
	if !ok {
		return p.in.errorf("insts is %q; valid is a number from 0 to %d", clip(value), math.MaxInt32)
	}
	p.packer.Begin(w)
	p.last = 0
	for i := range n {
		line, err := p.text()
		if err != nil {
			return err
		}
		if err := p.instruction(line); err != nil {
			if !isInstruction(line) {
				return p.in.errorf("warp %d has %s where \"insts = %d\"; valid is as many", w, workload.Count(i, "instruction"), n)
			}
			return err
		}
	}
	if n > 0 && !p.forms[p.last].exit {
		end := p.in.line
		if line, err := p.text(); err == nil && isInstruction(line) {
			return p.surplus(line)
		}
		return p.in.errorAt(end, "warp %d ends with another instruction than EXIT; valid is EXIT as the last one of a warp", w)
	}
	return nil
}

// surplus is the error of an instruction behind a warp's last.
func (p *parser) surplus(line []byte) error {
	return p.in.errorf("instruction %q is one more than the warp's \"insts = n\" says; valid are \"warp = n\" and #END_TB", clip(line))
}

// text returns the next line of a thread block.
func (p *parser) text() ([]byte, error) {
	b, err := p.in.nextText()
	if err == io.EOF {
		return nil, p.in.errorf("the file ends inside a thread block; valid is #END_TB")
	}
	return b, err
}

// isInstruction tells a faulty instruction from a line of the structure.
func isInstruction(line []byte) bool {
	_, _, ok := setting(line)
	return !ok && line[0] != '#'
}

// instruction packs one line of a warp.
func (p *parser) instruction(line []byte) error {
	f, mask, rest, ok := p.match(line)
	if !ok {
		var err error
		if f, mask, rest, err = p.lookup(line); err != nil {
			return err
		}
	}
	m := &p.forms[f]
	index := m.first
	var a *packed.Access
	switch {
	case m.memory:
		if err := p.addresses(m, rest, mask); err != nil {
			return err
		}
		if m.addressed && mask != 0 {
			a = &p.access
			if m.generic {
				index += p.resolve(mask)
			}
		}
	case m.follows:
		if err := p.endOfLine(&cursor{b: rest}, m.registers); err != nil {
			return err
		}
	}
	last := &p.forms[p.last]
	if last.branch && !fallsThrough(last.pc, m.pc, p.header.binary) {
		p.packer.Redirected()
	}
	p.packer.Put(index, mask, a, p.table.Insts[index].Width)
	if m.commits {
		p.packer.Put(index+1, mask, nil, 0)
	}
	last.next = f
	p.last = f
	return nil
}

// match recognises the line that followed the last one when another warp, or
// this one, was here before: nearly all lines, at the cost of a comparison.
func (p *parser) match(line []byte) (f int32, mask uint32, rest []byte, ok bool) {
	f = p.forms[p.last].next
	m := &p.forms[f]
	at := len(m.head)
	behind := at + 8
	end := behind + len(m.tail)
	if len(line) < end || string(line[:at]) != m.head || string(line[behind:end]) != m.tail {
		return 0, 0, nil, false
	}
	rest = line[end:]
	if m.follows != (len(rest) > 0) || m.follows && rest[0] != ' ' {
		return 0, 0, nil, false
	}
	var all uint8
	for _, c := range line[at:behind] {
		d := digits[c]
		all |= d
		mask = mask<<4 | uint32(d)
	}
	return f, mask, rest, all < 16
}

// fallsThrough reports whether next is the instruction behind pc in memory.
func fallsThrough(pc, next uint32, binary int) bool {
	if binary >= 70 {
		return next == pc+16
	}
	hints := uint32(32) // bytes of code for each word of scheduling hints
	if binary < 50 {
		hints = 64
	}
	pc += 8
	if pc%hints == 0 {
		pc += 8
	}
	return next == pc
}
