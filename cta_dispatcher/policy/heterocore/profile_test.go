package heterocore

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// Counts of the warm-up do not matter, and the decision is Algorithm 2's.
func TestTheMeasurementIsTheSecondWindowWithoutTheFirst(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	require.Equal(t, []uint64{20_000, 40_000}, d.opened)
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	require.Equal(t, float64(warmUp), d.register("phase", -1))
	d.end(20_000, [2][2]uint64{{90_000, 5000}, {70_000, 0}})
	require.Equal(t, float64(measure), d.register("phase", -1))
	d.end(40_000, [2][2]uint64{{90_000 + 30_000, 5000 + 40_000}, {70_000 + 60_000, 50_000}})
	require.Equal(t, []float64{6, 8}, []float64{d.register("ipc_big", 0), d.register("ipc_small", 0)})
	require.Equal(t, []float64{12, 10}, []float64{d.register("ipc_big", 1), d.register("ipc_small", 1)})
	require.Equal(t, [2]float64{0, 8}, d.owns(0))
	require.Equal(t, [2]float64{8, 0}, d.owns(1))
	require.Equal(t, float64(parted), d.register("phase", -1))
	require.Len(t, d.opened, 2, "nothing more is measured")
}

func TestSMsThatWereNotTheKernelsOwnDoNotCount(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	// Of the first tenant's big SMs, 8 to 11, one has another's thread block and one is
	// reserved when the measurement begins; a third is afterwards.
	d.view.SMs[8].Usage.TBs, d.view.SMs[8].TBs[1] = 1, 1
	d.view.SMs[9].Reserved = true
	d.quiet = []int{8, 9}
	d.end(20_000, [2][2]uint64{})
	d.view.SMs[9].Reserved, d.view.SMs[10].Reserved = false, true
	d.end(40_000, [2][2]uint64{{20_000, 40_000}, {60_000, 50_000}})
	require.Equal(t, 4.0, d.register("ipc_big", 0), "two SMs with 1, scaled to the four that it has")
	require.Equal(t, 8.0, d.register("ipc_small", 0))
}

func TestNothingIssuedIsMeasuredAgain(t *testing.T) {
	d := sit(t, "heterocore:measure=10k", 8, 8)
	d.see(policy.KernelArrived)
	d.end(20_000, [2][2]uint64{})
	for again := range patience {
		d.end(30_000-20_000*uint64(min(again, 1)), [2][2]uint64{{0, 0}, {9, 9}})
		require.Equal(t, float64(measure), d.register("phase", -1))
		require.Len(t, d.opened, 3+again)
		require.Equal(t, uint64(10_000), d.opened[2+again])
	}
	d.end(10_000, [2][2]uint64{{0, 0}, {9, 9}})
	require.Equal(t, float64(halved), d.register("phase", -1))
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	require.Len(t, d.opened, 2+patience)
}

func TestWhatIsProfiledAnew(t *testing.T) {
	for change, anew := range map[string]map[string]bool{ // by profile
		"nothing": {"app": false, "kernel": false, "launch": false},
		"launch":  {"app": false, "kernel": false, "launch": true},
		"code":    {"app": false, "kernel": true, "launch": true},
		"demand":  {"app": false, "kernel": true, "launch": true},
		"run":     {"app": true, "kernel": true, "launch": true},
		"holds":   {"app": true, "kernel": true, "launch": true},
	} {
		for profile, want := range anew {
			d := decided(t, "heterocore:profile="+profile)
			if change == "nothing" {
				d.see(policy.KernelArrived)
			} else {
				d.relaunch(change)
			}
			require.Equal(t, want, len(d.opened) == 2, "%s, profile=%s", change, profile)
			if !want {
				require.Equal(t, [2]float64{0, 8}, d.owns(0))
			}
		}
	}
}

