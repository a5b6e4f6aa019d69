package kernels

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/options"
)

// Set is the application with other numbers for some of its parameters, which
// hold for every size: list is NAME:NUMBER,... An error says what would be valid.
func (m *Manifest) Set(list string) (*Manifest, error) {
	changed := *m
	changed.Parameters = slices.Clone(m.Parameters)
	names := namesOf(m.Parameters, func(p *Parameter) string { return p.Name })
	if names == nil {
		return nil, errors.New("the manifest has no parameters; leave it out")
	}
	syntax := options.Syntax{Joint: ",", Equals: ":", Valid: "NAME:NUMBER,... with names among " + strings.Join(names, ", ")}
	given, err := syntax.Parse(list)
	if err != nil {
		return nil, err
	}
	for _, o := range given {
		i := slices.Index(names, o.Key)
		if f, err := strconv.ParseFloat(o.Value, 64); err != nil || math.IsInf(f, 0) || math.IsNaN(f) || i < 0 {
			return nil, syntax.Invalid(syntax.Text(o))
		}
		p := Parameter{Name: o.Key, Multiple: m.Parameters[i].Multiple}
		if err := p.Value.UnmarshalText([]byte(o.Value)); err != nil || p.Value.fault != nil {
			return nil, fmt.Errorf("invalid option %q; valid: a number such as 12 or 0.5", syntax.Text(o))
		}
		v, _ := p.Value.eval(nil) // no names are in it
		if _, err := p.whole(v); err != nil {
			return nil, fmt.Errorf("%s %w", o.Key, err)
		}
		changed.Parameters[i] = p
	}
	return &changed, nil
}

// whole returns the parameter's value as kernels take it. The error completes the
// parameter's name.
func (p *Parameter) whole(v value) (value, error) {
	n := int64(p.Multiple)
	if n <= 0 {
		return v, nil
	}
	w, ok := v.asWhole()
	if !ok || w.i < n || w.i%n != 0 {
		return v, fmt.Errorf("is %v; valid: multiples of %d, from %d", v, n, n)
	}
	return w, nil
}
