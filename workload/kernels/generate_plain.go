package kernels

import (
	"fmt"
	"math"

	"cotenant/workload"
)

// Uniform draws every element evenly from Low to below High, whole numbers for
// an integer type.
type Uniform struct {
	seeded
	// Low and High.
	Low  float64 `yaml:"low" range:"-1e18..1e18" default:"0"`
	High float64 `yaml:"high" range:"low..1e18" default:"max(low, 1)"`
}

// Normal draws every element from a normal distribution, and again while it
// lies outside Low to below High; it is rounded down for an integer type.
type Normal struct {
	seeded
	// Mean and Deviation.
	Mean      float64 `yaml:"mean" range:"-1e18..1e18" default:"0"`
	Deviation float64 `yaml:"deviation" range:"0..1e18" default:"1"`
	// Low and High are by default six deviations from the mean, beyond which nothing
	// is drawn. The mean must lie between them.
	Low  float64 `yaml:"low" range:"-1e18..mean" default:"mean - 6 * deviation"`
	High float64 `yaml:"high" range:"mean..1e18" default:"mean + 6 * deviation"`
}

func (u *Uniform) draw(r *random, to []float64) {
	for k := range to {
		to[k] = r.within(u.Low, u.High)
	}
}

func (n *Normal) draw(r *random, to []float64) {
	for k := range to {
		to[k] = n.one(r)
	}
}

func (n *Normal) one(r *random) float64 {
	// With the mean at one end half of the draws are kept, so that this ends.
	for range 1000 {
		if v := n.Mean + float64(n.Deviation*r.normal()); v >= n.Low && v < n.High {
			return v
		}
	}
	return n.Mean
}

// fill writes the elements of an array without parts, or of a field, one behind
// the other.
func (i *Instance) fill(path string, s *Source, t elementType, data []byte) {
	switch {
	case s.Uniform != nil:
		u := s.Uniform.read(i, path+".uniform")
		i.drawn(path+".uniform.low", t, data, u.random(), u.draw)
	case s.Normal != nil:
		n := s.Normal.read(i, path+".normal")
		i.drawn(path+".normal.mean", t, data, n.random(), n.draw)
	case s.File != "": // of a field
		contents := i.m.elements(path, s.File, t.bytes, zeros)
		if len(contents) != len(data) {
			i.m.fail(path+".file", "names %s of %d bytes; valid: %d, the %d elements of %d bytes of the field",
				s.File, len(contents), len(data), len(data)/t.bytes, t.bytes)
		}
		copy(data, contents)
	default:
		i.contents(path, &s.Contents, t, data, 0)
	}
}

// drawn writes elements that a generator draws, rounded down for an integer type.
func (i *Instance) drawn(path string, t elementType, data []byte, r *random, draw func(r *random, to []float64)) {
	var block [512]float64
	for first := 0; first < len(data); first += len(block) * t.bytes {
		elements := data[first:min(first+len(block)*t.bytes, len(data))]
		drawn := block[:len(elements)/t.bytes]
		if draw(r, drawn); t.real {
			t.putReals(elements, drawn)
			continue
		}
		for k, v := range drawn {
			if err := t.put(elements[k*t.bytes:], wholeOf(int64(math.Floor(v)))); err != nil {
				i.m.must(path, fmt.Errorf("of element %d %w", first/t.bytes+k, err))
			}
		}
	}
}

// contents writes elements, which formulas count from first. What a file holds
// is up to the caller.
func (i *Instance) contents(path string, c *Contents, t elementType, data []byte, first int64) {
	length := len(data) / t.bytes
	switch {
	case c.Values != nil:
		if n := len(c.Values); n != length {
			i.m.fail(path+".values", "has %d entries; valid: %d, the elements that they are for", n, length)
		}
		i.each(path+".values", t, data, 0, func(k int) (value, error) { return c.Values[k].eval(i) })
	case c.Stretches != nil:
		n := len(c.Stretches)
		if length%n != 0 {
			i.m.fail(path+".stretches", "has %s for %s; valid: a number that divides them", workload.Count(n, "entry"), workload.Count(length, "element"))
		}
		share := len(data) / n
		for k := range c.Stretches {
			i.repeat(&c.Stretches[k], t, data[k*share:(k+1)*share])
		}
	case c.Formula.given():
		i.formula(&c.Formula, t, data, first)
	case c.Fill.given():
		i.repeat(&c.Fill, t, data)
	}
}

// formula writes elements by an expression in which i counts them from first.
func (i *Instance) formula(e *Expr, t elementType, data []byte, first int64) {
	s := &bound{scope: i, variable: indexName}
	folded := *e
	folded.root = fold(e.root, i)
	if folded.root.form == literal {
		i.repeat(&folded, t, data)
		return
	}
	done := i.quick(&folded.root, t, data, first)
	i.each(e.path, t, data, done, func(k int) (value, error) {
		s.value = wholeOf(first + int64(k))
		return folded.eval(s)
	})
}

// indexName stands for the index of an element in a formula.
const indexName = "i"

// each writes elements one by one, from one on.
func (i *Instance) each(path string, t elementType, data []byte, from int, draw func(k int) (value, error)) {
	for k := from; k < len(data)/t.bytes; k++ {
		v, err := draw(k)
		if err == nil {
			err = t.put(data[k*t.bytes:], v)
		}
		if err != nil {
			i.m.must(path, fmt.Errorf("of element %d %w", k, err))
		}
	}
}

// repeat sets all elements to one value.
func (i *Instance) repeat(e *Expr, t elementType, data []byte) {
	v := i.eval(e)
	if len(data) == 0 {
		return
	}
	i.m.must(e.path, t.put(data, v))
	for done := t.bytes; done < len(data); done *= 2 {
		copy(data[done:], data[:done])
	}
}
