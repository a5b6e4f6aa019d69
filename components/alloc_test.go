package components_test

import (
	"fmt"
	"testing"

	"cotenant/components"

	"github.com/stretchr/testify/require"
)

// allocations is the number of allocations of a thousand cycles of a 1 GHz
// clock, after fifty thousand for warming up.
func allocations(e *components.Engine) float64 {
	limit := components.Time(0)
	run := func() {
		limit += 1000 * components.Time(e.Base()/1_000_000_000)
		e.RunUntil(limit)
	}
	for range 50 {
		run()
	}
	return testing.AllocsPerRun(10, run)
}

func TestTicksDoNotAllocate(t *testing.T) {
	e := components.NewEngine()
	startSpinners(t, e, 64, 10_000_000)
	require.Zero(t, allocations(e))
}

func TestMessagesDoNotAllocate(t *testing.T) {
	e := components.NewEngine()
	startMatch(t, e, 10_000_000)
	require.Zero(t, allocations(e))
}

func TestTimersDoNotAllocate(t *testing.T) {
	e, d := engineWith(t, 1e9, 700e6)
	for i := range 20 {
		m := &recorder{}
		m.tick = func(c uint64) bool {
			m.WakeAt(c + 700) // beyond the ring
			m.WakeAt(c + uint64(i) + 2)
			return false
		}
		m.Init(fmt.Sprintf("M[%d]", i), d[i%2], m)
		m.Start()
	}
	require.Zero(t, allocations(e))
}

func TestPoolAndFIFODoNotAllocate(t *testing.T) {
	var p components.Pool[ball]
	f := components.NewFIFO[*ball](8)
	fill := func() {
		for !f.Full() {
			f.Push(p.Get())
		}
		for f.Len() > 0 {
			p.Put(f.Pop())
		}
	}
	fill()
	require.Zero(t, testing.AllocsPerRun(100, fill))
}