func TestAKernelThatComesBackInTheSameRunsIsKnown(t *testing.T) {
	d := decided(t, "heterocore")
	x := &d.view.Tenants[0]
	x.Launch, x.Code = 1, 1
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 2)
	x.Launch, x.Code = 2, 0
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{0, 8}, d.owns(0), "in the middle of a profiling")
	d.end(20_000, [2][2]uint64{{9, 9}, {9, 9}})
	d.end(40_000, [2][2]uint64{{9, 9}, {9, 9}})
	require.Equal(t, [2]float64{0, 8}, d.owns(0), "its windows mean nothing")
	d.view.Tenants[1].Run, d.view.Tenants[1].Launch = 1, 1
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 4, "the other has begun a new run")
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	require.Equal(t, float64(warmUp), d.register("phase", -1))
}

func TestOneAloneHasAllSMsAndNothingIsMeasured(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.view.Tenants[1].Present, d.view.Active = false, []int{0}
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{8, 8}, d.owns(0))
	require.Empty(t, d.opened)
	d.view.Tenants[1].Present, d.view.Active = true, []int{0, 1}
	d.see(policy.KernelArrived)
	require.Equal(t, [2]float64{4, 4}, d.owns(0))
	d.view.Tenants[0].Present, d.view.Active = false, []int{1}
	d.see(policy.KernelFinished)
	require.Equal(t, [2]float64{8, 8}, d.owns(1))
	require.Equal(t, float64(even), d.register("phase", -1))
}

func TestTooFewSMsOfAKindAreDividedWithoutProfiling(t *testing.T) {
	d := sit(t, "heterocore", 2, 2)
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 2, "one each is enough")
	d = sit(t, "heterocore", 1, 3)
	d.see(policy.KernelArrived)
	require.Empty(t, d.opened)
	require.Equal(t, [2]float64{0, 2}, d.owns(0))
	require.Equal(t, [2]float64{1, 1}, d.owns(1), "of what is left over, those get one who come next")
}

func TestWindowsAreToldApartByTheirLengthAndOrder(t *testing.T) {
	d := sit(t, "heterocore", 1, 1)
	var w windows
	ended := func(cycles uint64) bool {
		for i := range d.view.Windows {
			d.view.Windows[i].To, d.view.Windows[i].Counters = cycles, protocol.SMCounters{}
		}
		return w.ended(&d.view)
	}
	w.open(d, 20)
	w.open(d, 40)
	w.forget()
	w.open(d, 20)
	w.open(d, 40)
	require.Equal(t, []uint64{20, 40, 20, 40}, d.opened)
	require.False(t, ended(21), "the SMs answered late")
	require.True(t, ended(20))
	require.False(t, ended(43))
	require.True(t, ended(40))
	require.False(t, ended(40), "another's")
}

func TestSmallSMsAreMeasuredByThoseThatFit(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.view.Tenants[0].Demand.Threads = 1024
	d.see(policy.KernelArrived)
	require.Len(t, d.opened, 2)
	require.Equal(t, [2]float64{4, 0}, d.owns(0))
	require.Equal(t, [2]float64{4, 8}, d.owns(1))
}

func TestThreadBlocksThatAreLeftLimitTheEstimate(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	p, x := d.policy.(*dynamic), &d.view.Tenants[0]
	require.Equal(t, CTAs{6, 9, 3}, p.ctas(&d.view, 0, SMs{4, 4}), "nothing is left: it is not known")
	x.Waiting, x.Running, x.Saving = 5, 9, 2
	require.Equal(t, CTAs{4, 4, 3}, p.ctas(&d.view, 0, SMs{4, 4}), "16 in all")
	require.Equal(t, CTAs{4, 8, 3}, p.ctas(&d.view, 0, SMs{2, 6}))
}

