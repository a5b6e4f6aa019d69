package programs

import (
	"bytes"
	"fmt"
	"path/filepath"

	"cotenant/workload"
)

// allocate reserves memory. Host and managed memory is of whole pages, which the program maps.
func (s *Session) allocate(r *request) (*workload.Op, error) {
	size, align, kind := r.args[0], r.args[1], r.args[2]
	switch {
	case kind < deviceMemory || kind > managedMemory || align > 1<<20 || align&(align-1) != 0:
		return s.refuse(invalidValue)
	case size > s.memoryBytes():
		return s.refuse(outOfMemory)
	case kind == deviceMemory && s.beyondLimit(size):
		return s.refuse(outOfMemory)
	}
	addr, ok := s.memory.Reserve(int(size), int(align))
	if !ok {
		return s.refuse(outOfMemory)
	}
	s.allocations[addr] = allocation{size, kind}
	s.calls[kind]++
	s.memory.Name(addr, fmt.Sprintf("the array of %s call %d", [...]string{deviceMemory: "cudaMalloc", hostMemory: "cudaMallocHost", managedMemory: "cudaMallocManaged"}[kind], s.calls[kind]))
	if s.check != nil && kind == deviceMemory { // the host can write the other kinds by itself
		s.check.Allocated(addr, size)
	}
	s.allocated += size
	if kind == deviceMemory {
		s.onDevice += size
	}
	return s.give(addr)
}

// beyondLimit reports whether an allocation exceeds the limit of the program, and tells the first
// such one of all runs.
func (s *Session) beyondLimit(size uint64) bool {
	limit := s.spec.MemoryLimit
	if limit == 0 || size <= limit && s.onDevice <= limit-size {
		return false
	}
	if s.tell != nil && s.follower.new("memory_limit") {
		s.tell(fmt.Sprintf("tenant %d, %s: an allocation of %d bytes of device memory fails: it has %d bytes, and its memory_limit is %d bytes",
			s.spec.Tenant, filepath.Base(s.spec.Program), size, s.onDevice, limit))
	}
	return true
}

// free waits for all commands and frees an allocation.
func (s *Session) free(r *request) (*workload.Op, error) {
	addr := r.args[0]
	if _, ok := s.allocations[addr]; !ok {
		return s.refuse(invalidValue)
	}
	s.finally = func(*reply) {
		if s.check != nil {
			s.check.Written(addr, s.allocations[addr].bytes)
		}
		s.memory.Release(addr)
		a := s.allocations[addr]
		if s.allocated -= a.bytes; a.kind == deviceMemory {
			s.onDevice -= a.bytes
		}
		delete(s.allocations, addr)
	}
	return &workload.Op{Sync: true}, nil
}

// memoryInfo tells how much memory is free.
func (s *Session) memoryInfo(*request) (*workload.Op, error) {
	return s.give(s.memoryBytes()-s.allocated, s.memoryBytes())
}

// memoryBytes is the size of the device's memory.
func (s *Session) memoryBytes() uint64 { return uint64(s.spec.Device.memoryBytes()) }

// find tells in which allocation an address lies.
func (s *Session) find(r *request) (*workload.Op, error) {
	start, size, ok := s.memory.Extent(r.args[0])
	if !ok {
		return s.refuse(invalidValue)
	}
	kind := uint64(deviceMemory) // also of variables
	if a, ok := s.allocations[start]; ok {
		kind = a.kind
	} else if s.managed[start] {
		kind = managedMemory
	}
	return s.give(start, uint64(size), kind)
}

// rows are rows of bytes in memory: height of them, width bytes each, pitch bytes from one to the next.
type rows struct {
	data                 []byte
	pitch, width, height int
}

// rowsAt are rows at an address; not ok if they do not lie in one allocation.
func (s *Session) rowsAt(addr, pitch, width, height uint64) (rows, bool) {
	if width == 0 || height == 0 || pitch < width || pitch > s.memoryBytes() || height > s.memoryBytes()/pitch {
		return rows{}, false
	}
	data, err := s.memory.Bytes(addr, int(pitch*(height-1)+width))
	return rows{data, int(pitch), int(width), int(height)}, err == nil
}

// written tells who looks at kernels that rows from an address on have been written, or copied from others.
func (s *Session) written(to, pitch, from, fromPitch, width, height uint64) {
	for i := uint64(0); s.check != nil && i < height; i++ {
		if from != 0 {
			s.check.Copied(to+i*pitch, from+i*fromPitch, width)
		} else {
			s.check.Written(to+i*pitch, width)
		}
	}
}

func (r *rows) row(i int) []byte { return r.data[i*r.pitch : i*r.pitch+r.width] }

// copy is a copy between host and device, or within the device. The program itself moves what is in its
// own memory, once it has the reply.
func (s *Session) copy(r *request) (*workload.Op, error) {
	to, pitch, from, fromPitch, width, height, stream, flags := r.args[0], r.args[1], r.args[2], r.args[3], r.args[4], r.args[5], r.args[6], r.args[7]
	if s.streams[stream] == nil {
		return s.refuse(invalidHandle)
	}
	op := &workload.Op{Stream: int(stream), Async: flags&waits == 0, Done: func(uint64) {}}
	var target, source rows
	ok, given := true, true
	if to != 0 {
		target, given = s.rowsAt(to, pitch, width, height)
		ok = ok && given
		op.Addr = to
	}
	if from != 0 {
		source, given = s.rowsAt(from, fromPitch, width, height)
		ok = ok && given
		if to == 0 {
			op.Addr = from
		}
	}
	if !ok || flags&moves != 0 && (to == 0 || from == 0) {
		return s.refuse(invalidValue)
	}
	if flags&moves != 0 {
		op.Done = func(uint64) {
			for i := range target.height {
				copy(target.row(i), source.row(i))
			}
			s.written(to, pitch, from, fromPitch, width, height)
		}
	} else if to != 0 {
		s.written(to, pitch, 0, 0, width, height)
	}
	switch flags & (fromHost | toHost) {
	case fromHost, toHost:
		op.Bytes, op.ToHost = width*height, flags&toHost != 0
	default: // no bus between the two
		op.Mark = true
	}
	return op, nil
}

// fill sets bytes in memory.
func (s *Session) fill(r *request) (*workload.Op, error) {
	addr, pitch, value, width, height, stream, size := r.args[0], r.args[1], r.args[2], r.args[3], r.args[4], r.args[5], r.args[6]
	if s.streams[stream] == nil {
		return s.refuse(invalidHandle)
	}
	target, ok := s.rowsAt(addr, pitch, width, height)
	if !ok || size != 1 && size != 2 && size != 4 || width%size != 0 {
		return s.refuse(invalidValue)
	}
	pattern := []byte{byte(value), byte(value >> 8), byte(value >> 16), byte(value >> 24)}[:size]
	return &workload.Op{Stream: int(stream), Async: true, Mark: true, Done: func(uint64) {
		row := bytes.Repeat(pattern, int(width/size))
		for i := range target.height {
			copy(target.row(i), row)
		}
		s.written(addr, pitch, 0, 0, width, height)
	}}, nil
}
