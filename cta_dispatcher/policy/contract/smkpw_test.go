package contract

import (
	"regexp"
	"strconv"
	"testing"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// figure8Half is half of figure8's SM.
var figure8Half = occupancy.Capacity{TBs: 500, Threads: 750, Warps: 500, Registers: 500, SharedOptions: []int{500}}

// wholeAndHalf lists SMs of figure8, and then SMs with half of everything, schedulers
// included.
func wholeAndHalf(whole, half int) (list []dispatcher.SM) {
	list = alike(whole+half, figure8)
	for i := range list[whole:] {
		s := &list[whole+i]
		s.Capacity, s.Kind, s.Schedulers = figure8Half, 1, 2
	}
	return list
}

// figure8OnKinds are the kernels of SMK Figure 8. K1 issues 1.6 instructions in a cycle on
// any SM; each thread block of K2 issues 0.25.
func figure8OnKinds() (k1, k2 application) {
	k1, k2 = figure8Kernels()
	k1.kernels[0].tbs, k2.kernels[0].tbs = 250, 400
	k1.kernels[0].Rate, k1.kernels[0].Flat = 1600, true
	k1.wipc, k2.wipc = 0.6, 1
	return k1, k2
}

func TestSMKPWProfilesOnEachKindOfSM(t *testing.T) {
	k1, k2 := figure8OnKinds()
	golden(t, "smk-pw_kinds", "SMK-(P+W) (SMK 5.4) on four SMs and four of half their size, epoch 1000. K1 keeps SM0 and SM4 for\n"+
		"profiling, K2 gets SM1 and SM5. On the whole SMs x is 1.6/4 = 0.4 and 16 x 0.25/4 = 1.0, and S/T is 6/10 and\n"+
		"12/16, so C is 0.24 and 0.75, and quotas are 242 and 757 in a thousand. On the half ones x is 1.6/2 = 0.8\n"+
		"and 8 x 0.25/2 = 1.0, and S/T is 3/5 and 6/8, so C is 0.48 and 0.75, and quotas are 390 and 609.",
		byArrival(scenario{sms: wholeAndHalf(4, 4), delays: []int{10}}, k1, k2), "smk-pw:epoch=100k,quota=scheduler")
}

func TestSMKPWTakesWhatTenantsHaveAloneOnSMsOfTwoKinds(t *testing.T) {
	k1, k2 := figure8OnKinds()
	golden(t, "smk-pw_isolated_kinds", "SMK-(P+W) on an SM and one of half its size, with x of 0.6 and 1.0 from runs alone. Six schedulers have\n"+
		"15 thread blocks of K1 or 24 of K2, so T is 10 and 16 with the four of SM0, and 5 and 8 with the two of SM1.\n"+
		"S/T is 6/10 and 12/16, and 3/5 and 6/8, so C is 0.36 and 0.75 on both, and quotas are 324 and 675 in a\n"+
		"thousand.",
		byArrival(scenario{sms: wholeAndHalf(1, 1), delays: []int{10}}, k1, k2), "smk-pw:epoch=100k,wipc=isolated,quota=scheduler")
}

// A kind without quotas: profiling SMs would be more than half of its SMs.
func TestSMKPWNeedsTwiceAsManySMsOfAKindAsKernels(t *testing.T) {
	k1, k2 := figure8OnKinds()
	for _, c := range []struct {
		whole, half int
		quotas      [2]bool // on the whole and the half SMs
	}{{4, 4, [2]bool{true, true}}, {4, 3, [2]bool{true, false}}, {3, 4, [2]bool{false, true}}, {3, 3, [2]bool{}}} {
		s := byArrival(scenario{sms: wholeAndHalf(c.whole, c.half)}, k1, k2)
		p, err := policy.Parse("smk-pw:epoch=100k")
		require.NoError(t, err)
		w := &transcript{unit: unit}
		run, err := begin(s.times(unit), p, w)
		require.NoError(t, err)
		run.run()
		require.NoError(t, run.fault)
		var seen [2]bool
		for _, line := range regexp.MustCompile(`quotas \[[^]]*\] SM([0-9])`).FindAllStringSubmatch(w.text.String(), -1) {
			first, err := strconv.Atoi(line[1])
			require.NoError(t, err)
			seen[s.sms[first].Kind] = true
		}
		require.Equal(t, c.quotas, seen, "%d and %d SMs", c.whole, c.half)
	}
}
