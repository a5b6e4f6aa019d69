package kernels

import (
	"fmt"
)

// copy moves elements between arrays and variables.
func (i *Instance) copy(path string, s *CopyStep) error {
	from, err := i.end(path+".from", s.From)
	if err != nil {
		return err
	}
	to, err := i.end(path+".to", s.To)
	if err != nil {
		return err
	}
	size := max(from.typ.bytes, to.typ.bytes)
	if size == 0 || from.typ.bytes != 0 && to.typ.bytes != 0 && from.typ.bytes != to.typ.bytes {
		return i.m.errorf(path, "is from %s to %s; valid: an array at one end, and elements of one size", s.From, s.To)
	}
	from.sized(size)
	to.sized(size)
	numbers := [5]int64{0, 0, 1, 1, int64(from.Length)}
	for key, e := range s.numbers() {
		if !e.given() {
			continue
		}
		if numbers[key], err = e.whole(i, 0, maxBytes); err != nil {
			return i.m.errorf(path+"."+copyKeys[key], "%v", err)
		}
	}
	fromStart, toStart, fromStride, toStride, count := numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
	if count == 0 {
		return nil
	}
	fromLast, toLast := last(fromStart, fromStride, count), last(toStart, toStride, count)
	if n := int64(from.Length); fromLast >= n {
		return i.m.errorf(path, "reads element %d of %s, which has %d of %d bytes", fromLast, s.From, n, size)
	}
	if n := int64(to.Length); toLast >= n {
		return i.m.errorf(path, "writes element %d of %s, which has %d of %d bytes", toLast, s.To, n, size)
	}
	for range count {
		copy(to.at(toStart), from.at(fromStart))
		fromStart += fromStride
		toStart += toStride
	}
	return nil
}

// last is the last of count elements. What exceeds maxBytes is beyond any array.
func last(start, stride, count int64) int64 {
	if stride != 0 && count-1 > maxBytes/stride {
		return maxBytes
	}
	return start + (count-1)*stride
}

// sized gives a variable elements of a size.
func (d *Data) sized(bytes int) {
	if d.typ.bytes == 0 {
		d.typ.bytes = bytes
		d.Length = len(d.Bytes) / bytes
	}
}

// end finds an array, or a variable of the PTX, which has no type of its own, by
// name.
func (i *Instance) end(path, name string) (*Data, error) {
	if d := i.arrays[name]; d != nil {
		return d, nil
	}
	addr, size, err := i.memory.Symbol(i.m.module, name)
	var bytes []byte
	if err == nil {
		bytes, err = i.memory.Bytes(addr, size)
	}
	if err != nil {
		return nil, i.m.errorf(path, "%s", fmt.Sprintf("is %q, no array: %v", name, err))
	}
	return &Data{Bytes: bytes}, nil
}
