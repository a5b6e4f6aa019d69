package kernels

import "fmt"

// fill sets elements of an array.
func (i *Instance) fill(path string, s *FillStep) error {
	d, err := i.plain(path+".array", s.Array)
	if err != nil {
		return err
	}
	start, count, err := i.span(path, d, &s.Range)
	if err != nil {
		return err
	}
	a := &args{Instance: i, path: path}
	// Not in place: the value may be that of elements that are filled.
	filled := make([]byte, count*int64(d.typ.bytes))
	a.formula("value", &s.Value, d.typ, filled, start)
	if a.err == nil {
		d.scatter(start, filled)
	}
	return a.err
}

// set sets one element of an array.
func (i *Instance) set(path string, s *SetStep) error {
	d, err := i.plain(path+".array", s.Array)
	if err != nil {
		return err
	}
	at, err := s.Index.whole(i, 0, int64(d.Length)-1)
	if err != nil {
		return i.m.errorf(path+".index", "%v", err)
	}
	v, err := s.Value.eval(i)
	if err == nil {
		err = d.typ.put(d.at(at), v)
	}
	if err != nil {
		return i.m.errorf(path+".value", "%v", err)
	}
	return nil
}

// prefixSum sums up an array.
func (i *Instance) prefixSum(path string, s *PrefixSumStep) error {
	from, err := i.plain(path+".from", s.From)
	if err != nil {
		return err
	}
	name := s.To
	if name == "" {
		name = s.From
	}
	to, err := i.plain(path+".to", name)
	if err != nil {
		return err
	}
	if more := to.Length - from.Length; more != 0 && (more != 1 || s.Inclusive) {
		return i.m.errorf(path+".to", "has %d elements, and %s %d; valid: as many, or one more for the sum of all unless inclusive", to.Length, s.From, from.Length)
	}
	sum := wholeOf(0)
	for at := range int64(to.Length) {
		before := sum
		if at < int64(from.Length) {
			if sum, err = apply("+", sum, from.typ.get(from.at(at))); err != nil {
				return i.m.errorf(path, "of element %d %v", at, err)
			}
		}
		put := before
		if s.Inclusive {
			put = sum
		}
		err := to.typ.put(to.at(at), put)
		if err == nil && !to.typ.real && to.typ.get(to.at(at)) != put {
			err = fmt.Errorf("is %v; valid: what fits into type %s", put, to.typ.name) // put takes it without a sign
		}
		if err != nil {
			return i.m.errorf(path, "of element %d %v", at, err)
		}
	}
	return nil
}
