package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	"cotenant/staging"
)

// plantIn has the test program, when it acts as cotenant, know two more
// policies, which use the folder named.
const plantIn = "COTENANT_TEST_PLANT_IN"

func plantPolicies() {
	folder := os.Getenv(plantIn)
	if folder == "" {
		return
	}
	for name, decide := range map[string]decision{
		// panic leaves a file that it has staged; only the next program would remove it.
		"panic": func() {
			if _, err := staging.File(folder, "left"); err != nil {
				os.Exit(99)
			}
			panic("planted")
		},
		// stuck says that it has begun, and does not end.
		"stuck": func() {
			if err := os.WriteFile(filepath.Join(folder, "stuck"), nil, 0o600); err != nil {
				os.Exit(99)
			}
			select {}
		},
	} {
		policy.Register(policy.Descriptor{Name: name, New: func(*policy.Options) policy.Policy { return decide }})
	}
}

type decision func()

func (decision) Needs() policy.Needs { return policy.Needs{} }

func (d decision) Decide(*policy.View, policy.Actions) { d() }

// child is cotenant as a process of its own.
type child struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func newChild(t testing.TB, args ...string) *child {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	c := &child{Cmd: exec.Command(path, args...)}
	c.Env = append(os.Environ(), asProgram+"=1")
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

func (c *child) start(t testing.TB) {
	t.Helper()
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
}

func (c *child) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	require.NoError(t, c.Process.Signal(s))
}

// status waits for the end.
func (c *child) status(t testing.TB) int {
	t.Helper()
	late := time.AfterFunc(20*time.Second, func() { _ = c.Process.Kill() })
	defer late.Stop()
	_ = c.Wait()
	return c.ProcessState.ExitCode()
}

func requireFile(t testing.TB, folder string) {
	t.Helper()
	require.Eventually(t, func() bool {
		entries, _ := os.ReadDir(folder)
		return len(entries) > 0
	}, 20*time.Second, time.Millisecond, "nothing in %s", folder)
}

// stuckRun is a run that has begun a wave, and sees no signal.
func stuckRun(t testing.TB) (c *child, out string) {
	t.Helper()
	out = t.TempDir()
	plant := t.TempDir()
	c = newChild(t, "run", "--app", "stencil?size=tiny", "--policy", "stuck", "--until", "done",
		"--vcd", filepath.Join(out, "run.vcd"), "--json", filepath.Join(out, "run.json"), "--cache", "off")
	c.Env = append(c.Env, plantIn+"="+plant)
	c.start(t)
	requireFile(t, plant)
	requireFile(t, out)
	return c, out
}

