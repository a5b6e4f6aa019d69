package tensor

import "cotenant/workload/ptx/smallfloat"

// Type is that of a matrix's elements.
type Type uint8

// The types.
const (
	F16 Type = iota
	BF16
	TF32
	E4M3
	E5M2
	S8
	U8
	S4
	U4
	B1
	F32
	S32
	F64
)

// formats are by type, nil for integers and f64.
var formats = [...]*smallfloat.Format{F16: smallfloat.F16, BF16: smallfloat.BF16, TF32: smallfloat.TF32,
	E4M3: smallfloat.E4M3, E5M2: smallfloat.E5M2, S8: nil, U8: nil, S4: nil, U4: nil, B1: nil, F32: nil, S32: nil, F64: nil}

var typeNames = map[string]Type{"f16": F16, "bf16": BF16, "tf32": TF32, "e4m3": E4M3, "e5m2": E5M2, "s8": S8, "u8": U8,
	"s4": S4, "u4": U4, "b1": B1,
	"f32": F32, "s32": S32, "f64": F64}

// TypeOf is the type with a name in PTX.
func TypeOf(name string) (t Type, ok bool) {
	t, ok = typeNames[name]
	return t, ok
}

// Bits is the size of an element. Elements of 4 bits and of 1 bit come by the byte, two and eight
// neighbours in depth: the byte is the element of tiles and layouts.
func (t Type) Bits() int {
	switch t {
	case F16, BF16:
		return 16
	case E4M3, E5M2, S8, U8, S4, U4, B1:
		return 8
	case F64:
		return 64
	}
	return 32
}

// perByte is how many elements share an element of tiles and layouts.
func (t Type) perByte() int {
	switch t {
	case S4, U4:
		return 2
	case B1:
		return 8
	}
	return 1
}

// perWord is how many elements a register holds.
func (t Type) perWord() int { return max(32/t.Bits(), 1) }

// Shape is a multiplication D = A*B + C: A of M rows and K columns, B of N columns. K counts the bytes of
// elements that are smaller than a byte.
type Shape struct {
	M, N, K int
	// Types of A and B, and of C and D.
	TypeA, TypeB, TypeC, TypeD Type
	// Saturate clamps sums of integers, which are modulo 2^32 otherwise.
	Saturate bool
	// Xor multiplies elements of 1 bit by exclusive or instead of and.
	Xor bool
	// Layouts of the matrices.
	A, B, C, D *Layout
}

// NewShape makes a shape of N = 8 and k elements in depth.
func NewShape(m, k int, a, b, c, d Type) *Shape {
	k /= a.perByte()
	s := &Shape{M: m, N: 8, K: k, TypeA: a, TypeB: b, TypeC: c, TypeD: d}
	inTurn := func(t, j int) int { return t + 4*j }
	s.A, s.B = layoutA(m, k, a.perWord(), inTurn), layoutB(k, b.perWord(), inTurn)
	s.C, s.D = layoutC(m, c.perWord()), layoutC(m, d.perWord())
	return s
}

// Neighbours makes the words of a lane in a row of A and in a column of B neighbours in depth, where PTX
// has them 4 words apart: the fragments of wmma, which a program may not look into.
func (s *Shape) Neighbours() {
	side := func(perWord int) func(t, j int) int {
		return func(t, j int) int { return t*s.K/(4*perWord) + j }
	}
	a, b := s.TypeA.perWord(), s.TypeB.perWord()
	s.A, s.B = layoutA(s.M, s.K, a, side(a)), layoutB(s.K, b, side(b))
}

// Tiles holds the matrices of a multiplication as patterns of bits, row by row, and what is
// made of them. It may be used again.
type Tiles struct {
	A [maxRows * maxDepth]uint64
	B [maxColumns * maxDepth]uint64
	C [maxRows * maxColumns]uint64
	D [maxRows * maxColumns]uint64

	left, right decoded
	a, b        operands
	c           [maxRows * maxColumns]float64
	// Fast counts the multiplications of small elements that went a fast way, Slow the others.
	Fast, Slow uint64
}

// The greatest matrices.
const (
	maxRows    = 16
	maxColumns = 8
	maxDepth   = 32
)

// operands are the numbers of A or B.
type operands struct {
	value    [maxRows * maxDepth]float64
	exponent [maxRows * maxDepth]int32
	special  bool // infinity or NaN is among them
}

// Multiply sets D.
func (s *Shape) Multiply(t *Tiles, n Numerics) {
	switch {
	case s.TypeA == F64:
		s.multiply64(t)
	case s.TypeD == S32 && vectors && s.TypeA.perByte() == 1:
		s.fastIntegers(t)
	case s.TypeD == S32:
		s.multiplyIntegers(t)
	default:
		s.multiplySmall(t, n)
	}
}
