package fixed

import (
	"slices"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// ccbp16 is the SM of the CCBP paper (CCBP Table 1).
var ccbp16 = occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}

// of is a thread block of some threads.
func of(threads int) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: threads, Warps: threads / 32}
}

// driver applies actions to the View.
type driver struct {
	policy.Actions
	policy    policy.Policy
	view      policy.View
	mechanism policy.Mechanism
	rates     map[int][]protocol.Rates // by SM
}

func (d *driver) Send(u protocol.Unit, c protocol.Control) {
	d.rates[u.Index] = append(d.rates[u.Index], *c.(*protocol.Rates))
}

// gpu has some SMs, and for each number of threads a tenant with 99 thread blocks.
func gpu(t *testing.T, spec string, sms int, threads ...int) *driver {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	d := &driver{policy: p, rates: map[int][]protocol.Rates{}}
	for tenant, n := range threads {
		d.view.Tenants = append(d.view.Tenants, policy.Tenant{Present: true, Rank: tenant, Demand: of(n), Waiting: 99})
		d.view.Active = append(d.view.Active, tenant)
	}
	for range sms {
		d.view.SMs = append(d.view.SMs, policy.SM{Capacity: &ccbp16, TBs: make([]int, len(threads)), Leaving: make([]int, len(threads))})
	}
	return d
}

func (d *driver) Place(tenant, sm int) {
	d.view.Tenants[tenant].Waiting--
	d.view.SMs[sm].Usage.Take(d.view.Tenants[tenant].Demand)
	d.view.SMs[sm].TBs[tenant]++
}

// Preempt has the thread blocks be gone at once.
func (d *driver) Preempt(tenant, sm, n int, m policy.Mechanism) {
	d.mechanism = m
	for range n {
		d.view.Tenants[tenant].Waiting++
		d.view.SMs[sm].Usage.Release(d.view.Tenants[tenant].Demand)
		d.view.SMs[sm].TBs[tenant]--
	}
}

// decide asks the policy, and again once thread blocks have left.
func (d *driver) decide() (have [][]int) {
	for range 2 {
		d.policy.Decide(&d.view, d)
	}
	for i := range d.view.SMs {
		have = append(have, append([]int(nil), d.view.SMs[i].TBs...))
	}
	return have
}

// shown are the values of the register.
func (d *driver) shown() (list []float64) {
	for _, r := range d.policy.Needs().Registers() {
		list = append(list, r.Value)
	}
	return list
}

func TestNumbersOfThreadBlocks(t *testing.T) {
	for spec, want := range map[string][][]int{
		"fixed":                      {{5, 6, 6}, {5, 6, 6}, {5, 6, 6}},
		"fixed:tbs=7/4/1":            {{6, 4, 1}, {6, 4, 1}, {6, 4, 1}}, // a seventh would make 2,112 threads
		"fixed:tbs=1/2/9":            {{1, 2, 9}, {1, 2, 9}, {1, 2, 9}},
		"fixed:sms=1/1/1":            {{8, 0, 0}, {0, 32, 0}, {0, 0, 32}},
		"fixed:sms=2/1/1":            nil,
		"fixed:tbs=99/2/3,sms=1/1/1": {{8, 0, 0}, {0, 2, 0}, {0, 0, 3}},
	} {
		d := gpu(t, spec, 3, 256, 64, 64)
		if want == nil {
			require.EqualError(t, d.policy.Needs().Check(&d.view), "option sms asks for 4 SMs, the GPU has 3")
			continue
		}
		require.NoError(t, d.policy.Needs().Check(&d.view))
		require.Equal(t, want, d.decide(), spec)
		shown := []float64{0, 0, 0}
		for i := range want {
			for tenant, n := range want[i] {
				shown[tenant] = max(shown[tenant], float64(n))
			}
		}
		require.Equal(t, shown, d.shown(), "%s: a number that is too large shows as what fits", spec)
	}
}

func TestThePublishedCombinationFillsAnSM(t *testing.T) {
	d := gpu(t, "fixed:tbs=7/4", 2, 256, 64)
	require.Equal(t, [][]int{{7, 4}, {7, 4}}, d.decide())
	require.Equal(t, []float64{7, 4}, d.shown())
}

func TestNumbersGoByTheOrderOfArrivalAndStay(t *testing.T) {
	d := gpu(t, "fixed:tbs=3/1", 1, 64, 64)
	d.view.Tenants[0].Rank, d.view.Tenants[1].Rank = 1, 0
	require.Equal(t, [][]int{{1, 3}}, d.decide())
	// An application that comes once more has the number that it had.
	d.view.Tenants[1].Present, d.view.Active = false, []int{0}
	require.Equal(t, [][]int{{1, 3}}, d.decide(), "a number holds for who is alone as well")
	d.view.Tenants[1].Present, d.view.Tenants[1].Rank, d.view.Active = true, 2, []int{0, 1}
	require.Equal(t, [][]int{{1, 3}}, d.decide())
}

