package golden

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	update    = flag.Bool("update", false, "record the runs anew; where testdata/keys.txt is not there, the fields that count too")
	program   = flag.String("program", "", "path of the program that runs the set, instead of one built from this tree")
	reference = flag.String("reference", "", "path of a program whose results are right; of a run that differs, its fields that do are shown")
)

const (
	module   = "../.." // where the program is built and run
	traces   = "../shared/traces/"
	keysFile = "testdata/keys.txt"
	shown    = 12              // fields that differ, at the most
	patience = 2 * time.Minute // with a run; the longest takes a second, so that a hanging run is named
)

// TestResultsAreThoseOfTheGoldenSet tells a mistake from a change that was
// meant only by the list that a run stands in; the heads of the lists say how.
func TestResultsAreThoseOfTheGoldenSet(t *testing.T) {
	binary := simulator(t)
	if *update {
		record(t, binary)
		return
	}
	counted := readKeys(t, keysFile)
	each(t, lists(t), func(t *testing.T, r *listed) {
		missing := keys{}
		got := counted.filter("", result(t, binary, r), missing)
		for path := range missing {
			t.Errorf("%s is missing in the result of\n%s", path, r.command("go run ./platform"))
		}
		hash, err := hashed(got)
		require.NoError(t, err)
		if figures := figures(got.(map[string]any), hash); figures != r.figures {
			t.Errorf("hash, cycles, thread instructions and thread blocks moved\nwere %s\nare  %s\nin   %s", r.figures, figures, r.command("go run ./platform"))
			again(t, binary, counted, got, r)
			compare(t, counted, got, r)
		}
	})
}

// again makes a differing run once more, to tell a changed result from a result that is
// not reproducible.
func again(t *testing.T, binary string, counted keys, got any, r *listed) {
	if list := differences("", got, counted.filter("", result(t, binary, r), keys{})); len(list) > 0 {
		t.Errorf("made again, %d of its fields differ from those of the first time:\n%s", len(list), strings.Join(list[:min(shown, len(list))], "\n"))
	}
}

// compare shows the first fields of a run that differ from the reference's.
func compare(t *testing.T, counted keys, got any, r *listed) {
	if *reference == "" {
		return
	}
	path, err := filepath.Abs(*reference)
	require.NoError(t, err)
	list := differences("", counted.filter("", result(t, path, r), keys{}), got)
	t.Errorf("%d fields differ from the reference:\n%s", len(list), strings.Join(list[:min(shown, len(list))], "\n"))
}

// record writes the figures of all runs into their lists. The fields that count stay the
// fields of keysFile, so that only lines of runs that moved change.
func record(t *testing.T, binary string) {
	all := lists(t)
	var runs []*listed
	for _, l := range all {
		runs = append(runs, l.runs...)
	}
	results := make([]map[string]any, len(runs))
	each(t, all, func(t *testing.T, r *listed) { results[slices.Index(runs, r)] = result(t, binary, r) })
	require.False(t, t.Failed(), "nothing is recorded")

	if _, err := os.Stat(keysFile); errors.Is(err, fs.ErrNotExist) {
		fresh := keys{}
		for _, result := range results {
			fresh.collect("", result)
		}
		fresh.write(t, keysFile)
	}
	counted, missing := readKeys(t, keysFile), keys{}
	for i, result := range results {
		if result == nil {
			continue // its list is skipped
		}
		hash, err := hashed(counted.filter("", result, missing))
		require.NoError(t, err)
		runs[i].figures = figures(result, hash)
	}
	assert.Empty(t, missing, "fields that some result lacks: remove %s if they went on purpose", keysFile)
	for _, l := range all {
		l.write(t)
	}
}

// lists are the files of runs, by what it means if a result changes.
func lists(t *testing.T) []*list {
	return []*list{readList(t, "testdata/runs.txt"), readList(t, "testdata/racing.txt"), readList(t, "testdata/traces.txt")}
}

// each does something with every run, several at a time.
func each(t *testing.T, lists []*list, do func(t *testing.T, r *listed)) {
	for _, l := range lists {
		t.Run(filepath.Base(l.file), func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(module, traces)); err != nil && l.needs(traces) {
				t.Skip("the reference traces, which are not part of the project, are not there: ", err)
			}
			for _, r := range l.runs {
				t.Run(fmt.Sprint("line", r.line+1), func(t *testing.T) {
					t.Parallel()
					do(t, r)
				})
			}
		})
	}
}

// result is a run's output without the fields that never count.
func result(t *testing.T, binary string, r *listed) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, binary, r.arguments()...)
	c.Dir = module
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(t, c.Run(), "%s\n%s", r.command(binary), &stderr)
	result, err := decode(stdout.Bytes())
	require.NoError(t, err, r.command(binary))
	result["gpu"] = listedGPU(result["gpu"].(string))
	return result
}

// simulator is the path of the program to run.
func simulator(t *testing.T) string {
	t.Helper()
	if *program != "" {
		path, err := filepath.Abs(*program)
		require.NoError(t, err)
		return path
	}
	lookAtSources(t)
	path := filepath.Join(t.TempDir(), "cotenant")
	c := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-ldflags=-w", "-o", path, "./platform")
	c.Dir = module
	text, err := c.CombinedOutput()
	require.NoError(t, err, "%s", text)
	return path
}

// lookAtSources opens every folder of the module. What a test opens, go test
// takes as its inputs: the results of a run before serve only while no source
// has changed, which nothing else of this test's depends on.
func lookAtSources(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != module {
			return fs.SkipDir
		}
		return err
	}))
}
