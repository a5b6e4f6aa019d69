package ptx

var typeNames = [numTypes]string{"", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64",
	"s8", "s16", "s32", "s64", "f16", "f32", "f64",
	"f16x2", "bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2", "f32x2", "u16x2", "s16x2", "pred"}

var typeByName = func() map[string]Type {
	m := map[string]Type{}
	for t := B8; t < numTypes; t++ {
		m[typeNames[t]] = t
	}
	return m
}()

// String writes the type as in PTX, without its dot.
func (t Type) String() string {
	if t < numTypes {
		return typeNames[t]
	}
	return "invalid"
}

// Size is the size of a value of the type in bytes; 0 for a predicate.
func (t Type) Size() int {
	switch t {
	case B8, U8, S8:
		return 1
	case B16, U16, S16, F16, BF16, E4M3x2, E5M2x2:
		return 2
	case B32, U32, S32, F32, F16x2, BF16x2, TF32, U16x2, S16x2:
		return 4
	case B64, U64, S64, F64, F32x2:
		return 8
	}
	return 0
}

// IsFloat reports whether values of the type are floating-point numbers, or pairs of them.
func (t Type) IsFloat() bool { return t >= F16 && t <= F32x2 }

// IsPair reports whether values of the type are two numbers.
func (t Type) IsPair() bool {
	return t == F16x2 || t == BF16x2 || t == E4M3x2 || t == E5M2x2 || t == F32x2 || t == U16x2 || t == S16x2
}

// isSmall reports whether the type is of floating-point numbers without constants of their
// own: programs write their bits.
func (t Type) isSmall() bool { return t.IsFloat() && t != F32 && t != F64 }

// declared returns the type of registers and variables with a name, NoType if they have none
// such.
func declared(name string) Type {
	if t := typeByName[name]; t <= F64 || t == Pred {
		return t
	}
	return NoType
}

// IsSigned reports whether values of the type are signed integers.
func (t Type) IsSigned() bool { return t >= S8 && t <= S64 }

// isBits reports whether the type is untyped bits.
func (t Type) isBits() bool { return t >= B8 && t <= B64 }

var spaceNames = [...]string{"generic", "param", "global", "shared", "const", "local"}

// spaceByName has the names that modifiers and directives give the state
// spaces.
var spaceByName = map[string]Space{"param": Param, "global": Global, "shared": Shared, "const": Const, "local": Local}

// String writes the space as in PTX, without its dot.
func (s Space) String() string {
	if int(s) < len(spaceNames) {
		return spaceNames[s]
	}
	return "invalid"
}
