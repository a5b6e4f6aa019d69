package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// small is the start of a command line that ends in a moment: two tenants on
// one SM.
func small(t testing.TB, more ...string) []string {
	app := "profile:" + file(t, "small.yaml", smallApp)
	return append([]string{"run", "--gpu", file(t, "small.yaml", smallGPU), "--app", app, "--app", app}, more...)
}

func result(t testing.TB, text string) *experiment.Result {
	t.Helper()
	r := &experiment.Result{}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(r))
	return r
}

// withoutWallTimes blanks what may differ between two runs of one command.
func withoutWallTimes(text string) string {
	return regexp.MustCompile(`(wall_seconds": )[0-9.e+-]+`).ReplaceAllString(text, "${1}0")
}

func TestRunOnceCountsEveryInstruction(t *testing.T) {
	got := cotenant(t, small(t, "--policy", "spart", "--seed", "7", "--until", "done", "--json", "-")...)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Empty(t, got.stderr)
	r := result(t, got.stdout)
	assert.Equal(t, []any{"small", "spart", uint64(7), "done", version()}, []any{r.GPU, r.Policy, r.Seed, r.Mode, r.Version})
	for _, k := range r.Kernels {
		assert.Equal(t, uint64(4), k.TBsCompleted)
		assert.Equal(t, uint64(1), k.Completions)
		assert.Positive(t, k.IsolatedIPC)
		assert.Positive(t, k.NormalizedIPC)
	}
	assert.Equal(t, r.Kernels[0].WarpInstructions+r.Kernels[1].WarpInstructions, r.WarpInstructions)
	assert.LessOrEqual(t, float64(r.STP), 2.0+1e-9)
}

func TestWindowRestartsApplications(t *testing.T) {
	got := cotenant(t, small(t, "--cycles", "20k", "--json", "-")...)
	require.Equal(t, 0, got.status, got.stderr)
	r := result(t, got.stdout)
	assert.Equal(t, []any{"cycles", uint64(20_000)}, []any{r.Mode, r.Cycles})
	assert.Greater(t, r.Kernels[0].Completions, uint64(1))
}

func TestSameCommandGivesTheSameBytes(t *testing.T) {
	args := small(t, "--json", "-", "--cycles", "5k")
	first := cotenant(t, args...)
	require.Equal(t, 0, first.status, first.stderr)
	for _, more := range [][]string{nil, {"--parallel", "1"}, {"--parallel", "4"}, {"--quiet"}} {
		again := cotenant(t, append(args, more...)...)
		assert.Equal(t, withoutWallTimes(first.stdout), withoutWallTimes(again.stdout), "%v", more)
	}
}

func TestGivenIsolatedIPCIsTaken(t *testing.T) {
	got := cotenant(t, small(t, "--isolated", "1000,0", "--json", "-")...)
	require.Equal(t, 0, got.status, got.stderr)
	r := result(t, got.stdout)
	assert.Equal(t, 1000.0, r.Kernels[0].IsolatedIPC)
	assert.Equal(t, r.Kernels[0].IPC/1000, float64(r.Kernels[0].NormalizedIPC))
	assert.NotEqual(t, 1000.0, r.Kernels[1].IsolatedIPC)
	assert.NotZero(t, r.Kernels[1].IsolatedIPC)
}

