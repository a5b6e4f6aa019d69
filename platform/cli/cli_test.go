package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/sm/ews"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain keeps recordings out of the user's cache folder.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		plantPolicies()
		Main(os.Args[1:])
	}
	// A test that has the program start itself without asProgram would start all tests again,
	// and they themselves.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		fmt.Fprintf(os.Stderr, "the test program was started as %q without %s\n", os.Args[1], asProgram)
		os.Exit(exitUsage)
	}
	folder, err := os.MkdirTemp("", "cotenant-test")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		os.Setenv(name, folder)
	}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// outcome is what a command line did.
type outcome struct {
	status         int
	stdout, stderr string
}

// execute carries out a command line as Main does, but does not end the program,
// and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return complain(stderr, perform(ctx, args, stdout, stderr))
}

// cotenant runs a command line in this process.
func cotenant(t testing.TB, args ...string) outcome {
	t.Helper()
	return cotenantIn(t.Context(), args...)
}

func cotenantIn(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	status := execute(ctx, args, &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// file writes a file into a folder of the test's own and returns its path.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// smallGPU is a preset with one SM.
const smallGPU = "extends: plain16\nsms: 1\n"

// smallApp is a profile that one SM runs in a moment.
const smallApp = `name: small
kernels:
  - name: small
    tbs: 4
    demands: [{threads: 64, registers_per_thread: 16}]
    instructions: 50
    phases:
      - mix: {int: 0.5, fp32: 0.5}
`

func TestUsageErrorsSayWhatIsValidAndExitWith2(t *testing.T) {
	app := "--app=profile:" + file(t, "small.yaml", smallApp)
	const forms = "NAME, ptx:FILE.yaml, traceg:DIR, profile:NAME, profile:FILE.yaml, cuda:PROGRAM, FILE.app.yaml, capture:DIR"
	presetNames := strings.Join(presets.Names(), ", ") + ", or the path of a .yaml file"
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"simulate"}, `unknown command "simulate"; valid: cc, completion, exec, fit, help, list, netlist, query, report, reproduce, run, serve, sweep, trace, version`},
		{[]string{"help", "simulate"}, `unknown command "simulate"; valid: cc, completion, exec, fit, help, list, netlist, query, report, reproduce, run, serve, sweep, trace, version; topics: apps, gpus`},
		{[]string{"completion", "csh"}, `unknown shell "csh"; valid: bash, zsh, fish, powershell`},
		{[]string{"--gpu", "k20c"}, `unknown flag: --gpu; valid: --cache, --help, --version`},
		{[]string{"run", "--frobnicate"}, `unknown flag: --frobnicate; valid: --app, --gpu, --policy, --cycles, --until, --max-cycles, --seed, --sample, --isolated, --isolated-gpu, --unknown-opcode, --host-timeout, --check, --strict, --outside, --pages, --warmup, --skip-launches, --stop-after-launch, --partial, --json, --csv, --csv-columns, --html, --timeline, --timeline-requests, --vcd, --hot, --hot-launches, --latencies, --over-time, --power, --samples, --samples-interval, --vcd-interval, --dump-arrays, --check-async, --no-dumps, --cache, --monitor, --parallel, --quiet, --help`},
		{[]string{"run", "-x"}, `unknown shorthand flag: 'x' in -x; valid: --app,`},
		{[]string{"run", "--app"}, `flag needs an argument: --app`},
		{[]string{"run", "sgemm"}, `run takes no argument, got "sgemm"; its flags are in cotenant run --help`},
		{[]string{"run"}, "no application; valid: --app APP, APP one of " + forms},
		{append([]string{"run"}, strings.Fields(strings.Repeat(app+" ", 17))...), "17 applications; valid: 1 to 16"},
		{[]string{"run", "--app", ""}, `application "": no application of real kernels is called ""; valid: add-strings, attention,`},
		{[]string{"run", "--app", "matmul"}, `application "matmul": no application of real kernels is called "matmul"; valid: add-strings, attention,`},
		{[]string{"run", "--app", "profile:nosuch"}, `application "profile:nosuch": unknown profile "nosuch"; valid: cutcp, `},
		{[]string{"run", app, "--gpu", "gtx"}, `unknown preset "gtx"; valid: ` + presetNames},
		{[]string{"run", app, "--gpu="}, `--gpu is empty; leave it out or give it a value`},
		{[]string{"run", app, "--policy", "best"}, `unknown policy "best"; valid: ccbp, dss, even, fcfs, fixed, green, heterocore, heterocore-agnostic, heterocore-static, mps, npq, ppq, qos, smk, smk-p, smk-pw, smk-pw2, spart, spart-qos, timeslice, ws`},
		{[]string{"run", app, "--policy", "fcfs:x=1"}, `policy fcfs takes no options, got "x=1"`},
		{[]string{"run", app, "--cycles", "0"}, `invalid argument "0" for "--cycles" flag: must be a whole number from 1 to 1000000000000, such as 2k or 2M`},
		{[]string{"run", app, "--cycles", "-5"}, `invalid argument "-5" for "--cycles" flag: must be a whole number from 1`},
		{[]string{"run", app, "--cycles", "1.0005k"}, `invalid argument "1.0005k" for "--cycles" flag: must be a whole number from 1`},
		{[]string{"run", app, "--cycles", "M"}, `invalid argument "M" for "--cycles" flag: must be a whole number from 1`},
		{[]string{"run", app, "--cycles", "2000000M"}, `invalid argument "2000000M" for "--cycles" flag: must be a whole number from 1`},
		{[]string{"run", app, "--cycles", "99999999999999999999"}, `invalid argument "99999999999999999999" for "--cycles" flag: must be`},
		{[]string{"run", app, "--quiet=maybe"}, `invalid argument "maybe" for "--quiet" flag: valid: true, false`},
		{[]string{"run", app, "--seed", "-1"}, `invalid argument "-1" for "--seed" flag: must be a whole number from 0 to 18446744073709551615`},
		{[]string{"run", app, "--parallel", "0"}, `invalid argument "0" for "--parallel" flag: must be a whole number from 1 to 1024`},
		{[]string{"run", app, "--until", "dawn"}, `invalid argument "dawn" for "--until" flag: valid: done, or replays=N with N from 1 to 1000000`},
		{[]string{"run", app, "--until", "replays=0"}, `invalid argument "replays=0" for "--until" flag: valid: done, or replays=N with N from 1 to 1000000`},
		{[]string{"run", app, "--until", "replays=3", "--isolated", "5"}, `--isolated: "5" has no turnaround time, which --until replays compares; valid: IPC@TURNAROUND, or 0 to measure it`},
		{[]string{"run", app + "?arrival=soon"}, `application "profile:`},
		{[]string{"run", app + "?arrival=1us", "--cycles", "1k"}, `application "profile:`},
		{[]string{"run", app, "--until", "done", "--cycles", "1k"}, `--cycles and --until exclude each other; valid: one of them`},
		{[]string{"run", app, "--unknown-opcode", "skip"}, `invalid argument "skip" for "--unknown-opcode" flag: valid: error, alu`},
		{[]string{"run", app, "--isolated", "1,2"}, `--isolated has 2 values for 1 application; valid: one for each`},
		{[]string{"run", app, "--isolated", "fast"}, `--isolated: "fast" is not an isolated IPC; valid: a number above 0, as small as 2.2e-308, or 0 to measure it, and after an @ the turnaround time in core cycles`},
		{[]string{"run", app, "--isolated", "-1"}, `--isolated: "-1" is not an isolated IPC; valid: a number above 0, as small as 2.2e-308, or 0 to measure it, and after an @ the turnaround time in core cycles`},
		{[]string{"run", app, "--isolated", "NaN"}, `--isolated: "NaN" is not an isolated IPC;`},
		{[]string{"run", app, "--isolated", "Inf"}, `--isolated: "Inf" is not an isolated IPC;`},
		{[]string{"run", app, "--isolated="}, `--isolated is empty; leave it out or give it a value`},
		{[]string{"run", app, "--json", "-", "--csv", "-"}, `--json and --csv both write to -; valid: different files`},
		{[]string{"run", app, "--json="}, `--json is empty; leave it out or give it a value`},
		{[]string{"run", app, "--monitor", "0.0.0.0:0"}, `--monitor: host "0.0.0.0" is not this machine's loopback; valid: none, localhost, 127.0.0.1 or ::1`},
		{[]string{"run", app, "--monitor", "8080"}, `--monitor: "8080" is not HOST:PORT; valid: :PORT or 127.0.0.1:PORT, port 0 for any`},
		{[]string{"list", "nonsense"}, `cannot list "nonsense"; valid: policies, presets, kernels, blocks, schedulers`},
		{[]string{"list", "policies", "presets"}, `cannot list "policies presets"; valid: policies, presets, kernels, blocks, schedulers`},
		{[]string{"netlist", "--format", "vhdl"}, `invalid argument "vhdl" for "--format" flag: valid: sv, dot`},
		{[]string{"netlist", "--gpu", "gtx"}, `unknown preset "gtx"; valid: ` + presetNames},
		{[]string{"netlist", "gtx980"}, `netlist takes no argument, got "gtx980"; its flags are in cotenant netlist --help`},
	} {
		got := cotenant(t, c.args...)
		assert.Equal(t, 2, got.status, "%v", c.args)
		assert.Empty(t, got.stdout, "%v", c.args)
		assert.True(t, strings.HasPrefix(got.stderr, "cotenant: "+c.message), "%v: %s", c.args, got.stderr)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "%v: %s", c.args, got.stderr)
	}
}

