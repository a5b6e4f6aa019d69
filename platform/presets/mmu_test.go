package presets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/host/pager"
)

// Translation is off in every preset but the thesis', and what is set for it is the thesis'.
func TestTranslationIsOffAndReady(t *testing.T) {
	for _, name := range Names() {
		c, err := Load(name)
		require.NoError(t, err)
		require.Equal(t, strings.HasPrefix(name, "pagefault16"), c.MMU.On(), name)
	}
	c, err := Load("plain16?mmu.l2_tlb.entries=1024&sm.tlb.entries=32&pager.occupancy=2000")
	require.NoError(t, err)
	require.True(t, c.MMU.On())
	require.Equal(t, pager.Occupancy(2000), c.Pager.Occupancy)
	c, err = Load("plain16?pager.occupancy=full")
	require.NoError(t, err)
	require.Equal(t, pager.Full, c.Pager.Occupancy)
	_, err = Load("plain16?pager.occupancy=half")
	require.EqualError(t, err, `GPU "plain16?pager.occupancy=half": pager.occupancy is "half"; it takes full or 0 to 1000000000 ns`)
	_, err = Load("plain16?mmu.l2_tlb.entries=1023")
	require.EqualError(t, err, `GPU "plain16?mmu.l2_tlb.entries=1023": mmu.l2_tlb.entries is 1023, must be a multiple of ways, 8`)
}
