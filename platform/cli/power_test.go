package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/observe/power"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
)

// The energy of all intervals and owners is that of the run's counters, on SMs of one kind and
// of several, behind a warm-up and to the end.
func TestEnergyOverTimeAddsUpToTheRuns(t *testing.T) {
	for name, test := range map[string]struct {
		gpu  string
		args []string
	}{
		"windows":       {"gtx980", []string{"--app", "profile:sgemm", "--app", "profile:lbm", "--policy", "even", "--cycles", "5k", "--isolated", "1,1"}},
		"warm-up":       {"gtx980", []string{"--app", "profile:sgemm", "--app", "profile:lbm", "--policy", "even", "--cycles", "5k", "--warmup", "3k", "--isolated", "1,1"}},
		"preemption":    {"smk16", []string{"--app", "profile:cutcp", "--app", "profile:lbm?arrival=1k", "--policy", "spart", "--cycles", "15k", "--isolated", "1,1"}},
		"kinds of SMs":  {"heterocore-8b8s", []string{"--app", "profile:cutcp", "--app", "profile:lbm", "--policy", "even", "--cycles", "5k", "--isolated", "1,1"}},
		"unknown end":   {"plain16", []string{"--app", "backprop?size=tiny", "--until", "done"}},
		"energies":      {"plain16?energies=gv100", []string{"--app", "profile:sgemm", "--app", "profile:lbm", "--policy", "even", "--cycles", "5k", "--isolated", "1,1"}},
		"second launch": {"plain16", []string{"--app", "histo?size=tiny", "--cycles", "30k"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path, result, sheet := filepath.Join(folder, "p.json"), filepath.Join(folder, "r.json"), filepath.Join(folder, "p.csv")
			outputs := []string{path}
			if name == "warm-up" {
				outputs = append(outputs, sheet)
			}
			for _, to := range outputs {
				got := cotenant(t, append([]string{"run", "--quiet", "--gpu", test.gpu, "--json", result, "--power", to}, test.args...)...)
				require.Zero(t, got.status, got.stderr)
			}
			var r experiment.Result
			var p power.Report
			for path, to := range map[string]any{path: &p, result: &r} {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(text, to))
			}
			gpu, err := presets.Load(test.gpu)
			require.NoError(t, err)
			c, err := r.Energies(gpu)
			require.NoError(t, err)
			want := c.Energy(gpu.Events(r.Stats, wiring.All, r.Cycles))
			require.InEpsilon(t, want, p.Joules, 1e-9)
			require.Equal(t, c.About, p.Source)
			require.Equal(t, name == "energies", c.Static == metrics.GV100.Static)
			require.Greater(t, len(p.Intervals), 5)
			sum, cycles, parts := 0.0, uint64(0), make([]metrics.EnergyParts, len(p.Tenants))
			for i := range p.Intervals {
				cycles += p.Intervals[i].Cycles
				for k, o := range p.Intervals[i].Tenants {
					sum += o.Joules
					parts[k].Instructions += o.Instructions
					parts[k].DRAM += o.DRAM
				}
			}
			require.InEpsilon(t, want, sum, 1e-9)
			require.Equal(t, r.Cycles, cycles)
			evicted, _ := r.Stats["sm"].Total.Get("tbs_evicted")
			require.Equal(t, name == "preemption", evicted > 0)
			for k, kernel := range r.Kernels {
				require.InEpsilon(t, c.Instruction*float64(kernel.ThreadInstructions), parts[k].Instructions, 1e-9)
				require.InDelta(t, p.Tenants[k].DRAM, parts[k].DRAM, 1e-15)
			}
			nobody := p.Tenants[len(r.Kernels)]
			require.Equal(t, []any{power.Nobody, -1, 0.0}, []any{nobody.Name, nobody.Tenant, nobody.Instructions})
			require.InEpsilon(t, (c.SMPower*float64(gpu.SMs.Count())+c.Static)*p.Seconds, nobody.Idle, 1e-9)

			if len(outputs) == 1 {
				return
			}
			file, err := os.ReadFile(sheet)
			require.NoError(t, err)
			rows, err := csv.NewReader(strings.NewReader(string(file))).ReadAll()
			require.NoError(t, err)
			require.Len(t, rows, 1+len(p.Intervals)*len(p.Tenants))
			sum = 0
			for _, row := range rows[1:] {
				joules, err := strconv.ParseFloat(row[5], 64)
				require.NoError(t, err)
				sum += joules
			}
			require.InEpsilon(t, want, sum, 1e-9)
		})
	}
}

func TestPowerPrintsATableAndRefusesOtherFiles(t *testing.T) {
	got := cotenant(t, "run", "--quiet", "--app", "profile:lbm", "--cycles", "5k", "--power", "-")
	require.Zero(t, got.status, got.stderr)
	require.Contains(t, got.stdout, "Energy mJ")
	require.Contains(t, got.stdout, "nobody")
	got = cotenant(t, "run", "--app", "profile:lbm", "--power", filepath.Join(t.TempDir(), "p.txt"))
	require.Equal(t, 2, got.status)
	require.Contains(t, got.stderr, "ends neither in .json nor in .csv")
}