func TestFaultyInputsAreNamedAndExitWith1(t *testing.T) {
	app := file(t, "small.yaml", smallApp)
	gpu := file(t, "gpu.yaml", smallGPU)
	badGPU := file(t, "bad.yaml", "extends: plain16\nsm:\n  l1: {x: 1}\n")
	badApp := file(t, "bad.yaml", smallApp+"x: 1\n")
	tiny := file(t, "tiny.yaml", "extends: plain16\nsm: {threads: 32}\n")
	missing := filepath.Join(t.TempDir(), "missing")
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"--gpu", badGPU, "--app", "profile:" + app}, badGPU + `:3: unknown key "x" in sm.l1; valid keys: sets, `},
		{[]string{"--gpu", missing + ".yaml", "--app", "profile:" + app}, missing + ".yaml: cannot be read: no such file or directory; "},
		{[]string{"--gpu", gpu, "--app", "profile:" + badApp}, badApp + `:9: unknown key "x"`},
		{[]string{"--gpu", gpu, "--app", "profile:" + missing + ".yaml"}, missing + ".yaml: cannot be read"},
		{[]string{"--gpu", gpu, "--app", "traceg:" + missing}, missing},
		{[]string{"--gpu", tiny, "--app", "profile:" + app}, app + ":5: kernel small: "},
	} {
		for _, out := range []string{"--json", "--csv"} {
			path := filepath.Join(t.TempDir(), "out")
			got := cotenant(t, append([]string{"run", out, path}, c.args...)...)
			assert.Equal(t, 1, got.status, "%v", c.args)
			assert.Empty(t, got.stdout, "%v", c.args)
			assert.True(t, strings.HasPrefix(got.stderr, "cotenant: "+c.message), "%v: %s", c.args, got.stderr)
			assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "%v: %s", c.args, got.stderr)
			assertEmptyFolder(t, filepath.Dir(path))
		}
	}
	assert.Equal(t, 1, cotenant(t, "netlist", "--gpu", badGPU).status)
}

