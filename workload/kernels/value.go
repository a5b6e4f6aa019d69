package kernels

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// kind is what a value is.
type kind uint8

const (
	whole   kind = iota // an integer of 64 bits
	real                // a floating-point number
	address             // of an element of an array
)

// String names the kind as messages about manifests do.
func (k kind) String() string {
	return [...]string{"a whole number", "a number with a fraction", "an address"}[k]
}

// value is the result of an expression.
type value struct {
	kind kind
	i    int64   // whole, or the address
	f    float64 // real
	elem int64   // bytes of an element, of an address
}

func wholeOf(i int64) value  { return value{kind: whole, i: i} }
func realOf(f float64) value { return value{kind: real, f: f} }

func truth(b bool) value {
	if b {
		return wholeOf(1)
	}
	return wholeOf(0)
}

// float is the value of a number.
func (v value) float() float64 {
	if v.kind == real {
		return v.f
	}
	return float64(v.i)
}

func (v value) String() string {
	switch v.kind {
	case real:
		return strconv.FormatFloat(v.f, 'g', -1, 64)
	case address:
		return v.kind.String()
	}
	return strconv.FormatInt(v.i, 10)
}

// asWhole is a number without a fraction as a whole one; false for fractions, and
// for numbers too large to be told from their neighbours.
func (v value) asWhole() (value, bool) {
	const exact = 1 << 53
	if v.kind == real && v.f == math.Trunc(v.f) && math.Abs(v.f) <= exact {
		return wholeOf(int64(v.f)), true
	}
	return v, v.kind == whole
}

func (v value) isTrue() bool { return v.kind == real && v.f != 0 || v.kind != real && v.i != 0 }

var errOverflow = errors.New("exceeds 64 bits")

// apply computes a binary operator. Whole numbers stay whole, and their
// division rounds towards zero; with a number of the other kind both are real.
// An address plus or minus a whole number counts elements, as in C.
func apply(op string, a, b value) (value, error) {
	switch {
	case op == "&&", op == "||": // a has not decided
		return truth(b.isTrue()), nil
	case a.kind == address || b.kind == address:
		return applyAddress(op, a, b)
	case a.kind == real || b.kind == real:
		return applyReal(op, a.float(), b.float())
	}
	return applyWhole(op, a.i, b.i)
}

func applyAddress(op string, a, b value) (value, error) {
	sign := int64(1)
	switch {
	case a.kind == address && b.kind == whole && op == "+":
	case a.kind == address && b.kind == whole && op == "-":
		sign = -1
	case a.kind == whole && b.kind == address && op == "+":
		a, b = b, a
	case op == "==" || op == "!=":
		return compare(op, a.i, b.i), nil
	default:
		return value{}, fmt.Errorf("has %s between %v and %v; an array takes + and - with a whole number of elements", op, a.kind, b.kind)
	}
	step, err := applyWhole("*", b.i, sign*a.elem)
	a.i += step.i
	return a, err
}

func applyReal(op string, a, b float64) (value, error) {
	switch op {
	case "<<", ">>", "&", "|", "^":
		return value{}, fmt.Errorf("has %s with a number with a fraction; valid: whole numbers, as int makes them", op)
	case "+":
		return realOf(a + b), nil
	case "-":
		return realOf(a - b), nil
	case "*":
		return realOf(a * b), nil
	case "/":
		return realOf(a / b), nil
	case "%":
		return realOf(math.Mod(a, b)), nil
	}
	return compare(op, a, b), nil
}

func applyWhole(op string, a, b int64) (value, error) {
	if b == 0 && (op == "/" || op == "%") {
		return value{}, errors.New("divides by zero")
	}
	result, fits := int64(0), true
	switch op {
	case "+":
		result = a + b
		fits = (result > a) == (b > 0)
	case "-":
		result = a - b
		fits = (result < a) == (b > 0)
	case "*":
		high, low := bits.Mul64(magnitude(a), magnitude(b))
		result, fits = a*b, high == 0 && low <= math.MaxInt64
	case "/":
		result = a / b
	case "%":
		result = a % b
	case "&":
		result = a & b
	case "|":
		result = a | b
	case "^":
		result = a ^ b
	case "<<", ">>":
		if b < 0 || b > 63 {
			return value{}, fmt.Errorf("shifts by %d; valid: 0 to 63", b)
		}
		result = a >> b // keeps the sign
		if op == "<<" {
			result = a << b
			fits = result>>b == a
		}
	default:
		return compare(op, a, b), nil
	}
	if !fits {
		return value{}, errOverflow
	}
	return wholeOf(result), nil
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// compare computes a comparison.
func compare[T int64 | float64](op string, a, b T) value {
	switch op {
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	}
	return truth(a >= b)
}

// function is a function of expressions. Its arguments are numbers.
type function struct {
	args int
	call func(args [3]value) (value, error)
}

// functions are by name; the message on an unknown one lists functionNames.
var functions = map[string]function{
	"min": {2, func(a [3]value) (value, error) { return choose(a[0].float() <= a[1].float(), a[0], a[1]), nil }},
	"max": {2, func(a [3]value) (value, error) { return choose(a[0].float() >= a[1].float(), a[0], a[1]), nil }},
	// ceildiv divides and rounds up, roundup goes on to multiply again.
	"ceildiv": {2, func(a [3]value) (value, error) { return ceildiv(a, 1) }},
	"roundup": {2, func(a [3]value) (value, error) { return ceildiv(a, a[1].i) }},
	"select":  {3, func(a [3]value) (value, error) { return choose(a[0].isTrue(), a[1], a[2]), nil }},
	"sqrt":    {1, func(a [3]value) (value, error) { return realOf(math.Sqrt(a[0].float())), nil }},
	"sin":     {1, func(a [3]value) (value, error) { return realOf(math.Sin(a[0].float())), nil }},
	"cos":     {1, func(a [3]value) (value, error) { return realOf(math.Cos(a[0].float())), nil }},
	"exp":     {1, func(a [3]value) (value, error) { return realOf(math.Exp(a[0].float())), nil }},
	"log":     {1, func(a [3]value) (value, error) { return realOf(math.Log(a[0].float())), nil }},
	"pow":     {2, func(a [3]value) (value, error) { return realOf(math.Pow(a[0].float(), a[1].float())), nil }},
	"int": {1, func(a [3]value) (value, error) {
		if f := a[0].float(); !(f > -1<<63 && f < 1<<63) {
			return value{}, errOverflow
		}
		if a[0].kind == whole {
			return a[0], nil
		}
		return wholeOf(int64(a[0].f)), nil
	}},
}

const functionNames = "min, max, ceildiv, roundup, select, sqrt, sin, cos, exp, log, pow, int"

func choose(first bool, a, b value) value {
	if first {
		return a
	}
	return b
}

func ceildiv(a [3]value, times int64) (value, error) {
	if a[0].kind != whole || a[1].kind != whole || a[0].i < 0 || a[1].i <= 0 {
		return value{}, fmt.Errorf("divides %v by %v rounding up; both must be whole, and the divisor above 0", a[0], a[1])
	}
	up := a[0].i / a[1].i
	if a[0].i%a[1].i != 0 {
		up++
	}
	return applyWhole("*", up, times)
}
