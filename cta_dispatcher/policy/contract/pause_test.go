package contract

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// start runs a scenario with times in units to its end.
func start(t *testing.T, spec string, s scenario) *trial {
	t.Helper()
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	return tried(t, s.times(unit), p)
}

// launched tells on how many SMs a tenant's thread blocks began in a time.
func (t *trial) launched(tenant, from, to int) int {
	sms := map[int]bool{}
	for _, p := range t.log {
		if at := p.at / unit; p.tenant == tenant && at >= from && at < to {
			sms[p.sm] = true
		}
	}
	return len(sms)
}

// K1 launches twice, with a pause between its kernels; K2 could fill the GPU.
func pausing(pause int) scenario {
	k1 := uniform(0, 8, 500)
	second := k1.kernels[0]
	second.pause = pause
	k1.kernels = append(k1.kernels, second)
	return byArrival(scenario{sms: alike(4, holding(2)), delays: []int{10}}, k1, uniform(0, 400, 100))
}

func TestAShortPauseMovesNobody(t *testing.T) {
	for _, spec := range []string{"spart:epoch=100k", "smk-p:epoch=100k"} {
		s := pausing(900)
		m := start(t, spec, s)
		require.Zero(t, m.total.preemptions, spec)
		require.Equal(t, 1000+900, m.first(0, 1), spec)
	}
	m := start(t, "spart:epoch=100k", pausing(900))
	require.Equal(t, 2, m.launched(1, 1000, 1900), "K1's SMs are kept for it")
}

func TestALongPauseLendsTheTenantsPart(t *testing.T) {
	for spec, sms := range map[string]int{"spart:epoch=100k": 4, "smk-p:epoch=100k": 4} {
		m := start(t, spec, pausing(4000))
		require.Equal(t, sms, m.launched(1, 3100, 3500), "%s: a whole epoch, from 2000 to 3000, has passed", spec)
		require.NotZero(t, m.total.preemptions, "%s: K1 takes back what it lent", spec)
		require.LessOrEqual(t, m.first(0, 1), 1000+4000+10, spec)
	}
}

// Hill climbing without goals is the equal division, through arrivals, pauses and
// ends.
func TestSpartQoSWithoutGoalsIsSpart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, rapid.IntRange(1, 5).Draw(t, "tenants"))
		s.sms = alike(len(s.sms), s.sms[0].Capacity)
		for i := range s.tenants {
			app := &s.tenants[i]
			app.goal = 0
			for k := range app.kernels {
				app.kernels[k].demand = occupancy.Demand{TBs: 1, Threads: 256, Warps: 8} // which fits anywhere
			}
		}
		var runs []*trial
		for _, spec := range []string{"spart:epoch=1k", "spart-qos:epoch=1k,window=2k"} {
			p, err := policy.Parse(spec)
			require.NoError(t, err)
			runs = append(runs, tried(t, s, p))
		}
		requireSame(t, runs[0], runs[1])
		require.Equal(t, runs[0].total, runs[1].total)
	})
}

// first is the time at which the first thread block of a tenant's kernel began.
func (t *trial) first(tenant, kernel int) int {
	for _, p := range t.log {
		if p.tenant == tenant && p.kernel == kernel {
			return p.at / unit
		}
	}
	return -1
}

func TestSMKPartitionsGiveEverybodyAnSMWhereThreadBlocksAreLarge(t *testing.T) {
	// Two thread blocks of 60 % do not fit together, so one kernel has no partition on
	// an SM.
	k1, k2 := uniform(0, 40, 100), uniform(0, 40, 100)
	k1.kernels[0].demand.Threads, k2.kernels[0].demand.Threads = 600, 600
	m := start(t, "smk-p", byArrival(scenario{sms: alike(4, holding(8))}, k1, k2))
	require.Equal(t, []int{2, 2}, []int{m.launched(0, 0, 500), m.launched(1, 0, 500)})
	require.Zero(t, m.total.preemptions)
}

func TestSMKDoesNotSwitchTwoKernelsOutInTurn(t *testing.T) {
	// Five thread blocks of 20 % give K2 more than a single one of 90 % gives K1; with none K2 has
	// less. The two have no stable division.
	k1, k2 := uniform(0, 30, 100), uniform(10, 100, 100)
	k1.kernels[0].demand.Threads, k2.kernels[0].demand.Threads = 900, 200
	s := byArrival(scenario{sms: alike(1, holding(8))}, k1, k2)
	require.LessOrEqual(t, start(t, "smk", s).total.preemptions, 1)
	s.sms = alike(5, holding(8))
	require.LessOrEqual(t, start(t, "smk", s).total.preemptions, 5)
}

func TestPolicyWithoutQuotasForTooFewSMs(t *testing.T) {
	k1, k2 := figure8Kernels()
	k1.kernels[0].tbs, k2.kernels[0].tbs = 250, 400
	for sms, quotas := range map[int]bool{3: false, 4: true} {
		m := start(t, "smk-pw:epoch=100k", byArrival(scenario{sms: alike(sms, figure8)}, k1, k2))
		require.Equal(t, quotas, m.total.quotas > 0, "%d SMs", sms)
	}
}

func TestDSSFlushesOnlyWhatIsIdempotent(t *testing.T) {
	for _, idempotent := range []bool{true, false} {
		k1 := uniform(0, 20, 1000)
		k1.kernels[0].idempotent = idempotent
		s := byArrival(scenario{sms: alike(4, holding(1)), delays: []int{10}}, k1, uniform(500, 2, 100))
		m := start(t, "dss:preempt=flush", s)
		require.Equal(t, 2, m.total.preemptions)
		require.Equal(t, !idempotent, m.gpu.SavedBytes[0] > 0, "a context is saved")
	}
}

func TestSMKSwitchesNobodyOutIfTheSharesComeNoCloser(t *testing.T) {
	// K1 has all five slots. 4 and 1, then 3 and 2: 2 and 3 would be as far apart.
	m := start(t, "smk", byArrival(scenario{sms: alike(1, holding(5))}, uniform(0, 5, 1000), uniform(100, 5, 1000)))
	require.Equal(t, 2, m.total.preemptions)
}

func TestATimesliceIsNotOverBeforeItsTenantHasIssued(t *testing.T) {
	// To save a context and load another takes longer than a slice.
	k1, k2 := uniform(0, 2, 5000), uniform(10, 2, 5000)
	k1.kernels[0].Rate, k2.kernels[0].Rate = 100, 100
	p, err := policy.Parse("timeslice:slice=100k")
	require.NoError(t, err)
	run, err := begin(byArrival(scenario{sms: alike(1, holding(2)), delays: []int{700}}, k1, k2).times(unit), p, nil)
	require.NoError(t, err)
	run.step(40_000 * unit)
	require.NoError(t, run.fault)
	require.True(t, run.host.done(), "a tenant runs between two switches")
}
