package interconnect_test

import (
	"fmt"
	"testing"
	"time"

	"cotenant/components"
	"cotenant/interconnect"

	"github.com/stretchr/testify/require"
)

// flitsPerCycle runs a crossbar for a number of cycles after warming up and
// returns the flits that left in each cycle, over all outputs.
func flitsPerCycle(r *bench, warmUp, cycles uint64) float64 {
	r.RunTo(warmUp)
	before := flitsLeft(r.x.Stats())
	r.RunTo(warmUp + cycles)
	return float64(flitsLeft(r.x.Stats())-before) / float64(cycles)
}

func flitsLeft(s interconnect.Stats) (flits uint64) {
	for _, o := range s.Outputs {
		flits += o.Flits
	}
	return flits
}

// CCBP section 3: the sustainable bandwidth of the crossbar is 60 % of its
// peak. An input-queued switch with FIFO inputs is limited to 58.6 % for many
// ports and 60.1 % for 16 (Karol, Hluchyj and Morgan, 1987).
func TestUniformRandomTrafficSustainsSixtyPercentOfPeak(t *testing.T) {
	for name, bytes := range map[string]int{"one flit": 0, "five flits": 128} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rigOptions{spec: squareSpec(16), sinkDepth: 2})
			r.offer(r.uniform(bytes))
			share := flitsPerCycle(r, 2_000, 20_000) / 16
			t.Logf("%.1f %% of peak", 100*share)
			require.InDelta(t, 0.60, share, 0.05)
		})
	}
}

// CCBP Table 1: 16 ports x 1.2 GHz x 32 B = 614 GB/s, while the SMs run at
// 1.8 GHz.
func TestPeakBandwidthIsThatOfTheCrossbarsOwnClock(t *testing.T) {
	for _, bytes := range []int{0, 128} {
		r := newRig(t, rigOptions{spec: squareSpec(16), nocHz: 1200e6, edgeHz: 1800e6, sinkDepth: 4})
		r.offer(func(i int) *packet { return &packet{in: i, out: (i + 5) % 16, bytes: bytes} })
		flits := flitsPerCycle(r, 500, 1000)
		require.Equal(t, 16.0, flits)
		require.Equal(t, 614.4e9, flits*32*float64(r.Clock.Hz()))
	}
}

func TestCrossbarSleepsWhileEveryPacketIsOnItsWay(t *testing.T) {
	r := newRig(t, rigOptions{spec: squareSpec(4)})
	ticks := r.Ticks(&r.x.Module)
	r.send(0, &packet{out: 2, bytes: 3200})
	r.send(1, &packet{out: 2, bytes: 3200})
	r.run()
	// Both arrive; the second begins at 102. They leave by themselves, at 105 and 206.
	require.Equal(t, 2, *ticks)
}

func TestCrossbarSleepsWhileAReceiverIsFull(t *testing.T) {
	r := newRig(t, rigOptions{spec: squareSpec(2)})
	ticks := r.Ticks(&r.x.Module)
	r.offer(r.uniform(0))
	for _, s := range r.sinks {
		s.Deaf = func(uint64) bool { return true }
	}
	r.RunTo(100)
	before := *ticks
	r.RunTo(10_000)
	require.Equal(t, before, *ticks)
}

func TestMovingPacketsDoesNotAllocate(t *testing.T) {
	r := newWorld(t, 16, 128, 100)
	limit := components.Time(0)
	run := func() {
		limit += r.noc.At(1000)
		r.engine.RunUntil(limit)
	}
	for range 5 {
		run()
	}
	require.Zero(t, testing.AllocsPerRun(10, run))
	require.Positive(t, r.moved)
}

// world is source and sink of every port in one module, so that a benchmark
// measures little else than the crossbar. Each input offers a packet in share
// of 100 cycles.
type world struct {
	components.Module
	engine *components.Engine
	noc    *components.Domain
	x      *interconnect.Crossbar
	to     []*components.Port
	from   []*components.Port
	pool   components.Pool[packet]
	rnd    random
	bytes  int
	share  int
	moved  int
}

func newWorld(t testing.TB, ports, bytes, share int) *world {
	t.Helper()
	w := portsOfWorld(t, ports, share)
	w.bytes = bytes
	var err error
	w.x, err = interconnect.Builder{}.WithSpec(squareSpec(ports)).WithDomain(w.noc).Build("NoC")
	require.NoError(t, err)
	for i := range ports {
		_, err = components.Connect(w.to[i], w.x.Inputs[i], 1)
		require.NoError(t, err)
		_, err = components.Connect(w.x.Outputs[i], w.from[i], 1)
		require.NoError(t, err)
	}
	return w
}

// newDirectWorld joins the ports by links.
func newDirectWorld(t testing.TB, ports, share int) *world {
	t.Helper()
	w := portsOfWorld(t, ports, share)
	for i := range ports {
		_, err := components.Connect(w.to[i], w.from[i], 1)
		require.NoError(t, err)
	}
	return w
}

func portsOfWorld(t testing.TB, ports, share int) *world {
	t.Helper()
	w := &world{engine: components.NewEngine(), share: share, rnd: 1}
	var err error
	w.noc, err = w.engine.AddDomain("noc", 1_000_000_000)
	require.NoError(t, err)
	w.Init("World", w.noc, w)
	for i := range ports {
		w.to = append(w.to, w.NewPort(fmt.Sprintf("To[%d]", i), 1))
		w.from = append(w.from, w.NewPort(fmt.Sprintf("From[%d]", i), 4))
	}
	w.Start()
	return w
}

func (w *world) Tick(uint64) bool {
	for i := range w.to {
		if p := w.from[i].Pop(); p != nil {
			w.pool.Put(p.(*packet))
			w.moved++
		}
		if w.share < 100 && w.rnd.below(100) >= w.share || !w.to[i].CanPush() {
			continue
		}
		p := w.pool.Get()
		p.in, p.out, p.bytes = i, w.rnd.below(len(w.to)), w.bytes
		w.to[i].Push(p)
	}
	return true
}

// BenchmarkPacket is the time for one packet through a 16 x 16 crossbar. With
// direct links in place of the crossbar the same traffic shows what making,
// pushing and taking packets costs; crossbar-ns/op is the difference.
func BenchmarkPacket(b *testing.B) {
	for _, c := range []struct {
		name                 string
		bytes, share, direct int // packets offered in 100 cycles by an input
	}{
		{"one flit, saturated", 0, 100, 60}, {"five flits, saturated", 128, 100, 12},
		{"one flit, 10 percent", 0, 10, 10}, {"five flits, 10 percent", 128, 2, 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			w := newWorld(b, 16, c.bytes, c.share)
			b.ResetTimer()
			w.move(b.N)
			b.StopTimer()
			through := b.Elapsed()
			w = newDirectWorld(b, 16, c.direct)
			start := time.Now()
			w.move(b.N)
			b.ReportMetric(float64(through-time.Since(start))/float64(b.N), "crossbar-ns/op")
		})
	}
}

// move runs until a number of packets have come out.
func (w *world) move(packets int) {
	for limit := components.Time(0); w.moved < packets; {
		limit += w.noc.At(100)
		w.engine.RunUntil(limit)
	}
}
