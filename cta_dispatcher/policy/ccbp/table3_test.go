package ccbp

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"cotenant/components/occupancy"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew")

// fraction is an exact number of the file: 3 or "5/3".
type fraction float64

func (f *fraction) UnmarshalJSON(text []byte) error {
	r, ok := new(big.Rat).SetString(strings.Trim(string(text), `"`))
	if !ok {
		return fmt.Errorf("%s is no fraction", text)
	}
	x, _ := r.Float64()
	*f = fraction(x)
	return nil
}

type state struct{ CTA, NoC, DRAM, Dom []fraction }

// table3 is testdata/table3.json.
type table3 struct {
	Kernels []struct {
		Name, Type string
		NoC, DRAM  fraction
	}
	Printed []int `json:"printed_iterations"`
	Steps   []struct {
		state
		Asked            struct{ CTA, NoC, DRAM fraction }
		Iteration        int
		Chosen           string
		Granted, Clipped bool
		Refused          string `json:"refused_for"`
	}
	Final map[string]struct {
		state
		Iteration int
	} `json:"final_by_prior_lsk"`
}

// example is an SM with ten units of each resource, one for each CTA, and the kernels of Table
// 3.
func example(d *table3) (c *occupancy.Capacity, kernels []Kernel) {
	c = &occupancy.Capacity{TBs: 10, Threads: 10, Warps: 10, SharedOptions: []int{0}}
	for _, k := range d.Kernels {
		t := Kernel{Kind: map[string]Kind{"LS": Sensitive, "NBI": NoCBound, "DBI": DRAMBound}[k.Type], Demand: occupancy.Demand{TBs: 1, Threads: 1, Warps: 1}}
		for n := range 11 {
			t.NoC, t.DRAM = append(t.NoC, float64(n)*float64(k.NoC)), append(t.DRAM, float64(n)*float64(k.DRAM))
		}
		kernels = append(kernels, t)
	}
	return c, kernels
}

func (s *state) require(t *testing.T, grants []Grant, about string) {
	t.Helper()
	for k, g := range grants {
		require.Equal(t, int(s.CTA[k]), g.CTAs, about)
		require.InDelta(t, float64(s.NoC[k]), g.NoC, 1e-12, about)
		require.InDelta(t, float64(s.DRAM[k]), g.DRAM, 1e-12, about)
		require.InDelta(t, float64(s.Dom[k]), g.Dominant, 1e-12, about)
	}
}

// cut is a number as the paper prints it: two decimals, cut off.
func cut(x float64) string {
	text := fmt.Sprintf("%.3f", x+1e-9)
	return strings.TrimRight(strings.TrimRight(text[:len(text)-1], "0"), ".")
}

