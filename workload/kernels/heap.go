package kernels

import (
	"encoding/binary"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// The heap of kernels that allocate, as cuda/heap.h has it.
const (
	heapVariable = "cotenant_heap"
	heapBytes    = 512 << 20 // heap_mbytes
	slabQuarters = 3
	heapClasses  = 16
	slabShift    = 22
	slabBytes    = 1 << slabShift
	bitmapBytes  = slabBytes / 16 / 8
	headerBytes  = 2 * heapClasses * 4

	leastHeap = 8 << 20
	mostHeap  = 4 << 30
)

// Names of the heap and of its tables, which no array of a manifest can have.
const (
	heapName   = "device heap"
	tablesName = "device heap's tables"
)

// allocator is linked to programs that call malloc or free of CUDA.
func allocator() ptx.Library {
	text, _ := embedded.ReadFile("ptx/heap.ptx") // which is there
	return ptx.Library{File: ptx.File{Path: "built-in/ptx/heap.ptx", Text: text}, Functions: []string{"malloc", "free"}}
}

// layHeap makes the heap of a program that has the allocator in it, and says
// where it is to the kernels.
func (i *Instance) layHeap() {
	addr, bytes, err := i.memory.Symbol(i.m.module, heapVariable)
	if err != nil {
		if i.m.Heap.given() {
			i.m.fail("heap", "is given, and no kernel of %s allocates; valid: without it, or with kernels that call malloc or free, or have heap.h in them",
				i.m.filesOfPTX())
		}
		return
	}
	size := i.wholeOr(&i.m.Heap, leastHeap, mostHeap, heapBytes)
	slabs := int(size) / 4 * slabQuarters / slabBytes
	tables := roundup(headerBytes+4*slabs, 256)
	if i.bytes += int64(slabs*(slabBytes+bitmapBytes) + tables); i.bytes > maxBytes {
		i.m.fail("heap", "makes the arrays, with the variables of the PTX and the heap, larger than %d GiB together; make it smaller", maxBytes>>30)
	}
	variable, err := i.memory.Bytes(addr, bytes)
	if err != nil || bytes < 32 {
		i.m.fail("ptx", "has a variable %s of %s; valid: that of heap.h, or another name", heapVariable, workload.Count(bytes, "byte"))
	}
	at := i.memory.Alloc(tables+slabs*bitmapBytes, 0)
	chunks := i.memory.Alloc(slabs*slabBytes, slabBytes)
	words := binary.LittleEndian.AppendUint64(nil, chunks)
	words = binary.LittleEndian.AppendUint64(words, at)
	words = binary.LittleEndian.AppendUint64(words, at+uint64(tables))
	copy(variable, binary.LittleEndian.AppendUint64(words, uint64(slabs)))
	i.heap = []workload.Array{
		{Name: tablesName, Addr: at, Bytes: uint64(tables + slabs*bitmapBytes), Origin: workload.Loaded},
		{Name: heapName, Addr: chunks, Bytes: uint64(slabs * slabBytes), Origin: workload.Heap},
	}
}
