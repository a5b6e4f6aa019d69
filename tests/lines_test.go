package tests

import (
	"context"
	"testing"

	"cotenant/components/stats"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/sm/hot"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

// The counts of all lines add up to the counters of each tenant, on pipelines of both kinds,
// with contexts switched, sectors and copies of lines, and the counters do not depend on
// whether lines are counted.
func TestLinesAddUpToTheCounters(t *testing.T) {
	for name, c := range map[string]struct {
		gpu, policy, pages string
		apps               []string
		cycles             uint64
	}{
		"alone":             {"gtx980", "fcfs", "", []string{"sgemm?size=tiny"}, 0},
		"barriers":          {"fermi16?sms=4", "fcfs", "", []string{"histo?size=tiny"}, 0},
		"preempted":         {"smk16", "smk-pw", "", []string{"sgemm?size=tiny", "lbm?size=tiny"}, 10000},
		"switched":          {"smk16?sms=4", "timeslice:slice=2k", "", []string{"sgemm?size=tiny", "lbm?size=tiny"}, 10000},
		"rates":             {"ccbp16-irc", "ccbp", "", []string{"profile:sgemm", "profile:lbm", "spmv?size=tiny"}, 10000},
		"quotas":            {"smk16", "qos", "", []string{"sgemm?size=tiny&qos=0.5", "profile:lbm"}, 24000},
		"faults":            {"pagefault16", "fcfs", "demand", []string{"sgemm?size=tiny", "stencil?size=tiny"}, 45000},
		"faults, a TLB":     {"pagefault16?sm.faults.scheme=stall&sm.issue_queue.entries=0", "even", "demand", []string{"stencil?size=tiny"}, 30000},
		"kinds of SMs":      {"heterocore-8b8s", "heterocore", "", []string{"profile:sgemm", "profile:lbm"}, 10000},
		"two halves":        {"a100?sms=8&gpcs=[]", "even", "", []string{"profile:sgemm", "profile:lbm"}, 5000},
		"a code cache":      {"gtx980?sm.front_end.icache.misses=memory", "even", "", []string{"lbm?size=tiny", "tpacf?size=tiny"}, 10000},
		"streams, restarts": {"k20c", "even", "", []string{"cutcp?size=tiny", "sgemm?size=tiny"}, 40000},
	} {
		t.Run(name, func(t *testing.T) {
			gpu, err := presets.Load(c.gpu)
			if err != nil {
				t.Fatal(err)
			}
			run := func(count bool) (*wiring.Platform, *hot.Lines) {
				var processes []host.Process
				for _, spec := range c.apps {
					rest, attributes, err := source.Split(spec)
					require.NoError(t, err)
					app, err := source.Open(rest, source.Options{Seed: 1, Target: gpu.Streams()})
					require.NoError(t, err)
					processes = append(processes, host.Process{App: app, Attributes: attributes, Restart: c.cycles > 0})
				}
				p, err := policy.Parse(c.policy)
				require.NoError(t, err)
				platform, err := wiring.New(*gpu, p, processes)
				require.NoError(t, err)
				require.NoError(t, platform.SetPages(wiring.PageMode(c.pages)))
				var lines *hot.Lines
				if count {
					lines = platform.CountLines(c.policy == "even")
				}
				require.NoError(t, platform.Run(context.Background(), c.cycles, nil))
				return platform, lines
			}
			plain, _ := run(false)
			counted, lines := run(true)
			cycles := counted.Cycles(c.cycles)
			require.Equal(t, plain.Counters(cycles), counted.Counters(cycles))
			counters := counted.Counters(cycles)
			if name == "switched" {
				require.NotZero(t, counted.Driver.Stats().Tenants[0].ContextBytes)
			}
			if c.pages != "" {
				require.NotZero(t, counted.FillUnit.Stats().Total().Regions)
			}
			var sums [tenant.Max]hot.Counts
			located := 0
			for _, r := range lines.Rows() {
				stats.Add(&sums[r.Tenant], &r.Counts)
				if r.Place != (workload.Place{}) {
					located++
				}
			}
			require.NotZero(t, located+len(c.apps)-1)
			for i := range c.apps {
				work := counters.Tenant(i)
				require.NotZero(t, work.SM.WarpInstructions)
				require.Equal(t, hot.Counts{
					Issues: work.SM.WarpInstructions, Lanes: work.SM.ThreadInstructions, Stalls: work.SM.Stalls,
					BankConflicts: work.SM.LSU.SharedConflicts, DRAMSectors: work.L2.FillBytes / 32,
					L1Sectors: sums[i].L1Sectors, L2Sectors: sums[i].L2Sectors,
				}, sums[i])
				require.GreaterOrEqual(t, sums[i].L1Sectors, work.SM.L1.Accesses)
				require.GreaterOrEqual(t, sums[i].L2Sectors, work.L2.Accesses())
			}
		})
	}
}
