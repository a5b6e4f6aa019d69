package components

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sarchlab/akita/v3/sim"
)

// Time is an instant in engine units: 1/Base second each.
type Time uint64

// Never is later than every instant that an engine reaches.
const Never = Time(math.MaxUint64)

const (
	// minBase keeps the unit at a picosecond or below, so that events which
	// belong to no clock domain are placed finely enough.
	minBase = 1_000_000_000_000
	// minHorizonSeconds is the simulated time that must fit in a Time.
	minHorizonSeconds = 100
)

// Engine runs events in time order: at one instant primary events before secondary
// ones. At an edge of a clock its modules tick first, in the order in which they were
// made, before other events in the order in which they were scheduled. It implements
// sim.Engine. One goroutine uses it; Pause and Continue may be called from any.
type Engine struct {
	sim.HookableBase

	base    uint64
	domains []*Domain
	now     Time
	nowSec  sim.VTimeInSec
	// overflow holds events off every domain's grid, or too far ahead for a
	// domain's ring.
	overflow  overflowHeap
	sequence  uint64
	instant   phases // off-grid events of the current instant
	secondary int    // secondary events scheduled and not yet run
	shuffle   *shuffle

	lags    []*Lag
	lagging Time // the least of their deadlines, or less
	outlets []*Outlet
	reached Time // all before this instant has happened: what observers see between runs

	running sync.Mutex
	control sync.Mutex  // serialises Pause and Continue
	pausing atomic.Bool // held by Pause, or about to be
	stopped bool
	err     error // of a failed simulation

	endHandlers []sim.SimulationEndHandler
}

// phases are the events of one instant and one domain, without ticks of modules.
type phases struct {
	primary, secondary         []sim.Event
	primaryNext, secondaryNext int
}

func (p *phases) add(ev sim.Event, secondary bool) {
	if secondary {
		p.secondary = append(p.secondary, ev)
	} else {
		p.primary = append(p.primary, ev)
	}
}

func (p *phases) empty() bool {
	return p.primaryNext == len(p.primary) && p.secondaryNext == len(p.secondary)
}

// reset forgets the events and returns how many there were.
func (p *phases) reset() int {
	events := len(p.primary) + len(p.secondary)
	p.primary, p.secondary = p.primary[:0], p.secondary[:0]
	p.primaryNext, p.secondaryNext = 0, 0
	return events
}

// NewEngine returns an engine without clock domains, at time 0.
func NewEngine() *Engine { return &Engine{base: minBase, lagging: Never} }

