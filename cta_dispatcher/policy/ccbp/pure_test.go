package ccbp

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// paper is the machine of Table 1.
var paper = policy.Machine{ReplyBytesPerSecond: 614.4e9, DRAMBytesPerSecond: 319e9, RateIntervalSeconds: 200 / 1.2e9,
	FlitBytes: 32, L1LineBytes: 128, L2LineBytes: 128}

// bandwidth is what the paper's SMs sustain: 24 replies and 18.17 accesses an interval.
var bandwidth = sustained(paper, 16)

// read fills v with a file of testdata.
func read(t *testing.T, file string, v any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, v))
}

// derived is testdata/derived.json, rounded to four digits.
type derived struct {
	Threshold float64            `json:"inequality_7_threshold_df_over_rf"`
	Replies   map[string]float64 `json:"replies_per_sm_and_interval_at_sustained_noc"`
	Reply     map[string]float64 `json:"replies_per_sm_and_interval_of_one_noc_unit"`
	Accesses  map[string]float64 `json:"dram_accesses_per_sm_and_interval_at_sustained_dram"`
	Access    map[string]float64 `json:"dram_accesses_per_sm_and_interval_of_one_dram_unit"`
	Even      []struct {
		Kernels int
		RF, DF  float64
		NoC     *float64 `json:"rate_noc"`
		DRAM    *float64 `json:"rate_dram"`
	} `json:"even_rate_example"`
	Kernels []struct {
		Abbr, Type string
		RF         float64 `json:"implied_rf"`
		DF         float64 `json:"implied_df"`
		NoC        float64 `json:"noc_units_of_20"`
		DRAM       float64 `json:"dram_units_of_20"`
		Reads      float64 `json:"reads_per_sm_per_200_noc_cycles"`
	}
}

const digits = 6e-4 // four of them

func TestUnitsAndEvenRates(t *testing.T) {
	var d derived
	read(t, "derived.json", &d)
	const clock = "noc_1200MHz"
	require.InEpsilon(t, d.Replies[clock], bandwidth.Replies, digits)
	require.InEpsilon(t, d.Accesses[clock], bandwidth.Accesses, digits)
	require.InEpsilon(t, d.Threshold, bandwidth.Accesses/bandwidth.Replies, digits)
	one := Factors{Reads: 1, DRAM: 1}
	require.InEpsilon(t, d.Reply[clock], rate(NoCBound, one, bandwidth, 1, 7), digits)
	require.InEpsilon(t, d.Access[clock], rate(DRAMBound, one, bandwidth, 7, 1), digits)
	require.Len(t, d.Even, 4)
	for _, e := range d.Even {
		want := *e.NoC
		if e.DRAM != nil {
			want = min(want, *e.DRAM)
		}
		require.InEpsilon(t, want, even(Factors{e.RF, e.DF}, bandwidth, e.Kernels), digits, "%+v", e)
	}
	require.Len(t, d.Kernels, 13)
	for _, k := range d.Kernels {
		f := Factors{k.RF, k.DF}
		noc, dram := units(k.Reads/k.RF, f, bandwidth)
		require.InEpsilon(t, k.NoC, noc, 2e-3, k.Abbr)
		require.InEpsilon(t, k.DRAM, dram, 2e-3, k.Abbr)
		// And back.
		require.InEpsilon(t, k.Reads/k.RF, rate(NoCBound, f, bandwidth, noc, 0), 1e-9)
		require.InEpsilon(t, k.Reads/k.RF, rate(DRAMBound, f, bandwidth, 0, dram), 1e-9)
		require.InEpsilon(t, k.Reads/k.RF, rate(Sensitive, f, bandwidth, noc, 2*dram), 1e-9)
	}
}

func TestEquation7PutsTheKernelsOfTable2IntoTheirClasses(t *testing.T) {
	var d derived
	read(t, "derived.json", &d)
	intensive := 0
	for _, k := range d.Kernels {
		if k.Type == "LS" {
			continue
		}
		intensive++
		require.Equal(t, k.Type, classify(Factors{k.RF, k.DF}, bandwidth, 20, 10).String(), k.Abbr)
	}
	require.Equal(t, 8, intensive)
}

