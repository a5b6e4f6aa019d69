package experiment

import (
	"encoding/json"
	"math"
	"strconv"
)

// Figure is a measured number that may be undefined, such as the slow-down of a
// tenant that made no progress. NaN stands for that: null in JSON, nothing in
// CSV, a dash where people read it.
type Figure float64

// undefined is the Figure that has no value.
var undefined = Figure(math.NaN())

// Defined reports whether the figure has a value.
func (f Figure) Defined() bool { return !math.IsNaN(float64(f)) }

// positive is a number as a Figure, undefined if it is not above 0.
func positive(x float64) Figure {
	if !(x > 0) {
		return undefined
	}
	return Figure(x)
}

// String is the shortest text that reads back as the figure; nothing if it is
// undefined.
func (f Figure) String() string {
	if !f.Defined() {
		return ""
	}
	return strconv.FormatFloat(float64(f), 'g', -1, 64)
}

// MarshalJSON writes a number, or null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads a number, or null.
func (f *Figure) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = undefined
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}
