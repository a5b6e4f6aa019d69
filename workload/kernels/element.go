package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/workload/ptx/smallfloat"
)

// elementType is the type of an array's elements.
type elementType struct {
	name   string
	bytes  int
	signed bool // an integer with a sign
	real   bool // a floating-point number
	// small is its format if that is not Go's.
	small *smallfloat.Format
	// structure says that it is one, of bytes; its name is what a manifest says.
	structure bool
}

var elementTypes = []elementType{
	{name: "u8", bytes: 1}, {name: "s8", bytes: 1, signed: true}, {name: "u16", bytes: 2}, {name: "s16", bytes: 2, signed: true},
	{name: "u32", bytes: 4}, {name: "s32", bytes: 4, signed: true}, {name: "u64", bytes: 8}, {name: "s64", bytes: 8, signed: true},
	{name: "f32", bytes: 4, real: true}, {name: "f64", bytes: 8, real: true},
	smallElement("f16", smallfloat.F16), smallElement("bf16", smallfloat.BF16),
	smallElement("e4m3", smallfloat.E4M3), smallElement("e5m2", smallfloat.E5M2),
}

func smallElement(name string, f *smallfloat.Format) elementType {
	return elementType{name: name, bytes: f.Bytes(), real: true, small: f}
}

func elementOf(name string) (elementType, bool) {
	if i := slices.IndexFunc(elementTypes, func(t elementType) bool { return t.name == name }); i >= 0 {
		return elementTypes[i], true
	}
	return elementType{}, false
}

// elementNames lists the types for messages.
var elementNames = strings.Join(namesOf(elementTypes, func(t *elementType) string { return t.name }), ", ")

// put writes a number as an element. Integers take whole numbers that fit, or
// that fit without a sign: -1 and 4294967295 are both valid for 32 bits. A floating-point
// number is rounded to nearest even, through float64.
func (t elementType) put(to []byte, v value) error {
	if v.kind == address {
		return fmt.Errorf("is an address; valid: a number of type %s", t.name)
	}
	if t.real {
		t.putReals(to, []float64{v.float()})
		return nil
	}
	bits := 8 * t.bytes
	w, ok := v.asWhole()
	if !ok || bits < 64 && (w.i < -1<<(bits-1) || w.i >= 1<<bits) {
		return fmt.Errorf("is %v; valid: a whole number of type %s", v, t.name)
	}
	if t.bytes == 4 {
		binary.LittleEndian.PutUint32(to, uint32(w.i))
		return nil
	}
	for i := range t.bytes {
		to[i] = byte(w.i >> (8 * i))
	}
	return nil
}

// putReals writes numbers as elements of a floating-point type, one behind the other.
func (t elementType) putReals(to []byte, numbers []float64) {
	switch {
	case t.small == smallfloat.F16:
		for k, v := range numbers {
			binary.LittleEndian.PutUint16(to[2*k:], uint16(smallfloat.NearestF16(v)))
		}
	case t.small == smallfloat.BF16:
		for k, v := range numbers {
			binary.LittleEndian.PutUint16(to[2*k:], uint16(smallfloat.NearestBF16(v)))
		}
	case t.small != nil: // of a byte
		for k, v := range numbers {
			to[k] = byte(t.small.Round(v, smallfloat.ToNearest, false))
		}
	case t.bytes == 4:
		for k, v := range numbers {
			binary.LittleEndian.PutUint32(to[4*k:], math.Float32bits(float32(v)))
		}
	default:
		for k, v := range numbers {
			binary.LittleEndian.PutUint64(to[8*k:], math.Float64bits(v))
		}
	}
}

// get reads an element.
func (t elementType) get(from []byte) value {
	var word [8]byte
	copy(word[:], from[:t.bytes])
	bits := binary.LittleEndian.Uint64(word[:])
	switch {
	case t.small != nil:
		return realOf(t.small.Value(bits))
	case t.real && t.bytes == 4:
		return realOf(float64(math.Float32frombits(uint32(bits))))
	case t.real:
		return realOf(math.Float64frombits(bits))
	case t.signed:
		unused := 64 - 8*t.bytes
		return wholeOf(int64(bits<<unused) >> unused)
	}
	return wholeOf(int64(bits))
}

// text writes an element for messages.
func (t elementType) text(from []byte) string {
	v := t.get(from)
	switch {
	case t.small != nil:
		return strconv.FormatFloat(v.f, 'g', t.small.Digits(), 64)
	case t.real:
		return strconv.FormatFloat(v.f, 'g', -1, 8*t.bytes)
	case !t.signed:
		return strconv.FormatUint(uint64(v.i), 10)
	}
	return v.String()
}

// words are how a manifest says the type.
func (t elementType) words() string {
	if t.structure {
		return t.name
	}
	return "type: " + t.name
}