// Whatever the command, and whether what an option asks of it is in a file of the
// user or built in.
func TestTheSameMistakeHasTheSameExitStatus(t *testing.T) {
	app := file(t, "small.yaml", smallApp)
	missing := filepath.Join(t.TempDir(), "missing")
	for status, commands := range map[int][][]string{
		1: {
			{"run", "--gpu", missing + ".yaml", "--app", "profile:" + app}, {"netlist", "--gpu", missing + ".yaml"},
			{"list", "kernels", "--gpu", missing + ".yaml"}, {"report", "workloads", "--gpu", missing + ".yaml"},
			{"run", "--app", "ptx:" + missing}, {"run", "--app", "traceg:" + missing}, {"run", "--app", "profile:" + missing + ".yaml"},
			{"trace", "export", "--app", "ptx:" + missing, "--out", missing}, {"trace", "info", missing}, {"sweep", missing},
			{"report", "workloads", "--into", missing}, {"run", "--app", "profile:" + app, "--json", filepath.Join(missing, "x")},
			{"trace", "info", missing, "--json", filepath.Join(missing, "x")},
		},
		2: {
			{"run", "--gpu", "nope", "--app", "profile:" + app}, {"netlist", "--gpu", "nope"}, {"list", "kernels", "--gpu", "nope"},
			{"report", "workloads", "--gpu", "nope"}, {"run", "--gpu", "gtx980?sms=0", "--app", "profile:" + app}, {"netlist", "--gpu", "gtx980?sms=0"},
			{"run", "--app", "nope"}, {"trace", "export", "--app", "nope", "--out", missing}, {"reproduce", "nope"},
			{"run", "--app", "profile:" + app + "?arch=nope"}, {"run", "--app", "profile:sgemm?arch=nope"}, {"run", "--app", "sgemm?arch=nope"},
			{"run", "--app", "sgemm?set=n:5"}, {"run", "--app", "sgemm?set=n:1e9"}, {"run", "--app", "sgemm?size=nope"},
			{"run", "--app", "profile:" + app, "--policy", "nope"}, {"run", "--app", "profile:" + app, "--isolated", "1e-320"},
			{"run", "--app", "profile:" + app + "?priority=1&priority=1"},
		},
	} {
		for _, args := range commands {
			got := cotenant(t, args...)
			assert.Equal(t, status, got.status, "%v: %s", args, got.stderr)
			assert.NotRegexp(t, `valid:? *(;|$)|valid:? (is|are) *(;|$)|manifests/[a-z]+.yaml:`, strings.ReplaceAll(got.stderr, "built-in/manifests", ""), "%v", args)
		}
	}
}

