package heterocore

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// vectors are the examples of testdata/algorithms.json, worked by hand from the paper's
// Algorithms 1 and 2 (HeteroCore 4.2, 4.3, 6.4). CTAs of named benchmarks are from its Table
// 3; IPCs are invented, as it prints none.
type vectors struct {
	Table3 []struct {
		Base   int     `json:"ctas_base"`
		Big    int     `json:"ctas_big"`
		Small  int     `json:"ctas_small"`
		Scaled float64 `json:"ipc_scaled_value"`
	} `json:"table3_ipc_scaled"`
	Estimates []struct {
		Kernel string
		Big    float64 `json:"ipc_big"`
		Small  float64 `json:"ipc_small"`
		CTAs   CTAs
		Base   float64 `json:"ipc_base"`
		NBig   float64 `json:"normalised_big"`
		NSmall float64 `json:"normalised_small"`
	} `json:"baseline_ipc_estimation"`
	Algorithm1 []struct {
		Name   string
		Input  pair[offlineVector]
		First  float64           `json:"stp_K0_big_K1_small"`
		Second float64           `json:"stp_K1_big_K0_small"`
		BigTo  map[string]string `json:"big_sms_to"`
		Class  pair[string]      `json:"classes"`
	}
	Algorithm2 []struct {
		Name  string
		Input pair[struct {
			Big   float64 `json:"ipc_big_4"`
			Small float64 `json:"ipc_small_4"`
			CTAs  CTAs
		}]
		Base     pair[float64] `json:"ipc_base"`
		Favour   bool          `json:"both_favour_big"`
		First    float64       `json:"stp_K0_big_K1_small"`
		Second   float64       `json:"stp_K1_big_K0_small"`
		Decision string
	}
	More []struct {
		Name  string
		Input []struct {
			Kernel string
			Big    float64 `json:"ipc_big_2"`
			Small  float64 `json:"ipc_small_2"`
			CTAs   CTAs
		}
		Base       []float64 `json:"ipc_base"`
		Candidates []struct {
			Big []int
			STP float64
		}
		BigTo []string `json:"big_to"`
	} `json:"more_kernels"`
	Degenerate []struct {
		Rule  string
		Input struct {
			Big       float64 `json:"ipc_big"`
			Small     float64 `json:"ipc_small"`
			CTAs      CTAs
			Left      int `json:"tbs_left"`
			SMs       int `json:"sms_of_kind"`
			Occupancy CTAs
		}
		Output struct {
			Base     float64 `json:"ipc_base"`
			CTAs     CTAs
			Decision string
		}
	}
}

type pair[T any] struct{ K0, K1 T }

type offlineVector struct {
	Base16 float64 `json:"ipc_base_16"`
	Base8  float64 `json:"ipc_base_8"`
	Big    float64 `json:"ipc_big_8"`
	Small  float64 `json:"ipc_small_8"`
}

func load(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/algorithms.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &v))
	require.Equal(t, []int{12, 10, 7, 7, 4, 4}, []int{len(v.Table3), len(v.Estimates), len(v.Algorithm1), len(v.Algorithm2), len(v.More), len(v.Degenerate)})
	return v
}

// accuracy is the accuracy of the printed numbers.
const accuracy = 1e-6

// half is the paper's 8B8S.
var half = SMs{8, 8}

// name names the kernels on the big SMs as the vectors do.
func name(big []bool) string {
	switch {
	case big == nil:
		return "half"
	case big[0] == big[1]:
		return "wrong"
	case big[0]:
		return "K0"
	}
	return "K1"
}

// anywhere says that all kernels run on both kinds.
func anywhere(int, bool) bool { return true }

func TestBaseIPCLiesOnALineOverCTAs(t *testing.T) {
	v := load(t)
	for _, k := range v.Table3 {
		// With an IPC of 1 on big SMs and 0 on small ones it is the part of the way.
		require.InDelta(t, k.Scaled, EstimateBase(1, 0, CTAs{k.Base, k.Big, k.Small}), accuracy)
	}
	for _, k := range v.Estimates {
		base := EstimateBase(k.Big, k.Small, k.CTAs)
		require.InDelta(t, k.Base, base, accuracy, k.Kernel)
		require.InDelta(t, k.NBig, k.Big/base, accuracy, k.Kernel)
		require.InDelta(t, k.NSmall, k.Small/base, accuracy, k.Kernel)
	}
}

