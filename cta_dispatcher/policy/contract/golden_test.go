package contract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/stub"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

// unit is the number of cycles in a transcript's unit of time: large enough to hide messages
// between SMs and driver.
const unit = 100

// golden runs a scenario with times in units under policies, and compares the transcript with
// the file in testdata. It returns each run.
func golden(t *testing.T, name, about string, s scenario, specs ...string) (runs []*trial) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", about)
	for _, spec := range specs {
		p, err := policy.Parse(spec)
		require.NoError(t, err)
		w := &transcript{unit: unit}
		run, err := begin(s.times(unit), p, w)
		require.NoError(t, err)
		run.run()
		require.NoError(t, run.fault)
		fmt.Fprintf(&text, "\n%s\n%s", spec, w.text.String())
		runs = append(runs, run)
	}
	file := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
	return runs
}

// holding is an SM with n thread block slots and no other limit.
func holding(n int) occupancy.Capacity {
	return occupancy.Capacity{TBs: n, Threads: 1000, Warps: 1000, SharedOptions: []int{0}}
}

// uniform is an application of one kernel of thread blocks that are alike.
func uniform(arrival, tbs, duration int) application {
	return application{arrival: arrival, kernels: []kernel{{demand: occupancy.Demand{TBs: 1, Threads: 1, Warps: 1}, tbs: tbs, durations: []int{duration}}}}
}

// done is the time, in units, at which a tenant's last thread block finished.
func (t *trial) done(tenant int) (at int) {
	for _, p := range t.finishes {
		if p.tenant == tenant {
			at = p.at / unit
		}
	}
	return at
}

func TestThesisFigure5_1(t *testing.T) {
	high := uniform(150, 6, 100)
	high.priority = 1
	s := byArrival(scenario{sms: alike(2, holding(2)), delays: []int{10}}, uniform(0, 16, 100), uniform(10, 16, 100), high)
	m := golden(t, "thesis_fig5_1", "Thesis Figure 5.1: K1 and K2 have low priority, K3 high.\n"+
		"Two SMs of two slots; every thread block runs for 100, moving a context takes 10.", s,
		"fcfs", "npq", "ppq", "ppq:mode=shared", "ppq:preempt=drain")
	fcfs, npq, ppq, drain := m[0], m[1], m[2], m[4]
	require.Less(t, fcfs.done(1), fcfs.done(2), "(a) K3 waits for K1 and K2")
	require.Less(t, npq.done(0), npq.done(2), "(b) K3 waits for K1")
	require.Less(t, npq.done(2), npq.done(1), "but not for K2")
	require.Less(t, ppq.done(2), ppq.done(0), "(c) K3 does not even wait for K1")
	require.Less(t, drain.done(2), npq.done(2))
	require.Less(t, ppq.done(2), drain.done(2))
}

func TestDSSSharesThirteenSMs(t *testing.T) {
	s := byArrival(scenario{sms: alike(13, holding(1)), delays: []int{10}},
		uniform(0, 60, 100), uniform(150, 12, 100), uniform(180, 12, 100))
	golden(t, "dss", "DSS on 13 SMs (thesis 5.2.4, 5.3.4): K1 goes into debt for all of them, then K2 and K3 come.\n"+
		"Equal sharing is 7 and 6, then 5, 4 and 4; in the second run tokens are 8, 3 and 2.", s, "dss", "dss:tokens=8/3/2")
}

func TestDSSChangesTheNextOwnerOfAReservedSM(t *testing.T) {
	s := byArrival(scenario{sms: alike(6, holding(1))}, uniform(0, 9, 1000), uniform(100, 3, 1000), uniform(200, 3, 1000))
	m := golden(t, "dss_next_owner", "DSS drains three of K1's SMs for K2. Before they are empty K3 arrives, and gets one of those.", s, "dss:preempt=drain")[0]
	require.Equal(t, 4, m.total.preemptions, "three SMs for K2, one more for K3 and one that was K2's")
}

func TestSpartTakesSMsForALaterTenant(t *testing.T) {
	s := byArrival(scenario{sms: alike(5, holding(2)), delays: []int{10}}, uniform(0, 30, 100), uniform(150, 20, 100), uniform(320, 4, 50))
	golden(t, "spart", "Five SMs of two slots; K2 and K3 arrive later, K3's end gives its SM back.", s, "spart", "spart:preempt=drain", "spart:preempt=none")
}

func TestSpartQoSMovesSMsToWhoMissesItsGoal(t *testing.T) {
	k1, k2, k3 := uniform(0, 240, 99), uniform(0, 400, 99), uniform(1250, 60, 99)
	for _, k := range []*application{&k1, &k2, &k3} {
		k.kernels[0].Rate = 500
	}
	k1.goal = 165
	s := byArrival(scenario{sms: alike(8, holding(2)), delays: []int{10}}, k1, k2, k3)
	golden(t, "spart-qos", "Hill climbing (QoS 4.1) on eight SMs, on each of which two thread blocks issue 32 thread instructions\n"+
		"in a cycle. K1's goal is 165: six SMs, which it has from the end of the first window, of 500, on. K3\n"+
		"arrives within the third and gets one of K2's. K1's end leaves its SMs to the others.",
		s, "spart-qos:epoch=10k,window=50k", "spart-qos:epoch=10k,window=50k,preempt=drain")
}

