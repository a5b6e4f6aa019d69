package traceg

import (
	"bytes"
	"math"
)

// A cursor walks over the fields of one line.
type cursor struct {
	b []byte
	i int
}

// field returns the next field, empty at the end of the line.
func (c *cursor) field() []byte {
	b, i := c.b, c.skip()
	start := i
	for i < len(b) && !isSpace(b[i]) {
		i++
	}
	c.i = i
	return b[start:i]
}

// atEnd reports whether no field is left.
func (c *cursor) atEnd() bool { return c.skip() == len(c.b) }

// digits maps a character to its value as a hexadecimal digit, or to 16.
var digits = func() (t [256]uint8) {
	for c := range t {
		t[c] = 16
	}
	for d := range 10 {
		t['0'+d] = uint8(d)
	}
	for d := range 6 {
		t['a'+d], t['A'+d] = uint8(10+d), uint8(10+d)
	}
	return t
}()

// skip moves to the start of the next field and returns its place.
func (c *cursor) skip() int {
	for c.i < len(c.b) && isSpace(c.b[c.i]) {
		c.i++
	}
	return c.i
}

// take moves behind a field of digits that ends at i if it is a whole field.
func (c *cursor) take(i int) bool {
	if i < len(c.b) && !isSpace(c.b[i]) {
		return false
	}
	c.i = i
	return true
}

// hex reads a field that is a hexadecimal number of at most 64 bits, with or
// without 0x. If the field is something else, the cursor stays before it.
func (c *cursor) hex() (v uint64, ok bool) {
	b, i := c.b, c.skip()
	if i+1 < len(b) && b[i] == '0' && b[i+1]|0x20 == 'x' {
		i += 2
	}
	start := i
	var lost uint64 // bits that did not fit
	for ; i < len(b) && digits[b[i]] < 16; i++ {
		lost |= v >> 60
		v = v<<4 | uint64(digits[b[i]])
	}
	return v, i > start && lost == 0 && c.take(i)
}

// decimal reads a field that is a signed decimal number of at most 64 bits. If
// the field is something else, the cursor stays before it.
func (c *cursor) decimal() (v int64, ok bool) {
	b, i := c.b, c.skip()
	negative := i < len(b) && b[i] == '-'
	if negative {
		i++
	}
	start := i
	var u uint64
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		u = u*10 + uint64(b[i]-'0')
	}
	// 19 digits fit in 64 bits without a sign, 20 may not.
	if i == start || i-start > 19 {
		return 0, false
	}
	limit := uint64(math.MaxInt64)
	v = int64(u)
	if negative {
		limit++
		v = -v
	}
	return v, u <= limit && c.take(i)
}

// hex reads a whole text as a cursor's hex reads a field.
func hex(f []byte) (v uint64, ok bool) {
	c := cursor{b: f}
	v, ok = c.hex()
	return v, ok && c.atEnd()
}

// decimal reads a whole text as a cursor's decimal reads a field.
func decimal(f []byte) (v int64, ok bool) {
	c := cursor{b: f}
	v, ok = c.decimal()
	return v, ok && c.atEnd()
}

// count reads a decimal number from 0 to limit.
func count(f []byte, limit int) (int, bool) {
	v, ok := decimal(f)
	return int(v), ok && v >= 0 && v <= int64(limit)
}

// setting splits a line "key = value" and trims both. ok is false when the
// line has no equals sign.
func setting(line []byte) (key, value []byte, ok bool) {
	k, v, ok := bytes.Cut(line, []byte{'='})
	return bytes.TrimSpace(k), bytes.TrimSpace(v), ok
}

// clip shortens text that goes into a message.
func clip(b []byte) []byte {
	if len(b) > 40 {
		return b[:40]
	}
	return b
}
