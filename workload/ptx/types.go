package ptx

var typeNames = [numTypes]string{"", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64",
	"s8", "s16", "s32", "s64", "f16", "f32", "f64", "pred"}

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
	case B16, U16, S16, F16:
		return 2
	case B32, U32, S32, F32:
		return 4
	case B64, U64, S64, F64:
		return 8
	}
	return 0
}

// IsFloat reports whether values of the type are floating-point numbers.
func (t Type) IsFloat() bool { return t == F16 || t == F32 || t == F64 }

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