// figure8 is the SM with the printed parts for the kernels of SMK Figure 8.
var figure8 = occupancy.Capacity{TBs: 1000, Threads: 1500, Warps: 1000, Registers: 1000, SharedOptions: []int{1000}}

func figure8Kernels() (k1, k2 application) {
	k1, k2 = uniform(0, 60, 400), uniform(150, 60, 400)
	k1.kernels[0].demand = occupancy.Demand{TBs: 1, Threads: 100, Warps: 4, Registers: 100}
	k2.kernels[0].demand = occupancy.Demand{TBs: 1, Threads: 75, Warps: 3, Registers: 30, SharedBytes: 60}
	k1.kernels[0].Rate, k2.kernels[0].Rate = 160, 250
	return k1, k2
}

func TestSMKOnDemandBalancesShares(t *testing.T) {
	k1, k2 := figure8Kernels()
	golden(t, "smk", "On-demand SMK (SMK Figure 4) with the kernels of SMK Figure 8 on two SMs.\n"+
		"K1 has both when K2 arrives; its thread blocks leave while that brings the shares closer.",
		byArrival(scenario{sms: alike(2, figure8), delays: []int{10}}, k1, k2), "smk")
}

func TestSMKPartitionsHoldSixAndTwelve(t *testing.T) {
	k1, k2 := figure8Kernels()
	k2.kernels[0].tbs = 150
	golden(t, "smk-p", "SMK-P (SMK Figures 6 to 8) on two SMs. K1 has both when K2 arrives: partitions of 6 and 12.\n"+
		"When K1 has ended, K2's partitions grow where they are, and none of its thread blocks is moved.",
		byArrival(scenario{sms: alike(2, figure8), delays: []int{10}}, k1, k2), "smk-p")
}

func TestSMKPWProfilesAndSetsQuotas(t *testing.T) {
	k1, k2 := figure8Kernels()
	k1.kernels[0].tbs, k2.kernels[0].tbs = 250, 400
	golden(t, "smk-pw", "SMK-(P+W) (SMK 5.4) on four SMs, epoch 1000. K1 keeps SM0 for profiling, K2 gets SM1.\n"+
		"x is 0.4 and 1.0: 10 thread blocks of 0.16 and 16 of 0.25 on four schedulers. S/T is 6/10 and 12/16,\n"+
		"so C is 0.24 and 0.75, and quotas are 242 and 757 in a thousand, of which each scheduler has\n"+
		"a quarter, or all.",
		byArrival(scenario{sms: alike(4, figure8), delays: []int{10}}, k1, k2), "smk-pw:epoch=100k", "smk-pw:epoch=100k,quota=scheduler")
}

func TestSMKPWTakesWhatTenantsHaveAlone(t *testing.T) {
	k1, k2 := figure8Kernels()
	k1.wipc, k2.wipc = 0.4, 1
	golden(t, "smk-pw_isolated", "SMK-(P+W) on two SMs with x of 0.4 and 1.0 from runs alone: no SM is for profiling, and quotas are\n"+
		"set with the partitions. S/T is 6/10 and 12/16, so C is 0.24 and 0.75, and quotas are 242 and 757\n"+
		"in a thousand.",
		byArrival(scenario{sms: alike(2, figure8), delays: []int{10}}, k1, k2), "smk-pw:epoch=100k,wipc=isolated,quota=scheduler")
}

func TestSMKPW2MakesPairs(t *testing.T) {
	s := byArrival(scenario{sms: alike(3, holding(4)), delays: []int{10}}, uniform(0, 60, 100), uniform(120, 60, 100), uniform(240, 60, 100))
	golden(t, "smk-pw2", "SMK-(P+W)2: three kernels on three SMs take the three pairs (SMK 5.5).\n"+
		"Three SMs are too few for profiling.", s, "smk-pw2")
}

