package icache

import (
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

// asked notes what a cache asks its memory for.
type asked []struct {
	line uint64
	mshr int
	from uint64
}

func (a *asked) FetchLine(line uint64, mshr int, _ tenant.Account, from uint64) {
	*a = append(*a, struct {
		line uint64
		mshr int
		from uint64
	}{line, mshr, from})
}

func TestMissesFromMemoryComeWhenTheyAreDelivered(t *testing.T) {
	spec, memory := small, asked{}
	spec.Misses, spec.MissLatency = FromMemory, 3
	c := New(spec, &memory)
	_, first := c.Lookup(5, 100, 0)
	_, second := c.Lookup(5, 200, 0)
	_, again := c.Lookup(6, 96, 1)
	require.Equal(t, first, again, "it joins")
	require.Equal(t, Full, look(c, 6, 0))
	require.Equal(t, asked{{3, first, 8}, {6, second, 8}}, memory)
	_, ok := c.Next()
	require.False(t, ok, "time alone brings nothing")
	_, ok = c.Arrive(1 << 40)
	require.False(t, ok)
	c.Deliver(second, 50) // out of order
	next, ok := c.Next()
	require.True(t, ok)
	require.Equal(t, uint64(50), next)
	got, ok := c.Arrive(50)
	require.True(t, ok)
	require.Equal(t, second, got)
	require.Equal(t, 1, c.Outstanding())
	require.Equal(t, Hit, look(c, 51, 200))
	require.Equal(t, Miss, look(c, 51, 0), "an MSHR is free again")
	c.Deliver(first, 60)
	c.Deliver(second, 60)
	for range 2 {
		_, ok = c.Arrive(60)
		require.True(t, ok)
	}
	require.Zero(t, c.Outstanding())
}

func TestLinesOfCodeLieApartFromDataAndFromOtherTenantsCode(t *testing.T) {
	code := func(kernel, line uint64) uint64 { return kernel<<32>>8 + line } // lines of 256 bytes
	seen := map[uint64]bool{}
	for id := range tenant.ID(2) {
		for kernel := range uint64(2) {
			for line := range uint64(2) {
				addr := LineAddress(code(kernel, line), id.Rest())
				require.Zero(t, addr%protocol.LineBytes)
				require.Equal(t, id.Base()>>tenant.AddressShift, addr>>tenant.AddressShift)
				require.NotZero(t, addr&codeStart)
				require.False(t, seen[addr])
				seen[addr] = true
			}
		}
	}
	require.Equal(t, LineAddress(code(1, 0), 0)+protocol.LineBytes, LineAddress(code(1, 1), 0))
}

func TestMissesNameTheirSource(t *testing.T) {
	for _, misses := range []Source{"", FixedTime, FromMemory} {
		spec := small
		spec.Misses = misses
		require.NoError(t, spec.Validate())
	}
	spec := small
	spec.Misses = "l2"
	require.EqualError(t, spec.Validate(), `misses is "l2", must be fixed or memory`)
	spec.Misses, spec.LineBytes = FromMemory, 512
	require.EqualError(t, spec.Validate(), "misses is memory, which goes with line_bytes of 256 at most, not 512")
	spec = small
	spec.Ways = 0
	require.EqualError(t, spec.Validate(), "ways is 0, must be 1 to 256")
}
