package ptx

import (
	"math"
	"strconv"
	"strings"
)

// constant is the value of a constant expression: an integer, or the bits of
// an f64.
type constant struct {
	bits  uint64
	float bool
}

// as gives the bits of the constant as a value of a type; not ok if the one is
// a float and the other is not.
func (c constant) as(t Type) (bits uint64, ok bool) {
	switch {
	case !c.float:
		return c.bits, !t.IsFloat() || t.isSmall()
	case t == F64 || t == B64:
		return c.bits, true
	case t == F32 || t == B32:
		return uint64(math.Float32bits(float32(math.Float64frombits(c.bits)))), true
	}
	return 0, false
}

// operators of constant expressions, by how tightly they bind.
var operators = []map[string]func(x, y int64) int64{
	{"|": func(x, y int64) int64 { return x | y }},
	{"^": func(x, y int64) int64 { return x ^ y }},
	{"&": func(x, y int64) int64 { return x & y }},
	{"<<": func(x, y int64) int64 { return x << uint64(y) }, ">>": func(x, y int64) int64 { return x >> uint64(y) }},
	{"+": func(x, y int64) int64 { return x + y }, "-": func(x, y int64) int64 { return x - y }},
	{
		"*": func(x, y int64) int64 { return x * y },
		"/": func(x, y int64) int64 { return x / y },
		"%": func(x, y int64) int64 { return x % y },
	},
}

// constant reads a constant expression.
func (p *parser) constant() constant { return p.binary(0, 0) }

// binary reads operands joined by operators of at least a level.
func (p *parser) binary(level, depth int) constant {
	if level == len(operators) {
		return p.unary(depth)
	}
	left := p.binary(level+1, depth)
	for p.err == nil {
		at := p.peek()
		op := at.text
		if (op == "<" || op == ">") && p.peekAfter().is(op) {
			op += op
		}
		result, ok := operators[level][op]
		if !ok || at.kind != punctToken {
			break
		}
		p.next()
		if len(op) == 2 {
			p.next()
		}
		right := p.binary(level+1, depth)
		switch {
		case left.float || right.float:
			p.fail(at, "operator %v on a floating-point constant; valid are integers", at)
		case right.bits == 0 && (op == "/" || op == "%"):
			p.fail(at, "division by zero in a constant expression; valid is another divisor")
		default:
			left = constant{bits: uint64(result(int64(left.bits), int64(right.bits)))}
		}
	}
	return left
}

// unary reads a number or an expression in parentheses, with the signs before
// it.
func (p *parser) unary(depth int) constant {
	t := p.next()
	if depth > maxNesting {
		p.fail(t, "constant expression is nested more than %d deep; valid is less", maxNesting)
		return constant{}
	}
	switch {
	case t.is("-"):
		c := p.unary(depth + 1)
		if c.float {
			c.bits ^= 1 << 63
		} else {
			c.bits = -c.bits
		}
		return c
	case t.is("+"):
		return p.unary(depth + 1)
	case t.is("~"):
		c := p.unary(depth + 1)
		if c.float {
			p.fail(t, "operator %v on a floating-point constant; valid are integers", t)
		}
		c.bits = ^c.bits
		return c
	case t.is("("):
		c := p.binary(0, depth+1)
		p.expect(")", "a constant expression")
		return c
	case t.is("WARP_SZ"):
		return constant{bits: 32}
	case t.kind == numberToken:
		c, ok := parseNumber(t.text)
		if !ok {
			p.fail(t, "number %v; valid are decimal, 0x, 0 (octal) and 0b integers of 64 bits, decimal floats, "+
				"0f with 8 and 0d with 16 hex digits", t)
		}
		return c
	}
	p.fail(t, "%v where a constant is due; valid is a number", t)
	return constant{}
}

// parseNumber reads a number as PTX writes it.
func parseNumber(s string) (c constant, ok bool) {
	if len(s) > 2 && s[0] == '0' {
		digits := s[2:]
		switch s[1] {
		case 'f', 'F':
			n, err := strconv.ParseUint(digits, 16, 32)
			return constant{math.Float64bits(float64(math.Float32frombits(uint32(n)))), true}, err == nil && len(digits) == 8
		case 'd', 'D':
			n, err := strconv.ParseUint(digits, 16, 64)
			return constant{n, true}, err == nil && len(digits) == 16
		}
	}
	if strings.IndexByte(s, '_') >= 0 { // which Go allows
		return constant{}, false
	}
	if n, err := strconv.ParseUint(strings.TrimSuffix(s, "U"), 0, 64); err == nil {
		return constant{bits: n}, true
	}
	f, err := strconv.ParseFloat(s, 64)
	return constant{math.Float64bits(f), true}, err == nil && !strings.ContainsAny(s, "xXpP") && strings.ContainsAny(s, ".eE")
}

// offset reads an optional +n or -n, where + may be followed by a sign.
func (p *parser) offset() int64 {
	t := p.peek()
	if !t.is("+") && !t.is("-") {
		return 0
	}
	// The sign belongs to the constant.
	c := p.constant()
	if c.float {
		p.fail(t, "offset is a floating-point number; valid is an integer")
	}
	return int64(c.bits)
}
