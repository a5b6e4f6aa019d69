package programs

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"sync"
)

// maxCompared bounds the calls of a run that are compared with the first run.
const maxCompared = 1 << 20

// sequence compares the calls of a program's runs with the calls of the run that began first.
type sequence struct {
	mu    sync.Mutex
	begun bool
	ended bool   // the first run has ended by itself
	calls []step // of the first run
	told  bool
	// found are the faults that have been told, by their keys.
	found map[string]bool
}

// step is a call: its kind, and the hash of all calls up to it.
type step struct {
	kind kind
	hash uint64
}

// hashSeed is of the hashes of calls, which are compared within one simulator only.
var hashSeed = maphash.MakeSeed()

// follower compares one run with a sequence.
type follower struct {
	*sequence
	first bool
	calls int
	hash  uint64
}

// follow begins a run.
func (q *sequence) follow() *follower {
	q.mu.Lock()
	defer q.mu.Unlock()
	f := &follower{sequence: q, first: !q.begun}
	q.begun = true
	return f
}

// new reports whether a fault has not been told, and notes it.
func (f *follower) new(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.found[key] {
		return false
	}
	if f.found == nil {
		f.found = map[string]bool{}
	}
	f.found[key] = true
	return true
}

// call enters a call. It says how the call differs from the first run's; "" if it does not, or if that has been
// said.
func (f *follower) call(r *request) string {
	var room [8 + 2 + 8*8 + 8]byte
	b := binary.LittleEndian.AppendUint64(room[:0], f.hash)
	b = binary.LittleEndian.AppendUint16(b, uint16(r.kind))
	for _, a := range r.args {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	f.hash = maphash.Bytes(hashSeed, binary.LittleEndian.AppendUint64(b, maphash.Bytes(hashSeed, r.payload)))
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.calls
	f.calls++
	switch {
	case at == maxCompared:
		f.ended = false // what follows is not known
	case at > maxCompared:
	case f.first:
		f.sequence.calls = append(f.sequence.calls, step{r.kind, f.hash})
	case at < len(f.sequence.calls):
		was := f.sequence.calls[at]
		switch {
		case was.hash == f.hash:
		case was.kind == r.kind:
			return f.tell("call %d, %v, has other arguments than in the first run", at+1, r.kind)
		default:
			return f.tell("call %d is %v, and %v in the first run", at+1, r.kind, was.kind)
		}
	case f.ended:
		return f.tell("call %d is %v, and the first run had %d", at+1, r.kind, at)
	}
	return ""
}

// end enters the end of the run, as call does.
func (f *follower) end() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.first:
		f.ended = f.calls <= maxCompared
	case f.ended && f.calls < len(f.sequence.calls):
		return f.tell("it has %d, and the first run had %d", f.calls, len(f.sequence.calls))
	}
	return ""
}

// tell says something once.
func (f *follower) tell(format string, args ...any) string {
	if f.told {
		return ""
	}
	f.told = true
	return "a run makes other calls of CUDA than the first: " + fmt.Sprintf(format, args...)
}
