package traceg

import "math/bits"

// The address modes. Bulk copies have numbers of their own in some tracers.
const (
	modeList       = 0
	modeStride     = 1
	modeDeltas     = 2
	modeBulkList   = 3
	modeBulkDeltas = 4
)

// addresses reads what follows the tail of a form with memory operands: mode,
// addresses, and perhaps an immediate. The addresses are left in p.access.
func (p *parser) addresses(f *form, rest []byte, mask uint32) error {
	c := cursor{b: rest}
	if f.bulk {
		return p.bulk(&c, f)
	}
	mode, ok := c.decimal()
	if !ok || mode < modeList || mode > modeDeltas {
		return p.badAddress("address mode", &cursor{b: rest}, "0 (list), 1 (base and stride) or 2 (base and deltas)")
	}
	a := &p.access
	a.Base, a.Stride, a.Affine = 0, 0, true
	if mode != modeList {
		if a.Base, ok = c.hex(); !ok {
			return p.badAddress("base address", &c, "a hexadecimal number of at most 64 bits")
		}
	}
	var stride int64
	if mode == modeStride {
		if stride, ok = c.decimal(); !ok {
			return p.badAddress("stride", &c, "a signed decimal number")
		}
		if run := mask >> (bits.TrailingZeros32(mask) & 31); run&(run+1) == 0 && stride == int64(int32(stride)) {
			a.Stride = int32(stride)
			return p.endOfLine(&c, f.registers)
		}
	}
	addr := a.Base
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		switch {
		case mode == modeList:
			if addr, ok = c.hex(); !ok {
				return p.badAddress("address", &c, "one hexadecimal number for each active lane")
			}
		case m == mask:
			// The lowest active lane has the base.
		case mode == modeStride:
			addr += uint64(stride)
		default:
			delta, ok := c.decimal()
			if !ok {
				return p.badAddress("delta", &c, "a signed decimal number for each active lane after the first")
			}
			addr += uint64(delta)
		}
		a.Lanes[lane] = addr
	}
	if mask != 0 {
		a.Summarise(mask)
	}
	return p.endOfLine(&c, f.registers)
}

// resolve finds the space of a generic access by its lowest active lane, as
// an index into genericSpaces, and makes addresses in a window relative to it.
func (p *parser) resolve(mask uint32) int32 {
	const window = 16 << 20
	for i, base := range [...]uint64{1: p.header.sharedBase, 2: p.header.localBase} {
		if base == 0 || p.access.Base-base >= window {
			continue
		}
		a := &p.access
		a.Base -= base
		last := 31 - bits.LeadingZeros32(mask)
		low := bits.TrailingZeros32(mask)
		if a.Affine && a.Base+uint64(int64(a.Stride)*int64(last-low)) < window {
			return int32(i)
		}
		// Lanes that leave the window, which compilers do not make, wrap.
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			if a.Affine {
				a.Lanes[lane] = a.Base + uint64(int64(a.Stride)*int64(lane-low))
			} else {
				a.Lanes[lane] -= base
			}
			a.Lanes[lane] &= window - 1
		}
		a.Affine = false
		return int32(i)
	}
	return 0
}

// bulk checks the operands of a bulk copy: at most an immediate, or a list
// "mode count addresses" or "mode base count deltas" (one fewer than count).
func (p *parser) bulk(c *cursor, f *form) error {
	if p.header.version >= valuedVersion {
		if err := p.transfer(c); err != nil {
			return err
		}
		return p.endOfLine(c, f.registers)
	}
	ahead := *c
	ahead.field()
	if ahead.atEnd() {
		return p.endOfLine(c, f.registers)
	}
	start := *c
	mode, ok := c.decimal()
	if !ok || mode < modeList || mode == modeStride || mode > modeBulkDeltas {
		return p.badAddress("bulk address mode", &start, "0 or 3 (list), 2 or 4 (base and deltas)")
	}
	list := mode == modeList || mode == modeBulkList
	if err := p.bulkList(c, list); err != nil {
		return err
	}
	return p.endOfLine(c, f.registers)
}

// bulkList reads a count and addresses, or a base, a count and deltas, one fewer than the count.
func (p *parser) bulkList(c *cursor, list bool) error {
	if !list {
		if _, ok := c.hex(); !ok {
			return p.badAddress("base address", c, "a hexadecimal number of at most 64 bits")
		}
	}
	start := *c
	n, ok := c.decimal()
	if !ok || n < 0 {
		return p.badAddress("number of addresses", &start, "a decimal number")
	}
	if !list {
		n--
	}
	for ; n > 0; n-- {
		if list {
			_, ok = c.hex()
		} else {
			_, ok = c.decimal()
		}
		if !ok {
			return p.badAddress("address", c, "as many as their number says")
		}
	}
	return nil
}

// transfer checks what lines of valuedVersion on say of a bulk copy: the address of its mbarrier,
// whether it goes to several thread blocks and then to which, its bytes and those outside the
// tensor, and a list.
func (p *parser) transfer(c *cursor) error {
	if _, ok := c.hex(); !ok {
		return p.badAddress("address of an mbarrier", c, "a hexadecimal number of at most 64 bits")
	}
	several, ok := c.decimal()
	if !ok || several < 0 || several > 1 {
		return p.badAddress("multicast flag", c, "0 or 1")
	}
	if several == 1 {
		if _, ok := c.hex(); !ok {
			return p.badAddress("mask of thread blocks", c, "a hexadecimal number")
		}
	}
	for range 2 {
		if _, ok := c.decimal(); !ok {
			return p.badAddress("number of bytes", c, "a decimal number")
		}
	}
	mode, ok := c.decimal()
	if !ok || mode != modeBulkList && mode != modeBulkDeltas {
		return p.badAddress("bulk address mode", c, "3 (list) or 4 (base and deltas)")
	}
	return p.bulkList(c, mode == modeBulkList)
}

func (p *parser) badAddress(what string, c *cursor, valid string) error {
	_, _, _, err := p.malformed(what, c.field(), valid)
	return err
}