func TestQoSFollowsItsGoal(t *testing.T) {
	// Thread blocks of 8 lanes a cycle: four of K1 are 32 of 40.
	k1, k2, k3 := uniform(0, 100, 500), uniform(500, 60, 500), uniform(6200, 12, 300)
	k1.goal, k1.kernels[0].Rate, k2.kernels[0].Rate, k3.kernels[0].Rate = 40, 250, 250, 250
	m := golden(t, "qos", "Fine-grained QoS on two SMs of four slots, epoch 1000. K1's goal is 40 lanes a cycle; it has 64 alone, and\n"+
		"each of its thread blocks 8. K2 and K3 have no goals. When K1 is behind it gets a thread block of another on each SM,\n"+
		"with swaps=gpu on one SM, once an epoch; never the last. With two others each is on one SM, and when K1 is alone\n"+
		"there are no quotas.",
		byArrival(scenario{sms: alike(2, holding(4)), delays: []int{10}}, k1, k2, k3),
		"qos:epoch=100k", "qos:epoch=100k,swaps=gpu", "qos:epoch=100k,adjust=off")
	for _, adjusted := range m[:2] {
		require.Greater(t, adjusted.done(1), m[2].done(1), "K2 has had fewer slots")
		require.Less(t, adjusted.done(0), m[2].done(0))
	}
}

func TestWarpedSlicerProfilesAndShares(t *testing.T) {
	// Six slots and 1,000 threads: four thread blocks of K1, six of K2.
	k1, k2, k3 := uniform(0, 250, 97), uniform(120, 65, 97), uniform(1100, 15, 97)
	k1.kernels[0].demand.Threads, k2.kernels[0].demand.Threads = 250, 100
	for _, k := range []*application{&k1, &k2, &k3} {
		k.kernels[0].Rate = 250
	}
	again := k2.kernels[0]
	again.pause = 220
	k2.kernels = append(k2.kernels, again)
	m := golden(t, "ws", "Warped-Slicer (CCBP 7) on four SMs, an epoch of 100, a warm-up of 200 and a sample of 50. K2 arrives: both\n"+
		"are profiled. Performance goes by the number of thread blocks, and two of K1's four and four of K2's six fit an SM:\n"+
		"K1 has half of its best. K2 launches once more after it has lent its part, and is not profiled again. K3\n"+
		"arrives: all three are.",
		byArrival(scenario{sms: alike(4, holding(6)), delays: []int{10}}, k1, k2, k3),
		"ws:epoch=10k,warmup=20k,sample=5k", "ws:epoch=10k,warmup=20k,sample=5k,preempt=none")
	require.NotZero(t, m[0].total.preemptions)
	require.Zero(t, m[1].total.preemptions)
}

func TestTimeslicesGoRound(t *testing.T) {
	k1, k2 := uniform(0, 12, 700), uniform(300, 12, 700)
	k1.kernels[0].Rate, k2.kernels[0].Rate = 100, 100
	s := byArrival(scenario{sms: alike(2, holding(2)), delays: []int{50}}, k1, k2)
	golden(t, "timeslice", "Two tenants take turns. K1's first slice begins when K2 arrives, each other when its tenant's contexts are\n"+
		"loaded: 1000 cycles later its turn is over.", s, "timeslice:slice=100k", "timeslice:slice=100k,preempt=drain")
}

func TestSlicesAreWholeHoweverLongASwitchTakes(t *testing.T) {
	var list []application
	for range 3 {
		k := uniform(0, 2, 2500)
		k.kernels[0].Rate = 100
		list = append(list, k)
	}
	golden(t, "timeslice_short", "Three tenants take turns of 1000. To save a context takes 700, and to load one 700: a turn without new thread\n"+
		"blocks takes 2400.", byArrival(scenario{sms: alike(1, holding(2)), delays: []int{700}}, list...), "timeslice:slice=100k")
}

func TestCCBPDetectsAndAllocates(t *testing.T) {
	// In an interval of 200 cycles a thread block of K1 sends 2 requests, a thread block of K2
	// 1.6.
	k1, k2 := uniform(0, 1200, 200), uniform(150, 2500, 200)
	a, b := &k1.kernels[0], &k2.kernels[0]
	a.demand, a.Rate, a.Traffic = occupancy.Demand{TBs: 1, Threads: 256, Warps: 8}, 250, stub.Traffic{Requests: 10, Reads: 100, DRAM: 20}
	b.demand, b.Rate, b.Traffic = occupancy.Demand{TBs: 1, Threads: 64, Warps: 2}, 125, stub.Traffic{Requests: 8, Reads: 100, DRAM: 10}
	k1.isolated, k2.isolated = 128, 256
	golden(t, "ccbp", "CCBP on two SMs, epoch 100. Of 24 replies with data that an SM gets in an interval, and 18 accesses of the DRAM, even\n"+
		"shares are 12 and 9. K1 has four thread blocks of eight then, which want 8 requests: it is latency-sensitive. K2 has\n"+
		"16 of 32, which want 25.6, and is NoC-intensive; it is measured with 16, 14 and so on active. Algorithm 1 follows, and\n"+
		"priorities 1.0, 0.9 and so on as long as they make the harmonic speedup better.",
		byArrival(scenario{sms: alike(2, maxwell), delays: []int{10}}, k1, k2), "ccbp:epoch=10k", "ccbp:epoch=10k,variant=drf,ls_unlimited=off,preempt=switch")
}
