package frontend

import (
	"testing"

	"cotenant/sm/warps"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bench is a front end and the signals that it drives.
type bench struct {
	*Unit
	signals []warps.Signals
	cycle   uint64
}

func newBench(spec Spec, slots warps.Slots) *bench {
	if spec.Refill == "" {
		spec.Refill = RefillRoom
	}
	signals := make([]warps.Signals, slots.Schedulers)
	return &bench{Unit: New(spec, slots, signals, nil, nil), signals: signals}
}

// The methods of Unit, for a slot of the SM.

func (b *bench) Start(slot int)   { b.Unit.Start(slot/b.each, slot%b.each) }
func (b *bench) Stop(slot int)    { b.Unit.Stop(slot/b.each, slot%b.each) }
func (b *bench) Issue(slot int)   { b.Unit.Issue(slot/b.each, slot%b.each) }
func (b *bench) Branch(slot int)  { b.Unit.Branch(slot/b.each, slot%b.each) }
func (b *bench) Resolve(slot int) { b.Unit.Resolve(slot/b.each, slot%b.each) }

// held is the number of instructions in a slot's buffer.
func (b *bench) held(slot int) int { return int(b.buffers[slot/b.each][slot%b.each].filled) }

// step is one cycle, with what the SM does between arrivals and fetch.
func (b *bench) step(between func()) {
	b.Arrive(b.cycle)
	if between != nil {
		between()
	}
	b.Fetch(b.cycle)
	b.cycle++
}

// steps runs cycles in which nothing issues.
func (b *bench) steps(n int) {
	for range n {
		b.step(nil)
	}
}

// empty reports whether a slot of the only scheduler has nothing to issue.
func (b *bench) empty(slot int) bool { return b.signals[0].Empty>>slot&1 != 0 }

// drain issues what a slot has, and returns how many instructions that was.
func (b *bench) drain(slot int) (n int) {
	for ; !b.empty(slot); n++ {
		b.Issue(slot)
	}
	return n
}

// filled runs cycles until a slot has an instruction and returns the cycle.
func (b *bench) filled(t require.TestingT, slot int) uint64 {
	for range 100 {
		b.Arrive(b.cycle)
		if !b.empty(slot) {
			return b.cycle
		}
		b.Fetch(b.cycle)
		b.cycle++
	}
	require.Fail(t, "nothing is ever fetched")
	return 0
}

var one = warps.Slots{Schedulers: 1, Each: 8}

func TestFetchArrivesItsLatencyLaterNotACycleBefore(t *testing.T) {
	for _, latency := range []int{1, 2, MaxFetchLatency} {
		for start := range uint64(MaxFetchLatency) { // wherever arrivals lie in the ring
			b := newBench(Spec{BufferDepth: 2, FetchWidth: 2, FetchLatency: latency}, one)
			b.Start(0)
			require.False(t, b.Coming())
			require.True(t, b.Fetch(start))
			require.True(t, b.Coming())
			for c := start + 1; c < start+uint64(latency); c++ {
				require.False(t, b.Arrive(c))
				require.True(t, b.empty(0))
			}
			require.True(t, b.Arrive(start+uint64(latency)))
			require.False(t, b.empty(0))
			require.False(t, b.Coming())
		}
	}
}

func TestFetchBringsItsWidthUntilTheBufferIsFull(t *testing.T) {
	b := newBench(Spec{BufferDepth: 5, FetchWidth: 3, FetchLatency: 1}, one)
	b.Start(0)
	b.steps(1)
	b.Arrive(1)
	require.Equal(t, 3, b.drain(0))
	b.steps(3)
	require.False(t, b.Fetch(4), "the buffer is full")
	require.Equal(t, 5, b.drain(0), "three, and the two for which there was room")
}

func TestInstructionsOnTheirWayTakeRoomInTheBuffer(t *testing.T) {
	b := newBench(Spec{BufferDepth: 4, FetchWidth: 2, FetchLatency: 8}, one)
	b.Start(0)
	require.True(t, b.Fetch(0))
	require.True(t, b.Fetch(1))
	require.False(t, b.Fetch(2))
	require.True(t, b.Arrive(8))
	require.False(t, b.Fetch(8), "what has arrived takes the same room")
	b.Issue(0)
	require.True(t, b.Fetch(9))
	require.True(t, b.Arrive(9))
	require.Equal(t, 3, b.drain(0))
	require.True(t, b.Arrive(9+8))
	require.Equal(t, 1, b.drain(0), "there was room for one")
}

func TestLongestLatencyBringsAnInstructionEveryCycle(t *testing.T) {
	b := newBench(Spec{BufferDepth: MaxFetchLatency + 1, FetchWidth: 1, FetchLatency: MaxFetchLatency}, one)
	b.Start(0)
	for b.cycle < 100 {
		b.step(func() {
			require.Equal(t, b.cycle < MaxFetchLatency, b.empty(0), "cycle %d", b.cycle)
			if !b.empty(0) {
				b.Issue(0)
				require.True(t, b.empty(0))
			}
		})
	}
}

func TestFetchServesWarpsInTurnAndSkipsThoseWithoutRoom(t *testing.T) {
	b := newBench(Spec{BufferDepth: 2, FetchWidth: 1, FetchLatency: 1}, one)
	for _, slot := range []int{1, 3, 6} {
		b.Start(slot)
	}
	var order []int
	held := [8]int{}
	serve := func(n int) {
		for range n {
			b.Fetch(b.cycle)
			b.cycle++
			b.Arrive(b.cycle)
			for slot := range held {
				if now := b.held(slot); now != held[slot] {
					order, held[slot] = append(order, slot), now
				}
			}
		}
	}
	serve(4)
	require.Equal(t, []int{1, 3, 6, 1}, order)
	b.Issue(1)
	held[1]--
	serve(4)
	require.Equal(t, []int{1, 3, 6, 1, 3, 6, 1}, order, "behind warp 1, and round to it again")
	require.False(t, b.Fetch(b.cycle))
}

func TestEverySchedulerFetchesInTheSameCycle(t *testing.T) {
	b := newBench(Spec{BufferDepth: 1, FetchWidth: 1, FetchLatency: 3}, warps.Slots{Schedulers: 2, Each: 4})
	b.Start(2)
	b.Start(5) // number 1 of the second scheduler
	require.Equal(t, []warps.Mask{1 << 2, 1 << 1}, []warps.Mask{b.signals[0].Empty, b.signals[1].Empty})
	require.True(t, b.Fetch(0))
	require.False(t, b.Fetch(1))
	require.True(t, b.Arrive(3))
	require.Equal(t, []warps.Mask{0, 0}, []warps.Mask{b.signals[0].Empty, b.signals[1].Empty})
}

func TestFetchFromBeforeABranchIsLost(t *testing.T) {
	b := newBench(Spec{BufferDepth: 8, FetchWidth: 2, FetchLatency: 3}, one)
	b.Start(0)
	require.Equal(t, uint64(3), b.filled(t, 0))
	b.Issue(0)
	b.Branch(0)
	require.True(t, b.empty(0), "the other instruction is on the wrong path")
	b.steps(5)
	require.True(t, b.empty(0), "and so are those on their way")
	require.False(t, b.Coming(), "nothing is fetched before the branch resolves")
	b.Resolve(0)
	resolved := b.cycle
	require.Equal(t, resolved+3, b.filled(t, 0))
	require.Equal(t, 2, b.drain(0))
}

func TestFetchForTheWarpBeforeIsLost(t *testing.T) {
	b := newBench(Spec{BufferDepth: 2, FetchWidth: 2, FetchLatency: 5}, one)
	b.Start(0)
	b.steps(2)
	b.Stop(0)
	require.False(t, b.empty(0), "a warp that has ended waits for no instruction")
	b.steps(1)
	b.Start(0)
	require.True(t, b.empty(0))
	require.Equal(t, uint64(3+5), b.filled(t, 0))
	require.Equal(t, 2, b.drain(0))
}

func TestNothingIsFetchedForAWarpThatHasStopped(t *testing.T) {
	b := newBench(Spec{BufferDepth: 4, FetchWidth: 1, FetchLatency: 2}, one)
	b.Start(0)
	b.Start(1)
	b.steps(1)
	b.Stop(0)
	b.steps(10)
	require.False(t, b.Fetch(b.cycle))
	require.Equal(t, 4, b.drain(1))
}

func TestStoppedWarpIsNotFetchedForWhenItsBranchResolves(t *testing.T) {
	b := newBench(Spec{BufferDepth: 4, FetchWidth: 1, FetchLatency: 2}, one)
	b.Start(0)
	b.filled(t, 0)
	b.Branch(0)
	b.Stop(0)
	b.steps(3)
	b.Resolve(0)
	require.False(t, b.Fetch(b.cycle))
	require.False(t, b.empty(0))
}

// naive is one warp as a list of fetches.
type naive struct {
	held               int
	coming             []arrival
	branching, stopped bool
}

type arrival struct {
	at    uint64
	count int
}

func (n *naive) onTheirWay() (sum int) {
	for _, a := range n.coming {
		sum += a.count
	}
	return sum
}

// round is the order in which a fetch unit visits slots: its scheduler's slots, or all
// slots of the SM, beginning with the first slot of every scheduler.
func round(slots warps.Slots, scheduler int, perSM bool) (order []int) {
	for i := range slots.Each {
		for k := range slots.Schedulers {
			if perSM || k == scheduler {
				order = append(order, k*slots.Each+i)
			}
		}
	}
	return order
}

func TestFrontEndAgreesWithListsOfFetches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Spec{BufferDepth: rapid.IntRange(1, 6).Draw(t, "depth"), FetchWidth: rapid.IntRange(1, 4).Draw(t, "width"),
			FetchLatency: rapid.IntRange(1, MaxFetchLatency).Draw(t, "latency"), PerSM: rapid.Bool().Draw(t, "shared"),
			Refill: rapid.SampledFrom([]string{RefillRoom, RefillEmpty}).Draw(t, "refill")}
		slots := warps.Slots{Schedulers: rapid.IntRange(1, 3).Draw(t, "schedulers"), Each: rapid.SampledFrom([]int{1, 3, warps.PerScheduler}).Draw(t, "each")}
		b := newBench(spec, slots)
		model := make([]naive, slots.Count())
		for i := range model {
			model[i].stopped = true
		}
		units := slots.Schedulers
		if spec.PerSM {
			units = 1
		}
		next := make([]int, units)
		for range rapid.IntRange(1, 120).Draw(t, "cycles") {
			b.Arrive(b.cycle)
			for i := range model {
				if m := &model[i]; len(m.coming) > 0 && m.coming[0].at == b.cycle {
					m.held += m.coming[0].count
					m.coming = m.coming[1:]
				}
			}
			// The last slots are used too, to see the units go round.
			slot := rapid.SampledFrom([]int{0, 1, slots.Count() - 1}).Draw(t, "slot") % slots.Count()
			m := &model[slot]
			switch action := rapid.IntRange(0, 6).Draw(t, "action"); {
			case action < 3 && m.held > 0 && !m.stopped:
				b.Issue(slot)
				m.held--
			case action == 3 && m.held > 0 && !m.stopped:
				b.Issue(slot)
				b.Branch(slot)
				m.held, m.coming, m.branching = 0, nil, true
			case action == 4 && m.branching:
				b.Resolve(slot)
				m.branching = false
			case action == 5 && m.stopped:
				b.Start(slot)
				*m = naive{}
			case action == 6 && !m.stopped:
				b.Stop(slot)
				m.stopped = true
			}
			fetched := b.Fetch(b.cycle)
			want := false
			for k := range units {
				order := round(slots, k, spec.PerSM)
				for i := range order {
					at := (next[k] + i) % len(order)
					m := &model[order[at]]
					held := m.held + m.onTheirWay()
					if m.stopped || m.branching || held == spec.BufferDepth || spec.Refill == RefillEmpty && held > 0 {
						continue
					}
					m.coming = append(m.coming, arrival{b.cycle + uint64(spec.FetchLatency), min(spec.BufferDepth-held, spec.FetchWidth)})
					next[k], want = at+1, true
					break
				}
			}
			require.Equal(t, want, fetched)
			for i := range model {
				empty := b.signals[i/slots.Each].Empty>>(i%slots.Each)&1 != 0
				require.Equal(t, model[i].held == 0 && !model[i].stopped, empty, "slot %d", i)
			}
			b.cycle++
		}
	})
}
