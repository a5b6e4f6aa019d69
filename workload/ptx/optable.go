package ptx

import "strings"

// A row of opTable is one form of some operations: their names, what modifiers
// they take, and their operands.
//
// Modifiers are slots in the order of the text. A slot lists what may stand
// there with |, by name or as a name of modifierSets; ? marks a slot that may be
// absent.
//
// Operands are those written, then =, then those read:
//
//	1 2    a value of the first or second type among the modifiers
//	1+     the same, or a register wider than that
//	w      a value twice as wide as the first type
//	u l    a 32-bit and a 64-bit integer
//	f      an f32
//	m      a value of the first type, or a vector of its parts
//	p      a predicate
//	!p     a predicate that ! may negate
//	1|p    a value, or a value and a predicate
//	v      a value of the first type, or a vector of them as .v2, .v4 or .v8 says; a
//	       register may be wider
//	r      a register of 32 bits, or a vector of them as .x2 or .x4 says
//	{4:b32} a vector of 4 registers of a type
//	a      an address
//	s g    an address in shared and in global memory
//	t      the address of a tensor map, with as many coordinates as the instruction's rank
//	h      a 16-bit integer
//	c      the size of a copy
//	x      the address of a texture with coordinates of the second type
//	n      a constant
//	+ b    1 or -1, and 0 or 1
//
// and ? marks an operand that may be absent.
type row struct{ ops, modifiers, operands string }

var modifierSets = map[string]string{
	"int":    "s16|u16|s32|u32|s64|u64",
	"data":   "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
	"many":   "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
	"ints":   "s8|u8|s16|u16|s32|u32|s64|u64",
	"rnd":    "rn|rz|rm|rp",
	"irnd":   "rni|rzi|rmi|rpi",
	"carry":  "u32|s32|u64|s64",
	"fcmp":   "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan",
	"bool":   "and|or|xor",
	"scope":  "cta|cluster|gpu|sys",
	"space":  "param|global|shared|local",
	"hint":   "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
	"l2":     "L2::evict_first|L2::evict_last|L2::evict_normal",
	"policy": "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged",
	"fetch":  "L2::64B|L2::128B|L2::256B",
	"vec":    "v2|v4|v8",
	"tiles":  "m16n16k16|m32n8k16|m8n32k16",
	"sem":    "relaxed|acquire|release|acq_rel",
	"rank":   "1d|2d|3d|4d|5d",
}