// waitingRun is a run that has begun a wave, and waits for a process to read its
// result from a pipe that is full.
func waitingRun(t testing.TB) (c *child, out string) {
	t.Helper()
	out = t.TempDir()
	first, second := filepath.Join(t.TempDir(), "json"), filepath.Join(t.TempDir(), "csv")
	require.NoError(t, syscall.Mkfifo(first, 0o600))
	require.NoError(t, syscall.Mkfifo(second, 0o600))
	reader, err := os.OpenFile(first, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	full, err := os.OpenFile(second, os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { reader.Close(); full.Close() })
	require.NoError(t, full.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	_, err = full.Write(make([]byte, 4<<20))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	c = newChild(t, "run", "--app", "profile:"+file(t, "small.yaml", smallApp), "--cycles", "1k", "--json", first, "--csv", second, "--vcd", filepath.Join(out, "run.vcd"))
	c.start(t)
	require.Eventually(t, func() bool {
		text, _ := io.ReadAll(reader) // nothing before the run has opened it
		return strings.Contains(string(text), "schema")
	}, 20*time.Second, 10*time.Millisecond) // and from then on it waits
	return c, out
}

func TestCommandThatSeesNoSignalIsEndedAndLeavesNothing(t *testing.T) {
	t.Parallel() // it takes the grace
	stuck, out := stuckRun(t)
	waiting, wave := waitingRun(t)
	for _, c := range []*child{stuck, waiting} {
		c.signal(t, syscall.SIGTERM)
	}
	for _, c := range []*child{stuck, waiting} {
		assert.Equal(t, 143, c.status(t))
		assert.Equal(t, "cotenant: interrupted; no output file was written\n", c.stderr.String())
		assert.Empty(t, c.stdout.String())
	}
	for _, folder := range []string{out, wave} {
		assertEmptyFolder(t, folder)
	}
}

func TestSecondSignalEndsTheProgramAtOnceAndLeavesNothing(t *testing.T) {
	t.Parallel()
	c, out := stuckRun(t)
	c.signal(t, syscall.SIGINT)
	c.signal(t, syscall.SIGTERM)
	assert.Contains(t, []int{130, 143}, c.status(t), "of the second that came: two that wait together come in any order")
	assert.Empty(t, c.stderr.String(), "not the message at the end of the grace")
	assertEmptyFolder(t, out)
}

// hearsHangUp skips a test where a program does not hear SIGHUP, since who has
// started the tests ignores it, as nohup does.
func hearsHangUp(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("SIGHUP is ignored here, as under nohup")
	}
}

func TestTerminalThatIsGoneEndsTheProgramAndLeavesNothing(t *testing.T) {
	t.Parallel()
	hearsHangUp(t)
	c, out := stuckRun(t)
	c.signal(t, syscall.SIGHUP)
	assert.Equal(t, 129, c.status(t))
	assert.Empty(t, c.stderr.String())
	assertEmptyFolder(t, out)

	c = newChild(t, "trace", "export", "--app", "sgemm?size=medium", "--out", filepath.Join(out, "trace"))
	c.start(t)
	requireFile(t, out)
	c.signal(t, syscall.SIGHUP)
	assert.Equal(t, 129, c.status(t))
	assertEmptyFolder(t, out)
}

func TestSignalThatIsSeenIsTheStatusAndLeavesNothing(t *testing.T) {
	t.Parallel()
	endless := file(t, "m.yaml", "policies: [fcfs]\nmixes: [{apps: ['sgemm?size=medium']}]\ncycles: [done]\n")
	for s, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		out, cache := t.TempDir(), t.TempDir()
		run := newChild(t, "run", "--app", "profile:lbm", "--app", "sgemm?size=medium", "--until", "done",
			"--vcd", filepath.Join(out, "run.vcd"), "--cache", cache)
		store, children := filepath.Join(t.TempDir(), "store"), t.TempDir()
		sweep := newChild(t, "sweep", endless, "--store", store, "--csv", filepath.Join(out, "x.csv"), "--cache", children, "--quiet")
		reproduce := newChild(t, "reproduce", "smk-table2", "--store", store, "--cache", "off", "--quiet", "--parallel", "1")
		for _, c := range []*child{run, sweep, reproduce} {
			c.start(t)
		}
		for _, folder := range []string{out, filepath.Dir(store)} {
			requireFile(t, folder)
		}
		for _, c := range []*child{run, sweep, reproduce} {
			c.signal(t, s)
			assert.Equal(t, want, c.status(t), c.Args)
			assert.Regexp(t, `^cotenant: interrupted( at cycle \d+|; .* has 0 of \d+ runs?, .*)?; no output file was written\n$`, c.stderr.String())
		}
		for _, folder := range []string{out, cache, children} {
			assertEmptyFolder(t, folder)
		}
	}
}

func TestWhatAKilledRunLeftIsRemovedByTheNext(t *testing.T) {
	t.Parallel()
	c, out := stuckRun(t)
	names := func(folder string) (list []string) {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	next := func(name string) {
		got := cotenant(t, "run", "--app", "profile:"+file(t, "small.yaml", smallApp), "--cycles", "1k", "--json", filepath.Join(out, name))
		require.Equal(t, 0, got.status, got.stderr)
	}
	next("while.json")
	assert.Len(t, names(out), 2, "the first is not dead yet")
	require.NoError(t, c.Process.Kill())
	c.status(t)
	assert.Len(t, names(out), 2)
	next("after.json")
	assert.Equal(t, []string{"after.json", "while.json"}, names(out))
}

func TestStandardOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device here is always full")
	}
	defer full.Close()
	app := "profile:" + file(t, "small.yaml", smallApp)
	for _, args := range [][]string{
		{"--help"}, {"help", "run"}, {"run", "--help"}, {"trace", "info", "--help"}, {"--version"}, {"list"}, {"netlist"}, {"reproduce", "--list"},
		{"run", "--app", app, "--cycles", "1k"}, {"run", "--app", app, "--cycles", "1k", "--json", "-"},
	} {
		c := newChild(t, args...)
		c.Stdout = full
		c.start(t)
		assert.Equal(t, exitFailure, c.status(t), args)
		assert.Equal(t, "cotenant: standard output: write /dev/stdout: no space left on device\n", c.stderr.String(), args)
	}
}

