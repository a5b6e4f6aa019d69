package kernels

import (
	"fmt"
	"math"

	"cotenant/workload"
)

// Uniform draws every element evenly from Low to below High, whole numbers for
// an integer type.
type Uniform struct {
	// Seed is 0 to 2^62. Default 0.
	Seed Expr `yaml:"seed"`
	// Low and High. Default 0 and 1.
	Low  Expr `yaml:"low"`
	High Expr `yaml:"high"`
}

// Normal draws every element from a normal distribution, and again while it
// lies outside Low to below High; it is rounded down for an integer type.
type Normal struct {
	// Seed is 0 to 2^62. Default 0.
	Seed Expr `yaml:"seed"`
	// Mean and Deviation. Default 0 and 1.
	Mean      Expr `yaml:"mean"`
	Deviation Expr `yaml:"deviation"`
	// Low and High. Default six deviations from the mean, beyond which nothing
	// is drawn. The mean must lie between them.
	Low  Expr `yaml:"low"`
	High Expr `yaml:"high"`
}

// limit of the numbers in generators, far inside what an int64 and a float32
// hold.
const limit = 1e18

func (u *Uniform) draw(a *args) func(i int) (value, error) {
	r := a.seed(&u.Seed)
	low := a.number("low", &u.Low, -limit, limit, 0)
	high := a.number("high", &u.High, low, limit, max(low, 1))
	return func(int) (value, error) { return realOf(r.within(low, high)), nil }
}

func (n *Normal) draw(a *args) func(i int) (value, error) {
	r := a.seed(&n.Seed)
	mean := a.number("mean", &n.Mean, -limit, limit, 0)
	deviation := a.number("deviation", &n.Deviation, 0, limit, 1)
	low := a.number("low", &n.Low, -limit, mean, mean-6*deviation)
	high := a.number("high", &n.High, mean, limit, mean+6*deviation)
	return func(int) (value, error) {
		// With the mean at one end half of the draws are kept, so that this ends.
		for range 1000 {
			if v := mean + float64(deviation*r.normal()); v >= low && v < high {
				return realOf(v), nil
			}
		}
		return realOf(mean), nil
	}
}

// fill writes the elements of an array without parts, or of a field, one behind
// the other.
func (a *args) fill(array *Source, t elementType, data []byte) {
	switch {
	case array.Uniform != nil:
		a.path += ".uniform"
		a.each("low", t, data, floored(t, array.Uniform.draw(a)))
	case array.Normal != nil:
		a.path += ".normal"
		a.each("mean", t, data, floored(t, array.Normal.draw(a)))
	case array.File != "": // of a field
		contents := a.fileOf(array.File, t)
		if a.err == nil && len(contents) != len(data) {
			a.fail("file", "names %s of %d bytes; valid: %d, the %d elements of %d bytes of the field", array.File, len(contents), len(data), len(data)/t.bytes, t.bytes)
		}
		copy(data, contents)
	default:
		if n := len(array.Values); n > 0 && n != len(data)/t.bytes {
			a.fail("values", "has %d entries; valid: %d, the elements of the field", n, len(data)/t.bytes)
			return
		}
		a.contents(&array.Contents, t, data, 0)
	}
}

// contents writes elements, which formulas count from first. What a file holds
// is up to the caller.
func (a *args) contents(c *Contents, t elementType, data []byte, first int64) {
	switch {
	case c.Values != nil:
		a.each("values", t, data, func(i int) (value, error) { return c.Values[i].eval(a) })
	case c.Stretches != nil:
		length, n := len(data)/t.bytes, len(c.Stretches)
		if n == 0 || length%n != 0 {
			a.fail("stretches", "has %s for %s; valid: a number that divides them", workload.Count(n, "entry"), workload.Count(length, "element"))
			return
		}
		share := len(data) / n
		for i := range c.Stretches {
			a.repeat(fmt.Sprintf("stretches[%d]", i), &c.Stretches[i], t, data[i*share:(i+1)*share])
		}
	case c.Formula.given():
		a.formula("formula", &c.Formula, t, data, first)
	case c.Fill.given():
		a.repeat("fill", &c.Fill, t, data)
	}
}

// formula writes elements by an expression in which i counts them from first.
func (a *args) formula(key string, e *Expr, t elementType, data []byte, first int64) {
	s := &elementScope{scope: a}
	folded := Expr{text: e.text, root: fold(e.root, a)}
	if _, same := folded.root.(literal); same {
		a.repeat(key, &folded, t, data)
		return
	}
	a.each(key, t, data, func(i int) (value, error) {
		s.i = first + int64(i)
		return folded.eval(s)
	})
}

// each writes elements one by one.
func (a *args) each(key string, t elementType, data []byte, draw func(i int) (value, error)) {
	for i := 0; i < len(data)/t.bytes && a.err == nil; i++ {
		v, err := draw(i)
		if err == nil {
			err = t.put(data[i*t.bytes:], v)
		}
		if err != nil {
			a.fail(key, "of element %d %v", i, err)
		}
	}
}

// repeat sets all elements to one value.
func (a *args) repeat(key string, e *Expr, t elementType, data []byte) {
	v, err := e.eval(a)
	if err == nil {
		err = t.repeat(data, v)
	}
	if err != nil {
		a.fail(key, "%v", err)
	}
}

// floored rounds down what is drawn for an integer type.
func floored(t elementType, draw func(int) (value, error)) func(int) (value, error) {
	if t.real {
		return draw
	}
	return func(i int) (value, error) {
		v, err := draw(i)
		return wholeOf(int64(math.Floor(v.f))), err
	}
}

// elementScope is the scope of a formula, where i is the element's index.
type elementScope struct {
	scope
	i int64
}

func (s *elementScope) name(name string) (value, error) {
	if name == "i" {
		return wholeOf(s.i), nil
	}
	return s.scope.name(name)
}
