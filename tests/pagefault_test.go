package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// noMMU takes the MMU out of pagefault16.
const noMMU = "?mmu.l2_tlb.entries=0&sm.tlb.entries=0"

// Thesis Table 6.1: an L1 of 40 cycles, an L2 of 70 and a DRAM of 200 behind it.
func TestPagefault16LoadsTakeTheTablesLatencies(t *testing.T) {
	for _, options := range []string{"", noMMU} {
		gpu := preset(t, "pagefault16"+options)
		const lines = 512 // 64 KB: beyond the L1, within the L1 TLB and the L2
		two, three := run(t, gpu, "fcfs", 0, chase(lines, 128, 2)), run(t, gpu, "fcfs", 0, chase(lines, 128, 3))
		require.InEpsilon(t, 110, float64(three.Cycles-two.Cycles)/lines, 0.03, "L2, with %q", options)
		two, three = run(t, gpu, "fcfs", 0, chase(8, 128, 2)), run(t, gpu, "fcfs", 0, chase(8, 128, 3))
		require.Equal(t, uint64(40*8), three.Cycles-two.Cycles, "L1, with %q", options)
	}
	gpu := preset(t, "pagefault16"+noMMU)
	few, many := run(t, gpu, "fcfs", 0, chase(64, 4224, 1)), run(t, gpu, "fcfs", 0, chase(1064, 4224, 1))
	require.InEpsilon(t, 310, float64(many.Cycles-few.Cycles)/1000, 0.03, "DRAM")
}
