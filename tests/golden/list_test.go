package golden

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	gpus       = "tests/golden/testdata/gpus/" // from module
	defaultGPU = "gtx980"
)

// unrecorded stands in a line for the figures of a run to be recorded.
const unrecorded = "- - - -"

// A list is a file of runs, one to a line, among comments and empty lines.
type list struct {
	file  string
	lines []string
	runs  []*listed
}

// A listed run is a line of a list: the figures of its result and the arguments
// of `cotenant run`, parted by spaces.
type listed struct {
	line    int // from 0
	figures string
	args    []string
}

func readList(t *testing.T, file string) *list {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	l := &list{file: file, lines: strings.Split(string(text), "\n")}
	figures := len(strings.Fields(unrecorded))
	for i, line := range l.lines {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		require.Greater(t, len(words), figures, "%s:%d: a run is %d figures and its arguments", file, i+1, figures)
		l.runs = append(l.runs, &listed{line: i, figures: strings.Join(words[:figures], " "), args: words[figures:]})
	}
	return l
}

// needs says whether a run's arguments name something.
func (l *list) needs(what string) bool {
	return slices.ContainsFunc(l.runs, func(r *listed) bool { return strings.Contains(strings.Join(r.args, " "), what) })
}

// write puts the runs' figures into the file.
func (l *list) write(t *testing.T) {
	t.Helper()
	for _, r := range l.runs {
		l.lines[r.line] = r.figures + " " + strings.Join(r.args, " ")
	}
	require.NoError(t, os.WriteFile(l.file, []byte(strings.Join(l.lines, "\n")), 0o644))
}

// command is the command line that makes the run again, in the module's folder.
func (r *listed) command(program string) string {
	words := []string{program}
	for _, a := range r.arguments() {
		if strings.ContainsAny(a, "?&*") {
			a = "'" + a + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// arguments make the program print the result alone, with nothing kept from
// runs before. The GPU is the set's own of that name.
func (r *listed) arguments() []string {
	words := []string{"run"}
	gpu := defaultGPU
	for i := 0; i < len(r.args); i++ {
		if r.args[i] == "--gpu" {
			i++
			gpu = r.args[i]
			continue
		}
		words = append(words, r.args[i])
	}
	name, options, _ := strings.Cut(gpu, "?")
	if options != "" {
		options = "?" + options
	}
	return append(words, "--gpu", gpus+name+".yaml"+options, "--cache", "off", "--quiet", "--parallel", "1", "--json", "-")
}

// listedGPU is the name that a list has for the GPU of a result.
func listedGPU(ofResult string) string {
	return strings.Replace(strings.TrimPrefix(ofResult, gpus), ".yaml", "", 1)
}

// figures are the parts of a result in a line: its hash, the cycles, each tenant's thread
// instructions, and the number of thread blocks that were preempted or moved.
func figures(result map[string]any, hash string) string {
	var instructions []string
	moved := 0
	for _, k := range result["kernels"].([]any) {
		tenant := k.(map[string]any)
		instructions = append(instructions, fmt.Sprint(tenant["thread_instructions"]))
		for _, key := range []string{"preemptions", "relocations"} {
			n, _ := strconv.Atoi(fmt.Sprint(tenant[key]))
			moved += n
		}
	}
	return fmt.Sprint(hash, " ", result["cycles"], " ", strings.Join(instructions, ","), " ", moved)
}
