package kernels

// copy moves elements between arrays and variables.
func (i *Instance) copy(path string, s *CopyStep) {
	from, to := i.end(path+".from", s.From), i.end(path+".to", s.To)
	size := max(from.typ.bytes, to.typ.bytes)
	if size == 0 || from.typ.bytes != 0 && to.typ.bytes != 0 && from.typ.bytes != to.typ.bytes {
		i.m.fail(path, "is from %s to %s; valid: an array at one end, and elements of one size", s.From, s.To)
	}
	from.sized(size)
	to.sized(size)
	number := func(e *Expr, normal int64) int64 { return i.wholeOr(e, 0, maxBytes, normal) }
	fromStart, toStart := number(&s.FromStart, 0), number(&s.ToStart, 0)
	fromStride, toStride := number(&s.FromStride, 1), number(&s.ToStride, 1)
	count := number(&s.Count, int64(from.Length))
	if count == 0 {
		return
	}
	fromLast, toLast := last(fromStart, fromStride, count), last(toStart, toStride, count)
	if n := int64(from.Length); fromLast >= n {
		i.m.fail(path, "reads element %d of %s, which has %d of %d bytes", fromLast, s.From, n, size)
	}
	if n := int64(to.Length); toLast >= n {
		i.m.fail(path, "writes element %d of %s, which has %d of %d bytes", toLast, s.To, n, size)
	}
	if from != to && fromStride == 1 && toStride == 1 && from.stride == 0 && to.stride == 0 { // two runs of bytes
		first, end := fromStart*int64(size), (fromStart+count)*int64(size)
		copy(to.Bytes[toStart*int64(size):], from.Bytes[first:end])
		return
	}
	for range count {
		copy(to.at(toStart), from.at(fromStart))
		fromStart += fromStride
		toStart += toStride
	}
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
func (i *Instance) end(path, name string) *Data {
	if d := i.arrays[name]; d != nil {
		return d
	}
	addr, size, err := i.memory.Symbol(i.m.module, name)
	var bytes []byte
	if err == nil {
		bytes, err = i.memory.Bytes(addr, size)
	}
	if err != nil {
		i.m.fail(path, "is %q, no array: %v", name, err)
	}
	return &Data{Bytes: bytes}
}