func TestDegenerateCases(t *testing.T) {
	v := load(t)
	equal, unfit, grid, nothing := v.Degenerate[0], v.Degenerate[1], v.Degenerate[2], v.Degenerate[3]
	for _, d := range []int{0, 1} {
		in := v.Degenerate[d].Input
		require.InDelta(t, v.Degenerate[d].Output.Base, EstimateBase(in.Big, in.Small, in.CTAs), accuracy, v.Degenerate[d].Rule)
	}
	require.Equal(t, CTAs{1, 1, 1}, equal.Input.CTAs)
	require.Zero(t, unfit.Input.CTAs.Small)
	in := grid.Input
	limited := in.Occupancy.Limit(in.Left, SMs{in.SMs, in.SMs})
	require.Equal(t, grid.Output.CTAs, limited)
	require.InDelta(t, 1, EstimateBase(1, 0, limited), accuracy, "IPC_scaled")
	in = nothing.Input
	require.Equal(t, "half", nothing.Output.Decision)
	silent := Kernel{in.Big, in.Small, EstimateBase(in.Big, in.Small, in.CTAs)}
	for _, kernels := range [][]Kernel{{silent, {2, 1, 1}}, {{1, 2, 1}, silent}} {
		big, ok := ChooseTwo(kernels, half, 0)
		require.Nil(t, big, nothing.Rule)
		require.False(t, ok)
		big, ok = ChooseMany(append(kernels, Kernel{1, 1, 1}), half, anywhere)
		require.Nil(t, big)
		require.False(t, ok)
	}
	// D2: both fit no small SM. Each favours the big SMs, and has half of them.
	big, ok := ChooseTwo([]Kernel{{50, 0, 25}, {30, 0, 10}}, half, 0)
	require.Nil(t, big)
	require.True(t, ok)
}

func TestTheGridLimitsCTAs(t *testing.T) {
	c := CTAs{6, 9, 3}
	require.Equal(t, c, c.Limit(0, SMs{4, 4}), "nothing is known when none is left")
	require.Equal(t, c, c.Limit(33, SMs{4, 4}))
	require.Equal(t, CTAs{6, 8, 3}, c.Limit(32, SMs{4, 4}))
	require.Equal(t, CTAs{1, 1, 1}, c.Limit(1, SMs{4, 4}))
	require.Equal(t, CTAs{3, 5, 3}, c.Limit(9, SMs{2, 3}), "two and a half of both kinds are three")
	require.Equal(t, CTAs{3, 6, 2}, c.Limit(12, SMs{2, 6}), "two big ones, six small ones, four of both kinds")
	require.Equal(t, CTAs{6, 6, 3}, c.Limit(12, SMs{2, 0}), "it has no small one")
}

func TestAlgorithm1(t *testing.T) {
	for _, c := range load(t).Algorithm1 {
		apps := []Offline{Offline(c.Input.K0), Offline(c.Input.K1)}
		kernels := []Kernel{apps[0].kernel(), apps[1].kernel()}
		require.InDelta(t, c.First, STP(kernels, []bool{true, false}, half), accuracy, c.Name)
		require.InDelta(t, c.Second, STP(kernels, []bool{false, true}, half), accuracy, c.Name)
		for k, class := range []string{c.Class.K0, c.Class.K1} {
			require.Equal(t, class == "lean", apps[k].Lean(0), "%s: K%d", c.Name, k)
		}
		for g, key := range map[Goal]string{STPOptimised: "stp_optimised", Classification: "classification", Balanced: "balanced"} {
			require.Equal(t, c.BigTo[key], name(g.Choose(apps, half, 0, anywhere)), "%s: %s", c.Name, g)
		}
	}
}

