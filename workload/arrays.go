package workload

import (
	"cmp"
	"slices"
)

// Array is an array in the memory of an application.
type Array struct {
	// Name is that of a launch manifest, or of a variable of the program. What a
	// trace copies has none of its own and is called by the copy: copy 1, copy 2.
	Name string
	// Type is that of an element, in the words of a launch manifest: type: f32.
	// "" if it is not known, as of variables and of what a trace copies.
	Type string
	// Length is the number of elements, 0 if Type is not known.
	Length int
	// Data holds the elements as they lie in memory, little endian. Only a running
	// program's are known (Inspectable); nil in App.Arrays.
	Data []byte
	// Addr is the device's address of the first byte that kernels may access, and
	// Bytes how many there are: of the elements and of the margins on both sides,
	// which can only be read. Arrays do not overlap, but two can have bytes of one
	// page. Bytes may be 0.
	Addr, Bytes uint64
	// Origin says where the contents come from that its first kernel finds.
	Origin Origin
	// ReadOnly says that no kernel may write to it: a constant variable.
	ReadOnly bool
}

// End is the address behind the last byte.
func (a *Array) End() uint64 { return a.Addr + a.Bytes }

// Origin says where the contents come from that an array has when a kernel
// that is given it is launched for the first time. By it the page tables are
// filled (pages that the host has, or that have no memory yet).
type Origin uint8

// The origins. The host has written what is Uploaded, Overwritten or Loaded.
const (
	// Unknown: the source of the instructions does not tell.
	Unknown Origin = iota
	// Uploaded: the host has filled the array, and copied it to the device.
	Uploaded
	// Overwritten: the same, but its first kernel writes it and reads none of it, so it
	// is output (thesis 6.5.4).
	Overwritten
	// Untouched: nothing has written to it. It is for output, or for what kernels
	// tell one another.
	Untouched
	// Heap: it is the memory that kernels allocate from, without its tables, which
	// are Loaded.
	Heap
	// Loaded: it came to the device with the program, as its variables do.
	Loaded
)

// origins are the words for an Origin.
var origins = [...]string{Unknown: "unknown", Uploaded: "uploaded", Overwritten: "overwritten", Untouched: "untouched", Heap: "heap", Loaded: "loaded"}

// String is the origin in one word.
func (o Origin) String() string { return origins[o] }

// SortArrays sorts arrays by address, then by size, then by name: the order of
// App.Arrays.
func SortArrays(list []Array) {
	slices.SortFunc(list, func(a, b Array) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Name, b.Name))
	})
}
