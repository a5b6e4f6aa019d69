package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/observe/hotlines"
)

// hotRun runs a command with --json and --hot, and returns both.
func hotRun(t *testing.T, args ...string) (*experiment.Result, *hotlines.Report) {
	folder := t.TempDir()
	result, lines := filepath.Join(folder, "r.json"), filepath.Join(folder, "hot.json")
	got := cotenant(t, append([]string{"run", "--quiet", "--json", result, "--hot", lines}, args...)...)
	require.Zero(t, got.status, got.stderr)
	read := func(path string, v any) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, v))
	}
	var r experiment.Result
	var h hotlines.Report
	read(result, &r)
	read(lines, &h)
	return &r, &h
}

// The lines' stalls are the result's, for each tenant and cause, for kernels of all kinds,
// also with launches apart, behind a warm-up, and with the cycles of no tenant.
func TestHotLinesAddUpToTheResult(t *testing.T) {
	for name, args := range map[string][]string{
		"real kernels":     {"--app", "sgemm?size=tiny", "--app", "lbm?size=tiny", "--policy", "even", "--cycles", "20k"},
		"launches, warmup": {"--app", "histo?size=tiny", "--app", "profile:lbm", "--policy", "smk", "--cycles", "20k", "--warmup", "5k", "--hot-launches"},
		"to the end":       {"--app", "backprop?size=tiny", "--until", "done"},
		"a trace":          {"--app", "traceg:../../workload/traceg/testdata/small", "--until", "done"},
	} {
		t.Run(name, func(t *testing.T) {
			r, h := hotRun(t, args...)
			require.Equal(t, r.Stalls["idle"], h.IdleCycles)
			require.Equal(t, r.Cycles, h.Cycles)
			issues, threads, stalls := make([]uint64, len(r.Kernels)), make([]uint64, len(r.Kernels)), make([]map[string]uint64, len(r.Kernels))
			for _, l := range h.Lines {
				issues[l.Tenant] += l.Issues
				threads[l.Tenant] += l.Threads
				if stalls[l.Tenant] == nil {
					stalls[l.Tenant] = map[string]uint64{"idle": 0}
				}
				cycles := uint64(0)
				for cause, n := range l.Stalls {
					stalls[l.Tenant][cause] += n
					cycles += n
				}
				require.Equal(t, cycles, l.Cycles)
				require.NotEmpty(t, l.Text)
				require.Equal(t, strings.HasPrefix(name, "launches"), l.Launch >= 0)
			}
			for i, k := range r.Kernels {
				require.Equal(t, k.Stalls, stalls[i])
				require.Equal(t, k.WarpInstructions, issues[i])
				require.Equal(t, k.ThreadInstructions, threads[i])
			}
		})
	}
}

func TestHotWritesJSONAndCSVAndATable(t *testing.T) {
	folder := t.TempDir()
	run := []string{"run", "--quiet", "--app", "profile:sgemm", "--cycles", "20k"}
	file := filepath.Join(folder, "lines.csv")
	got := cotenant(t, append(run, "--hot", file)...)
	require.Zero(t, got.status, got.stderr)
	require.NotContains(t, got.stdout, "Mostly")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"tenant", "name", "kernel"}, rows[0][:3])
	require.Greater(t, len(rows), 10)

	got = cotenant(t, append(run, "--hot", "-")...)
	require.Zero(t, got.status, got.stderr)
	require.Contains(t, got.stdout, "Isolated IPC")
	require.Contains(t, got.stdout, "Mostly")
	require.Contains(t, got.stdout, "load shared")
	for args, want := range map[string]string{
		"--hot lines.txt": "--hot: lines.txt ends neither in .json nor in .csv; valid: one of them, or - to print the costliest lines",
		"--hot-launches":  "--hot-launches is for --hot; valid: both",
	} {
		got = cotenant(t, append(run, strings.Fields(args)...)...)
		require.Equal(t, 2, got.status)
		require.Contains(t, got.stderr, want)
	}
}

func TestLatenciesAreInTheResultIfAskedFor(t *testing.T) {
	result := filepath.Join(t.TempDir(), "r.json")
	args := []string{"run", "--quiet", "--app", "profile:lbm", "--cycles", "20k", "--warmup", "2k", "--json", result}
	for _, asked := range []bool{false, true} {
		if asked {
			args = append(args, "--latencies")
		}
		got := cotenant(t, args...)
		require.Zero(t, got.status, got.stderr)
		text, err := os.ReadFile(result)
		require.NoError(t, err)
		var r experiment.Result
		require.NoError(t, json.Unmarshal(text, &r))
		list := r.Kernels[0].Latencies
		require.Equal(t, asked, list != nil)
		if asked {
			require.Equal(t, r.Kernels[0].L2.Accesses, list["l2_queue"].Count, "behind the warm-up, too")
			require.LessOrEqual(t, list["load_to_use"].P50, list["load_to_use"].P99)
		}
	}
}
