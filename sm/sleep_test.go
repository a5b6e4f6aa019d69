package sm

import (
	"testing"

	"cotenant/components/rig"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// ticks runs a bench and returns how often its SM ticks.
func ticks(b *bench) int {
	n := b.Ticks(&b.sm.Module)
	b.run()
	return *n
}

func TestSMWithoutWorkDoesNotTick(t *testing.T) {
	require.Zero(t, ticks(newBench(t, testSpec())))
}

func TestSMDoesNotTickWhileItWaits(t *testing.T) {
	for name, list := range map[string][]workload.Inst{
		"for memory":                    program(load(1, 0), use(1)),
		"for a fence":                   program(store(0), script.Op(workload.Fence, workload.NoReg), step),
		"to end":                        program(load(1, 0)),
		"with a full load-store unit":   program(scattered(1, 0), scattered(2, 1000), load(3, 1<<20)),
		"at a meetAll, another waiting": program(meetAll, step),
	} {
		count := func(latency uint64) int {
			spec := oneScheduler()
			spec.LSU.QueueDepth = 1
			b := newBench(t, spec)
			b.memory.latency = latency
			b.place(0, list, program(load(1, 1<<30), use(1), meetAll))
			return ticks(b)
		}
		require.Equal(t, count(2000), count(9000), name)
	}
}

func TestSMDoesNotTickWhileItWaitsForAPipeResult(t *testing.T) {
	count := func(latency int) int {
		spec := oneScheduler()
		spec.Pipes.SFU.Latency = latency
		b := newBench(t, spec)
		b.place(0, program(script.Op(workload.SFU, 1), use(1)))
		return ticks(b)
	}
	require.Equal(t, count(100), count(1000))
}

// Does an SM with ready warps that all wait for a pipe sleep until the pipe is free, and not longer?
func TestSMDoesNotTickWhileAPipeIsBusy(t *testing.T) {
	const products = 3
	count := func(interval int) (n int, first, last, stalled uint64) {
		spec := oneScheduler()
		spec.Pipes.SFU.Interval = interval
		b := newBench(t, spec)
		var list []workload.Inst
		for i := range products {
			list = append(list, script.Op(workload.SFU, uint8(i)))
		}
		r := b.place(0, list)[0]
		n = ticks(b)
		return n, r.issued[0], r.issued[products-1], b.kernel(0).Stalls[PipeFull]
	}
	short, _, _, _ := count(100)
	long, first, last, stalled := count(900)
	require.Equal(t, short, long)
	require.Equal(t, uint64((products-1)*900), last-first)
	require.Equal(t, uint64((products-1)*899), stalled)
}

func TestSMDoesNotTickWhileTheMemoryTakesNothing(t *testing.T) {
	count := func(opens uint64) int {
		b := newBench(t, oneScheduler())
		b.memory.Deaf = rig.Before(opens)
		b.place(0, program(scattered(1, 0), use(1)))
		return ticks(b)
	}
	require.Equal(t, count(3000), count(9000))
}