func TestWhoComesLaterGetsItsNumber(t *testing.T) {
	for spec, m := range map[string]policy.Mechanism{"fixed": policy.Switch, "fixed:preempt=ideal": policy.Ideal} {
		d := gpu(t, spec, 1, 256, 64)
		d.view.Active = []int{0}
		require.Equal(t, [][]int{{8, 0}}, d.decide())
		d.view.Active = []int{0, 1}
		require.Equal(t, [][]int{{6, 8}}, d.decide(), "of all that fit, one each in turn: six of each, and 64 threads eight times")
		require.Equal(t, m, d.mechanism)
	}
	d := gpu(t, "fixed:preempt=none", 1, 256, 64)
	d.view.Active = []int{0}
	d.decide()
	d.view.Active = []int{0, 1}
	require.Equal(t, [][]int{{8, 0}}, d.decide())
	d.Preempt(0, 0, 1, policy.Switch) // one ends
	require.Equal(t, [][]int{{7, 4}}, d.decide())
}

func TestAnotherKernelHasWhatFitsOfTheNumber(t *testing.T) {
	d := gpu(t, "fixed:tbs=7/4", 1, 256, 64)
	d.decide()
	d.Preempt(0, 0, 7, policy.Switch)
	d.view.Tenants[0].Demand = of(1024)
	require.Equal(t, [][]int{{1, 4}}, d.decide())
	require.Equal(t, []float64{1, 4}, d.shown())
}

func TestAKernelWithoutRoomWaitsForOneThatCameBefore(t *testing.T) {
	d := gpu(t, "fixed:tbs=1/1", 1, 2048, 64)
	require.Equal(t, [][]int{{1, 0}}, d.decide())
	d.view.Active = []int{1, 0} // the first has launched anew
	require.Equal(t, [][]int{{0, 1}}, d.decide())
}