func TestAlgorithm2(t *testing.T) {
	for _, c := range load(t).Algorithm2 {
		kernels := []Kernel{
			{c.Input.K0.Big, c.Input.K0.Small, EstimateBase(c.Input.K0.Big, c.Input.K0.Small, c.Input.K0.CTAs)},
			{c.Input.K1.Big, c.Input.K1.Small, EstimateBase(c.Input.K1.Big, c.Input.K1.Small, c.Input.K1.CTAs)}}
		require.InDelta(t, c.Base.K0, kernels[0].Base, accuracy, c.Name)
		require.InDelta(t, c.Base.K1, kernels[1].Base, accuracy, c.Name)
		require.Equal(t, c.Favour, kernels[0].favoursBig(half, 0) && kernels[1].favoursBig(half, 0), c.Name)
		require.InDelta(t, c.First, STP(kernels, []bool{true, false}, half), accuracy, c.Name)
		require.InDelta(t, c.Second, STP(kernels, []bool{false, true}, half), accuracy, c.Name)
		big, ok := ChooseTwo(kernels, half, 0)
		require.True(t, ok)
		require.Equal(t, c.Decision, name(big), c.Name)
	}
}

func TestMarginOverlooksNoise(t *testing.T) {
	// The vector "noise": a flat kernel that is 0.5 % faster on big SMs.
	kernels := []Kernel{{201, 200, 200.5}, {240, 200, 220}}
	for margin, want := range map[float64]string{0: "half", 0.004: "half", 0.006: "K1", 0.05: "K1"} {
		big, _ := ChooseTwo(kernels, half, margin)
		require.Equal(t, want, name(big), "%v", margin)
	}
	flat := Offline{Base16: 400, Base8: 200, Big: 202, Small: 197}
	for margin, lean := range map[float64]bool{0: false, 0.015: false, 0.016: true} {
		require.Equal(t, lean, flat.Lean(margin), "%v", margin)
	}
	thick := Offline{Base16: 400, Base8: 200, Big: 300, Small: 100}
	for g, want := range map[Goal]string{Classification: "K1", Balanced: "K1"} {
		require.Equal(t, "half", name(g.Choose([]Offline{flat, thick}, half, 0, anywhere)), "%s", g)
		require.Equal(t, want, name(g.Choose([]Offline{flat, thick}, half, 0.05, anywhere)), "%s", g)
	}
}

func TestWithUnequalKindsAllOfOneAreComparedWithAllOfTheOther(t *testing.T) {
	// An SM of 4B12S: a kernel is twice as fast on a big SM, and a third as many are big.
	kernels := []Kernel{{20, 10, 12}, {20, 10, 12}}
	require.False(t, kernels[0].favoursBig(SMs{4, 12}, 0))
	require.True(t, kernels[0].favoursBig(SMs{8, 8}, 0))
	require.InDelta(t, (20.*4+10.*12)/(8*12), STP(kernels, []bool{true, false}, SMs{4, 12}), accuracy)
}

func TestMoreKernels(t *testing.T) {
	for _, c := range load(t).More {
		var kernels []Kernel
		for k, in := range c.Input {
			kernels = append(kernels, Kernel{in.Big, in.Small, EstimateBase(in.Big, in.Small, in.CTAs)})
			require.InDelta(t, c.Base[k], kernels[k].Base, accuracy, c.Name)
		}
		at := 0
		for big := range divisions(4, half) {
			want := make([]bool, 4)
			for _, k := range c.Candidates[at].Big {
				want[k] = true
			}
			require.Equal(t, want, big, "%s: in the vectors' order", c.Name)
			require.InDelta(t, c.Candidates[at].STP, STP(kernels, big, half), accuracy, c.Name)
			at++
		}
		require.Len(t, c.Candidates, at)
		big, ok := ChooseMany(kernels, half, anywhere)
		require.True(t, ok)
		var got []string
		for k, b := range big {
			if b {
				got = append(got, c.Input[k].Kernel)
			}
		}
		require.Equal(t, c.BigTo, got, c.Name)
	}
}

