package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// fermi, bigSM and smallSM are the SMs of the HeteroCore paper's 8B8S (Table 1).
var (
	fermi   = occupancy.Capacity{TBs: 8, Threads: 1536, Warps: 48, Registers: 32768, SharedOptions: []int{49152}}
	bigSM   = occupancy.Capacity{TBs: 10, Threads: 2304, Warps: 72, Registers: 49152, SharedOptions: []int{65536}}
	smallSM = occupancy.Capacity{TBs: 6, Threads: 768, Warps: 24, Registers: 16384, SharedOptions: []int{32768}}
)

// bigAndSmall lists SMs of both kinds.
func bigAndSmall(big, small int) (list []dispatcher.SM) {
	list = alike(big+small, bigSM)
	for i := range list[big:] {
		list[big+i].Capacity, list[big+i].Kind = smallSM, 1
	}
	return list
}

// thick is a kernel with thread blocks that fit 2, 3 and 1 to an SM (base, big, small), as
// FDTD3D's (Table 3); each adds to its IPC. Of lean, like SC, 3, 4 and 1 fit, and a single
// thread block reaches its whole IPC.
func thick(arrival, tbs, duration int) application {
	a := uniform(arrival, tbs, duration)
	a.kernels[0].demand, a.kernels[0].Rate = occupancy.Demand{TBs: 1, Threads: 512, Warps: 16, Registers: 16384}, 1000
	return a
}

func lean(arrival, tbs, duration int) application {
	a := thick(arrival, tbs, duration)
	k := &a.kernels[0]
	k.demand.Registers, k.Rate, k.Flat = 10240, 200, true
	return a
}

// spy is a policy that tells of each window that ends, and of the registers then.
type spy struct {
	policy.Policy
	seen func(v *policy.View, registers map[string]float64)
}

func (s spy) Decide(v *policy.View, a policy.Actions) {
	s.Policy.Decide(v, a)
	if v.Event == policy.WindowEnded {
		list := map[string]float64{}
		for _, r := range s.Needs().Registers() {
			list[strings.TrimSuffix(fmt.Sprintf("%s %d", r.Name, r.Tenant+1), " 0")] = r.Value
		}
		s.seen(v, list)
	}
}

// ended is the end of a window, with the registers at that time.
type ended struct {
	from, to  uint64
	registers map[string]float64
}

// watched runs a scenario to its end.
func watched(t *testing.T, spec string, s scenario, w *transcript) (*trial, []ended) {
	t.Helper()
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	var list []ended
	run, err := begin(s, spy{p, func(v *policy.View, registers map[string]float64) {
		list = append(list, ended{v.Windows[0].From, v.Windows[0].To, registers})
	}}, w)
	require.NoError(t, err)
	run.run()
	require.NoError(t, run.fault)
	return run, list
}