func TestAKernelIsIntensiveFromTheEvenRateOn(t *testing.T) {
	f := Factors{Reads: 1, DRAM: 0.5}
	require.Equal(t, NoCBound, classify(f, bandwidth, 12, 12))
	require.Equal(t, Sensitive, classify(f, bandwidth, 11.999, 12))
	require.Equal(t, Sensitive, classify(Factors{}, bandwidth, 0, math.Inf(1)), "no traffic at all")
	atTheLine := bandwidth.Accesses / bandwidth.Replies
	require.Equal(t, NoCBound, classify(Factors{1, atTheLine - 1e-9}, bandwidth, 12, 12))
	require.Equal(t, DRAMBound, classify(Factors{1, atTheLine}, bandwidth, 12, 12))
	require.Equal(t, DRAMBound, classify(Factors{0, 1}, bandwidth, 12, 12), "stores alone")
}

func TestRatesWithoutLimit(t *testing.T) {
	require.Equal(t, math.Inf(1), rate(NoCBound, Factors{0, 1}, bandwidth, 5, 5))
	require.Equal(t, math.Inf(1), even(Factors{}, bandwidth, 2))
	for r, want := range map[float64]uint32{0: 1, 0.001: 1, 3.6: 922, 10: 2560, 199.99: 51197} {
		got, limited := fixed(r)
		require.True(t, limited)
		require.Equal(t, want, got, "%v", r)
	}
	for _, r := range []float64{200, 1e9, math.Inf(1)} {
		_, limited := fixed(r)
		require.False(t, limited, "%v", r)
	}
	require.Equal(t, 51200, protocol.RateLimit)
}

func TestCurve(t *testing.T) {
	for _, c := range []struct {
		name      string
		points    []measured
		most      int
		sustained float64
		want      []float64
	}{
		{"goes on with the last slope", []measured{{2, 6}, {1, 4}}, 5, 24, []float64{0, 4, 6, 8, 10, 12}},
		{"up to what is sustained", []measured{{2, 6}, {1, 4}}, 5, 9, []float64{0, 4, 6, 8, 9, 9}},
		{"or stays where it is above that", []measured{{2, 30}, {1, 20}}, 4, 24, []float64{0, 20, 30, 30, 30}},
		{"never falls", []measured{{3, 4}, {2, 7}, {1, 5}}, 4, 24, []float64{0, 5, 7, 7, 7}},
		{"is linear between points and to the origin", []measured{{5, 10}, {3, 6}}, 6, 24, []float64{0, 2, 4, 6, 8, 10, 12}},
		{"of one point", []measured{{1, 3}}, 3, 24, []float64{0, 3, 6, 9}},
		{"of a kernel that fits once", []measured{{1, 3}}, 1, 24, []float64{0, 3}},
	} {
		require.InDeltaSlice(t, c.want, curve(c.points, c.most, c.sustained), 1e-12, c.name)
	}
	require.Equal(t, []float64{0, 1.5, 3, 4.5}, linear(measured{2, 3}, 3))
}

func TestCTANumbersOfInterest(t *testing.T) {
	for even, want := range map[int][]int{1: {1}, 4: {4, 3, 2, 1}, 8: {8, 7, 6, 5, 4, 3, 2, 1}, 9: {9, 7, 5, 3, 1},
		16: {16, 14, 12, 10, 8, 6, 4, 2}, 17: {17, 14, 11, 8, 5, 2}} {
		require.Equal(t, want, pointsOf(even), "%d", even)
	}
}

func TestPerformance(t *testing.T) {
	require.InDelta(t, 2/(1/0.5+1/0.25), performance([]float64{0.5, 0.25}, false), 1e-12)
	require.InDelta(t, 0.75, performance([]float64{0.5, 0.25}, true), 1e-12)
	require.Zero(t, performance([]float64{0.5, 0}, true), "who has nothing alone is not known")
	require.Zero(t, performance(nil, false))
}

// climbed lists the priorities that a search tries with performances, in tenths, and
// where it ends.
func climbed(scores map[int]float64, same func(a, b float64) bool) (tried []int, end int) {
	p := newPrior()
	for !p.over {
		tried = append(tried, p.now)
		p.judge(scores[p.now], same)
	}
	return tried, p.now
}

