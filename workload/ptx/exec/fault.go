package exec

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// FaultKind is what a thread has done wrong, by the number of CUDA's error for it (CUDA Runtime API, error
// handling).
type FaultKind int

// The kinds of faults.
const (
	// IllegalAddress is an access outside the arrays in global memory.
	IllegalAddress FaultKind = 700
	// Assertion is an assertion that does not hold.
	Assertion FaultKind = 710
	// StackOverflow is a call for which a thread's stack has no room.
	StackOverflow FaultKind = 714
	// IllegalInstruction has operands that no GPU takes.
	IllegalInstruction FaultKind = 715
	// MisalignedAddress is an access to an address that is no multiple of its size.
	MisalignedAddress FaultKind = 716
	// InvalidAddressSpace is an access to a space that the instruction does not take.
	InvalidAddressSpace FaultKind = 717
	// InvalidPC is a call through a pointer to no function that can be called so.
	InvalidPC FaultKind = 718
	// LaunchFailure is any other fault, such as a trap, or an access behind the end of shared or local memory.
	LaunchFailure FaultKind = 719
)

// Fault is the error of a thread. Its message names the instruction, the kernel and the thread.
type Fault struct {
	*workload.InputError
	Kind FaultKind
}

// Unwrap returns the message with its place.
func (f *Fault) Unwrap() error { return f.InputError }

// fail stops the warp with an error at an instruction for one lane. The first
// error stays.
func (w *Warp) fail(o *op, kind FaultKind, lane int, what string) {
	if w.fault != nil {
		return
	}
	from := ""
	if file, line := o.fn.Origin(o.inst.Line); file != "" {
		from = fmt.Sprintf(" (%s:%d)", file, line)
	}
	w.fault = &Fault{&workload.InputError{File: o.fn.File, Line: o.inst.Line, Msg: fmt.Sprintf("%s in kernel %s%s, thread %v of thread block %v: %s",
		o.inst.Opcode(), w.program.kernel.Name, from, w.thread(lane), w.tb.position, what)}, kind}
}

func (w *Warp) failAccess(o *op, kind FaultKind, lane int, addr uint64, what string) {
	w.fail(o, kind, lane, fmt.Sprintf("address %#x in .%v %s", addr, w.space, what))
}

// failOutside reports an access behind the end of a space of size bytes, or
// outside the arrays in global memory.
func (w *Warp) failOutside(o *op, lane int, space ptx.Space, addr, size uint64) {
	if space == ptx.Global || space == ptx.Const || space == ptx.Generic {
		w.failAccess(o, IllegalAddress, lane, addr, "is "+w.memory.describe(addr)+w.argument(addr))
		return
	}
	w.failAccess(o, LaunchFailure, lane, addr, fmt.Sprintf("is past the end; valid are the %d bytes from 0", size))
}

// failPointer reports a call through a pointer.
func (w *Warp) failPointer(o *op, lane int) {
	w.fail(o, InvalidPC, lane, "it calls through a pointer to no function with these parameters; valid are functions of which the program takes the address")
}

// failAssertion reports an assertion in CUDA's words. The arguments' addresses are of local memory.
func (w *Warp) failAssertion(o *op, text, file, line, function uint64) {
	lane := bits.TrailingZeros32(w.active)
	size := uint64(w.localBytes)
	local := w.local[uint64(lane)*size:][:size]
	if max(text, file, line, function)+8 > size+4 {
		runTrap(w, o)
		return
	}
	word := func(at uint64) string { return w.text(binary.LittleEndian.Uint64(local[at:])) }
	b, t := w.tb.position, w.thread(lane)
	w.fail(o, Assertion, lane, fmt.Sprintf("%s:%d: %s: block: [%d,%d,%d], thread: [%d,%d,%d] Assertion `%s` failed.",
		word(file), binary.LittleEndian.Uint32(local[line:]), word(function), b.X, b.Y, b.Z, t.X, t.Y, t.Z, word(text)))
}

func (w *Warp) failIndex(o *op, lane int, index uint32) {
	w.fail(o, LaunchFailure, lane, fmt.Sprintf("index %d; valid are 0 to %d", index, len(o.list)-1))
}

func (w *Warp) failBarrier(o *op, lane int, id uint32) {
	w.fail(o, IllegalInstruction, lane, fmt.Sprintf("barrier %d; valid are 0 to %d", id, barriers-1))
}
