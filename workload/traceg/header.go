package traceg

import (
	"bytes"
	"io"
	"math"

	"cotenant/workload"
)

const (
	minVersion = 3 // first tracer version with its warps grouped by "warp ="
	maxVersion = 6 // Accel-Sim 2.0's

	// valuedVersion is the first version that lists predicates and uniform registers, and may
	// list the registers' values.
	valuedVersion = 6

	minBinary = 30 // Kepler: opcodes of older code are not in the table

	maxThreadsPerTB = 1024
	maxRegisters    = 255 // per thread; the register number has eight bits

	maxHeader = 1000 // lines

	// maxTBs bounds the bit set that finds a thread block given twice (8 MB).
	maxTBs = 1 << 26
)

// header is what the lines before the first thread block say.
type header struct {
	name        string
	grid, block workload.Dim3
	shared      int // bytes per thread block
	registers   int // per thread
	binary      int // compute capability x 10 that the code was compiled for
	stream      int
	sharedBase  uint64 // of the shared window of generic addresses; 0 if unknown
	localBase   uint64 // of the local window
	version     int    // of the tracer
	blockLine   int    // line that states the block
	lineInfo    bool   // instruction lines begin with a source line number
}

// required lists the keys that every header has, with an example value.
var required = []struct{ key, example string }{
	{"kernel name", "_Z3addPf"},
	{"grid dim", "(196,1,1)"},
	{"block dim", "(256,1,1)"},
	{"shmem", "0"},
	{"nregs", "12"},
	{"binary version", "80"},
	{"accelsim tracer version", "5"},
}

// readHeader reads up to the first line that is neither blank nor "-key =
// value". Keys that it does not know say nothing that the simulator needs.
func readHeader(l *lines) (header, error) {
	var h header
	seen := map[string]bool{}
	for {
		b, err := l.nextText()
		if err == io.EOF {
			break
		}
		if err != nil {
			return h, err
		}
		if b[0] != '-' {
			l.unread(b)
			break
		}
		key, value, ok := setting(b[1:])
		if !ok {
			return h, l.errorf("malformed header line %q; valid is \"-key = value\"", clip(b))
		}
		if seen[string(key)] {
			return h, l.errorf("second %q line; valid is one", "-"+string(clip(key)))
		}
		if len(seen) == maxHeader {
			return h, l.errorf("one more header line than the %d that are valid", maxHeader)
		}
		seen[string(key)] = true
		if err := h.set(l, string(key), value); err != nil {
			return h, err
		}
	}
	for _, r := range required {
		if !seen[r.key] {
			return h, l.errorf("the header ends without \"-%s\"; valid is a line like \"-%s = %s\"", r.key, r.key, r.example)
		}
	}
	return h, nil
}

func (h *header) set(l *lines, key string, value []byte) (err error) {
	number := func(lo, hi int64) int {
		v, ok := decimal(value)
		if !ok || v < lo || v > hi {
			err = l.errorf("%s is %q; valid is a number from %d to %d", key, clip(value), lo, hi)
		}
		return int(v)
	}
	address := func() uint64 {
		v, ok := hex(value)
		if !ok {
			err = l.errorf("%s is %q; valid is a hexadecimal address", key, clip(value))
		}
		return v
	}
	dim := func(limit int) workload.Dim3 {
		d, ok := triple(bytes.TrimSuffix(bytes.TrimPrefix(value, []byte("(")), []byte(")")), math.MaxInt32)
		if !ok || d.X < 1 || d.Y < 1 || d.Z < 1 || d.X > limit || d.Y > limit/d.X || d.Z > limit/(d.X*d.Y) {
			err = l.errorf("%s is %q; valid is (x,y,z), each at least 1 and x*y*z at most %d", key, clip(value), limit)
		}
		return d
	}
	switch key {
	case "kernel name":
		if h.name = string(value); h.name == "" {
			err = l.errorf("kernel name is empty; valid is a name")
		}
	case "grid dim":
		h.grid = dim(maxTBs)
	case "block dim":
		h.block, h.blockLine = dim(maxThreadsPerTB), l.line
	case "shmem":
		h.shared = number(0, math.MaxInt32)
	case "nregs":
		h.registers = number(1, maxRegisters)
	case "binary version":
		v, ok := decimal(value)
		if h.binary = int(v); !ok || v < minBinary || !workload.IsSM(h.binary) {
			err = l.errorf("%s is %q; valid is the number of an architecture: %s", key, clip(value), workload.SMs(minBinary))
		}
	case "cuda stream id":
		h.stream = number(0, math.MaxInt64)
	case "shmem base_addr":
		h.sharedBase = address()
	case "local mem base_addr":
		h.localBase = address()
	case "accelsim tracer version":
		h.version = number(minVersion, maxVersion)
	case "enable lineinfo":
		h.lineInfo = number(0, 1) == 1
	case "kernel id":
		number(0, math.MaxInt32)
	}
	return err
}

// triple reads "x,y,z", each from 0 to limit.
func triple(b []byte, limit int) (workload.Dim3, bool) {
	var v [3]int
	rest, more := b, true
	for i := range v {
		var f []byte
		var ok bool
		if !more {
			return workload.Dim3{}, false
		}
		f, rest, more = bytes.Cut(rest, []byte{','})
		if v[i], ok = count(bytes.TrimSpace(f), limit); !ok {
			return workload.Dim3{}, false
		}
	}
	return workload.Dim3{X: v[0], Y: v[1], Z: v[2]}, !more
}