func TestPriorityGoesDownWhileItDoesNotGetWorse(t *testing.T) {
	differ := func(a, b float64) bool { return false }
	tried, end := climbed(map[int]float64{10: 0.5, 9: 0.6, 8: 0.59}, differ)
	require.Equal(t, []int{10, 9, 8}, tried)
	require.Equal(t, 9, end)
	tried, end = climbed(map[int]float64{10: 1, 9: 0.996, 8: 0.994}, differ)
	require.Equal(t, []int{10, 9, 8}, tried, "half a percent is no step down, and the next is compared with the best")
	require.Equal(t, 10, end)
	rising := map[int]float64{}
	for i := range 11 {
		rising[i] = 2 - float64(i)/10
	}
	tried, end = climbed(rising, differ)
	require.Equal(t, []int{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, tried)
	require.Equal(t, 1, end)
	// Priorities that allocate the same are not tried.
	tried, _ = climbed(rising, func(a, b float64) bool { return a-b < 0.25 })
	require.Equal(t, []int{10, 7, 4, 1}, tried)
	tried, end = climbed(rising, func(a, b float64) bool { return true })
	require.Equal(t, []int{10}, tried)
	require.Equal(t, 10, end)
}

func TestCombinationMovesCTAsOneByOne(t *testing.T) {
	// An SM of 30 threads; the first kernel's CTAs have three, the second's two.
	c := &occupancy.Capacity{TBs: 20, Threads: 30, Warps: 100, SharedOptions: []int{0}}
	demands := []occupancy.Demand{{TBs: 1, Threads: 3}, {TBs: 1, Threads: 2}}
	most := []int{10, 9}
	try := func(score func(a, b int) float64) (tried [][2]int, end []int) {
		p := newCombination([]int{6, 4})
		for !p.over {
			tried = append(tried, [2]int{p.now[0], p.now[1]})
			p.judge(score(p.now[0], p.now[1]), c, demands, most)
		}
		return tried, p.now
	}
	tried, end := try(func(a, b int) float64 { return []float64{3: 2, 4: 3, 5: 2.5, 6: 1, 8: 0.5}[a] })
	require.Equal(t, [][2]int{{6, 4}, {5, 7}, {4, 9}}, tried, "the second has no more, and gives nothing for what was tried")
	require.Equal(t, []int{4, 9}, end)
	tried, end = try(func(a, b int) float64 { return float64(a) })
	require.Equal(t, [][2]int{{6, 4}, {5, 7}, {8, 3}, {9, 1}}, tried, "two of the second's for one of the first's; never the last")
	require.Equal(t, []int{9, 1}, end)
	tried, end = try(func(a, b int) float64 { return 1 + float64(a)/2000 })
	require.Equal(t, [][2]int{{6, 4}, {5, 7}, {8, 3}}, tried)
	require.Equal(t, []int{6, 4}, end, "half a percent is no step up")
}

func TestWhoIsRefusedKeepsACTA(t *testing.T) {
	c := &occupancy.Capacity{TBs: 10, Threads: 10, Warps: 10, SharedOptions: []int{0}}
	one := occupancy.Demand{TBs: 1, Threads: 1, Warps: 1}
	steep := Kernel{Kind: NoCBound, Demand: one, NoC: []float64{0, 20, 20}, DRAM: []float64{0, 2, 2}}
	dram := Kernel{Kind: DRAMBound, Demand: one, NoC: []float64{0, 2}, DRAM: []float64{0, 20}}
	grants := make([]Grant, 2)
	var why []string
	note := func(p Pass) { why = append(why, p.Refused) }
	Allocate(c, []Kernel{steep, dram}, Rule{Whole: Units, Most: 0.5, Prior: 1}, grants, note)
	require.Equal(t, []Grant{{CTAs: 1}, {CTAs: 1}}, grants)
	require.Equal(t, []string{"NoC", "DRAM"}, why)

	// It is set aside from the beginning: no other kernel takes its room.
	c.Threads = 4
	sensitive := Kernel{Kind: Sensitive, Demand: one, NoC: make([]float64, 5), DRAM: make([]float64, 5)}
	Allocate(c, []Kernel{steep, sensitive}, Rule{Whole: Units, Most: 0.5, Prior: 1}, grants, nil)
	require.Equal(t, []int{1, 3}, []int{grants[0].CTAs, grants[1].CTAs})

	// Unless a CTA of each fits, no CTA is set aside.
	c.Threads = 1
	Allocate(c, []Kernel{steep, sensitive}, Rule{Whole: Units, Most: 0.5, Prior: 1}, grants, nil)
	require.Equal(t, []int{0, 1}, []int{grants[0].CTAs, grants[1].CTAs})

	// Shares do not count TB slots (5.5).
	c.Threads, c.TBs = 4, 2
	Allocate(c, []Kernel{sensitive}, Rule{Whole: Units, Most: Units, Prior: 1}, grants[:1], nil)
	require.Equal(t, Grant{CTAs: 2, Dominant: 0.5}, grants[0])
	c.TBs = 10

	// Bandwidth is left, but the kernel can have no more CTAs.
	why = nil
	gentle := Kernel{Kind: NoCBound, Demand: one, NoC: []float64{0, 10}, DRAM: []float64{0, 1}}
	Allocate(c, []Kernel{gentle}, Rule{Whole: Units, Most: Units, Prior: 1}, grants[:1], note)
	require.Equal(t, Grant{CTAs: 1, NoC: 10, DRAM: 1, Dominant: 0.5}, grants[0])
	require.Equal(t, "the kernel's most CTAs", why[len(why)-1])
}

func TestAllocationNeverExceedsAnythingAndStarvesNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &occupancy.Capacity{TBs: 16, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{49152}}
		var kernels []Kernel
		ones := occupancy.Demand{}
		for range rapid.IntRange(1, 4).Draw(t, "kernels") {
			k := Kernel{Kind: Kind(rapid.IntRange(1, 3).Draw(t, "kind"))}
			threads := 32 * rapid.IntRange(1, 16).Draw(t, "warps")
			k.Demand = occupancy.Demand{TBs: 1, Threads: threads, Warps: threads / 32, Registers: rapid.IntRange(0, 16000).Draw(t, "registers")}
			ones = ones.Add(k.Demand)
			n, _ := c.Occupancy(k.Demand)
			slope, other := rapid.Float64Range(0.1, 9).Draw(t, "own"), rapid.Float64Range(0, 1).Draw(t, "other")
			for i := range n + 1 {
				own := min(slope*float64(i), Units)
				k.NoC, k.DRAM = append(k.NoC, own), append(k.DRAM, own*other)
			}
			if k.Kind == DRAMBound {
				k.NoC, k.DRAM = k.DRAM, k.NoC
			}
			kernels = append(kernels, k)
		}
		most := rapid.SampledFrom([]float64{Units, 17}).Draw(t, "most")
		grants := make([]Grant, len(kernels))
		Allocate(c, kernels, Rule{Whole: Units, Most: most, Prior: float64(rapid.IntRange(1, 10).Draw(t, "prior")) / 10}, grants, nil)
		var u occupancy.Usage
		noc, dram := 0.0, 0.0
		fit := c.Fits(&u, ones)
		for k, g := range grants {
			require.Less(t, g.CTAs, len(kernels[k].NoC))
			for range g.CTAs {
				require.True(t, c.Fits(&u, kernels[k].Demand))
				u.Take(kernels[k].Demand)
			}
			require.True(t, g.CTAs > 0 || !fit, "kernel %d", k)
			noc, dram = noc+g.NoC, dram+g.DRAM
		}
		require.LessOrEqual(t, noc, most+1e-6)
		require.LessOrEqual(t, dram, most+1e-6)
	})
}

// A kernel with units of one bandwidth only has their rate; a kernel without units has the
// rate of one unit.
func TestTheRateOfAGrant(t *testing.T) {
	s := study{bandwidth: Bandwidth{Replies: 40, Accesses: 40}, members: make([]member, 1)}
	s.members[0].factors = Factors{Reads: 1, DRAM: 2}
	for _, c := range []struct {
		kind  Kind
		grant Grant
		want  float64
	}{
		{DRAMBound, Grant{DRAM: 6}, 6}, {NoCBound, Grant{NoC: 6}, 12}, {DRAMBound, Grant{}, 1}, {NoCBound, Grant{}, 2},
		{Sensitive, Grant{NoC: 6, DRAM: 6}, 6},
	} {
		s.members[0].kind, s.grants = c.kind, []Grant{c.grant}
		require.InDelta(t, c.want, s.granted(0), 1e-12, "%v", c)
	}
}
