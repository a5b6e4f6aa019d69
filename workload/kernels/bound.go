package kernels

import (
	"errors"
	"fmt"
)

// bound is a scope in which one more name stands for a number: the index of an element in a
// formula, or the name of a sum. It hides the same name of the scope around it.
type bound struct {
	scope
	variable string
	value    value
	// fault is the error of looking the name up, while it has no value yet.
	fault error
	// terms is how many values the name takes, times the values of the sums around; 0 of a formula.
	terms int64
}

// errUnbound keeps fold from working out what depends on the name of a sum.
var errUnbound = errors.New("has no value yet")

func (b *bound) name(name string) (value, error) {
	if name == b.variable {
		return b.value, b.fault
	}
	return b.scope.name(name)
}

// maxTerms bounds the terms of a sum and of the sums in it together.
const maxTerms = 1 << 24

// sum evaluates a summation.
func (n *node) sum(s scope) (value, error) {
	count, err := n.args[0].eval(s)
	if err != nil {
		return value{}, err
	}
	most := int64(maxTerms)
	if outer, inside := s.(*bound); inside && outer.terms > 0 {
		most /= outer.terms
	}
	terms, ok := count.asWhole()
	if !ok || terms.i < 0 || terms.i > most {
		return value{}, fmt.Errorf("sums over %v values of %s; valid: whole numbers from 0 to %d", count, n.name, most)
	}
	b := &bound{scope: s, variable: n.name, terms: max(terms.i, 1) * (maxTerms / most)}
	total := wholeOf(0)
	for k := range terms.i {
		b.value = wholeOf(k)
		term, err := n.args[1].eval(b)
		if err == nil && term.kind == address {
			err = errors.New("adds an address; valid: numbers")
		}
		if err == nil {
			total, err = operators["+"].apply(total, term)
		}
		if err != nil {
			return value{}, err
		}
	}
	return total, nil
}
