package exec

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Memory in a window gives out the addresses of a memory without one, as long as nothing is freed.
func TestWindowHasTheSameAddresses(t *testing.T) {
	plain, window := NewMemory(), NewMemoryIn(make([]byte, 1<<20))
	for _, n := range []int{1, 256, 1000, 0, 4096} {
		addr, ok := window.Reserve(n, 512)
		require.True(t, ok)
		require.Equal(t, plain.Alloc(n, 512), addr)
	}
}

// Whatever is reserved and released: allocations are apart, are found, and read as zero at first.
func TestReservationsAreApartAndZero(t *testing.T) {
	const size = 1 << 16
	rapid.Check(t, func(t *rapid.T) {
		m := NewMemoryIn(make([]byte, size))
		live := map[uint64]int{}
		var order []uint64
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(order) > 0 && rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
				require.True(t, m.Release(order[i]))
				require.False(t, m.Release(order[i]))
				_, err := m.Bytes(order[i], 1)
				require.Error(t, err)
				delete(live, order[i])
				order = append(order[:i], order[i+1:]...)
				continue
			}
			n, align := rapid.IntRange(1, 9000).Draw(t, "bytes"), 1<<rapid.IntRange(0, 12).Draw(t, "align")
			addr, ok := m.Reserve(n, align)
			if !ok {
				continue
			}
			require.Zero(t, addr%uint64(max(align, 256)))
			require.LessOrEqual(t, addr+uint64(n), Base()+size)
			for other, bytes := range live {
				require.True(t, addr+uint64(n)+guardBytes <= other || other+uint64(bytes)+guardBytes <= addr)
			}
			b, err := m.Bytes(addr, n)
			require.NoError(t, err)
			for i := range b {
				require.Zero(t, b[i])
				b[i] = 255
			}
			live[addr] = n
			order = append(order, addr)
		}
		for addr, n := range live {
			start, bytes, ok := m.Extent(addr + uint64(n) - 1)
			require.True(t, ok)
			require.Equal(t, addr, start)
			require.Equal(t, n, bytes)
		}
		require.LessOrEqual(t, m.Used(), uint64(size))
	})
}

func TestTheLowestGapIsTaken(t *testing.T) {
	m := NewMemoryIn(make([]byte, 1<<20))
	var addrs []uint64
	for range 4 {
		a, ok := m.Reserve(1000, 0)
		require.True(t, ok)
		addrs = append(addrs, a)
	}
	require.True(t, m.Release(addrs[1]))
	require.True(t, m.Release(addrs[3]))
	a, _ := m.Reserve(1001, 0) // as large as its rounding
	require.Equal(t, addrs[1], a)
	a, _ = m.Reserve(1000, 0)
	require.Equal(t, addrs[3], a)
	_, ok := m.Reserve(1<<20, 0)
	require.False(t, ok)
}