func TestHeteroCoreProfilesAndDecides(t *testing.T) {
	var text strings.Builder
	text.WriteString("HeteroCore (4.3) on eight big and eight small SMs, in cycles; moving a context takes 3,000. K1 has all SMs when K2\n" +
		"arrives: halves, with K1's SMs 4 to 7 and 12 to 15 emptied, and windows that end 20,000 and 40,000 cycles from then.\n" +
		"K1 issues by the number of its thread blocks, three on a big SM and one on a small one; K2 as much on either. So K1 gets\n" +
		"the big SMs, and K2 the small ones. Adaptive: SMs drain if thread blocks of their kernel finish, lately or, at the\n" +
		"decision, in the warm-up; else contexts are switched. In the first run K1's do, in the second K2's, in the third both.\n")
	for _, c := range []struct {
		k1, k2 int
		spec   string
	}{{7000, 90_000, "heterocore"}, {80_000, 9000, "heterocore:margin=0.05"}, {7000, 9000, "heterocore:margin=0.05"}} {
		w := &transcript{unit: 1}
		s := byArrival(scenario{sms: bigAndSmall(8, 8), delays: []int{3000}, base: &fermi}, thick(0, 900, c.k1), lean(50_000, 300, c.k2))
		_, list := watched(t, c.spec, s, w)
		require.Len(t, list, 2)
		require.Equal(t, []uint64{50_001, 70_001, 50_001, 90_001}, []uint64{list[0].from, list[0].to, list[1].from, list[1].to})
		fmt.Fprintf(&text, "\n%s, thread blocks of K1 run for %d, of K2 for %d: %v\n", c.spec, c.k1, c.k2, list[1].registers)
		text.WriteString(until(w.text.String(), 99_999))
	}
	file := filepath.Join("testdata", "heterocore.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}

// until is a transcript up to a time.
func until(text string, most int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		var at int
		if _, err := fmt.Sscanf(line, "%d ", &at); err == nil && !strings.HasPrefix(line, "       ") && at > most {
			break
		}
		out.WriteString(line)
	}
	return out.String()
}

// brief is heterocore with short windows, and a margin for effects at their ends.
const brief = "heterocore:warmup=2k,measure=1k,epoch=1k,margin=0.1"

// phases lists the phase at the end of each window.
func phases(list []ended) (at []float64) {
	for _, e := range list {
		at = append(at, e.registers["phase"])
	}
	return at
}

func TestHeteroCoreKeepsHalvesWhereBothPreferBigSMsOrNoiseHasItSo(t *testing.T) {
	noisy := byArrival(scenario{sms: bigAndSmall(8, 8), delays: []int{3000}, base: &fermi}, thick(0, 900, 7000), lean(50_000, 300, 9000))
	for spec, want := range map[string][]float64{"heterocore": {2, 4}, "heterocore:margin=0.05": {2, 3}} {
		_, list := watched(t, spec, noisy, nil)
		require.Equal(t, want, phases(list), "%s: K2 measures 25.600 on big SMs and 25.594 on small ones", spec)
	}
	both := byArrival(scenario{sms: bigAndSmall(4, 4), base: &fermi}, thick(0, 200, 500), thick(0, 200, 700))
	run, list := watched(t, brief, both, nil)
	require.Equal(t, []float64{2, 4}, phases(list))
	require.Zero(t, run.total.preemptions, "they arrive together, and nothing changes hands")
}

func TestHeteroCoreProfilesAnewWhenTheSetChanges(t *testing.T) {
	// K3 comes in the measurement of K1 and K2, and ends first.
	k3 := lean(2500, 200, 400)
	s := byArrival(scenario{sms: bigAndSmall(8, 8), base: &fermi, delays: []int{10}}, thick(0, 2000, 500), lean(0, 900, 500), k3)
	run, list := watched(t, brief, s, nil)
	gone := 0
	for _, p := range run.finishes {
		if p.tenant == 2 {
			gone = p.at
		}
	}
	require.Greater(t, gone, 5501)
	at := uint64(gone)
	require.Equal(t, [][2]uint64{{1, 2001}, {1, 3001}, {2501, 4501}, {2501, 5501}}, spans(list[:4]), "the second of the first set means nothing")
	require.Equal(t, []float64{2, 1, 2, 3}, phases(list[:4]))
	require.Equal(t, map[string]float64{"phase": 3, "sms_big 1": 8, "sms_small 1": 0, "sms_big 2": 0, "sms_small 2": 4, "sms_big 3": 0, "sms_small 3": 4},
		without(list[3].registers, "ipc"), "three: those on one kind share it")
	require.Len(t, list, 6)
	require.InDelta(t, float64(at), float64(list[4].from), 3, "K3 has gone: the two that are left are profiled anew")
	require.Equal(t, []uint64{2000, 3000}, []uint64{list[4].to - list[4].from, list[5].to - list[4].from})
	require.Equal(t, map[string]float64{"phase": 3, "sms_big 1": 8, "sms_small 1": 0, "sms_big 2": 0, "sms_small 2": 8, "sms_big 3": 0, "sms_small 3": 0},
		without(list[5].registers, "ipc"))
}

// spans are the beginnings and ends of windows.
func spans(list []ended) (at [][2]uint64) {
	for _, e := range list {
		at = append(at, [2]uint64{e.from, e.to})
	}
	return at
}

// without leaves out the registers with a prefix.
func without(registers map[string]float64, prefix string) map[string]float64 {
	rest := map[string]float64{}
	for name, value := range registers {
		if !strings.HasPrefix(name, prefix) {
			rest[name] = value
		}
	}
	return rest
}

func TestHeteroCoreOfFourGivesEachHalfOfAKind(t *testing.T) {
	s := byArrival(scenario{sms: bigAndSmall(8, 8), base: &fermi, delays: []int{10}}, lean(0, 90, 500), thick(0, 900, 500), lean(0, 90, 500), thick(0, 900, 500))
	_, list := watched(t, brief, s, nil)
	require.Equal(t, map[string]float64{"phase": 3, "sms_big 1": 0, "sms_small 1": 4, "sms_big 2": 4, "sms_small 2": 0,
		"sms_big 3": 0, "sms_small 3": 4, "sms_big 4": 4, "sms_small 4": 0}, without(list[1].registers, "ipc"))
}

func TestHeteroCorePostponesTheDecisionUntilSMsAreHandedOver(t *testing.T) {
	// K1's thread blocks run on for so long after K2 has come that it has no SM of a
	// kind to itself when the measurement begins.
	for left, want := range map[int][]float64{
		1900:   {2, 3},
		2500:   {2, 2, 3},
		3500:   {2, 2, 2, 3},
		99_000: {2, 2, 2, 2, 2, 2, 4}, // five times, then halves stay
	} {
		s := byArrival(scenario{sms: bigAndSmall(4, 4), base: &fermi}, thick(0, 16, 500+left), lean(500, 3000, 100))
		s.tenants[0].kernels[0].tbs = 400
		_, list := watched(t, brief+",preempt=drain", s, nil)
		require.GreaterOrEqual(t, len(list), len(want))
		require.Equal(t, want, phases(list[:len(want)]), "%d", left)
		last := list[len(want)-1]
		require.Equal(t, uint64(3000+1000*(len(want)-2)), last.to-501-uint64(2*(len(want)-2)), "%d: a window each, two cycles after the one before", left)
	}
}

func TestHeteroCoreRunsWhatFitsNoSmallSMOnBigOnes(t *testing.T) {
	wide := thick(0, 100, 500)
	wide.kernels[0].demand = occupancy.Demand{TBs: 1, Threads: 1024, Warps: 32}
	for spec, want := range map[string]map[string]float64{
		brief:                          {"phase": 3, "sms_big 1": 4, "sms_small 1": 0, "sms_big 2": 0, "sms_small 2": 4},
		"heterocore-agnostic:epoch=1k": {"sms_big 1": 2, "sms_small 1": 0, "sms_big 2": 2, "sms_small 2": 4},
	} {
		seen := map[string]float64{}
		run := observed(t, spec, byArrival(scenario{sms: bigAndSmall(4, 4), base: &fermi}, wide, lean(0, 300, 500)), 4000, seen)
		require.Equal(t, want, without(seen, "ipc"), spec)
		for _, p := range run.log {
			require.False(t, p.tenant == 0 && p.sm > 3, spec)
		}
	}
	for _, spec := range []string{brief, "heterocore-agnostic:epoch=1k", "heterocore-static:epoch=1k"} {
		seen := map[string]float64{}
		other := wide
		observed(t, spec, byArrival(scenario{sms: bigAndSmall(4, 4), base: &fermi}, wide, other), 4000, seen)
		require.Equal(t, []float64{2, 0, 2, 0}, []float64{seen["sms_big 1"], seen["sms_small 1"], seen["sms_big 2"], seen["sms_small 2"]}, "%s: small ones are nobody's", spec)
	}
}

// observed runs a scenario to its end and notes the registers as they are at a cycle.
func observed(t *testing.T, spec string, s scenario, at int, seen map[string]float64) *trial {
	t.Helper()
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	run, err := begin(s, p, nil)
	require.NoError(t, err)
	run.step(at)
	for _, r := range p.Needs().Registers() {
		seen[strings.TrimSuffix(fmt.Sprintf("%s %d", r.Name, r.Tenant+1), " 0")] = r.Value
	}
	run.run()
	require.NoError(t, run.fault)
	return run
}

func TestHeteroCoreKeepsWhatItDecidedForAKernel(t *testing.T) {
	// K1 launches one kernel, another, and the first again, twice.
	k1 := thick(0, 100, 500)
	other := k1.kernels[0]
	other.demand.Registers--
	k1.kernels = []kernel{k1.kernels[0], other, k1.kernels[0], k1.kernels[0]}
	for k := range k1.kernels {
		k1.kernels[k].tbs = 100
		k1.kernels[k].pause = 100
	}
	s := byArrival(scenario{sms: bigAndSmall(4, 4), base: &fermi}, k1, lean(0, 5000, 500))
	for profile, profiled := range map[string]int{"app": 1, "kernel": 2, "launch": 4} {
		_, list := watched(t, brief+",profile="+profile, s, nil)
		starts := map[uint64]bool{}
		for _, e := range list {
			if e.registers["phase"] == 3 {
				starts[e.from] = true
			}
		}
		require.Len(t, starts, profiled, profile)
	}
}

// Agnostic is spart, whatever the kinds are; on SMs of one kind all of them are.
func TestHeteroCoreAgnosticIsSpart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, rapid.IntRange(1, 4).Draw(t, "tenants"))
		s.apart = false // else a tenant of spart has SMs before its first kernel
		for i := range s.tenants {
			app := &s.tenants[i]
			for k := range app.kernels {
				app.kernels[k].demand = occupancy.Demand{TBs: 1, Threads: 256, Warps: 8} // which fits anywhere
				app.kernels[k].stream = 0
			}
			app.kernels[0].pause = 0
		}
		specs := []string{"spart:epoch=1k", "heterocore-agnostic:epoch=1k,preempt=switch"}
		if !s.mixed() {
			specs = append(specs, "heterocore:epoch=1k,preempt=switch", "heterocore-static:epoch=1k,preempt=switch")
		}
		var runs []*trial
		for _, spec := range specs {
			p, err := policy.Parse(spec)
			require.NoError(t, err)
			runs = append(runs, tried(t, s, p))
			requireSame(t, runs[0], runs[len(runs)-1])
			require.Equal(t, runs[0].total, runs[len(runs)-1].total, spec)
		}
	})
}

func TestHeteroCoreStaticKnowsApplicationsByName(t *testing.T) {
	// offline.yaml: app0 is thick, app1 lean.
	for _, names := range [][2]string{{"app0", "app1"}, {"app1", "app0"}} {
		s := byArrival(scenario{sms: bigAndSmall(4, 4), base: &fermi}, thick(0, 60, 500), thick(0, 60, 500))
		s.tenants[0].name, s.tenants[1].name = names[0], names[1]
		seen := map[string]float64{}
		observed(t, "heterocore-static:ipc=../heterocore/testdata/offline.yaml", s, 100, seen)
		big, small := 1, 2
		if names[0] == "app1" {
			big, small = 2, 1
		}
		require.Equal(t, map[string]float64{fmt.Sprint("sms_big ", big): 4, fmt.Sprint("sms_small ", big): 0,
			fmt.Sprint("sms_big ", small): 0, fmt.Sprint("sms_small ", small): 4}, seen)
	}
}
