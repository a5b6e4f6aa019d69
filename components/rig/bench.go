package rig

import (
	"fmt"
	"reflect"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
)

// T is a test, a benchmark or a property: *testing.T, *testing.B or *rapid.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	FailNow()
}

// Bench is an engine with a clock, for one block and its neighbours.
type Bench struct {
	Engine *components.Engine
	// Clock is the clock of modules made on the bench.
	Clock *components.Domain
	// Limit is the number of cycles after which Run gives up waiting for the block to
	// rest; a hundred million unless it is set.
	Limit uint64
	t     T
}

// New returns a bench with a clock of the given frequency in Hz.
func New(t T, hz uint64) *Bench {
	t.Helper()
	return (&Bench{Engine: components.NewEngine(), Limit: restCycles, t: t}).WithClock(hz)
}

// On returns a bench with an existing clock.
func On(t T, clock *components.Domain) *Bench {
	return &Bench{Engine: clock.Engine(), Clock: clock, Limit: restCycles, t: t}
}

const restCycles = 100_000_000

// WithClock returns the same bench with another clock, of the given frequency in Hz,
// for further modules. All clocks must be made before the first Peer sends.
func (b Bench) WithClock(hz uint64) *Bench {
	b.t.Helper()
	d, err := b.Engine.AddDomain(fmt.Sprintf("clock of %d Hz", hz), hz)
	if err != nil {
		b.t.Fatalf("rig: %v", err)
	}
	b.Clock = d
	return &b
}

// Join connects two ports by a link of one cycle. One may be a stock Akita port.
func (b *Bench) Join(x, y sim.Port) {
	b.t.Helper()
	if _, err := components.Join(x, y); err != nil {
		b.t.Fatalf("rig: %v", err)
	}
}

// Run simulates until no event is left, or the engine is stopped. The test fails if
// the simulation fails, or if modules still move after Limit cycles.
func (b *Bench) Run() {
	b.t.Helper()
	from := b.Engine.Now()
	more := b.Engine.RunUntil(from + b.Clock.At(b.Limit))
	if err := b.Engine.Err(); err != nil {
		b.t.Fatalf("rig: %v", err)
	}
	if more && b.Engine.Now()-from > b.Clock.At(b.Limit/2) {
		b.t.Fatalf("rig: modules still move after %d cycles", b.Limit)
	}
}

// RunTo simulates all edges before a cycle.
func (b *Bench) RunTo(cycle uint64) { b.Engine.RunUntil(b.Clock.At(cycle)) }

// Cycle is the clock's edge at the current instant, or the last before it.
func (b *Bench) Cycle() uint64 { return uint64(b.Engine.Now() / b.Clock.Period()) }

// InAnyOrder calls run several times, with the modules of every edge in the order in
// which they were made and in shuffled orders, and fails the test unless every result
// is the same. Run must call shuffle with its bench before anything moves.
func InAnyOrder[R any](t T, run func(shuffle func(*Bench)) R) {
	t.Helper()
	want := run(func(*Bench) {})
	for seed := range uint64(3) {
		if got := run(func(b *Bench) { b.Engine.Shuffle(seed) }); !reflect.DeepEqual(want, got) {
			t.Fatalf("rig: the order of modules changes the result (seed %d)\nin their own order: %+v\nshuffled: %+v", seed, want, got)
		}
	}
}

// hook makes a sim.Hook of a function.
type hook struct{ f func(sim.HookCtx) }

func (h *hook) Func(ctx sim.HookCtx) { h.f(ctx) }

// Watch records the messages that go through a port at one of Akita's positions:
// sim.HookPosPortMsgSend, sim.HookPosPortMsgRecvd or sim.HookPosPortMsgRetrieve.
// Cycles are of the bench's clock.
func Watch[M sim.Msg](b *Bench, port *components.Port, pos *sim.HookPos) *[]Event[M] {
	log := &[]Event[M]{}
	port.AcceptHook(&hook{func(ctx sim.HookCtx) {
		if ctx.Pos == pos {
			*log = append(*log, Event[M]{b.Cycle(), ctx.Item.(M)})
		}
	}})
	return log
}

// Ticks counts the ticks of a module from the call on.
func (b *Bench) Ticks(module *components.Module) *int {
	ticks := new(int)
	b.Engine.AcceptHook(&hook{func(ctx sim.HookCtx) {
		if ev, ok := ctx.Item.(sim.Event); ok && ctx.Pos == sim.HookPosBeforeEvent && ev.Handler() == sim.Handler(module) {
			*ticks++
		}
	}})
	return ticks
}
