package reproduce

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components/stats"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload/source"
)

var (
	update = flag.Bool("update", false, "write testdata/behaviour.txt anew")
	dump   = flag.String("dump", "", "write what testdata/behaviour.txt has hashes of to this `FOLDER`")
)

// launchedKernels are kernels that figures look up in the launches of a result.
var launchedKernels = strings.Fields(`BFS_kernel lattice6overlap main StreamCollide griddingGPU ComputeQ ComputePhiMag mbsadcalc
	largersadcalc8 largersadcalc16 mysgemmNT spmvjds block2Dregtiling genhists add_strs build sort_points final prescan intermediates`)

// seeded is a source of numbers that is the same for equal texts.
func seeded(text string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return rand.New(rand.NewPCG(h.Sum64(), 0))
}

// drawnCounts are counters of a module, for all and for each tenant.
func drawnCounts(random *rand.Rand, tenants int, names ...string) (g stats.Group) {
	list := func() (c stats.Counts) {
		for _, name := range names {
			c = append(c, stats.Count{Name: name, Value: 1000 + random.Uint64N(1_000_000)})
		}
		return c
	}
	g.Total = list()
	for range tenants {
		g.Tenants = append(g.Tenants, list())
	}
	return g
}

// drawn is a result that follows from what a run is alone.
func drawn(r experiment.Spec) *experiment.Result {
	random := seeded(fmt.Sprintf("%+v", r))
	uniform := func(low, high float64) float64 { return low + (high-low)*random.Float64() }
	stalls := func() map[string]uint64 {
		list := map[string]uint64{}
		for _, cause := range []string{"issued", "idle", "lsu_full", "pipe_other", "control", "raw_long", "raw_other"} {
			list[cause] = 1000 + random.Uint64N(100_000)
		}
		return list
	}
	x := &experiment.Result{GPU: r.GPU, Policy: r.Policy, Cycles: 100_000 + random.Uint64N(1_000_000), Stalls: stalls(),
		WarpInstructions: random.Uint64N(1 << 30), ThreadInstructions: random.Uint64N(1 << 35),
		STP: experiment.Figure(uniform(0.8, 2)), ANTT: experiment.Figure(uniform(1, 5)), Fairness: experiment.Figure(uniform(0.1, 1)),
		HSpeedup: experiment.Figure(uniform(0.2, 1)), WSpeedup: experiment.Figure(uniform(0.8, 2))}
	var set kernelSet
	for i, app := range r.Apps {
		var asked tenant.Attributes
		_, asked, _ = source.Split(app)
		k := experiment.KernelResult{App: app, IPC: uniform(20, 2000), IsolatedIPC: uniform(200, 2000), NormalizedIPC: experiment.Figure(uniform(0.1, 1)),
			NTT: experiment.Figure(uniform(1, 10)), Stalls: stalls(), ContextBytes: random.Uint64N(1 << 20), RestoredBytes: random.Uint64N(1 << 20)}
		if asked.QoS > 0 {
			k.GoalIPC = experiment.Figure(k.IPC * uniform(0.7, 1.15))
		}
		k.L2.HitRate = experiment.Figure(random.Float64())
		for _, name := range launchedKernels {
			start, tbs := random.Uint64N(1000), 1+random.IntN(500)
			k.Launches = append(k.Launches, experiment.LaunchResult{Kernel: name, TBs: tbs, StartCycle: start, EndCycle: start + 1 + random.Uint64N(1_000_000), IPC: uniform(20, 2000)})
		}
		x.Kernels = append(x.Kernels, k)
		demand, rate := uniform(1, 50), uniform(1, 100)
		decided := kernel{Tenant: i, CTAs: 1 + random.IntN(8), First: random.IntN(2) == 0,
			Traffic: &traffic{Type: []string{"LS", "NBI", "DBI", "unknown"}[random.IntN(4)], Demand: &demand}}
		if random.IntN(2) == 0 {
			decided.Rate = &rate
		}
		set.Kernels = append(set.Kernels, decided)
	}
	if strings.HasPrefix(r.Policy, "ccbp") {
		x.Decision = written(decision{[]kernelSet{set}})
	}
	for i := range 16 {
		x.SMs = append(x.SMs, experiment.SMResult{ID: i, WarpInstructions: random.Uint64N(1 << 24)})
	}
	x.NoC = experiment.NoCResult{RequestPackets: random.Uint64N(1 << 20), RequestFlits: 1<<20 + random.Uint64N(1<<20), ReplyPackets: random.Uint64N(1 << 20), ReplyFlits: 1<<20 + random.Uint64N(1<<20)}
	x.L2.HitRate = experiment.Figure(random.Float64())
	x.DRAM.Bytes, x.DRAM.Activates, x.DRAM.Utilization = 1<<20+random.Uint64N(1<<30), random.Uint64N(1<<20), random.Float64()
	x.Stats = map[string]stats.Group{
		"sm":   drawnCounts(random, len(r.Apps), "lsu_shared_accesses", "lsu_shared_conflicts", "l1_accesses", "l1_writes", "l1_atomics", "l1_bypasses"),
		"l2":   drawnCounts(random, len(r.Apps), "reads", "dram_accesses", "reply_bytes"),
		"irc":  drawnCounts(random, len(r.Apps), "read_latency", "read_replies"),
		"fill": drawnCounts(random, len(r.Apps), "regions"),
	}
	return x
}