// TestPolicyIsToldWhatTenantsHaveAlone has quotas depend on it: given as it is
// measured, the result is the same to the byte; given otherwise, another.
func TestPolicyIsToldWhatTenantsHaveAlone(t *testing.T) {
	long := "profile:" + file(t, "long.yaml", strings.Replace(smallApp, "tbs: 4", "tbs: 400", 1))
	fat := "profile:" + file(t, "fat.yaml", strings.NewReplacer("tbs: 4\n", "tbs: 200\n", "{int: 0.5, fp32: 0.5}", "{sfu: 1}").Replace(smallApp))
	run := func(policy, isolated string) (string, *experiment.Result) {
		got := cotenant(t, "run", "--gpu", file(t, "small.yaml", smallGPU), "--app", long, "--app", fat, "--policy", policy, "--cycles", "20k", "--isolated", isolated, "--json", "-")
		require.Equal(t, 0, got.status, got.stderr)
		return withoutWallTimes(got.stdout), result(t, got.stdout)
	}
	const informed = "smk-pw:wipc=isolated,epoch=1k"
	measured, r := run(informed, "0,0")
	require.Positive(t, r.Stalls["quota"])
	var as, other []string
	for _, k := range r.Kernels {
		// Thread instructions per cycle, of four schedulers and full warps.
		require.InDelta(t, k.IsolatedIPC/32/4, float64(k.IsolatedWIPC), 1e-12)
		as = append(as, experiment.Isolated{IPC: k.IsolatedIPC, Turnaround: float64(k.IsolatedTurnaroundCycles), WIPC: float64(k.IsolatedWIPC)}.String())
		other = append(other, experiment.Isolated{IPC: k.IsolatedIPC, WIPC: 1}.String())
	}
	given, _ := run(informed, strings.Join(as, ","))
	require.Equal(t, measured, given)
	_, r2 := run(informed, strings.Join(other, ","))
	require.NotEqual(t, r.Kernels[0].WarpInstructions, r2.Kernels[0].WarpInstructions)
	_, r3 := run("smk-pw:epoch=1k", "0,0")
	require.Zero(t, r3.Stalls["quota"], "no SM for profiling")
	_, r4 := run("smk-p", "5,0")
	require.False(t, r4.Kernels[0].IsolatedWIPC.Defined())
	require.True(t, r4.Kernels[1].IsolatedWIPC.Defined())

	got := cotenant(t, small(t, "--policy", informed, "--isolated", "5:0.1,5")...)
	require.Equal(t, 2, got.status)
	require.Contains(t, got.stderr, "policy smk-pw:wipc=isolated,epoch=1k needs the isolated WIPC of application ")
	require.Contains(t, got.stderr, "valid: IPC:WIPC, IPC@TURNAROUND:WIPC, or 0 to measure it")
}

func TestOutputsGoWhereTheyAreToldTo(t *testing.T) {
	folder := t.TempDir()
	jsonFile, csvFile := filepath.Join(folder, "r.json"), filepath.Join(folder, "r.csv")
	got := cotenant(t, small(t, "--json", jsonFile, "--csv", csvFile)...)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "HSpeedup", "the table")
	assert.Len(t, result(t, read(t, jsonFile)).Kernels, 2)
	rows, err := csv.NewReader(strings.NewReader(read(t, csvFile))).ReadAll()
	require.NoError(t, err)
	assert.Len(t, rows, 3)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 2)

	got = cotenant(t, small(t, "--json", jsonFile, "--csv", "-")...)
	assert.True(t, strings.HasPrefix(got.stdout, "schema,gpu,policy,"))
	assert.NotContains(t, got.stdout, "─", "no table beside CSV")
}

func TestStandardOutputThatIsClosedIsAFailure(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	r.Close()
	w.Close()
	var stderr bytes.Buffer
	assert.Equal(t, 1, execute(t.Context(), small(t), w, &stderr))
	assert.Regexp(t, `^cotenant: standard output: .*\n$`, stderr.String())
}

// lockedBuffer is a standard error that can be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// background is a long command that runs while a test looks at it.
type background struct {
	cancel context.CancelFunc
	stdout bytes.Buffer
	stderr lockedBuffer
	status chan int
}

func start(t testing.TB, args ...string) *background {
	b := &background{status: make(chan int, 1)}
	var ctx context.Context
	ctx, b.cancel = context.WithCancel(t.Context())
	go func() { b.status <- execute(ctx, args, &b.stdout, &b.stderr) }()
	t.Cleanup(b.cancel)
	return b
}

// end interrupts the command, as a signal does, and returns its status.
func (b *background) end(t testing.TB) int {
	t.Helper()
	b.cancel()
	select {
	case status := <-b.status:
		return status
	case <-time.After(10 * time.Second):
		require.Fail(t, "the command goes on after it was interrupted")
		return 0
	}
}

func TestInterruptStopsWithinAMomentAndLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	b := start(t, "run", "--app", "profile:lbm", "--app", "profile:sgemm", "--json", path, "--csv", path+".csv")
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	assert.Equal(t, 130, b.end(t))
	assert.Less(t, time.Since(began), 5*time.Second)
	assert.Regexp(t, `^cotenant: interrupted at cycle \d+; no output file was written\n$`, b.stderr.String())
	assert.Empty(t, b.stdout.String())
	assertEmptyFolder(t, filepath.Dir(path))
}

