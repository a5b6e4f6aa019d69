package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// countersOf are the whole numbers of a result by their path, without those of launches,
// which are always of whole launches.
func countersOf(t *testing.T, text string) map[string]int64 {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var root any
	require.NoError(t, d.Decode(&root))
	found := map[string]int64{}
	var walk func(string, any)
	walk = func(path string, at any) {
		switch x := at.(type) {
		case map[string]any:
			for name, inner := range x {
				if name != "launches" {
					walk(path+"."+name, inner)
				}
			}
		case []any:
			for _, inner := range x {
				walk(path+".", inner)
			}
		case json.Number:
			if n, err := x.Int64(); err == nil {
				found[path] += n
			}
		}
	}
	walk("", root)
	return found
}

// TestWarmUpCountsWhatALongerRunHasMore: a run with a warm-up counts, in every counter, what
// the run to the same end has more than the run to the end of the warm-up.
func TestWarmUpCountsWhatALongerRunHasMore(t *testing.T) {
	run := func(more ...string) map[string]int64 {
		args := append([]string{"run", "--gpu", "gtx980?sms=2", "--app", "profile:lbm", "--app", "profile:sad?arrival=500", "--policy", "smk-pw", "--json", "-", "--quiet"}, more...)
		got := cotenant(t, args...)
		require.Equal(t, 0, got.status, got.stderr)
		return countersOf(t, got.stdout)
	}
	whole, warm, counted := run("--cycles", "7k"), run("--cycles", "3k"), run("--cycles", "4k", "--warmup", "3k")
	assert.Equal(t, int64(3000), counted[".warmup"])
	delete(counted, ".warmup")
	different := 0
	for path, n := range counted {
		if whole[path] == warm[path] {
			assert.Equal(t, whole[path], n, path) // such as arrivals, or counters that stand still
			continue
		}
		different++
		assert.Equal(t, whole[path]-warm[path], n, path)
	}
	assert.Greater(t, different, 150)
}

func TestApplicationsAloneWarmUpAsLong(t *testing.T) {
	app := "profile:lbm"
	alone := cotenant(t, "run", "--gpu", "gtx980?sms=2", "--app", app, "--cycles", "4k", "--warmup", "3k", "--json", "-", "--quiet")
	mix := cotenant(t, "run", "--gpu", "gtx980?sms=2", "--app", app, "--app", app+"?arrival=5k", "--cycles", "4k", "--warmup", "3k", "--policy", "even", "--json", "-", "--quiet")
	require.Equal(t, 0, mix.status, mix.stderr)
	late := cotenant(t, "run", "--gpu", "gtx980?sms=2", "--app", app, "--cycles", "2k", "--json", "-", "--quiet")
	r := result(t, mix.stdout)
	assert.Equal(t, result(t, alone.stdout).Kernels[0].IPC, r.Kernels[0].IsolatedIPC)
	assert.Equal(t, result(t, late.stdout).Kernels[0].IPC, r.Kernels[1].IsolatedIPC, "it arrives behind the warm-up, with 2000 cycles left")
	assert.Equal(t, uint64(2000), r.Kernels[1].Cycles)
}

// TestSkippedLaunchesAreExecuted: the host of bfs launches kernels until its frontier is
// empty, so the number of launches and the costs follow from what skipped launches computed.
func TestSkippedLaunchesAreExecuted(t *testing.T) {
	run := func(app string, more ...string) (launches int, arrays map[string]string) {
		folder := filepath.Join(t.TempDir(), "arrays")
		got := cotenant(t, append([]string{"run", "--gpu", "gtx980?sms=2", "--app", app, "--until", "done", "--dump-arrays", folder, "--json", "-", "--quiet", "--cache", "off"}, more...)...)
		require.Equal(t, 0, got.status, got.stderr)
		arrays = map[string]string{}
		require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				arrays[filepath.Base(path)] = read(t, path)
			}
			return err
		}))
		return len(result(t, got.stdout).Kernels[0].Launches), arrays
	}
	all, want := run("bfs?size=tiny")
	rest, got := run("bfs?size=tiny", "--skip-launches", "5")
	assert.Equal(t, all-5, rest)
	assert.Equal(t, want, got)
	assert.NotEmpty(t, got)
	few, _ := run("bfs?size=tiny", "--skip-launches", "5", "--stop-after-launch", "7")
	assert.Equal(t, 2, few)
}

