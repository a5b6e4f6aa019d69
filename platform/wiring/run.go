package wiring

import (
	"context"
	"errors"
	"fmt"

	"cotenant/sm"
)

const (
	// stepCycles is how many core cycles run between two looks at the context.
	stepCycles = 8192
	// stuckCycles of the slowest clock without an instruction issued mean that
	// nothing ever will be; launches may take half as long.
	stuckCycles = 2_000_000
)

// Run simulates until every process has completed the runs asked for, or up to limit core
// cycles if limit is not 0. Between steps it calls progress, which may be nil. Its errors
// are: a wrong input, a message that a block does not know, Aborted after a forbidden
// access, ctx's error, a deadlock, a thread block that never leaves its SM, a SpinError, ErrUnfinished.
func (p *Platform) Run(ctx context.Context, limit uint64, progress func(cycle, warpInstructions uint64)) error {
	defer p.Driver.Close()
	defer p.Host.Close()
	step := uint64(stepCycles)
	for next := step; ; next += step {
		for _, last := range []uint64{limit, p.giveUp} {
			if last > 0 {
				next = min(next, last)
			}
		}
		more := p.runTo(next)
		if err := errors.Join(p.engine.Err(), p.Host.Err(), p.Driver.Err()); err != nil {
			return p.explain(err)
		}
		if p.Host.Done() || next == limit {
			return nil
		}
		if p.enough != nil && p.enough() {
			p.ended = next
			return nil
		}
		if err := ctx.Err(); err != nil {
			p.ended = next
			return fmt.Errorf("interrupted at cycle %d: %w", next, err)
		}
		issued := p.warpInstructions()
		if !more || p.stuck(next, issued) {
			return fmt.Errorf("nothing moves since cycle %d: the applications wait for events that cannot come; not done: %s", p.lastMoved, p.unfinished())
		}
		if err := p.drains.look(next, len(p.SMs), func(i int) []sm.Leaving { return p.SMs[i].Leaving() }, p.appName); err != nil {
			return err
		}
		if next == p.giveUp {
			return fmt.Errorf("%w after %d cycles: %s", ErrUnfinished, next, p.unfinished())
		}
		if err := p.spins.look(next); err != nil {
			return err
		}
		if limit == 0 {
			step = p.watchdog.look(next)
		}
		if progress != nil {
			progress(next, issued)
		}
	}
}

// Until has Run end early, when enough says so, which it is asked every few thousand core
// cycles.
func (p *Platform) Until(enough func() bool) { p.enough = enough }

// Cycles is the number of core cycles simulated: until the host saw that the last process
// had completed its runs, or until the limit or Until ended the run before.
func (p *Platform) Cycles(limit uint64) uint64 {
	if p.ended > 0 {
		return p.ended
	}
	if limit > 0 && !p.Host.Done() {
		return limit
	}
	return p.edges()
}

// edges is the number of edges of the core clock up to the present instant.
func (p *Platform) edges() uint64 { return uint64(p.engine.Now()/p.core.Period()) + 1 }

func (p *Platform) warpInstructions() (n uint64) {
	for _, m := range p.SMs {
		n += m.Issued()
	}
	return n
}

func (p *Platform) stuck(cycle, issued uint64) bool {
	if issued != p.lastProgress || p.serving() || p.Host.Waiting() {
		p.lastProgress, p.lastMoved = issued, cycle
	}
	slowest := min(p.Config.Clocks.NoC, p.Config.Clocks.L2, p.Config.Clocks.DRAM, p.Config.Clocks.Core)
	return cycle-p.lastMoved > stuckCycles*uint64(1+p.Config.Clocks.Core/slowest)
}

// Runs are the completed runs of the process that is furthest from its number, and that
// number; 0 and 0 where processes run once.
func (p *Platform) Runs() (completed, of uint64) {
	for i, process := range p.Host.Processes() {
		runs := uint64(max(0, process.Runs))
		done := min(p.Host.Stats(0).Processes[i].Completions, runs)
		if runs > 1 && (of == 0 || float64(done)/float64(runs) < float64(completed)/float64(of)) {
			completed, of = done, runs
		}
	}
	return completed, of
}

// Progress is the share of the runs of Runs that are completed, or of all thread blocks
// that have finished where processes run once, from 0 to 1; 0 if their number is not known, as
// that of programs is not.
func (p *Platform) Progress() float64 {
	if completed, of := p.Runs(); of > 0 {
		return float64(completed) / float64(of)
	}
	done, total := 0, 0
	for i, process := range p.Host.Processes() {
		kernels := process.App.Kernels()
		if len(kernels) == 0 {
			return 0
		}
		for _, k := range kernels {
			total += k.TBs() * max(1, process.Runs)
		}
		done += int(p.Driver.Stats().Tenants[i].TBsCompleted)
	}
	return min(1, float64(done)/float64(total))
}