func TestMonitorShowsTheRun(t *testing.T) {
	b := start(t, "run", "--gpu", file(t, "gpu.yaml", smallGPU), "--app", "profile:lbm", "--monitor", ":0")
	address := regexp.MustCompile(`monitor: (http://127\.0\.0\.1:\d+)\n`)
	require.Eventually(t, func() bool { return address.MatchString(b.stderr.String()) }, 10*time.Second, time.Millisecond, "no address")
	url := address.FindStringSubmatch(b.stderr.String())[1]
	get := func(path string) string {
		r, err := http.Get(url + path)
		require.NoError(t, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, 200, r.StatusCode, string(text))
		return string(text)
	}
	assert.Contains(t, get("/api/list_components"), `"GPU.SM[0]"`)
	assert.Contains(t, get("/api/component/GPU.SM[0]"), `"dict":`)
	assert.Contains(t, get("/api/hangdetector/buffers?sort=level&limit=3"), `"buffer":"GPU.`)
	assert.Contains(t, get("/api/progress"), `"total":1000000`)
	get("/api/pause")
	now := get("/api/now")
	time.Sleep(20 * time.Millisecond)
	assert.Equal(t, now, get("/api/now"))
	assert.Equal(t, 130, b.end(t), "a pause does not outlive an interrupt")
}

func TestMonitorPortThatIsTakenIsAFailure(t *testing.T) {
	b := start(t, "run", "--app", "profile:lbm", "--monitor", ":0")
	address := regexp.MustCompile(`monitor: http://(127\.0\.0\.1:\d+)\n`)
	require.Eventually(t, func() bool { return address.MatchString(b.stderr.String()) }, 10*time.Second, time.Millisecond)
	got := cotenant(t, small(t, "--monitor", address.FindStringSubmatch(b.stderr.String())[1])...)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "cotenant: the monitor cannot listen: ")
	assert.Equal(t, 130, b.end(t))
}

func TestComparisonPrintsEveryTenantUnderEveryPolicy(t *testing.T) {
	m := defaultComparison
	m.Cycles = 1000
	var out bytes.Buffer
	c := &cobra.Command{RunE: opened(m.run)}
	c.SetOut(&out)
	c.SetErr(io.Discard)
	c.SetArgs(nil)
	require.NoError(t, c.ExecuteContext(t.Context()))
	assert.True(t, strings.HasPrefix(out.String(), "sgemm and lbm on gtx980 for 1000 cycles\n"))
	for _, policy := range []string{"fcfs", "spart", "even"} {
		assert.Equal(t, 3, strings.Count(out.String(), "│ "+policy), policy)
	}
	for _, app := range m.Apps {
		assert.Equal(t, 3, strings.Count(out.String(), "│ "+app+" "))
	}
}

func TestProgressIsALineNowAndThenWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	at := experiment.Progress{Cycle: 1000, WarpInstructions: 5, Done: 0.5}
	p := newProgress(&out, false)
	p.update("co-run", at)
	assert.Empty(t, out.String(), "too early")
	p.next = time.Time{}
	p.update("co-run", at)
	p.update("co-run", at)
	p.clear()
	assert.Equal(t, "co-run: cycle 1000, 5 warp instructions, 50 %\n", out.String())
	p = newProgress(&out, true)
	p.next = time.Time{}
	p.update("co-run", at)
	assert.Equal(t, 1, strings.Count(out.String(), "\n"), "quiet")
}

// The counts are facts of the trace: every line, and the lanes of its masks.
func TestRealTraceRunsToItsEnd(t *testing.T) {
	trace := filepath.Join("..", "..", "..", "shared", "traces", "vectoradd")
	if _, err := os.Stat(trace); err != nil {
		t.Skip("the shared traces are not here")
	}
	got := cotenant(t, "run", "--app", "traceg:"+trace, "--until", "done", "--json", "-")
	require.Equal(t, 0, got.status, got.stderr)
	r := result(t, got.stdout)
	assert.Equal(t, []uint64{26_601, 801_056}, []uint64{r.WarpInstructions, r.ThreadInstructions})
	assert.Equal(t, 1.0, float64(r.Kernels[0].NormalizedIPC))
}
