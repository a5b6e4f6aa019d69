package kernels

import (
	"cmp"
	"fmt"
)

// fillPart sets elements of an array.
func (i *Instance) fillPart(path string, s *FillStep) {
	d := i.plain(path+".array", s.Array)
	start, count := i.span(d, &s.Range)
	// Not in place: the value may be that of elements that are filled.
	filled := make([]byte, count*int64(d.typ.bytes))
	i.formula(&s.Value, d.typ, filled, start)
	d.scatter(start, filled)
}

// set sets one element of an array.
func (i *Instance) set(path string, s *SetStep) {
	d := i.plain(path+".array", s.Array)
	at := i.whole(&s.Index, 0, int64(d.Length)-1)
	i.m.must(s.Value.path, d.typ.put(d.at(at), i.eval(&s.Value)))
}

// prefixSum sums up an array.
func (i *Instance) prefixSum(path string, s *PrefixSumStep) {
	from := i.plain(path+".from", s.From)
	to := i.plain(path+".to", cmp.Or(s.To, s.From))
	if more := to.Length - from.Length; more != 0 && (more != 1 || s.Inclusive) {
		i.m.fail(path+".to", "has %d elements, and %s %d; valid: as many, or one more for the sum of all unless inclusive", to.Length, s.From, from.Length)
	}
	sum := wholeOf(0)
	for at := range int64(to.Length) {
		var err error
		put := sum
		if at < int64(from.Length) {
			sum, err = operators["+"].apply(sum, from.typ.get(from.at(at)))
		}
		if s.Inclusive {
			put = sum
		}
		if err == nil {
			err = to.typ.put(to.at(at), put)
		}
		if err == nil && !to.typ.real && to.typ.get(to.at(at)) != put {
			err = fmt.Errorf("is %v; valid: what fits into type %s", put, to.typ.name) // put takes it without a sign
		}
		if err != nil {
			i.m.fail(path, "of element %d %v", at, err)
		}
	}
}