func assertEmptyFolder(t testing.TB, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestBugIsReportedInOneLine(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	var stderr bytes.Buffer
	status := execute(t.Context(), []string{"--version", "a b"}, panicking{}, &stderr)
	assert.Equal(t, 1, status)
	assert.Equal(t, "cotenant: internal error: write of two lines; please report it with version "+version()+" and the command: cotenant --version 'a b'\n", stderr.String())
}

// panicking is a standard output that has a bug.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("write\nof two lines") }

func TestErrorsCarryNothingThatATerminalObeys(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "a\x1b[31m\xff\tb\nü")
	got := cotenant(t, "run", "--app", "traceg:"+missing)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, `a\x1b[31m\xff\tb ü: cannot open `)
	assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
}

func TestEveryCommandHasAnExampleThatParses(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		got := cotenant(t, append(strings.Fields(c.CommandPath())[1:], "--help")...)
		assert.Equal(t, 0, got.status)
		assert.Empty(t, got.stderr)
		assert.Contains(t, got.stdout, "Examples:\n"+c.Example)
		for line := range strings.Lines(c.Example) {
			line, _, _ = strings.Cut(line, "|") // to another program
			var words []string
			for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
				words = append(words, strings.Trim(word, "'"))
			}
			require.Equal(t, "cotenant", words[0])
			target, rest, err := newRoot().Find(words[1:])
			require.NoError(t, err, line)
			assert.Contains(t, target.CommandPath(), c.CommandPath(), line)
			assert.NoError(t, target.ParseFlags(rest), line)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	assert.Equal(t, cotenant(t, "run", "--help"), cotenant(t, "help", "run"))
}