func TestThreeKernelsShareKindsUnevenly(t *testing.T) {
	var list [][]bool
	for big := range divisions(3, half) {
		list = append(list, append([]bool(nil), big...))
	}
	T, F := true, false
	require.Equal(t, [][]bool{{T, T, F}, {T, F, T}, {T, F, F}, {F, T, T}, {F, T, F}, {F, F, T}}, list)
	// Of five SMs two share, the first has three.
	var got []int
	parts([]bool{T, F, T}, SMs{5, 7}, func(_, n int) { got = append(got, n) })
	require.Equal(t, []int{3, 7, 2}, got)
	// One kernel is much faster on small SMs: it has them all, scaled from a third of 16.
	kernels := []Kernel{{2, 1, 1}, {2, 1, 1}, {1, 4, 1}}
	big, ok := ChooseMany(kernels, half, anywhere)
	require.True(t, ok)
	require.Equal(t, []bool{T, T, F}, big)
	require.InDelta(t, (2.*4+2.*4+4*8)/(16./3), STP(kernels, big, half), accuracy)
}

func TestNobodyGetsSMsOnWhichItDoesNotFit(t *testing.T) {
	kernels := []Kernel{{2, 0, 1}, {2, 1, 1}, {9, 1, 1}}
	small := func(who int) func(int, bool) bool { return func(k int, big bool) bool { return big || k != who } }
	// By the sum alone, the third would have the big SMs to itself.
	big, _ := ChooseMany(kernels, half, anywhere)
	require.Equal(t, []bool{false, false, true}, big)
	big, _ = ChooseMany(kernels, half, small(0))
	require.Equal(t, []bool{true, false, true}, big)
	big, ok := ChooseMany(kernels, half, func(_ int, big bool) bool { return big })
	require.Nil(t, big, "somebody would have small ones")
	require.True(t, ok)
	big, _ = ChooseMany(kernels, SMs{1, 9}, anywhere)
	require.Equal(t, []bool{false, false, true}, big, "one big SM is not for two")
}

func TestStaticOfMoreThanTwo(t *testing.T) {
	thick, lean := Offline{400, 200, 300, 100}, Offline{400, 200, 190, 210}
	apps := []Offline{thick, lean, lean, thick}
	for _, g := range []Goal{Classification, STPOptimised, Balanced} {
		require.Equal(t, []bool{true, false, false, true}, g.Choose(apps, half, 0, anywhere), "%s", g)
	}
	require.Nil(t, Classification.Choose([]Offline{thick, thick, thick}, half, 0, anywhere))
	require.Equal(t, []bool{true, true, false}, Balanced.Choose([]Offline{thick, thick, thick}, half, 0, anywhere))
}

func TestAdaptive(t *testing.T) {
	require.Equal(t, policy.Drain, Adaptive(true))
	require.Equal(t, policy.Switch, Adaptive(false))
}

// For any kernels the choice is the best of all divisions, written out plainly.
func TestChooseManyIsTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "kernels")
		sms := SMs{rapid.IntRange(n, 12).Draw(t, "big"), rapid.IntRange(n, 12).Draw(t, "small")}
		var kernels []Kernel
		for range n {
			f := func(name string) float64 { return float64(rapid.IntRange(1, 50).Draw(t, name)) }
			kernels = append(kernels, Kernel{f("on big"), f("on small"), f("base")})
		}
		best := math.Inf(-1)
		for bits := 1; bits < 1<<n-1; bits++ {
			var members [2][]int
			for k := range n {
				members[bits>>k&1] = append(members[bits>>k&1], k)
			}
			if n%2 == 0 && sms.Big%n == 0 && sms.Small%n == 0 && len(members[0]) != len(members[1]) {
				continue
			}
			sum := 0.0
			for side, list := range members {
				of := []int{sms.Small, sms.Big}[side]
				for at, k := range list {
					gets := of / len(list)
					if at < of%len(list) {
						gets++
					}
					ipc := []float64{kernels[k].Small, kernels[k].Big}[side]
					sum += ipc * float64(gets) * float64(n) / float64(sms.Big+sms.Small) / kernels[k].Base
				}
			}
			best = math.Max(best, sum)
		}
		big, ok := ChooseMany(kernels, sms, anywhere)
		require.True(t, ok)
		require.InDelta(t, best, STP(kernels, big, sms), 1e-9)
	})
}
