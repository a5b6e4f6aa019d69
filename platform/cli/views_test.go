package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unzipped is the text of a compressed file.
func unzipped(t *testing.T, path string) string {
	z, err := gzip.NewReader(strings.NewReader(read(t, path)))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// viewArgs ask for all views of a small run, in a folder.
func viewArgs(t *testing.T, folder string, more ...string) []string {
	return small(t, append([]string{"--policy", "even", "--cycles", "20k", "--html", filepath.Join(folder, "run.html"),
		"--timeline", filepath.Join(folder, "run.json.gz"), "--vcd", filepath.Join(folder, "run.vcd"), "--json", filepath.Join(folder, "run.json")}, more...)...)
}

func TestViewsShowTheRunThatTheResultTellsOf(t *testing.T) {
	folder := t.TempDir()
	got := cotenant(t, viewArgs(t, folder)...)
	require.Equal(t, 0, got.status, got.stderr)
	r := result(t, read(t, filepath.Join(folder, "run.json")))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 4, "and nothing else")

	var trace struct{ TraceEvents []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(unzipped(t, filepath.Join(folder, "run.json.gz"))), &trace))
	finished, launches := uint64(0), uint64(0)
	for _, e := range trace.TraceEvents {
		args, _ := e["args"].(map[string]any)
		if args["unfinished"] == nil && e["cat"] == "tb" {
			finished++
		}
		if args["unfinished"] == nil && e["cat"] == "kernel" {
			launches++
		}
	}
	assert.Equal(t, r.Kernels[0].TBsCompleted+r.Kernels[1].TBsCompleted, finished)
	assert.Equal(t, r.Kernels[0].LaunchesCompleted+r.Kernels[1].LaunchesCompleted, launches)

	wave := read(t, filepath.Join(folder, "run.vcd"))
	for _, name := range []string{"GPU", "SM[0]", "DRAM[3]", "RequestNoC", "PreEng[0]"} {
		assert.Contains(t, wave, "$scope module "+name+" $end")
	}
	for _, name := range []string{"state", "tbs_0_small_a", "quota_1_small_b", "Out_0_Queue", "Request_Incoming"} {
		assert.Regexp(t, `\$var wire \d+ \S+ `+name+` `, wave)
	}
	assert.Regexp(t, `#16447368\n$`, wave, "20,000 cycles at 1216 MHz, in picoseconds")

	page := read(t, filepath.Join(folder, "run.html"))
	assert.Contains(t, page, "<h1>small (a) and small (b) on small under even</h1>")
	assert.Contains(t, page, "<b>20,000</b>")
	assert.Contains(t, page, `"20,000"]`, "the charts' last moment")
}

// The table, the result and all pictures call a tenant by one name.
func TestTenantsOfOneApplicationHaveTheSameMarksEverywhere(t *testing.T) {
	folder := t.TempDir()
	args := viewArgs(t, folder)
	args[slices.Index(args, "--app")+1] += "?priority=1"
	got := cotenant(t, args...)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Regexp(t, `(?s)small\.yaml\?priority=1 \(a\) +│.*small\.yaml \(b\) +│`, got.stdout)
	r := result(t, read(t, filepath.Join(folder, "run.json")))
	assert.Equal(t, []string{"a", "b"}, []string{r.Kernels[0].Mark, r.Kernels[1].Mark})
	assert.Contains(t, read(t, filepath.Join(folder, "run.html")), "<h1>small (a) and small (b) on ")
	assert.Contains(t, unzipped(t, filepath.Join(folder, "run.json.gz")), `"tenants":["small (a)","small (b)"]`)
	assert.Contains(t, read(t, filepath.Join(folder, "run.vcd")), " tbs_1_small_b ")
}

func TestViewsChangeNothingAndAreTheSameEachTime(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "run.json")
	args := small(t, "--policy", "even", "--cycles", "20k")
	require.Equal(t, 0, cotenant(t, append(args, "--json", plain)...).status)
	folder := t.TempDir()
	views := append(args, "--html", filepath.Join(folder, "run.html"), "--timeline", filepath.Join(folder, "run.json.gz"),
		"--vcd", filepath.Join(folder, "run.vcd"), "--vcd-interval", "7", "--json", filepath.Join(folder, "run.json"))
	var first map[string]string
	for _, more := range [][]string{nil, {"--parallel", "1"}} {
		got := cotenant(t, append(views, more...)...)
		require.Equal(t, 0, got.status, got.stderr)
		files := map[string]string{}
		for _, name := range []string{"run.html", "run.json.gz", "run.vcd", "run.json"} {
			files[name] = withoutWallTimes(read(t, filepath.Join(folder, name)))
		}
		if first == nil {
			first = files
		}
		for name := range files {
			assert.True(t, files[name] == first[name], "%s with %v", name, more)
		}
	}
	assert.Equal(t, withoutWallTimes(read(t, plain)), first["run.json"])
}

// An SM's signals are as wide as its own thread-block slots need.
func TestViewsOfSMsOfSeveralKinds(t *testing.T) {
	folder := t.TempDir()
	gpu := file(t, "mixed.yaml", "extends: plain16\nsm_kinds: {small: {tbs: 3}}\nsms: [{count: 1}, {count: 1, kind: small}]\n")
	got := cotenant(t, append(viewArgs(t, folder), "--gpu", gpu)...)
	require.Equal(t, 0, got.status, got.stderr)
	r := result(t, read(t, filepath.Join(folder, "run.json")))
	assert.Equal(t, []string{"base", "small"}, []string{r.SMs[0].Kind, r.SMs[1].Kind})
	wave := read(t, filepath.Join(folder, "run.vcd"))
	for sm, bits := range []int{6, 2} {
		_, scope, found := strings.Cut(wave, fmt.Sprintf("$scope module SM[%d] $end", sm))
		require.True(t, found)
		scope, _, _ = strings.Cut(scope, "$scope")
		assert.Regexp(t, fmt.Sprintf(`\$var wire %d \S+ tbs_0_small_a `, bits), scope)
	}
}

