package kernels

import (
	"strings"

	"cotenant/workload"
)

// Data is an array in memory.
type Data struct {
	Addr   uint64 // of the first element
	Length int    // in elements
	// Bytes are its contents, live; of a field of structures, from its first
	// element on, with what lies between.
	Bytes []byte
	typ   elementType
	// members are the fields of elements that are structures.
	members []*member
	// stride is the size of the structures of which the array is a field, group
	// the number of its elements in each; 0 of other arrays.
	stride, group int
	// margin is the number of bytes on each side that can only be read.
	margin int
	origin workload.Origin
}

// array describes it to packages that look at it from outside.
func (d *Data) array(name string) workload.Array {
	return workload.Array{Name: name, Type: d.typ.words(), Length: d.Length, Data: d.Bytes,
		Addr: d.Addr - uint64(d.margin), Bytes: uint64(len(d.Bytes) + 2*d.margin), Origin: d.origin}
}

// fields lists the fields of an array of structures that has a name.
func (d *Data) fields(name string) string {
	var list []string
	for _, m := range d.members {
		list = append(list, join(name, m.name))
	}
	return strings.Join(list, ", ")
}

// at is an element.
func (d *Data) at(k int64) []byte {
	start := k * int64(d.typ.bytes)
	if d.stride > 0 {
		start = k/int64(d.group)*int64(d.stride) + k%int64(d.group)*int64(d.typ.bytes)
	}
	return d.Bytes[start:][:d.typ.bytes]
}

// elements are count elements one behind the other, not to be written to.
func (d *Data) elements(start, count int64) []byte {
	size := int64(d.typ.bytes)
	if d.stride == 0 {
		return d.Bytes[start*size : (start+count)*size]
	}
	list := make([]byte, 0, count*size)
	for k := range count {
		list = append(list, d.at(start+k)...)
	}
	return list
}

// scatter sets elements from start on.
func (d *Data) scatter(start int64, data []byte) {
	size := int64(d.typ.bytes)
	if d.stride == 0 {
		copy(d.Bytes[start*size:], data)
		return
	}
	for k := range int64(len(data)) / size {
		copy(d.at(start+k), data[k*size:][:size])
	}
}

// step is how far an address moves when 1 is added to it: to the next element,
// or structure.
func (d *Data) step() int64 {
	if d.stride > 0 {
		return int64(d.stride)
	}
	return int64(d.typ.bytes)
}