// drawnSamples are samples that follow from what a run is alone.
func drawnSamples(r experiment.Spec, _ *experiment.Result) (list []Sample, _ error) {
	random := seeded("samples " + fmt.Sprintf("%+v", r))
	for range 200 {
		list = append(list, Sample{NoC: random.Float64(), DRAM: random.Float64(), Demand: 2 * random.Float64(),
			Faults: random.IntN(50), Warps: 100 + random.IntN(500), Faulted: random.IntN(100)})
		for range r.Apps {
			s := &list[len(list)-1]
			s.Stalls = append(s.Stalls, Stalls{All: 1000, Memory: uint64(len(list)), LSU: uint64(2 * len(list))})
		}
	}
	return list, nil
}

// hashed is the form of a run that testdata/behaviour.txt has hashes of.
type hashed struct {
	GPU, Policy      string
	Apps             []string
	Cycles           uint64
	Until            string
	MaxCycles, Seed  uint64
	UnknownOpcodeALU bool
	IsolatedGPU      string
	Pages            wiring.PageMode
}

// behaviour is what an experiment simulates, in lines, and its report, of results that follow
// from the runs.
func behaviour(t *testing.T, e *Experiment, s Scale) (runs []string, report *Report) {
	t.Helper()
	d := dataOf(e, s, drawn)
	d.Sampled = drawnSamples
	r, err := e.Report(d, 0)
	require.NoError(t, err, e.Name)
	return lines(t, d.runs), r
}

// lines are different runs, in order.
func lines(t *testing.T, runs []experiment.Spec) (list []string) {
	t.Helper()
	for _, run := range runs {
		line, err := json.Marshal(hashed{run.GPU, run.Policy, run.Apps, run.Cycles, run.Until, run.MaxCycles, run.Seed, run.UnknownOpcodeALU, run.IsolatedGPU, run.Pages})
		require.NoError(t, err)
		list = append(list, string(line))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// requireRows asserts that no two rows have one label, and that published numbers have a place.
func requireRows(t *testing.T, e *Experiment, rows []Row) {
	t.Helper()
	seen, papers := map[string]bool{}, 0
	for _, r := range rows {
		require.False(t, seen[r.Label], "%s: %s is there twice", e.Name, r.Label)
		seen[r.Label] = true
		if r.Paper != nil {
			papers++
			require.NotEmpty(t, r.From, r.Label)
		}
	}
	require.Equal(t, !slices.Contains(unprinted, e.Name), papers > 0, "%s: %d published numbers", e.Name, papers)
}

// What every experiment simulates, and the rows that it makes of given results, are those in
// testdata/behaviour.txt, at the quick scale; and what it simulates first at full scale, and on
// another GPU than its own. A published number without a row would panic.
func TestRunsAndRowsAreAsTheyWere(t *testing.T) {
	var text strings.Builder
	hash := func(text []byte) string { return fmt.Sprintf("%.8x", sha256.Sum256(text)) }
	for _, e := range All() {
		runs, r := behaviour(t, e, Quick)
		requireRows(t, e, r.Rows)
		var report bytes.Buffer
		require.NoError(t, experiment.WriteJSON(&report, r))
		fmt.Fprintf(&text, "%s quick: %d runs %s, report %s\n", e.Name, len(runs), hash([]byte(strings.Join(runs, "\n"))), hash(report.Bytes()))
		if *dump != "" {
			file := filepath.Join(*dump, e.Name)
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(runs, "\n")+"\n"+report.String()), 0o600))
		}
		other := Quick
		other.GPU = e.Setting.GPU + "?sm.threads=1536"
		for _, c := range []struct {
			name string
			s    Scale
		}{{"full", Full}, {"other", other}} {
			first := lines(t, e.Runs(c.s))
			fmt.Fprintf(&text, "%s %s: %d runs at first %s\n", e.Name, c.name, len(first), hash([]byte(strings.Join(first, "\n"))))
		}
	}
	const file = "testdata/behaviour.txt"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	was, is := strings.Split(string(want), "\n"), strings.Split(text.String(), "\n")
	require.Equal(t, len(was), len(is), "experiments are new or gone; run with -update")
	for i := range is {
		assert.Equal(t, was[i], is[i], "run with -update if it should change")
	}
}