func TestWaveShowsWhatIsLeftOfQuotasIfThePolicySendsSome(t *testing.T) {
	for policy, sends := range map[string]bool{"even": false, "smk": false, "smk-pw": true} {
		folder := t.TempDir()
		args := viewArgs(t, folder)
		args[slices.Index(args, "even")] = policy
		got := cotenant(t, args...)
		require.Equal(t, 0, got.status, got.stderr)
		assert.Equal(t, sends, strings.Contains(read(t, filepath.Join(folder, "run.vcd")), " quota_left_1_small_b "), policy)
	}
}

func TestPageHasTheCommandThatMakesItAgain(t *testing.T) {
	folder := t.TempDir()
	args := append(viewArgs(t, folder), "--parallel", "1", "--quiet")
	args[slices.Index(args, "--app")+1] += "?arrival=500&priority=1"
	path := filepath.Join(folder, "it's * $HOME `here`.html")
	args[slices.Index(args, "--html")+1] = path
	require.Equal(t, 0, cotenant(t, args...).status)
	page := read(t, path)
	command := regexp.MustCompile(`<pre>go run ./platform (.*)</pre>`).FindStringSubmatch(page)
	require.NotNil(t, command)
	assert.NotContains(t, command[1], "--quiet")
	require.NoError(t, os.Remove(path))
	got := cotenant(t, pasted(t, html.UnescapeString(command[1]))...)
	require.Equal(t, 0, got.status, got.stderr)
	assert.True(t, page == read(t, path))
}

// pasted are the words that a shell makes of a command line.
func pasted(t *testing.T, line string) []string {
	c := exec.Command("sh", "-c", `printf '%s\0' `+line)
	c.Dir = t.TempDir() // where a pattern that is not quoted finds nothing of ours
	words, err := c.Output()
	require.NoError(t, err, line)
	return strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
}

func TestQuotedArgumentsSurviveTheShell(t *testing.T) {
	args := []string{"lbm", "lbm?arrival=1us&priority=2", "a b", "it's", "''", `"`, "*", "~", "$HOME", "`id`", `\`, "!x", "#", "{a,b}", "[a]", "a;b|c>d<e()", "", "-", "line\nend", "grün"}
	line := quoted(args)
	assert.Equal(t, args, pasted(t, line), line)
	assert.Equal(t, "run --app lbm --gpu 'gtx980?sms=4' --json a/b.json", quoted([]string{"run", "--app", "lbm", "--gpu", "gtx980?sms=4", "--json", "a/b.json"}))
}

func TestInterruptedRunLeavesNoView(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	folder := t.TempDir()
	got := cotenantIn(ctx, viewArgs(t, folder, "--cycles", "1M")...)
	assert.Equal(t, exitInterrupted, got.status)
	assertEmptyFolder(t, folder)
}

func TestViewsRefuseWhatTheyCannotWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	for _, c := range []struct {
		args    []string
		message string
		status  int
	}{
		{[]string{"--html", "-"}, "--html does not write to standard output; valid: the path of a file", exitUsage},
		{[]string{"--timeline", "-"}, "--timeline does not write to standard output; valid: the path of a file", exitUsage},
		{[]string{"--vcd", "-"}, "--vcd does not write to standard output; valid: the path of a file", exitUsage},
		{[]string{"--html", path, "--vcd", path}, "--html and --vcd both write to " + path + "; valid: different files", exitUsage},
		{[]string{"--json", path, "--timeline", path}, "--json and --timeline both write to " + path + "; valid: different files", exitUsage},
		{[]string{"--vcd", ""}, "--vcd is empty", exitUsage},
		{[]string{"--vcd-interval", "0"}, "must be a whole number from 1", exitUsage},
		{[]string{"--vcd-interval", "10"}, "--vcd-interval is for --vcd; valid: both", exitUsage},
		{[]string{"--timeline", filepath.Join(folder, "no", "out")}, "cannot be written: no such file or directory", exitFailure},
	} {
		got := cotenant(t, small(t, c.args...)...)
		assert.Equal(t, c.status, got.status, "%v", c.args)
		assert.Contains(t, got.stderr, c.message)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
		assertEmptyFolder(t, folder)
	}
}

func TestFullDiskIsAFailureThatLeavesNothing(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	for _, flag := range []string{"--html", "--timeline", "--vcd"} {
		other := filepath.Join(t.TempDir(), "run.json")
		got := cotenant(t, small(t, flag, "/dev/full", "--json", other)...)
		assert.Equal(t, exitFailure, got.status, flag)
		assert.Contains(t, got.stderr, "/dev/full cannot be written: no space left on device")
		assert.NoFileExists(t, other)
	}
}

func TestMonitorAndViewsGoTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.html")
	var stderr bytes.Buffer
	status := execute(t.Context(), small(t, "--monitor", ":0", "--html", path), io.Discard, &stderr)
	require.Equal(t, 0, status, stderr.String())
	assert.Contains(t, stderr.String(), "monitor: http://127.0.0.1:")
	assert.FileExists(t, path)
}