func TestClosedStandardOutputIsAnError(t *testing.T) {
	if !closedIsSeen {
		t.Skip("a program without C cannot tell that standard output is closed")
	}
	path := filepath.Join(t.TempDir(), "out.json")
	app := "profile:" + file(t, "small.yaml", smallApp)
	for _, args := range [][]string{
		{"--help"}, {"--version"}, {"list"}, {"netlist"}, {"run", "--app", app, "--cycles", "1k"}, {"run", "--app", app, "--cycles", "1k", "--json", "-"},
	} {
		c := newChild(t)
		c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", `exec "$0" "$@" >&-`, c.Path}, args...)
		c.start(t)
		assert.Equal(t, exitFailure, c.status(t), args)
		assert.Equal(t, "cotenant: standard output: it is closed; redirect it to a file, or to /dev/null\n", c.stderr.String(), args)
	}
	for _, redirection := range []string{">/dev/null", "1<>/dev/null", "</dev/null >/dev/null"} {
		c := newChild(t)
		c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `exec "$0" "$@" ` + redirection, c.Path, "run", "--app", app, "--cycles", "1k", "--json", path}
		c.start(t)
		assert.Equal(t, 0, c.status(t), redirection)
		assert.Empty(t, c.stderr.String(), redirection)
	}
}

func TestPipeThatNobodyReadsEndsTheProgramAndLeavesNothing(t *testing.T) {
	t.Parallel()
	unread := func() *os.File {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		r.Close()
		t.Cleanup(func() { w.Close() })
		return w
	}
	out := t.TempDir()
	c := newChild(t, "run", "--app", "profile:lbm", "--vcd", filepath.Join(out, "run.vcd"), "--monitor", ":0")
	c.Stderr = unread() // which gets the monitor's address
	c.start(t)
	assert.Equal(t, 141, c.status(t))
	assertEmptyFolder(t, out)

	c = newChild(t, "list")
	c.Stdout = unread()
	c.start(t)
	assert.Equal(t, 141, c.status(t))
	assert.Empty(t, c.stderr.String())
}

func TestPanicLeavesNothing(t *testing.T) {
	t.Parallel()
	app := "profile:" + file(t, "small.yaml", smallApp)
	for level, want := range map[string]struct {
		status int
		stderr string
	}{
		"":       {1, `^cotenant: internal error: planted; please report it with version \S+ and the command: cotenant run [^\n]*\n$`},
		"none":   {2, `^panic: planted\n\n$`},
		"single": {2, `(?s)^panic: planted\n\ngoroutine \d+ \[running\]:\n.*cli\.decision\.Decide`},
		"all":    {2, `(?s)^panic: planted\n\ngoroutine \d+ \[running\]:\n.*cli\.decision\.Decide.*cli\.heedSignals`},
	} {
		out, left := t.TempDir(), t.TempDir()
		c := newChild(t, "run", "--app", app, "--policy", "panic", "--vcd", filepath.Join(out, "run.vcd"))
		c.Env = append(c.Env, plantIn+"="+left, "GOTRACEBACK="+level)
		c.start(t)
		assert.Equal(t, want.status, c.status(t), level)
		assert.Regexp(t, want.stderr, c.stderr.String(), level)
		assertEmptyFolder(t, out)
		assertEmptyFolder(t, left)
	}
}

// What a program has left to atexit is done in its normal end, too.
func TestEveryEndIsByOneWay(t *testing.T) {
	var places []string
	for _, pattern := range []string{"*.go", filepath.Join("..", "*.go")} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for i, line := range strings.Split(read(t, path), "\n") {
				if strings.Contains(line, "os.Exit(") || strings.Contains(line, "atexit.Exit(") || strings.Contains(line, "log.Fatal") {
					places = append(places, fmt.Sprintf("%s:%d", path, i+1))
				}
			}
		}
	}
	assert.Len(t, places, 1, "%v", places)
}