// AddDomain adds a clock of the given frequency in Hz, with its first edge at
// time 0. All domains must be added before the first event is scheduled. It
// returns an error if the frequency is zero, or if a common time base with the other
// clocks would overflow within minHorizonSeconds.
func (e *Engine) AddDomain(name string, hz uint64) (*Domain, error) {
	if hz == 0 {
		return nil, fmt.Errorf("clock domain %s: frequency must be above 0 Hz", name)
	}
	if e.now != 0 || e.nextTime() != Never {
		return nil, fmt.Errorf("clock domain %s: added after events were scheduled", name)
	}
	base := uint64(1)
	for _, d := range append(e.domains[:len(e.domains):len(e.domains)], &Domain{hz: hz}) {
		hi, lcm := bits.Mul64(base/gcd(base, d.hz), d.hz)
		if hi != 0 || lcm > math.MaxUint64/2/minHorizonSeconds {
			return nil, fmt.Errorf("clock domain %s: %d Hz has no common time base with the other clocks; choose whole MHz", name, hz)
		}
		base = lcm
	}
	// Twice the common multiple leaves an instant between any two edges.
	base *= 2
	if base < minBase {
		base *= (minBase + base - 1) / base
	}
	e.base = base
	d := &Domain{name: name, hz: hz, engine: e, nextTime: Never}
	e.domains = append(e.domains, d)
	for _, d := range e.domains {
		d.period = Time(base / d.hz)
	}
	return d, nil
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Base is the number of time units per second.
func (e *Engine) Base() uint64 { return e.base }

// Now is the current instant in engine units.
func (e *Engine) Now() Time { return e.now }

// Reached is the instant before which everything has happened, between runs: the limit of
// the last run, or just after the instant at which it stopped.
func (e *Engine) Reached() Time { return e.reached }

// CurrentTime is the current instant in seconds.
func (e *Engine) CurrentTime() sim.VTimeInSec { return e.nowSec }

// Schedule places an event: on an edge of a domain if its time is exactly that edge,
// else at an instant between the edges. An event in the past is an error in a
// component, so Schedule panics, as Akita's engines do.
func (e *Engine) Schedule(ev sim.Event) {
	if ev.Time() < e.nowSec {
		panic(fmt.Sprintf("event at %.12g s scheduled in the past, now %.12g s", ev.Time(), e.nowSec))
	}
	if ev.IsSecondary() {
		e.secondary++
	}
	at := Time(math.Round(float64(ev.Time()) * float64(e.base)))
	for _, d := range e.domains {
		cycle := uint64(math.Round(float64(ev.Time()) * float64(d.hz)))
		switch edge := d.seconds(cycle); {
		case ev.Time() == edge:
			d.insert(cycle, ev, ev.IsSecondary())
			return
		case ev.Time() < edge:
			at = min(at, d.At(cycle)-1)
		default:
			at = max(at, d.At(cycle)+1)
		}
	}
	e.pushOverflow(at, ev.Time(), ev, ev.IsSecondary())
}

func (e *Engine) pushOverflow(at Time, seconds sim.VTimeInSec, ev sim.Event, secondary bool) {
	e.sequence++
	if at == e.now && seconds == e.nowSec {
		e.instant.add(ev, secondary)
		return
	}
	e.overflow.push(overflowEvent{at: at, seconds: seconds, sequence: e.sequence, event: ev, secondary: secondary})
}

// Run processes events until none is left, or Stop or Fail is called, and
// returns Err.
func (e *Engine) Run() error {
	e.RunUntil(Never)
	return e.err
}

// Stop makes Run and RunUntil return after the current instant.
func (e *Engine) Stop() { e.stopped = true }

// Fail stops the engine for good: Run and RunUntil process nothing afterwards. Err
// keeps the first error.
func (e *Engine) Fail(err error) {
	if e.err == nil {
		e.err = err
	}
	e.stopped = true
}

// Err is the error of a failed simulation, else nil.
func (e *Engine) Err() error { return e.err }

// RunUntil processes all events before the instant limit and reports whether
// any event is left.
func (e *Engine) RunUntil(limit Time) bool {
	e.running.Lock()
	defer e.running.Unlock()
	e.stopped = e.err != nil
	for !e.stopped {
		for e.pausing.Load() {
			e.settle(e.now + 1)
			e.running.Unlock()
			runtime.Gosched()
			e.running.Lock()
		}
		next := e.nextTime()
		if e.lagging <= next && e.lagging < limit {
			e.catchUpFirst(min(next, limit))
			continue
		}
		if next >= limit {
			e.settle(limit)
			return e.more()
		}
		e.now = next
		e.runInstant()
	}
	e.settle(e.now + 1)
	return e.more()
}

func (e *Engine) more() bool { return e.nextTime() != Never || e.lagging != Never }

func (e *Engine) nextTime() Time {
	next := Never
	if len(e.overflow) > 0 {
		next = e.overflow[0].at
	}
	if !e.instant.empty() {
		next = e.now
	}
	for _, d := range e.domains {
		next = min(next, d.nextTime)
	}
	return next
}

// runInstant runs the events of the current instant. Off-grid events less than a time
// unit apart share an instant, but still run in the order of their times.
func (e *Engine) runInstant() {
	if e.overflow.due(e.now) {
		e.admitOverflow()
	}
	for e.runAllPrimary() || e.runOneSecondary() {
	}
	for _, d := range e.domains {
		if d.nextTime <= e.now {
			d.finish()
		}
	}
	e.instant.reset()
}

func (e *Engine) admitOverflow() {
	e.nowSec = e.overflow[0].seconds
	for e.overflow.due(e.now) && e.overflow[0].seconds == e.nowSec {
		o := e.overflow.pop()
		if t, ok := o.event.(*tickEvent); ok {
			t.module.farTickDue()
		} else {
			e.instant.add(o.event, o.secondary)
		}
	}
	for _, d := range e.domains {
		d.catchUp()
	}
}

// runAllPrimary runs the primary events of the instant, including events that they
// add to it, and reports whether there were any. Events from the overflow come first:
// they were scheduled before any event that found room in a ring.
func (e *Engine) runAllPrimary() (ran bool) {
	ran = e.runPrimary(&e.instant)
	if e.shuffle != nil {
		return e.shuffle.run(e) || ran
	}
	for _, d := range e.domains {
		if d.nextTime <= e.now {
			ran = d.tick() || ran
			ran = d.foreign > 0 && d.runForeign() || ran
		}
	}
	return ran
}

// runPrimary runs the remaining primary events, and reports whether there were any.
func (e *Engine) runPrimary(p *phases) (ran bool) {
	first := p.primaryNext
	for i := first; i < len(p.primary); i++ {
		e.handle(p.primary[i])
	}
	p.primaryNext = len(p.primary)
	return p.primaryNext > first
}

func (e *Engine) runOneSecondary() bool {
	if e.secondary == 0 {
		return false
	}
	if e.runSecondary(&e.instant) {
		return true
	}
	for _, d := range e.domains {
		if p := &d.events[d.next%ringSize]; d.nextTime <= e.now && p.secondaryNext < len(p.secondary) {
			d.enter()
			return e.runSecondary(p)
		}
	}
	return false
}

func (e *Engine) runSecondary(p *phases) bool {
	if p.secondaryNext == len(p.secondary) {
		return false
	}
	ev := p.secondary[p.secondaryNext]
	p.secondaryNext++
	e.secondary--
	e.handle(ev)
	return true
}

func (e *Engine) handle(ev sim.Event) {
	e.nowSec = ev.Time()
	if e.NumHooks() == 0 {
		_ = ev.Handler().Handle(ev)
		return
	}
	ctx := sim.HookCtx{Domain: e, Pos: sim.HookPosBeforeEvent, Item: ev}
	e.InvokeHook(ctx)
	_ = ev.Handler().Handle(ev)
	ctx.Pos = sim.HookPosAfterEvent
	e.InvokeHook(ctx)
}

// Pause holds the simulation before the next instant until Continue. It waits for the
// current instant to end, so an event must not call it.
func (e *Engine) Pause() {
	e.control.Lock()
	defer e.control.Unlock()
	if e.pausing.CompareAndSwap(false, true) {
		e.running.Lock()
	}
}

// Continue resumes a paused simulation.
func (e *Engine) Continue() {
	e.control.Lock()
	defer e.control.Unlock()
	if e.pausing.CompareAndSwap(true, false) {
		e.running.Unlock()
	}
}

// RegisterSimulationEndHandler adds a handler that Finished calls.
func (e *Engine) RegisterSimulationEndHandler(h sim.SimulationEndHandler) {
	e.endHandlers = append(e.endHandlers, h)
}

// Finished calls every registered end handler with the current time.
func (e *Engine) Finished() {
	for _, h := range e.endHandlers {
		h.Handle(e.nowSec)
	}
}
