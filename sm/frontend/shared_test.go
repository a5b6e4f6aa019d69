package frontend

import (
	"testing"

	"cotenant/sm/warps"

	"github.com/stretchr/testify/require"
)

func TestSharedFetchUnitServesOneWarpOfTheSMACycle(t *testing.T) {
	slots := warps.Slots{Schedulers: 2, Each: 4}
	b := newBench(Spec{BufferDepth: 1, FetchWidth: 1, FetchLatency: 1, PerSM: true}, slots)
	// Two warps of each scheduler; the second scheduler's slots are 4 to 7.
	for _, slot := range []int{0, 3, 4, 7} {
		b.Start(slot)
	}
	var order []int
	for range 4 {
		require.True(t, b.Fetch(b.cycle))
		b.cycle++
		b.Arrive(b.cycle)
		for slot := range len(b.signals) * b.each {
			if b.held(slot) > 0 {
				order = append(order, slot)
				b.Issue(slot)
				b.Stop(slot)
			}
		}
	}
	require.Equal(t, []int{0, 4, 3, 7}, order, "a row of all schedulers after the other")
	require.False(t, b.Fetch(b.cycle))
}

func TestSharedFetchUnitGoesRoundTheWholeSM(t *testing.T) {
	slots := warps.Slots{Schedulers: 3, Each: warps.PerScheduler}
	b := newBench(Spec{BufferDepth: 1, FetchWidth: 1, FetchLatency: 1, PerSM: true}, slots)
	for slot := range slots.Count() {
		b.Start(slot)
	}
	var order, want []int
	for i := range 2 * slots.Count() {
		row, scheduler := i/slots.Schedulers%slots.Each, i%slots.Schedulers
		want = append(want, scheduler*slots.Each+row)
		b.Fetch(b.cycle)
		b.cycle++
		b.Arrive(b.cycle)
		for slot := range len(b.signals) * b.each {
			if b.held(slot) > 0 {
				order = append(order, slot)
				b.Issue(slot)
			}
		}
	}
	require.Equal(t, want, order)
}

func TestEmptyBufferAloneIsRefilled(t *testing.T) {
	b := newBench(Spec{BufferDepth: 4, FetchWidth: 2, FetchLatency: 3, Refill: RefillEmpty}, one)
	b.Start(0)
	require.True(t, b.Fetch(0))
	require.False(t, b.Fetch(1), "two are on their way, for whom there is room for two more")
	require.False(t, b.Fetch(2))
	require.True(t, b.Arrive(3))
	require.False(t, b.Fetch(3))
	b.Issue(0)
	require.False(t, b.Fetch(4), "one is left")
	b.Issue(0)
	require.True(t, b.empty(0))
	require.True(t, b.Fetch(5))
	require.True(t, b.Arrive(8))
	require.Equal(t, 2, b.drain(0))
}

func TestEmptyRefillFetchesAgainOnceABranchHasResolved(t *testing.T) {
	b := newBench(Spec{BufferDepth: 2, FetchWidth: 2, FetchLatency: 1, Refill: RefillEmpty}, one)
	b.Start(0)
	require.Equal(t, uint64(1), b.filled(t, 0))
	b.Issue(0)
	b.Branch(0)
	require.False(t, b.Fetch(1))
	b.Resolve(0)
	require.True(t, b.Fetch(2))
}

func TestValidateNamesTheRefillsThatThereAre(t *testing.T) {
	spec := Spec{BufferDepth: 1, FetchWidth: 1, FetchLatency: 1, BranchLatency: 1, Refill: "full"}
	require.EqualError(t, spec.Validate(), `refill is "full", must be room or empty`)
	for _, refill := range []string{RefillRoom, RefillEmpty} {
		spec.Refill = refill
		require.NoError(t, spec.Validate())
	}
}