var opTable = []row{
	// Integers and floating point.
	{"add sub", "int", "1 = 1 1"},
	{"add sub", "sat s32", "1 = 1 1"},
	{"add sub", "cc carry", "1 = 1 1"},
	{"addc subc", "cc? carry", "1 = 1 1"},
	{"add sub mul", "rnd? ftz? sat? f32", "1 = 1 1"},
	{"add sub mul", "rnd? f64", "1 = 1 1"},
	{"add sub mul", "rn? ftz? sat? f16|f16x2", "1 = 1 1"},
	{"add sub mul", "rn? bf16|bf16x2", "1 = 1 1"},
	{"mul", "lo|hi int", "1 = 1 1"},
	{"mul", "wide u16|s16|u32|s32", "w = 1 1"},
	{"mul24", "lo|hi u32|s32", "1 = 1 1"},
	{"mad", "lo|hi int", "1 = 1 1 1"},
	{"mad", "hi sat s32", "1 = 1 1 1"},
	{"mad", "wide u16|s16|u32|s32", "w = 1 1 w"},
	{"mad", "lo|hi cc carry", "1 = 1 1 1"},
	{"madc", "lo|hi cc? carry", "1 = 1 1 1"},
	{"mad24", "lo|hi u32|s32", "1 = 1 1 1"},
	{"mad24", "hi sat s32", "1 = 1 1 1"},
	{"mad fma", "rnd ftz? sat? f32", "1 = 1 1 1"},
	{"mad fma", "rnd f64", "1 = 1 1 1"},
	{"fma", "rn ftz? sat? f16|f16x2", "1 = 1 1 1"},
	{"fma", "rn ftz? relu f16|f16x2", "1 = 1 1 1"},
	{"fma", "rn relu? bf16|bf16x2", "1 = 1 1 1"},
	{"add", "u16x2|s16x2", "1 = 1 1"},
	{"min max", "u16x2|s16x2", "1 = 1 1"},
	{"min max", "relu s16x2|s32", "1 = 1 1"},
	{"add sub mul", "rnd? ftz? f32x2", "1 = 1 1"},
	{"fma", "rnd ftz? f32x2", "1 = 1 1 1"},
	{"min max", "ftz? NaN? abs? f32", "1 = 1 1 1"},
	{"sad", "int", "1 = 1 1 1"},
	{"div rem", "int", "1 = 1 1"},
	{"div", "approx|full|rnd ftz? f32", "1 = 1 1"},
	{"div", "rnd f64", "1 = 1 1"},
	{"abs neg", "s16|s32|s64|f64", "1 = 1"},
	{"abs neg", "ftz? f32|f16|f16x2", "1 = 1"},
	{"abs neg", "bf16|bf16x2", "1 = 1"},
	{"min max", "int|f64", "1 = 1 1"},
	{"min max", "ftz? NaN? f32|f16|f16x2", "1 = 1 1"},
	{"min max", "ftz? NaN? xorsign abs f32|f16|f16x2", "1 = 1 1"},
	{"min max", "NaN? bf16|bf16x2", "1 = 1 1"},
	{"min max", "NaN? xorsign abs bf16|bf16x2", "1 = 1 1"},
	{"rcp sqrt", "approx|rnd ftz? f32", "1 = 1"},
	{"rcp sqrt", "rnd f64", "1 = 1"},
	{"rcp rsqrt", "approx ftz f64", "1 = 1"},
	{"rsqrt", "approx f64", "1 = 1"},
	{"rsqrt sin cos lg2 ex2", "approx ftz? f32", "1 = 1"},
	{"ex2", "approx ftz? f16|f16x2", "1 = 1"},
	{"ex2", "approx ftz bf16|bf16x2", "1 = 1"},
	{"tanh", "approx f32|f16|f16x2|bf16|bf16x2", "1 = 1"},
	{"dp4a", "u32|s32 u32|s32", "u = u u u"},
	{"dp2a", "lo|hi u32|s32 u32|s32", "u = u u u"},
	{"testp", "finite|infinite|number|notanumber|normal|subnormal f32|f64", "p = 1"},
	{"copysign", "f32|f64", "1 = 1 1"},

	// Bits.
	{"and or xor", "pred|b16|b32|b64", "1 = 1 1"},
	{"not", "pred|b16|b32|b64", "1 = 1"},
	{"cnot", "b16|b32|b64", "1 = 1"},
	{"shl", "b16|b32|b64", "1 = 1 u"},
	{"shr", "b16|b32|b64|int", "1 = 1 u"},
	{"shf", "l|r clamp|wrap b32", "1 = 1 1 u"},
	{"lop3", "b32", "1 = 1 1 1 n"},
	{"lop3", "or|and b32", "1|p = 1 1 1 n !p"},
	{"szext", "clamp|wrap u32|s32", "1 = 1 u"},
	{"bmsk", "clamp|wrap b32", "1 = 1 u"},
	{"fns", "b32", "1 = 1 u u"},
	{"bfe", "carry", "1 = 1 u u"},
	{"bfi", "b32|b64", "1 = 1 1 u u"},
	{"bfind", "shiftamt? carry", "u = 1"},
	{"popc clz", "b32|b64", "u = 1"},
	{"brev", "b32|b64", "1 = 1"},
	{"prmt", "b32 f4e|b4e|rc8|ecl|ecr|rc16?", "1 = 1 1 u"},

	// Choices; comparisons are in comparisons.
	{"selp", "many", "1 = 1 1 p"},
	{"slct", "many s32", "1 = 1 1 2"},
	{"slct", "ftz? many f32", "1 = 1 1 2"},

	// Moves and conversions.
	{"mov", "pred|many", "m = m"},
	{"cvt", "sat? ints ints", "1+ = 2+"},
	{"cvt", "irnd ftz? sat? ints f16|f32|f64", "1+ = 2+"},
	{"cvt", "rnd ftz? sat? f16|f32|f64 ints", "1+ = 2+"},
	{"cvt", "rnd ftz? sat? f32 f64", "1+ = 2+"},
	{"cvt", "rnd ftz? sat? f16 f32|f64", "1+ = 2+"},
	{"cvt", "ftz? sat? f64 f16|f32", "1+ = 2+"},
	{"cvt", "ftz? sat? f32 f16", "1+ = 2+"},
	{"cvt", "irnd? ftz? sat? f32 f32", "1+ = 2+"},
	{"cvt", "irnd? sat? f64 f64", "1+ = 2+"},
	{"cvt", "irnd? ftz? sat? f16 f16", "1+ = 2+"},
	{"cvt", "rn|rz relu? satfinite? f16|bf16 f32", "1+ = 2"},
	{"cvt", "rn|rz satfinite relu f16|bf16 f32", "1+ = 2"},
	{"cvt", "rn|rz relu? satfinite? f16x2|bf16x2 f32", "1 = 2 2"},
	{"cvt", "rn|rz satfinite relu f16x2|bf16x2 f32", "1 = 2 2"},
	{"cvt", "irnd ftz? sat? ints bf16", "1+ = 2+"},
	{"cvt", "rnd sat? bf16 ints", "1+ = 2+"},
	{"cvt", "rnd sat? bf16 f16|f32|f64", "1+ = 2+"},
	{"cvt", "rnd sat? f16 bf16", "1+ = 2+"},
	{"cvt", "ftz? sat? f32|f64 bf16", "1+ = 2+"},
	{"cvt", "irnd? sat? bf16 bf16", "1+ = 2+"},
	{"cvt", "rna satfinite? tf32 f32", "1 = 2"},
	{"cvt", "rn|rz relu? satfinite? tf32 f32", "1 = 2"},
	{"cvt", "rn|rz satfinite relu tf32 f32", "1 = 2"},
	{"cvt", "rn satfinite relu? e4m3x2|e5m2x2 f32", "1 = 2 2"},
	{"cvt", "rn satfinite relu? e4m3x2|e5m2x2 f16x2", "1 = 2"},
	{"cvt", "rn relu? f16x2 e4m3x2|e5m2x2", "1 = 2"},
	{"cvt", "pack sat u16|s16 s32", "u = 2 2"},
	{"cvt", "pack sat u8|s8|u4|s4|u2|s2 s32 b32", "u = u u u"},
	{"cvta", "to? space|const u64", "1 = 1"},
	{"isspacep", "param|global|shared|local|const", "p = l"},

	// Memory.
	{"ld", "weak? space|const? ca|cg|cs|lu|cv? hint? l2? fetch? vec? data", "v = a"},
	{"ld", "volatile space|const? fetch? vec? data", "v = a"},
	{"ld", "relaxed|acquire scope space? hint? l2? fetch? vec? data", "v = a"},
	{"ld", "global ca|cg|cs? nc hint? l2? fetch? vec? data", "v = a"},
	{"ldu", "global? vec? data", "v = a"},
	{"st", "weak? space? wb|cg|cs|wt? hint? l2? vec? data", "= a v"},
	{"st", "volatile space? vec? data", "= a v"},
	{"st", "relaxed|release scope space? hint? l2? vec? data", "= a v"},
	{"atom", "sem? scope? global|shared? and|or|xor|exch b32|b64", "1 = a 1"},
	{"atom", "sem? scope? global|shared? cas b16|b32|b64", "1 = a 1 1"},
	{"atom", "sem? scope? global|shared? inc|dec u32", "1 = a 1"},
	{"atom", "sem? scope? global|shared? add|min|max carry", "1 = a 1"},
	{"atom", "sem? scope? global|shared? add f32|f64", "1 = a 1"},
	{"atom", "sem? scope? global|shared? add noftz f16|f16x2|bf16|bf16x2", "1 = a 1"},
	{"atom", "sem? scope? global? add v2|v4 f32", "v = a v"},
	{"atom", "sem? scope? global? v2|v4 f32 add", "v = a v"},
	{"atom", "sem? scope? global? add|min|max noftz v2|v4|v8 f16|bf16", "v = a v"},
	{"atom", "sem? scope? global? v2|v4|v8 f16|bf16 add|min|max noftz", "v = a v"},
	{"atom", "sem? scope? global? add|min|max noftz v2|v4 f16x2|bf16x2", "v = a v"},
	{"atom", "sem? scope? global? v2|v4 f16x2|bf16x2 add|min|max noftz", "v = a v"},
	{"red", "sem? scope? global|shared? add noftz f16|f16x2|bf16|bf16x2", "= a 1"},
	{"red", "sem? scope? global? add v2|v4 f32", "= a v"},
	{"red", "sem? scope? global? v2|v4 f32 add", "= a v"},
	{"red", "sem? scope? global? add|min|max noftz v2|v4|v8 f16|bf16", "= a v"},
	{"red", "sem? scope? global? v2|v4|v8 f16|bf16 add|min|max noftz", "= a v"},
	{"red", "sem? scope? global? add|min|max noftz v2|v4 f16x2|bf16x2", "= a v"},
	{"red", "sem? scope? global? v2|v4 f16x2|bf16x2 add|min|max noftz", "= a v"},
	{"red", "sem? scope? global|shared? and|or|xor b32|b64", "= a 1"},
	{"red", "sem? scope? global|shared? inc|dec u32", "= a 1"},
	{"red", "sem? scope? global|shared? add|min|max carry", "= a 1"},
	{"red", "sem? scope? global|shared? add f32|f64", "= a 1"},
	// With a cache policy.
	{"ld", "weak? space|const? ca|cg|cs|lu|cv? hint? l2? L2::cache_hint fetch? vec? data", "v = a l"},
	{"ld", "relaxed|acquire scope space? hint? l2? L2::cache_hint fetch? vec? data", "v = a l"},
	{"ld", "global ca|cg|cs? nc hint? l2? L2::cache_hint fetch? vec? data", "v = a l"},
	{"st", "weak? space? wb|cg|cs|wt? hint? l2? L2::cache_hint vec? data", "= a v l"},
	{"st", "relaxed|release scope space? hint? l2? L2::cache_hint vec? data", "= a v l"},
	{"atom", "sem? scope? global|shared? and|or|xor|exch L2::cache_hint b32|b64", "1 = a 1 l"},
	{"atom", "sem? scope? global|shared? cas L2::cache_hint b16|b32|b64", "1 = a 1 1 l"},
	{"atom", "sem? scope? global|shared? inc|dec L2::cache_hint u32", "1 = a 1 l"},
	{"atom", "sem? scope? global|shared? add|min|max L2::cache_hint carry", "1 = a 1 l"},
	{"atom", "sem? scope? global|shared? add L2::cache_hint f32|f64", "1 = a 1 l"},
	{"red", "sem? scope? global|shared? and|or|xor L2::cache_hint b32|b64", "= a 1 l"},
	{"red", "sem? scope? global|shared? inc|dec L2::cache_hint u32", "= a 1 l"},
	{"red", "sem? scope? global|shared? add|min|max L2::cache_hint carry", "= a 1 l"},
	{"red", "sem? scope? global|shared? add L2::cache_hint f32|f64", "= a 1 l"},
	{"createpolicy", "fractional policy policy? b64", "1 = f?"},
	{"createpolicy", "range global? policy policy? b64", "1 = a u u"},
	{"createpolicy", "cvt L2 b64", "1 = l"},
	{"applypriority", "global? L2::evict_normal", "= a n"},
	{"discard", "global? L2", "= a n"},

	{"tex", "1d|2d|3d|a1d|a2d v4 f32|s32|u32 s32|f32", "v = x"},
	{"tex", "cube v4 f32|s32|u32 f32", "v = x"},
	{"tex", "level 1d|2d|3d|a1d|a2d|cube v4 f32|s32|u32 f32", "v = x f"},
	{"tex", "grad 1d|a1d v4 f32|s32|u32 f32", "v = x f f"},
	{"tex", "grad 2d|a2d v4 f32|s32|u32 f32", "v = x {2:f32} {2:f32}"},
	{"tex", "grad 3d|cube v4 f32|s32|u32 f32", "v = x {4:f32} {4:f32}"},
	{"prefetch", "global|local? L1|L2|L2::evict_last|L2::evict_normal", "= a"},
	{"prefetchu", "L1", "= a"},

	{"cp", "async ca|cg shared global fetch?", "= s a c u?"},
	{"cp", "async ca|cg shared global fetch?", "= s a c p"},
	{"cp", "async ca|cg shared global L2::cache_hint fetch?", "= s a c l"},
	{"cp", "async ca|cg shared global L2::cache_hint fetch?", "= s a c u l"},
	{"cp", "async ca|cg shared global L2::cache_hint fetch?", "= s a c p l"},
	{"cp", "async commit_group|wait_all", "="},
	{"cp", "async wait_group", "= n"},

	// Matrices.
	{"ldmatrix", "sync aligned m8n8 x1|x2|x4 trans? shared? b16", "r = a"},
	{"stmatrix", "sync aligned m8n8 x1|x2|x4 trans? shared? b16", "= a r"},
	{"movmatrix", "sync aligned m8n8 trans b16", "u = u"},
	{"mma", "sync aligned m16n8k16 row col f32 f16 f16 f32", "{4:f32} = {4:b32} {2:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k16 row col f16 f16 f16 f16", "{2:b32} = {4:b32} {2:b32} {2:b32}"},
	{"mma", "sync aligned m16n8k16 row col f32 f16 f16 f16", "{4:f32} = {4:b32} {2:b32} {2:b32}"},
	{"mma", "sync aligned m16n8k16 row col f16 f16 f16 f32", "{2:b32} = {4:b32} {2:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k8 row col f32 f16 f16 f32", "{4:f32} = {2:b32} {1:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k8 row col f16 f16 f16 f16", "{2:b32} = {2:b32} {1:b32} {2:b32}"},
	{"mma", "sync aligned m16n8k16 row col f32 bf16 bf16 f32", "{4:f32} = {4:b32} {2:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k8 row col f32 bf16 bf16 f32", "{4:f32} = {2:b32} {1:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k8 row col f32 tf32 tf32 f32", "{4:f32} = {4:b32} {2:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k4 row col f32 tf32 tf32 f32", "{4:f32} = {2:b32} {1:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k16 row col f32 e4m3|e5m2 e4m3|e5m2 f32", "{4:f32} = {2:b32} {1:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k16 row col f16 e4m3|e5m2 e4m3|e5m2 f16", "{2:b32} = {2:b32} {1:b32} {2:b32}"},
	{"mma", "sync aligned m16n8k32 row col kind::f8f6f4? f32 e4m3|e5m2 e4m3|e5m2 f32", "{4:f32} = {4:b32} {2:b32} {4:f32}"},
	{"mma", "sync aligned m16n8k32 row col kind::f8f6f4? f16 e4m3|e5m2 e4m3|e5m2 f16", "{2:b32} = {4:b32} {2:b32} {2:b32}"},
	{"mma", "sync aligned m16n8k32 row col satfinite? s32 s8|u8 s8|u8 s32", "{4:s32} = {4:b32} {2:b32} {4:s32}"},
	{"mma", "sync aligned m16n8k16 row col satfinite? s32 s8|u8 s8|u8 s32", "{4:s32} = {2:b32} {1:b32} {4:s32}"},
	{"mma", "sync aligned m8n8k16 row col satfinite? s32 s8|u8 s8|u8 s32", "{2:s32} = {1:b32} {1:b32} {2:s32}"},
	{"mma", "sync aligned m16n8k64 row col satfinite? s32 s4|u4 s4|u4 s32", "{4:s32} = {4:b32} {2:b32} {4:s32}"},
	{"mma", "sync aligned m16n8k32 row col satfinite? s32 s4|u4 s4|u4 s32", "{4:s32} = {2:b32} {1:b32} {4:s32}"},
	{"mma", "sync aligned m8n8k32 row col satfinite? s32 s4|u4 s4|u4 s32", "{2:s32} = {1:b32} {1:b32} {2:s32}"},
	{"mma", "sync aligned m16n8k256 row col s32 b1 b1 s32 and|xor popc", "{4:s32} = {4:b32} {2:b32} {4:s32}"},
	{"mma", "sync aligned m16n8k128 row col s32 b1 b1 s32 and|xor popc", "{4:s32} = {2:b32} {1:b32} {4:s32}"},
	{"mma", "sync aligned m8n8k128 row col s32 b1 b1 s32 and|xor popc", "{2:s32} = {1:b32} {1:b32} {2:s32}"},
	{"mma", "sync aligned m8n8k4 row col f64 f64 f64 f64", "{2:f64} = {1:f64} {1:f64} {2:f64}"},
	{"mma", "sync aligned m8n8k4 row|col row|col f32 f16 f16 f32", "{8:f32} = {2:b32} {2:b32} {8:f32}"},
	{"mma", "sync aligned m8n8k4 row|col row|col f32 f16 f16 f16", "{8:f32} = {2:b32} {2:b32} {4:b32}"},
	{"mma", "sync aligned m8n8k4 row|col row|col f16 f16 f16 f16", "{4:b32} = {2:b32} {2:b32} {4:b32}"},
	{"mma", "sync aligned m16n8k4 row col f64 f64 f64 f64", "{4:f64} = {2:f64} {1:f64} {4:f64}"},
	{"mma", "sync aligned m16n8k8 row col f64 f64 f64 f64", "{4:f64} = {4:f64} {2:f64} {4:f64}"},
	{"mma", "sync aligned m16n8k16 row col f64 f64 f64 f64", "{4:f64} = {8:f64} {4:f64} {4:f64}"},

	// These become others when they are read, see wmma.go.
	{"wmma", "load a|b sync aligned row|col tiles global|shared? f16", "{8:b32} = a u?"},
	{"wmma", "load c sync aligned row|col tiles global|shared? f16", "{4:b32} = a u?"},
	{"wmma", "store d sync aligned row|col tiles global|shared? f16", "= a {4:b32} u?"},
	{"wmma", "load c sync aligned row|col tiles global|shared? f32", "{8:f32} = a u?"},
	{"wmma", "store d sync aligned row|col tiles global|shared? f32", "= a {8:f32} u?"},
	{"wmma", "load c sync aligned row|col tiles global|shared? s32", "{8:s32} = a u?"},
	{"wmma", "store d sync aligned row|col tiles global|shared? s32", "= a {8:s32} u?"},
	{"wmma", "load c sync aligned row|col m16n16k8 global|shared? f32", "{8:f32} = a u?"},
	{"wmma", "store d sync aligned row|col m16n16k8 global|shared? f32", "= a {8:f32} u?"},
	{"wmma", "load c sync aligned row|col m8n8k4 global|shared? f64", "{2:f64} = a u?"},
	{"wmma", "store d sync aligned row|col m8n8k4 global|shared? f64", "= a {2:f64} u?"},
	{"wmma", "load a sync aligned row|col m16n16k16 global|shared? bf16", "{4:b32} = a u?"},
	{"wmma", "load b sync aligned row|col m16n16k16 global|shared? bf16", "{4:b32} = a u?"},
	{"wmma", "load a sync aligned row|col m16n16k16 global|shared? s8|u8", "{2:b32} = a u?"},
	{"wmma", "load b sync aligned row|col m16n16k16 global|shared? s8|u8", "{2:b32} = a u?"},
	{"wmma", "load a sync aligned row|col m32n8k16 global|shared? bf16", "{8:b32} = a u?"},
	{"wmma", "load b sync aligned row|col m32n8k16 global|shared? bf16", "{2:b32} = a u?"},
	{"wmma", "load a sync aligned row|col m32n8k16 global|shared? s8|u8", "{4:b32} = a u?"},
	{"wmma", "load b sync aligned row|col m32n8k16 global|shared? s8|u8", "{1:b32} = a u?"},
	{"wmma", "load a sync aligned row|col m8n32k16 global|shared? bf16", "{2:b32} = a u?"},
	{"wmma", "load b sync aligned row|col m8n32k16 global|shared? bf16", "{8:b32} = a u?"},
	{"wmma", "load a sync aligned row|col m8n32k16 global|shared? s8|u8", "{1:b32} = a u?"},
	{"wmma", "load b sync aligned row|col m8n32k16 global|shared? s8|u8", "{4:b32} = a u?"},
	{"wmma", "load a|b sync aligned row|col m16n16k8 global|shared? tf32", "{4:b32} = a u?"},
	{"wmma", "load a|b sync aligned row|col m8n8k4 global|shared? f64", "{1:f64} = a u?"},
	{"wmma", "mma sync aligned row|col row|col tiles f16 f16 satfinite?", "{4:b32} = {8:b32} {8:b32} {4:b32}"},
	{"wmma", "mma sync aligned row|col row|col tiles f16 f32 satfinite?", "{4:b32} = {8:b32} {8:b32} {8:f32}"},
	{"wmma", "mma sync aligned row|col row|col tiles f32 f16 satfinite?", "{8:f32} = {8:b32} {8:b32} {4:b32}"},
	{"wmma", "mma sync aligned row|col row|col tiles f32 f32 satfinite?", "{8:f32} = {8:b32} {8:b32} {8:f32}"},
	{"wmma", "mma sync aligned row|col row|col m16n16k16 f32 bf16 bf16 f32", "{8:f32} = {4:b32} {4:b32} {8:f32}"},
	{"wmma", "mma sync aligned row|col row|col m16n16k16 s32 s8 s8 s32 satfinite?", "{8:s32} = {2:b32} {2:b32} {8:s32}"},
	{"wmma", "mma sync aligned row|col row|col m16n16k16 s32 u8 u8 s32 satfinite?", "{8:s32} = {2:b32} {2:b32} {8:s32}"},
	{"wmma", "mma sync aligned row|col row|col m32n8k16 f32 bf16 bf16 f32", "{8:f32} = {8:b32} {2:b32} {8:f32}"},
	{"wmma", "mma sync aligned row|col row|col m32n8k16 s32 s8 s8 s32 satfinite?", "{8:s32} = {4:b32} {1:b32} {8:s32}"},
	{"wmma", "mma sync aligned row|col row|col m32n8k16 s32 u8 u8 s32 satfinite?", "{8:s32} = {4:b32} {1:b32} {8:s32}"},
	{"wmma", "mma sync aligned row|col row|col m8n32k16 f32 bf16 bf16 f32", "{8:f32} = {2:b32} {8:b32} {8:f32}"},
	{"wmma", "mma sync aligned row|col row|col m8n32k16 s32 s8 s8 s32 satfinite?", "{8:s32} = {1:b32} {4:b32} {8:s32}"},
	{"wmma", "mma sync aligned row|col row|col m8n32k16 s32 u8 u8 s32 satfinite?", "{8:s32} = {1:b32} {4:b32} {8:s32}"},
	{"wmma", "mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32", "{8:f32} = {4:b32} {4:b32} {8:f32}"},
	{"wmma", "load a sync aligned row m8n8k32 global|shared? s4|u4", "{1:b32} = a u?"},
	{"wmma", "load b sync aligned col m8n8k32 global|shared? s4|u4", "{1:b32} = a u?"},
	{"wmma", "load a sync aligned row m8n8k128 global|shared? b1", "{1:b32} = a u?"},
	{"wmma", "load b sync aligned col m8n8k128 global|shared? b1", "{1:b32} = a u?"},
	{"wmma", "load c sync aligned row|col m8n8k32|m8n8k128 global|shared? s32", "{2:s32} = a u?"},
	{"wmma", "store d sync aligned row|col m8n8k32|m8n8k128 global|shared? s32", "= a {2:s32} u?"},
	{"wmma", "mma sync aligned row col m8n8k32 s32 s4 s4 s32 satfinite?", "{2:s32} = {1:b32} {1:b32} {2:s32}"},
	{"wmma", "mma sync aligned row col m8n8k32 s32 u4 u4 s32 satfinite?", "{2:s32} = {1:b32} {1:b32} {2:s32}"},
	{"wmma", "mma and|xor popc sync aligned row col m8n8k128 s32 b1 b1 s32", "{2:s32} = {1:b32} {1:b32} {2:s32}"},
	{"wmma", "mma sync aligned row|col row|col m8n8k4 rn? f64 f64 f64 f64", "{2:f64} = {1:f64} {1:f64} {2:f64}"},

	// Between threads.
	{"vote", "all|any|uni pred", "p = !p"},
	{"vote", "ballot b32", "1 = !p"},
	{"vote", "sync all|any|uni pred", "p = !p u"},
	{"vote", "sync ballot b32", "1 = !p u"},
	{"vote", "ballot sync b32", "1 = !p u"}, // as CUB writes it, against the manual's order
	{"shfl", "up|down|bfly|idx b32", "1|p = 1 u u"},
	{"shfl", "sync up|down|bfly|idx b32", "1|p = 1 u u u"},
	{"match", "any sync b32|b64", "u = 1 u"},
	{"match", "all sync b32|b64", "u|p = 1 u"},
	{"redux", "sync add|min|max u32|s32", "1 = 1 u"},
	{"redux", "sync and|or|xor b32", "1 = 1 u"},
	{"redux", "sync min|max abs? NaN? f32", "1 = 1 u"},
	{"activemask", "b32", "1 ="},
	{"membar", "cta|gl|sys", "="},
	{"fence", "sc|acq_rel? scope", "="},
	{"bar", "warp sync", "= u"},
	{"bar", "cta? sync", "= u u?"},
	{"bar", "cta? arrive", "= u u"},
	{"bar", "cta? red popc u32", "1 = u !p"},
	{"bar", "cta? red popc u32", "1 = u u !p"},
	{"bar", "cta? red and|or pred", "p = u !p"},
	{"bar", "cta? red and|or pred", "p = u u !p"},
	{"barrier", "cta? sync aligned?", "= u u?"},
	{"barrier", "cta? arrive aligned?", "= u u"},
	{"barrier", "cta? red popc aligned? u32", "1 = u !p"},
	{"barrier", "cta? red popc aligned? u32", "1 = u u !p"},
	{"barrier", "cta? red and|or aligned? pred", "p = u !p"},
	{"barrier", "cta? red and|or aligned? pred", "p = u u !p"},

	// Control. Operands of the first three have a syntax of their own.
	{"bra call", "uni?", "="},
	{"brx", "idx uni?", "="},
	{"ret", "uni?", "="},
	{"exit trap brkpt", "", "="},
	{"nanosleep", "u32", "= u"},
	{"pmevent", "mask?", "= n"},
}

// comparisons are the forms of setp and set, each with and without a predicate
// to combine the result with.
func comparisons() []row {
	var rows []row
	for _, types := range []string{"eq|ne b16|b32|b64", "eq|ne|lt|le|gt|ge int", "lo|ls|hi|hs u16|u32|u64",
		"fcmp ftz? f32", "fcmp f64", "fcmp ftz? f16", "fcmp bf16", "fcmp ftz? f16x2", "fcmp bf16x2"} {
		compare, rest, _ := strings.Cut(types, " ")
		source := rest[strings.LastIndexByte(rest, ' ')+1:]
		flush := strings.TrimSuffix(rest, source)
		results := "u32|s32|f32 "
		switch t := typeByName[source]; {
		case t.isSmall() && t.IsPair():
			results = "u32|s32|" + source + " "
		case t.isSmall():
			results = "u16|s16|u32|s32|" + source + " "
		}
		for _, c := range []struct{ mod, arg string }{{"", ""}, {"bool ", " !p"}} {
			head := compare + " " + c.mod + flush
			rows = append(rows,
				row{"setp", head + source, "p|p = 1 1" + c.arg},
				row{"set", head + results + source, "1 = 2 2" + c.arg})
		}
	}
	return rows
}