func TestLaunchesOfAListAreLeftOut(t *testing.T) {
	three := strings.Replace(smallApp, "  - name: small\n", "  - name: other\n    tbs: 2\n    demands: [{threads: 64, registers_per_thread: 16}]\n    instructions: 20\n    phases:\n      - mix: {int: 1}\n  - name: small\n", 1)
	app := "profile:" + file(t, "three.yaml", three)
	names := func(more ...string) (names []string) {
		got := cotenant(t, append([]string{"run", "--gpu", "gtx980?sms=1", "--app", app, "--until", "done", "--json", "-", "--quiet"}, more...)...)
		require.Equal(t, 0, got.status, got.stderr)
		for _, l := range result(t, got.stdout).Kernels[0].Launches {
			names = append(names, l.Kernel)
		}
		return names
	}
	assert.Equal(t, []string{"other", "small"}, names())
	assert.Equal(t, []string{"small"}, names("--skip-launches", "1"))
	assert.Equal(t, []string{"other"}, names("--stop-after-launch", "1"))
}

func TestPartsOfARunThatContradictEachOther(t *testing.T) {
	for _, c := range []struct {
		args    []string
		status  int
		message string
	}{
		{[]string{"--skip-launches", "1"}, exitUsage, "makes 1 launch, and skip-launches 1 leaves none; valid: fewer"},
		{[]string{"--skip-launches", "2", "--stop-after-launch", "2"}, exitUsage, "stop-after-launch 2 leaves no launch behind skip-launches 2; valid: above 2"},
		{[]string{"--warmup", "1k", "--until", "replays=2"}, exitUsage, "warmup sets when counters start, and --until replays=2 measures whole runs; valid: --cycles or --until done"},
		{[]string{"--warmup", "100k", "--until", "done"}, exitFailure, "within warmup 100000; valid: fewer cycles"},
		{[]string{"--warmup", "-1"}, exitUsage, "--warmup"},
		{[]string{"--partial", "--sample"}, exitUsage, "valid: one of them"},
	} {
		got := cotenant(t, small(t, append(c.args, "--quiet")...)...)
		assert.Equal(t, c.status, got.status, "%v: %s", c.args, got.stderr)
		assert.Contains(t, got.stderr, c.message)
	}
	got := cotenant(t, "run", "--app", "sgemm?size=tiny", "--sample", "--skip-launches", "1")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "without --warmup, --skip-launches and --stop-after-launch")
}

func TestInterruptedRunWritesWhatItHasReached(t *testing.T) {
	folder := t.TempDir()
	out := func(name string) string { return filepath.Join(folder, name) }
	b := start(t, "run", "--gpu", "gtx980?sms=2", "--app", "profile:lbm", "--app", "profile:sad", "--policy", "even", "--cycles", "1000M", "--quiet",
		"--partial", "--json", out("r.json"), "--html", out("r.html"), "--csv", out("r.csv"))
	time.Sleep(time.Second)
	assert.Equal(t, exitInterrupted, b.end(t))
	require.FileExists(t, out("r.json"), b.stderr.String())
	r := result(t, read(t, out("r.json")))
	assert.Regexp(t, `^interrupted at cycle \d+$`, r.Partial)
	assert.Positive(t, r.Cycles)
	assert.Less(t, r.Cycles, uint64(1_000_000_000))
	for _, k := range r.Kernels {
		assert.Positive(t, k.IPC)
		assert.False(t, k.NormalizedIPC.Defined(), "no application ran alone")
	}
	assert.Contains(t, read(t, out("r.html")), "PARTIAL result, interrupted at cycle")
	assert.Contains(t, b.stdout.String(), "even: PARTIAL result, interrupted at cycle")
	assert.Regexp(t, `^cotenant: interrupted at cycle \d+; the outputs hold what the run had reached\n$`, b.stderr.String())

	// The same cycles, run on purpose, count the same.
	whole := cotenant(t, "run", "--gpu", "gtx980?sms=2", "--app", "profile:lbm", "--app", "profile:sad", "--policy", "even", "--cycles", strings.Fields(r.Partial)[3], "--quiet", "--json", "-")
	assert.Equal(t, r.ThreadInstructions, result(t, whole.stdout).ThreadInstructions)
}

func TestInterruptedRunWithoutPartialWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	b := start(t, "run", "--gpu", "gtx980?sms=2", "--app", "profile:lbm", "--cycles", "1000M", "--quiet", "--json", path)
	time.Sleep(300 * time.Millisecond)
	assert.Equal(t, exitInterrupted, b.end(t))
	assert.NoFileExists(t, path)
}

func TestProgressTellsSpeedAndTimeLeft(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out}
	at := time.Unix(100, 0)
	assert.Empty(t, p.speed("co-run", experiment.Progress{Cycle: 10_000, Done: 0.1}, at), "nothing is known yet")
	assert.Equal(t, ", 5.0k cycles/s, about 12s left", p.speed("co-run", experiment.Progress{Cycle: 20_000, Done: 0.225}, at.Add(2*time.Second)))
	assert.Equal(t, ", 75 cycles/s", p.speed("co-run", experiment.Progress{Cycle: 10_150, Done: 0.1}, at.Add(2*time.Second)), "no time without a step ahead")
	assert.Empty(t, p.speed("isolated lbm", experiment.Progress{Cycle: 10_000, Done: 0.1}, at.Add(time.Hour)), "another phase")
}
