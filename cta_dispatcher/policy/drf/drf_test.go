package drf

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"cotenant/components/occupancy"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew")

// Figure 8 of the SMK paper: a TB of K1 takes 10 % of the SM's registers, no shared memory and
// 6.66 % of the threads; a TB of K2 takes 3 %, 6 % and 5 %.
var (
	figure8 = occupancy.Capacity{TBs: 1000, Threads: 1500, Warps: 1000, Registers: 1000, SharedOptions: []int{1000}}
	k1      = occupancy.Demand{TBs: 1, Threads: 100, Warps: 4, Registers: 100}
	k2      = occupancy.Demand{TBs: 1, Threads: 75, Warps: 3, Registers: 30, SharedBytes: 60}
)

func TestSMKFigure8(t *testing.T) {
	var text strings.Builder
	text.WriteString("SMK Figure 8: partitions on one SM.\nTB of K1: 10 % registers, 0 shared memory, 6.66 % threads. TB of K2: 3 %, 6 %, 5 %.\n\n" +
		"iteration  gets a TB   rK1     rK2    registers  shared  threads   rSM\n")
	demands := []occupancy.Demand{k1, k2}
	limit := Limits(&figure8)
	tbs := make([]int, 2)
	iteration := 0
	percent := func(a, b int) float64 { return 100 * float64(a) / float64(b) }
	Partition(&figure8, demands, []int{0, 1}, tbs, func(kernel int, u *occupancy.Usage) {
		iteration++
		fmt.Fprintf(&text, "%9d  K%d        %5.1f %%  %5.1f %%   %5.1f %%   %5.1f %%  %5.1f %%  %5.1f %%\n", iteration, kernel+1,
			100*Share(k1.Times(tbs[0]), limit), 100*Share(k2.Times(tbs[1]), limit),
			percent(u.Registers, limit.Registers), percent(u.SharedBytes, limit.SharedBytes), percent(u.Threads, limit.Threads),
			100*Share(u.Demand, limit))
	})
	fmt.Fprintf(&text, "\npartitions: K1 %d TBs, K2 %d TBs\n", tbs[0], tbs[1])
	require.Equal(t, []int{6, 12}, tbs)

	const file = "testdata/smk_fig8.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}

func TestShareIsThatOfTheDominantResource(t *testing.T) {
	// The paper's kernel A (5.2): 10 % of the registers, 20 % of the shared
	// memory, 30 % of the threads, 3 % of the TB slots.
	limit := occupancy.Demand{TBs: 100, Threads: 1000, Warps: 10, Registers: 1000, SharedBytes: 1000}
	a := occupancy.Demand{TBs: 3, Threads: 300, Warps: 10, Registers: 100, SharedBytes: 200}
	require.Equal(t, 0.3, Share(a, limit))
	limit.SharedBytes = 0
	require.Equal(t, 0.3, Share(a, limit), "an SM without shared memory")
}

func TestOfEqualKernelsTheEarlierGetsTheNext(t *testing.T) {
	c := occupancy.Capacity{TBs: 5, Threads: 100, Warps: 100}
	tbs := make([]int, 2)
	one := occupancy.Demand{TBs: 1, Threads: 1}
	Partition(&c, []occupancy.Demand{one, one}, []int{0, 1}, tbs, nil)
	require.Equal(t, []int{3, 2}, tbs)
	Partition(&c, []occupancy.Demand{one, one}, []int{1, 0}, tbs, nil)
	require.Equal(t, []int{2, 3}, tbs)
}

func TestAKernelThatNoLongerFitsIsPassedOver(t *testing.T) {
	c := occupancy.Capacity{TBs: 10, Threads: 100, Warps: 100}
	tbs := make([]int, 3)
	large, small := occupancy.Demand{TBs: 1, Threads: 60}, occupancy.Demand{TBs: 1, Threads: 13}
	Partition(&c, []occupancy.Demand{large, small, {}}, []int{0, 1}, tbs, nil)
	require.Equal(t, []int{1, 3, 0}, tbs, "60 and 3 times 13 of 100; the third takes no part")
	Partition(&c, []occupancy.Demand{large, large, small}, []int{1, 0, 2}, tbs, nil)
	require.Equal(t, []int{0, 1, 3}, tbs, "the first in order gets the first")
}
