package traceg

import (
	"errors"
	"sync"

	"cotenant/workload"
	"cotenant/workload/packed"
)

// aheadBytes bounds the memory of the thread blocks that have been parsed and not been
// asked for: parsing goes on while they take less, so the last one may exceed it.
const aheadBytes = 256 << 10

// ahead parses a kernel's thread blocks on a goroutine of its own, some of them before the
// model asks for them. The model gets the same thread blocks in the same order as without
// the goroutine, and a fault in the file when it asks for the thread block with the fault.
type ahead struct {
	*parser
	ended chan struct{} // closed when the goroutine has ended; nil before it starts

	mu      sync.Mutex
	moved   sync.Cond // of ready: tells the side that waits, which is never both
	ready   []parsed
	bytes   int             // of ready
	back    []*packed.Block // that the model has given back
	stopped bool
}

// parsed is the next thread block, or else an error or a panic.
type parsed struct {
	block *packed.Block
	err   error
	fault any
}

// take returns the next thread block. It returns an error again and again.
func (a *ahead) take() (*packed.Block, error) {
	if a.ended == nil {
		a.ended = make(chan struct{})
		go a.run()
	}
	a.mu.Lock()
	for len(a.ready) == 0 {
		a.moved.Wait()
	}
	next := a.ready[0]
	if next.block != nil {
		a.ready = append(a.ready[:0], a.ready[1:]...)
		a.bytes -= next.block.Memory()
		if a.bytes < aheadBytes/2 {
			a.moved.Signal()
		}
	}
	a.mu.Unlock()
	if next.fault != nil {
		panic(next.fault)
	}
	return next.block, next.err
}

// giveBack returns a thread block's memory.
func (a *ahead) giveBack(b *packed.Block) {
	a.mu.Lock()
	a.back = append(a.back, b)
	a.mu.Unlock()
}

// stop ends the goroutine and waits for that. From then on the parser is the caller's.
func (a *ahead) stop() {
	if a.ended == nil {
		return
	}
	a.stopping.Store(true)
	a.mu.Lock()
	a.stopped = true
	a.moved.Signal()
	a.mu.Unlock()
	<-a.ended
}

// run is the goroutine: it parses until the grid is complete, an error, or stop.
func (a *ahead) run() {
	defer close(a.ended)
	defer func() {
		if fault := recover(); fault != nil {
			a.hand(parsed{fault: fault})
		}
	}()
	for n := range a.header.grid.Count() {
		b, err := a.parse(n)
		if !a.hand(parsed{block: b, err: err}) {
			return
		}
	}
}

// hand queues what was parsed, waits for room, and takes back the memory that the model
// does not need. It reports whether there is more to parse.
func (a *ahead) hand(p parsed) (more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ready = append(a.ready, p)
	a.moved.Signal()
	if p.block == nil {
		return false
	}
	a.bytes += p.block.Memory()
	if a.bytes >= aheadBytes {
		for a.bytes >= aheadBytes/2 && len(a.ready) > 0 && !a.stopped {
			a.moved.Wait()
		}
	}
	for _, b := range a.back {
		a.Put(b)
	}
	a.back = a.back[:0]
	return !a.stopped
}

// errStopped ends a thread block that is not wanted any more.
var errStopped = errors.New("stopped")

// parse reads the thread block of a number.
func (a *ahead) parse(n int) (*packed.Block, error) {
	more, err := a.begin()
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, a.in.errorf("the file ends after %s; valid are the %d of the grid %v", workload.Count(n, "thread block"), a.header.grid.Count(), a.header.grid)
	}
	b := a.Take()
	if err := a.block(b); err != nil {
		return nil, err
	}
	return b, nil
}