func TestOptions(t *testing.T) {
	const kinds = "valid: all, or whole numbers to 1024, 1 at least, such as 8/4, or one for each kind of SM such as 4+0/4+8"
	for spec, want := range map[string]string{
		"tbs=7/4,sms=8/8":   "",
		"tbs=7":             "",
		"tbs=all,sms=8/8":   "",
		"sms=all":           "",
		"tbs=7/0":           "policy fixed: option tbs=7/0: valid: all, or whole numbers from 1 to 1024 such as 8/4",
		"tbs=7/1025":        "policy fixed: option tbs=7/1025: valid: all, or whole numbers from 1 to 1024 such as 8/4",
		"sms=8+0/0+8":       "",
		"sms=8//8":          "policy fixed: option sms=8//8: " + kinds,
		"sms=8/0":           "policy fixed: option sms=8/0: " + kinds,
		"sms=8+8/0+0":       "policy fixed: option sms=8+8/0+0: " + kinds,
		"sms=8+8/8":         "policy fixed: option sms=8+8/8: " + kinds,
		"sms=8+-1/8+8":      "policy fixed: option sms=8+-1/8+8: " + kinds,
		"sms=1025":          "policy fixed: option sms=1025: " + kinds,
		"tbs=7/4,sms=4/4/8": "policy fixed: options tbs=7/4 and sms=4/4/8: must have as many numbers each",
		"preempt=drain":     "policy fixed: option preempt=drain: valid: none, switch, ideal",
		"rates=0.004/200/-": "",
		"rates=0.0039/1":    "policy fixed: option rates=0.0039/1: valid: none, or numbers of requests from 0.004 to 200, and - for any number, such as 15.5/-",
		"rates=200.1/-":     "policy fixed: option rates=200.1/-: valid: none, or numbers of requests from 0.004 to 200, and - for any number, such as 15.5/-",
		"rates=nan":         "policy fixed: option rates=nan: valid: none, or numbers of requests from 0.004 to 200, and - for any number, such as 15.5/-",
		"rates=1//2":        "policy fixed: option rates=1//2: valid: none, or numbers of requests from 0.004 to 200, and - for any number, such as 15.5/-",
		"first=1/2":         "policy fixed: option first=1/2: valid: none, or a 1 or 0 for each application, such as 1/0",
		"rates=1,first=1/0": "policy fixed: options rates=1 and first=1/0: must have as many numbers each",
		"tbs=7/4,first=1":   "policy fixed: options tbs=7/4 and first=1: must have as many numbers each",
	} {
		_, err := policy.Parse("fixed:" + spec)
		if want == "" {
			require.NoError(t, err, spec)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

func TestWhatDoesNotGoWithTheGPU(t *testing.T) {
	for spec, want := range map[string]string{
		"fixed:tbs=7/4": "option tbs has 2 numbers for 3 applications: give one for each",
		"fixed:sms=2/2": "option sms has 2 numbers for 3 applications: give one for each",
		"fixed:rates=2": "option rates has 1 numbers for 3 applications: give one for each",
		"fixed:first=0": "option first has 1 numbers for 3 applications: give one for each",
	} {
		d := gpu(t, spec, 4, 64, 64, 64)
		require.EqualError(t, d.policy.Needs().Check(&d.view), want)
	}
	d := gpu(t, "fixed:sms=2/2", 4, 64, 64)
	require.NoError(t, d.policy.Needs().Check(&d.view))
	d.view.SMs[1].Kind = 1
	require.EqualError(t, d.policy.Needs().Check(&d.view), "option sms says 2 of SMs of one kind, and the GPU has SMs of 2 kinds: give a number for each, such as 3+1")
	for spec, want := range map[string]string{
		"fixed:sms=1+1/2+0":     "",
		"fixed:sms=1+0/1+0":     "",
		"fixed:sms=1+1/2+1":     "option sms asks for 2 SMs of kind 1, the GPU has 1",
		"fixed:sms=2+1/2+0":     "option sms asks for 4 SMs of kind 0, the GPU has 3",
		"fixed:sms=1+1+1/1+0+0": "option sms says 1+1+1 of SMs of 3 kinds, and the GPU has SMs of 2 kinds: give a number for each, such as 3+1",
	} {
		d := gpu(t, spec, 4, 64, 64)
		d.view.SMs[1].Kind = 1
		if err := d.policy.Needs().Check(&d.view); want == "" {
			require.NoError(t, err, spec)
		} else {
			require.EqualError(t, err, want)
		}
	}
	d = gpu(t, "fixed:tbs=2/2", 4, 64, 64)
	d.view.SMs[1].Kind = 1
	require.NoError(t, d.policy.Needs().Check(&d.view))
}

func TestRatesGoToAllSMsByTheOrderOfArrival(t *testing.T) {
	d := gpu(t, "fixed:rates=15.5/-/0.004,first=0/1/0", 2, 64, 64, 64)
	d.view.Tenants[0].Rank, d.view.Tenants[1].Rank, d.view.Tenants[2].Present = 1, 0, false
	d.decide()
	early := protocol.Rates{On: true}
	early.Of[1] = protocol.Rate{Given: true, Limited: true, Requests: 3968}
	early.Of[0] = protocol.Rate{Given: true, Sensitive: true}
	require.Equal(t, map[int][]protocol.Rates{0: {early}, 1: {early}}, d.rates, "once")
	d.view.Tenants[2].Present, d.view.Tenants[2].Rank = true, 2
	d.decide()
	late := early
	late.Of[2] = protocol.Rate{Given: true, Limited: true, Requests: 1}
	require.Equal(t, map[int][]protocol.Rates{0: {early, late}, 1: {early, late}}, d.rates)
}

func TestFirstWithoutRates(t *testing.T) {
	d := gpu(t, "fixed:first=0/1", 1, 64, 64)
	d.decide()
	require.Equal(t, protocol.Rate{Given: true}, d.rates[0][0].Of[0])
	require.Equal(t, protocol.Rate{Given: true, Sensitive: true}, d.rates[0][0].Of[1])
}

func TestOnlyWhoHasRatesSendsThem(t *testing.T) {
	for spec, want := range map[string]bool{
		"fixed:tbs=7/4": false, "fixed:rates=-/-": false, "fixed:first=0/0": false, "fixed:rates=-/-,first=0/0": false,
		"fixed:rates=-/3": true, "fixed:first=0/1": true,
	} {
		d := gpu(t, spec, 1, 64, 64)
		d.decide()
		require.Equal(t, want, policy.Sends[*protocol.Rates](d.policy), spec)
		require.Equal(t, want, len(d.rates) > 0, spec)
		d = gpu(t, spec, 2, 64, 64)
		d.view.SMs[1].Kind = 1
		if err := d.policy.Needs().Check(&d.view); want {
			require.EqualError(t, err, "options rates and first need equal SMs, and the GPU has SMs of several kinds")
		} else {
			require.NoError(t, err)
		}
	}
}

// Kinds lie in any order; a kernel that does not fit on one has none there.
func TestNumbersOfSMsOfEachKind(t *testing.T) {
	small := occupancy.Capacity{TBs: 2, Threads: 128, Warps: 4, SharedOptions: []int{0}}
	for spec, want := range map[string][][]int{
		"fixed:sms=2+1/1+1":         {{8, 0}, {2, 0}, {8, 0}, {0, 2}, {0, 32}},
		"fixed:sms=0+2/3+0":         {{0, 32}, {2, 0}, {0, 32}, {2, 0}, {0, 32}},
		"fixed:sms=3+0/0+1":         {{8, 0}, {0, 2}, {8, 0}, {0, 0}, {8, 0}},
		"fixed:sms=1+1/2+1,tbs=1/3": {{1, 0}, {1, 0}, {0, 3}, {0, 2}, {0, 3}},
	} {
		for _, threads := range []int{64, 256} {
			d := gpu(t, spec, 5, threads, 64)
			for _, i := range []int{1, 3} {
				d.view.SMs[i].Kind, d.view.SMs[i].Capacity = 1, &small
			}
			require.NoError(t, d.policy.Needs().Check(&d.view))
			var due [][]int
			for i, n := range want {
				due = append(due, slices.Clone(n))
				switch {
				case n[0] > 1 && threads == 64 && i%2 == 0:
					due[i][0] = 32
				case threads == 256 && i%2 == 1:
					due[i][0] = 0 // it does not fit there
				}
			}
			require.Equal(t, due, d.decide(), "%s, %d threads", spec, threads)
		}
	}
}
