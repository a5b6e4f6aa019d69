package programs

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// queueBytes is the size of the queue, struct cotenant_queue of runtime/protocol.h: some 600 launches.
const queueBytes = 64 << 10

// queue holds the requests that a program has queued in shared memory while it computed. They come before
// the request with which the program waits, or before its end.
type queue struct {
	shared []byte // struct cotenant_queue, into which the program can write anything at any time
	taken  []byte
	// last is the request behind the ones taken, or lastErr the error in its place, until it has
	// been returned.
	last    request
	lastErr error
	waiting bool
	seen    uint64 // the size at the last look
}

func (q *queue) size() *uint64 { return (*uint64)(unsafe.Pointer(&q.shared[0])) }

// grows reports whether the program has queued requests since the last time.
func (q *queue) grows() bool {
	n := atomic.LoadUint64(q.size())
	grown := n != q.seen
	q.seen = n
	return grown
}

// take empties the queue; behind it comes a request, or an error in its place.
func (q *queue) take(last request, err error) {
	q.last, q.lastErr, q.waiting, q.seen = last, err, true, 0
	n, room := atomic.SwapUint64(q.size(), 0), uint64(len(q.shared)-8)
	if n > room {
		q.lastErr = fmt.Errorf("has queued %d bytes of requests; valid: up to %d", n, room)
		n = 0
	}
	q.taken = slices.Clone(q.shared[8:][:n])
}

// next gives the requests that have been taken, one after the other.
func (q *queue) next(r *request) error {
	if len(q.taken) == 0 {
		q.taken, q.waiting = nil, false
		*r = q.last
		return q.lastErr
	}
	rest, err := takeRequest(q.taken, r)
	if err != nil {
		return fmt.Errorf("in its queue, %w", err)
	}
	r.queued = true
	q.taken = rest[min(len(rest), -len(r.payload)&7):]
	return nil
}
