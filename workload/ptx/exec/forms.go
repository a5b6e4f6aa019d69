package exec

import (
	"math"

	"cotenant/workload/ptx"
)

// forms has for each operation what chooses how it runs, once its operands have
// their places (see builder.operands): arithmetic (form_integer.go, form_real.go),
// comparisons and moves (form_move.go), memory (form_memory.go, atomics.go,
// texture.go), work between lanes (form_lanes.go, barrier.go) and control
// (control.go).
var forms = map[string]func(b *builder){
	"add":  buildAdd,
	"sub":  buildSub,
	"addc": buildAdd,
	"subc": buildSub,
	"mul":  buildMul,
	"mad":  buildMad,
	"madc": buildMad,
	"fma":  buildMad,
	"div":  buildDiv,
	"rem":  func(b *builder) { b.lane2(b.integer().remainder) },
	"min":  func(b *builder) { b.leastOrMost(b.integer().min, realMin, realMinNaN) },
	"max":  func(b *builder) { b.leastOrMost(b.integer().max, realMax, realMaxNaN) },
	"abs":  func(b *builder) { b.sign(b.integer().abs, runAnd, ^signBit(b.kind()), flushedAbs) },
	"neg":  func(b *builder) { b.sign(runNeg, runXor, signBit(b.kind()), flushedNeg) },

	"mul24": buildMul24,
	"mad24": buildMul24,
	"sad":   func(b *builder) { b.lane3(b.integer().sad) },
	"dp4a":  buildDot,
	"dp2a":  buildDot,

	"and":   logic(runAnd, combineAnd),
	"or":    logic(runOr, combineOr),
	"xor":   logic(runXor, combineXor),
	"not":   logic(runNot, combineXor), // with all ones, for predicates
	"cnot":  func(b *builder) { b.lane1(b.integer().cnot) },
	"shl":   always(runShl),
	"shr":   func(b *builder) { b.o.run = b.integer().shr },
	"shf":   func(b *builder) { b.lane3(funnel(b.in.Has("l"), b.in.Has("wrap"))) },
	"lop3":  buildLookup,
	"szext": func(b *builder) { b.lane2(extendFrom(b.kind().IsSigned(), b.in.Has("clamp"))) },
	"bmsk":  func(b *builder) { b.lane2(bitMask(b.in.Has("clamp"))) },
	"fns":   func(b *builder) { b.lane3(findNth) },
	"prmt":  buildPermute,
	"bfe":   func(b *builder) { b.lane3(extractField(b.bits(), b.kind().IsSigned())) },
	"bfi":   func(b *builder) { b.o.imm, b.o.run = b.bits(), runInsert },

	"bfind": func(b *builder) { b.lane1(findBit(b.bits(), b.kind().IsSigned(), b.in.Has("shiftamt"))) },
	"clz":   func(b *builder) { b.lane1(leadingZeros(b.bits())) },
	"popc":  func(b *builder) { b.lane1(populationCount(b.bits())) },
	"brev":  func(b *builder) { b.lane1(reverse(b.bits())) },

	"rcp":      func(b *builder) { b.root(realOps["rcp"]) },
	"sqrt":     func(b *builder) { b.root(realOps["sqrt"]) },
	"rsqrt":    approximate(func(a, _, _ float64) float64 { return 1 / math.Sqrt(a) }),
	"ex2":      approximate(func(a, _, _ float64) float64 { return math.Exp2(a) }),
	"lg2":      approximate(func(a, _, _ float64) float64 { return math.Log2(a) }),
	"tanh":     approximate(func(a, _, _ float64) float64 { return math.Tanh(a) }),
	"sin":      always(runSin32),
	"cos":      always(runCos32),
	"copysign": buildCopysign,
	"testp":    buildTestp,

	"setp": func(b *builder) { b.comparison(b.kind()) },
	"set":  buildSet,
	"selp": always(runSelect),
	"slct": buildSlct,
	"mov":  buildMov,
	"cvt":  buildCvt,
	"cvta": buildCvta,

	"isspacep": always(runIsSpace),

	"ld":  buildLoad,
	"ldu": buildLoad,
	"st":  buildStore,

	"cp":   buildAsync,
	"atom": buildAtom,
	"red":  buildAtom,
	"tex":  buildTex,

	"ldmatrix":  buildMatrices,
	"stmatrix":  buildMatrices,
	"movmatrix": always(runMoveMatrix),
	"mma":       buildMma,

	"shfl":       buildShfl,
	"vote":       buildVote,
	"redux":      buildRedux,
	"activemask": always(runActivemask),
	"match":      buildMatch,
	"bar":        buildBar,
	"nanosleep":  buildSleep,
	"barrier":    buildBar,

	"bra":  buildBra,
	"brx":  buildBrx,
	"call": buildCall,
	"ret":  leaving(runRet),
	"exit": leaving(runExit),
	"trap": (*builder).trap,

	// Without effect on the results of a program that runs one instruction at a time.
	"prefetch":  always(runNothing),
	"prefetchu": always(runNothing),
	"membar":    always(runNothing),
	"fence":     always(runNothing),
	"pmevent":   always(runNothing),

	"mbarrier":       buildMbarrier,
	"wgmma":          buildWgmma,
	"elect":          always(runElect),
	"mapa":           buildMapa,
	"getctarank":     buildRank,
	"setmaxnreg":     always(runNothing),
	"griddepcontrol": always(runNothing),

	"createpolicy":  buildPolicy,
	"applypriority": always(runNothing),
	"discard":       always(runNothing),
}

// always is an operation that runs in one way.
func always(r run) func(b *builder) { return func(b *builder) { b.o.run = r } }

// leaving is an operation that takes lanes off the path.
func leaving(r run) func(b *builder) { return func(b *builder) { b.o.run, b.o.ends = r, true } }

func runNothing(*Warp, *op) {}

// kind is the instruction's type, the only or the last one, and bits its size.
func (b *builder) kind() ptx.Type { return b.in.Types[len(b.in.Types)-1] }

func (b *builder) bits() uint64 { return uint64(8 * b.kind().Size()) }

// integer has the operations on the instruction's type.
func (b *builder) integer() *integerOps { return &integers[b.kind()] }

func (b *builder) lane1(f func(a uint64) uint64)       { b.o.run, b.o.f1 = lanes1, f }
func (b *builder) lane2(f func(a, b uint64) uint64)    { b.o.run, b.o.f2 = lanes2, f }
func (b *builder) lane3(f func(a, b, c uint64) uint64) { b.o.run, b.o.f3 = lanes3, f }

// chosen looks the instruction's modifiers up in a table; it is zero if the table has
// none of them.
func chosen[T any](b *builder, table map[string]T) (value T) {
	for _, m := range b.in.Mods {
		if v, ok := table[m]; ok {
			value = v
		}
	}
	return value
}