func TestTable3(t *testing.T) {
	var d table3
	read(t, "table3.json", &d)
	c, kernels := example(&d)
	grants := make([]Grant, 3)
	var text strings.Builder
	text.WriteString("CCBP Table 3: Algorithm 1 with ten units of each resource, of which a CTA of any kernel takes one.\n" +
		"A CTA of K1 (latency-sensitive) uses 0.5 units of the NoC and 0.5 of the DRAM, of K2 (DRAM-intensive) 2 and 4, of K3\n" +
		"(NoC-intensive) 3 and 1. Fractions are cut off, as in the paper, which prints the iterations marked *.\n\n" +
		" iteration        CTAs of      NoC units of    DRAM units of\n" +
		"      chosen    K1  K2  K3     K1   K2   K3      K1   K2   K3\n")
	printed := map[int]bool{}
	for _, i := range d.Printed {
		printed[i] = true
	}
	n := 0
	var last []Grant // after the last turn
	Allocate(c, kernels, Rule{Whole: 10, Most: 10, Prior: 1}, grants, func(p Pass) {
		require.Less(t, n, len(d.Steps))
		s := &d.Steps[n]
		n++
		about := fmt.Sprintf("iteration %d", n)
		require.Equal(t, s.Chosen, d.Kernels[p.Kernel].Name, about)
		require.Equal(t, []bool{s.Granted, s.Clipped}, []bool{p.Granted, p.Clipped}, about)
		require.Equal(t, strings.ToLower(s.Refused), strings.ToLower(p.Refused), about)
		require.Equal(t, int(s.Asked.CTA), p.Asked.CTAs, about)
		require.InDelta(t, float64(s.Asked.NoC), p.Asked.NoC, 1e-12, about)
		require.InDelta(t, float64(s.Asked.DRAM), p.Asked.DRAM, 1e-12, about)
		s.require(t, grants, about)
		mark, note := "", ""
		if printed[n] {
			mark = "*"
		}
		switch {
		case !p.Granted:
			note = "  refused: " + p.Refused
		case p.Clipped:
			note = fmt.Sprintf("  clipped from %s and %s", cut(p.Asked.NoC), cut(p.Asked.DRAM))
		}
		g := grants
		fmt.Fprintf(&text, "%4d%-1s   %s      %4d%4d%4d   %4s %4s %4s    %4s %4s %4s%s\n", n, mark, s.Chosen, g[0].CTAs, g[1].CTAs, g[2].CTAs,
			cut(g[0].NoC), cut(g[1].NoC), cut(g[2].NoC), cut(g[0].DRAM), cut(g[1].DRAM), cut(g[2].DRAM), note)
		last = append(last[:0], grants...)
	})
	require.Equal(t, 19, n)
	require.Equal(t, last, grants, "nothing comes after it")
	golden(t, "testdata/ccbp_table3.txt", text.String())
}

// TestTable3EndsAlikeByListingAndText: after the printed iteration 16 no kernel gets anything.
func TestTable3EndsAlikeByListingAndText(t *testing.T) {
	var d table3
	read(t, "table3.json", &d)
	c, kernels := example(&d)
	grants, refused, passes := make([]Grant, 3), 0, 0
	Allocate(c, kernels, Rule{Whole: 10, Most: 10, Prior: 1, End: true}, grants, func(p Pass) {
		passes++
		if !p.Granted {
			refused++
		}
	})
	require.Equal(t, []int{17, 1}, []int{passes, refused})
	d.Steps[15].require(t, grants, "iteration 16")
}

// TestRefusalEndsTheAllocation: a sensitive kernel that fills the SM leaves the other kernel
// the units that it has by then.
func TestRefusalEndsTheAllocation(t *testing.T) {
	c := &occupancy.Capacity{TBs: 4, Threads: 4, Warps: 4, SharedOptions: []int{0}}
	one := occupancy.Demand{TBs: 1, Threads: 1, Warps: 1}
	kernels := []Kernel{{Kind: Sensitive, Demand: one, NoC: make([]float64, 5), DRAM: make([]float64, 5)},
		{Kind: NoCBound, Demand: one, NoC: []float64{0, 8, 8, 8, 8}, DRAM: make([]float64, 5)}}
	for end, want := range map[bool]Grant{false: {CTAs: 1, NoC: 8, Dominant: 0.8}, true: {CTAs: 1, NoC: 7, Dominant: 0.7}} {
		grants := make([]Grant, 2)
		Allocate(c, kernels, Rule{Whole: 10, Most: 10, Prior: 0.9, End: end}, grants, nil)
		require.Equal(t, 3, grants[0].CTAs)
		require.Equal(t, want, grants[1])
	}
}

func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

func TestTable3ByPriority(t *testing.T) {
	var d table3
	read(t, "table3.json", &d)
	c, kernels := example(&d)
	require.Len(t, d.Final, 10)
	for tenths := 1; tenths <= 10; tenths++ {
		name := fmt.Sprintf("prior_%d", tenths)
		want, ok := d.Final[name]
		require.True(t, ok, name)
		grants, passes := make([]Grant, 3), 0
		Allocate(c, kernels, Rule{Whole: 10, Most: 10, Prior: float64(tenths) / 10}, grants, func(Pass) { passes++ })
		want.require(t, grants, name)
		require.Equal(t, want.Iteration, passes, name)
	}
}
