package conservation

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/workload/streamcache"
)

// outcome is what became of a run.
type outcome struct {
	*mix
	result *experiment.Result
	gpu    *wiring.Platform
	blocks *census
	cycles uint64
	// ended: every application has run once, to its end.
	ended bool
	// refused: the run is invalid, and err says why. Otherwise err is that of the run.
	refused bool
	err     error
	// issued is the number of instructions when last one was seen to issue, at cycle
	// movedAt.
	issued, movedAt uint64
	// broken is what should hold and does not.
	broken []string
}

// fail notes what does not hold.
func (o *outcome) fail(format string, args ...any) {
	o.broken = append(o.broken, fmt.Sprintf(format, args...))
}

// equal notes two numbers that should be the same.
func (o *outcome) equal(want, got int, format string, args ...any) {
	if want != got {
		o.fail("%s: %d and %d", fmt.Sprintf(format, args...), want, got)
	}
}

// same is equal for counters.
func (o *outcome) same(want, got uint64, format string, args ...any) {
	if want != got {
		o.fail("%s: %d and %d", fmt.Sprintf(format, args...), want, got)
	}
}

// perform makes a run and checks the invariants of every run. A panic is a fault like any
// other.
func perform(m *mix, cache *streamcache.Store) (o *outcome) {
	o = &outcome{mix: m, blocks: newCensus()}
	defer func() {
		if fault := recover(); fault != nil {
			o.fail("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	r, err := m.open(cache)
	if err != nil {
		o.refused, o.err = true, err
		return o
	}
	r.Listener = o.blocks.listener()
	r.Parallel = 1
	r.Started = func(gpu *wiring.Platform) error {
		o.gpu = gpu
		gpu.Every(lookEvery, o.look)
		return nil
	}
	o.result, o.err = r.Do(context.Background())
	switch {
	case o.err == nil:
		o.cycles, o.ended = o.result.Cycles, m.cycles == 0 && m.replays == 0
		o.check()
	case o.gpu == nil && !errors.Is(o.err, wiring.ErrUnfinished):
		o.refused = true
	case !errors.Is(o.err, wiring.ErrUnfinished):
		o.fail("the run ends with an error: %v", o.err)
	}
	return o
}

// A GPU that has work issues an instruction every now and then, unless page faults are
// served: a phase of a CPU takes less than stillCycles.
const lookEvery, stillCycles = 5_000, 200_000

// look notes when the GPU has stood still for too long.
func (o *outcome) look(cycle uint64) {
	issued := uint64(0)
	for _, m := range o.gpu.SMs {
		issued += m.Issued()
	}
	if issued != o.issued || o.gpu.Pager != nil && o.gpu.Pager.Busy() {
		o.issued, o.movedAt = issued, cycle
	}
	if cycle-o.movedAt == stillCycles {
		o.fail("no instruction issues from cycle %d to %d", o.movedAt, cycle)
	}
}

// report is the output of a failed run: the broken invariants, and the command.
func (o *outcome) report() string {
	return o.command() + "\n  " + strings.Join(o.broken, "\n  ")
}