// A measurement that shows nothing is repeated as often for one set as for another.
func TestEachSetIsMeasuredAgainAsOften(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	for code := range uint32(2) {
		d.view.Tenants[0].Code, d.view.Tenants[0].Launch = code, uint64(code)
		d.opened = nil
		d.see(policy.KernelArrived)
		d.end(20_000, [2][2]uint64{})
		d.end(40_000, [2][2]uint64{})
		for again := range patience {
			require.Equal(t, float64(measure), d.register("phase", -1), "set %d, repeated %d times", code, again)
			d.end(20_000, [2][2]uint64{})
		}
		require.Equal(t, float64(halved), d.register("phase", -1))
		require.Len(t, d.opened, 2+patience)
	}
}

// A decision with an application does not hold for its successor, even if the policy was not
// asked in between.
func TestAnotherApplicationOfTheTenantIsProfiled(t *testing.T) {
	for _, profile := range []string{"app", "kernel", "launch"} {
		d := decided(t, "heterocore:profile="+profile)
		d.view.Tenants[0].Rank = 2
		d.view.Active = []int{1, 0}
		d.see(policy.KernelArrived)
		require.Len(t, d.opened, 2, profile)
		require.Equal(t, float64(warmUp), d.register("phase", -1))
	}
}

// An application that comes has no SMs before its first kernel, whatever the tenant's last
// application ran.
func TestAnApplicationSharesFromItsFirstKernelOn(t *testing.T) {
	for _, name := range []string{"heterocore", "heterocore-static", "heterocore-agnostic"} {
		d := sit(t, name, 8, 8)
		d.see(policy.KernelArrived)
		x := &d.view.Tenants[0]
		x.Present, x.Kernels, d.view.Active = false, 0, []int{1}
		d.see(policy.KernelFinished)
		require.Equal(t, [2]float64{8, 8}, d.owns(1), name)
		x.Present, x.Rank = true, 2
		d.see(policy.KernelFinished)
		require.Equal(t, [2]float64{8, 8}, d.owns(1), "%s: the other's application has launched nothing", name)
		x.Kernels, d.view.Active = 1, []int{1, 0}
		d.see(policy.KernelArrived)
		require.Equal(t, [2]float64{4, 4}, d.owns(1), name)
	}
}

// Three sets follow one another, each 5,000 cycles after the last, so that six windows are
// open. Only the windows of the last set count.
func TestWindowsOfSetsThatHaveChangedEndWithoutEffect(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	for range 2 {
		d.relaunch("code")
	}
	require.Equal(t, []uint64{20_000, 40_000, 20_000, 40_000, 20_000, 40_000}, d.opened)
	phase := func() float64 { return d.register("phase", -1) }
	for range 2 { // of the first two sets
		d.end(20_000, [2][2]uint64{{9, 9}, {9, 9}})
		require.Equal(t, float64(warmUp), phase())
	}
	d.end(20_000, [2][2]uint64{{1000, 2000}, {3000, 4000}})
	require.Equal(t, float64(measure), phase())
	for range 2 {
		d.end(40_000, [2][2]uint64{{9, 9}, {9, 9}})
		require.Equal(t, float64(measure), phase())
	}
	d.end(40_000, [2][2]uint64{{31_000, 42_000}, {63_000, 54_000}})
	require.Equal(t, float64(parted), phase())
	require.Equal(t, []float64{6, 8}, []float64{d.register("ipc_big", 0), d.register("ipc_small", 0)})
	require.Equal(t, [2]float64{0, 8}, d.owns(0))
}

// A repeated measurement is as long as a warm-up, and its window may be the forgotten one.
func TestARepeatedMeasurementIsForgottenWithItsSet(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	d.end(20_000, [2][2]uint64{})
	d.end(40_000, [2][2]uint64{}) // shows nothing
	require.Equal(t, []uint64{20_000, 40_000, 20_000}, d.opened)
	d.relaunch("code")
	d.end(20_000, [2][2]uint64{{20_000, 20_000}, {90_000, 90_000}})
	require.Equal(t, float64(warmUp), d.register("phase", -1), "the repeated one")
	d.end(20_000, [2][2]uint64{})
	require.Equal(t, float64(measure), d.register("phase", -1))
}
