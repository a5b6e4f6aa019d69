package profile

import (
	"fmt"

	"cotenant/workload"
)

// Open implements workload.Source.
func (p *program) Open() (workload.Launch, error) { return &launch{program: p}, nil }

// launch hands out the TBs of one run. TBs that have finished lend their warps
// to later ones.
type launch struct {
	program *program
	next    int
	free    []*block
}

// block is the memory of one TB.
type block struct {
	warps   []warp
	streams []workload.Stream
}

// Next implements workload.Launch.
func (l *launch) Next(tb *workload.TB) error {
	p := l.program
	if l.next == p.tbs {
		return fmt.Errorf("kernel %s has only %d thread blocks", p.name, p.tbs)
	}
	b := l.take()
	tb.ID, tb.Warps, tb.Data = l.next, b.streams, b
	l.next++
	return l.Restart(tb)
}

// Restart implements workload.Restarter.
func (l *launch) Restart(tb *workload.TB) error {
	b := tb.Data.(*block)
	key := mix(l.program.key + uint64(tb.ID+1)*golden)
	for i := range b.warps {
		b.warps[i].start(tb.ID, i, key)
	}
	return nil
}

func (l *launch) take() *block {
	if n := len(l.free); n > 0 {
		b := l.free[n-1]
		l.free = l.free[:n-1]
		return b
	}
	b := &block{warps: make([]warp, l.program.warps), streams: make([]workload.Stream, l.program.warps)}
	for i := range b.warps {
		b.warps[i].program = l.program
		b.streams[i] = &b.warps[i]
	}
	return b
}

// Recycle implements workload.Launch.
func (l *launch) Recycle(tb *workload.TB) {
	l.free = append(l.free, tb.Data.(*block))
	tb.Warps, tb.Data = nil, nil
}

// Close implements workload.Launch.
func (l *launch) Close() error { return nil }