func TestVersionIsOneLine(t *testing.T) {
	got := cotenant(t, "--version")
	assert.Equal(t, outcome{0, "cotenant version " + version() + "\n", ""}, got)
}

func TestListNamesWhatCanBeChosen(t *testing.T) {
	all := cotenant(t, "list")
	assert.Equal(t, 0, all.status)
	var policies []string
	for _, p := range policy.All() {
		policies = append(policies, p.Name)
	}
	for list, names := range map[string][]string{
		"policies": policies, "presets": presets.Names(), "schedulers": ews.Names(),
		"kernels": {"sgemm", "mri-gridding", "profile:sgemm", "profile:mri-gridding"},
	} {
		one := cotenant(t, "list", list)
		assert.Equal(t, 0, one.status)
		for _, name := range names {
			assert.Contains(t, one.stdout, "  "+name)
			assert.Contains(t, all.stdout, "  "+name)
		}
	}
	assert.NotContains(t, cotenant(t, "list", "policies").stdout, "gtx980")
	assert.Contains(t, cotenant(t, "list", "schedulers").stdout, "  gto         greedy then oldest\n")
}

func TestListSaysOfWhichKindsAPresetsSMsAre(t *testing.T) {
	gpu, err := presets.Load(file(t, "mixed.yaml", mixedGPU+"about: a test\n"))
	require.NoError(t, err)
	assert.Equal(t, "a test; SMs: 1 base, 2 small", about(gpu))
	gpu.SMs = wiring.EqualSMs(3)
	assert.Equal(t, "a test", about(gpu))
}

// SMK paper, Table 2, and Tanasic's thesis, Table 5.2, on the GPU asked for.
func TestListShowsOccupancyOnTheGPUAskedFor(t *testing.T) {
	rows := func(gpu, kernel string) string {
		got := cotenant(t, "list", "kernels", "--gpu", gpu)
		assert.Equal(t, 0, got.status, got.stderr)
		_, text, _ := strings.Cut(got.stdout, " "+kernel+" ")
		return kernel + " " + strings.Join(strings.Fields(text), " ")
	}
	assert.Regexp(t, `^mysgemmNT C \(4,33,1\) \(16,8,1\) 44 512 \d+ gtx980 11 registers `, rows("gtx980", "mysgemmNT"))
	assert.Regexp(t, `^main C \(14,6,1\) \(768,1,1\) 22 24576 \d+ k20c 1 shared `, rows("k20c", "main"))
	assert.Regexp(t, `^mysgemmNT C \(4,33,1\) \(16,8,1\) 44 512 \d+ gtx980 base 11 registers small 4 threads `, rows(file(t, "mixed.yaml", mixedGPU), "mysgemmNT"))
	assert.Equal(t, exitUsage, cotenant(t, "list", "kernels", "--size", "medium").status)
}

func TestListsFitATerminal(t *testing.T) {
	for _, gpu := range []string{"gtx980", "fermi16", file(t, "mixed.yaml", mixedGPU)} {
		got := cotenant(t, "list", "--gpu", gpu)
		require.Equal(t, 0, got.status, got.stderr)
		for line := range strings.Lines(got.stdout) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 120, line)
		}
	}
}

func TestFoldedTextKeepsItsWords(t *testing.T) {
	assert.Equal(t, []string{"a bc", "defghi", "jk l"}, folded("a bc defghi jk l", 4))
	assert.Equal(t, []string{""}, folded("", 4))
}

func TestCountsTakeThousandsAndMillions(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "200k": 200_000, "2M": 2_000_000, "1000000M": 1_000_000_000_000} {
		f := &runFlags{}
		c := &cobra.Command{}
		bindCount(c, &f.Cycles, "cycles", 1, maxCycles, "")
		require.NoError(t, c.ParseFlags([]string{"--cycles", text}))
		assert.Equal(t, want, f.Cycles)
	}
}
