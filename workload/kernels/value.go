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

// operator is a binary operator. Whole numbers stay whole, and their division rounds towards
// zero; with a number of the other kind both are real.
type operator struct {
	name  string
	whole func(a, b int64) (int64, error)
	real  func(a, b float64) value // nil: it takes whole numbers alone
}

// operators are by name.
var operators = map[string]*operator{
	"+":  {whole: func(a, b int64) (int64, error) { return fits(a+b, (a+b > a) == (b > 0)) }, real: func(a, b float64) value { return realOf(a + b) }},
	"-":  {whole: func(a, b int64) (int64, error) { return fits(a-b, (a-b < a) == (b > 0)) }, real: func(a, b float64) value { return realOf(a - b) }},
	"*":  {whole: multiply, real: func(a, b float64) value { return realOf(a * b) }},
	"/":  {whole: divided(func(a, b int64) int64 { return a / b }), real: func(a, b float64) value { return realOf(a / b) }},
	"%":  {whole: divided(func(a, b int64) int64 { return a % b }), real: func(a, b float64) value { return realOf(math.Mod(a, b)) }},
	"&":  {whole: func(a, b int64) (int64, error) { return a & b, nil }},
	"|":  {whole: func(a, b int64) (int64, error) { return a | b, nil }},
	"^":  {whole: func(a, b int64) (int64, error) { return a ^ b, nil }},
	"<<": {whole: shifted(func(a, b int64) (int64, error) { return fits(a<<b, a<<b>>b == a) })},
	">>": {whole: shifted(func(a, b int64) (int64, error) { return a >> b, nil })}, // keeps the sign
	"==": comparison(func(a, b int64) bool { return a == b }, func(a, b float64) bool { return a == b }),
	"!=": comparison(func(a, b int64) bool { return a != b }, func(a, b float64) bool { return a != b }),
	"<":  comparison(func(a, b int64) bool { return a < b }, func(a, b float64) bool { return a < b }),
	"<=": comparison(func(a, b int64) bool { return a <= b }, func(a, b float64) bool { return a <= b }),
	">":  comparison(func(a, b int64) bool { return a > b }, func(a, b float64) bool { return a > b }),
	">=": comparison(func(a, b int64) bool { return a >= b }, func(a, b float64) bool { return a >= b }),
}

func init() {
	for name, o := range operators {
		o.name = name
	}
}

// apply computes an operator. An address plus or minus a whole number counts elements, as in C.
func (o *operator) apply(a, b value) (value, error) {
	switch {
	case a.kind == address || b.kind == address:
		return o.applyAddress(a, b)
	case a.kind == whole && b.kind == whole:
		i, err := o.whole(a.i, b.i)
		return wholeOf(i), err
	case o.real == nil:
		return value{}, fmt.Errorf("has %s with a number with a fraction; valid: whole numbers, as int makes them", o.name)
	}
	return o.real(a.float(), b.float()), nil
}

func (o *operator) applyAddress(a, b value) (value, error) {
	sign := int64(1)
	switch op := o.name; {
	case a.kind == address && b.kind == whole && op == "+":
	case a.kind == address && b.kind == whole && op == "-":
		sign = -1
	case a.kind == whole && b.kind == address && op == "+":
		a, b = b, a
	case op == "==" || op == "!=":
		i, err := o.whole(a.i, b.i)
		return wholeOf(i), err
	default:
		return value{}, fmt.Errorf("has %s between %v and %v; an array takes + and - with a whole number of elements", op, a.kind, b.kind)
	}
	step, err := multiply(b.i, sign*a.elem)
	a.i += step
	return a, err
}

// fits is a result, unless it exceeds 64 bits.
func fits(result int64, fits bool) (int64, error) {
	if !fits {
		return 0, errOverflow
	}
	return result, nil
}

func multiply(a, b int64) (int64, error) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	return fits(a*b, high == 0 && low <= math.MaxInt64)
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func divided(divide func(a, b int64) int64) func(a, b int64) (int64, error) {
	return func(a, b int64) (int64, error) {
		if b == 0 {
			return 0, errors.New("divides by zero")
		}
		return divide(a, b), nil
	}
}

func shifted(shift func(a, b int64) (int64, error)) func(a, b int64) (int64, error) {
	return func(a, b int64) (int64, error) {
		if b < 0 || b > 63 {
			return 0, fmt.Errorf("shifts by %d; valid: 0 to 63", b)
		}
		return shift(a, b)
	}
}

func comparison(ofWhole func(a, b int64) bool, ofReal func(a, b float64) bool) *operator {
	return &operator{
		whole: func(a, b int64) (int64, error) { return truth(ofWhole(a, b)).i, nil },
		real:  func(a, b float64) value { return truth(ofReal(a, b)) },
	}
}

// arithmetic is a function of expressions. Its arguments are numbers.
type arithmetic struct {
	args int
	call func(a, b, c value) (value, error)
}

// functions are by name; the message on an unknown one lists functionNames.
var functions = map[string]arithmetic{
	"min": {2, func(a, b, c value) (value, error) { return choose(a.float() <= b.float(), a, b), nil }},
	"max": {2, func(a, b, c value) (value, error) { return choose(a.float() >= b.float(), a, b), nil }},
	// ceildiv divides and rounds up, roundup goes on to multiply again.
	"ceildiv": {2, func(a, b, c value) (value, error) { return ceildiv(a, b, 1) }},
	"roundup": {2, func(a, b, c value) (value, error) { return ceildiv(a, b, b.i) }},
	"select":  {3, func(a, b, c value) (value, error) { return choose(a.isTrue(), b, c), nil }},
	"sqrt":    {1, func(a, b, c value) (value, error) { return realOf(math.Sqrt(a.float())), nil }},
	"sin":     {1, func(a, b, c value) (value, error) { return realOf(math.Sin(a.float())), nil }},
	"cos":     {1, func(a, b, c value) (value, error) { return realOf(math.Cos(a.float())), nil }},
	"exp":     {1, func(a, b, c value) (value, error) { return realOf(math.Exp(a.float())), nil }},
	"log":     {1, func(a, b, c value) (value, error) { return realOf(math.Log(a.float())), nil }},
	"pow":     {2, func(a, b, c value) (value, error) { return realOf(math.Pow(a.float(), b.float())), nil }},
	"int": {1, func(a, b, c value) (value, error) {
		if f := a.float(); !(f > -1<<63 && f < 1<<63) {
			return value{}, errOverflow
		}
		if a.kind == whole {
			return a, nil
		}
		return wholeOf(int64(a.f)), nil
	}},
}

const functionNames = "min, max, ceildiv, roundup, select, sqrt, sin, cos, exp, log, pow, int, sum"

func choose(first bool, a, b value) value {
	if first {
		return a
	}
	return b
}

func ceildiv(a, b value, times int64) (value, error) {
	if a.kind != whole || b.kind != whole || a.i < 0 || b.i <= 0 {
		return value{}, fmt.Errorf("divides %v by %v rounding up; both must be whole, and the divisor above 0", a, b)
	}
	up := a.i / b.i
	if a.i%b.i != 0 {
		up++
	}
	product, err := multiply(up, times)
	return wholeOf(product), err
}
