package kernels

import (
	"fmt"
	"strings"
	"testing"

	"cotenant/workload/ptx/exec"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// streaming launches double on streams; STEPS stands for what is done.
const streaming = `name: mine
ptx: mine.ptx
arrays:
  - {name: x, type: f32, length: 8, formula: i}
  - {name: y, type: f32, length: 8, fill: 1}
kernels: [{name: double, block: [8]}]
steps:
STEPS`

const doubleX, doubleY = "launch: {kernel: double, grid: [1], args: [x]}", "launch: {kernel: double, grid: [1], args: [y]}"

// operations are what the host program of some steps does, in short: launches, and
// copies, with their streams; CPU phases; waiting.
func operations(t *testing.T, steps ...string) (list []string) {
	t.Helper()
	text := strings.Replace(streaming, "STEPS", "  - {"+strings.Join(steps, "}\n  - {")+"}\n", 1)
	m, err := Load(folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": text}))
	require.NoError(t, err)
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	for {
		op, ok, err := i.Next()
		require.NoError(t, err)
		switch {
		case !ok:
			return list
		case op.Sync:
			list = append(list, "wait")
		case op.Graph:
			list = append(list, fmt.Sprint("next ", op.Stream))
		case op.Launch != nil:
			list = append(list, fmt.Sprint("launch ", op.Stream))
		case op.CPU > 0:
			list = append(list, "cpu")
		default:
			list = append(list, fmt.Sprint("copy ", op.Stream))
		}
	}
}

func TestProgramGoesOnBesideStepsOfStreams(t *testing.T) {
	for _, c := range []struct{ steps, want []string }{
		{[]string{doubleX, doubleY}, []string{"launch 0", "launch 0"}},
		{[]string{"upload: [x], stream: 3", doubleX + ", stream: 1", doubleY + ", stream: 2", "cpu: 5us", "sync: true", doubleX + ", stream: 1", "download: [x]"},
			[]string{"copy 3", "launch 1", "launch 2", "cpu", "wait", "launch 1", "copy 0"}},
		{[]string{doubleX + ", stream: 1", "copy: {from: x, to: y}", doubleX + ", stream: 1"}, []string{"launch 1", "wait", "launch 1"}},
		{[]string{doubleX + ", stream: 1", "fill: {array: y, value: 2}"}, []string{"launch 1", "wait"}},
		{[]string{doubleX + ", stream: 1", "swap: [x, y]", doubleX + ", stream: 2"}, []string{"launch 1", "launch 2"}},
		// What has been waited for need not be waited for again.
		{[]string{doubleX + ", stream: 1", "sync: true", "fill: {array: y, value: 2}", "set: {array: y, index: 1, value: 2}"}, []string{"launch 1", "wait"}},
		{[]string{doubleX + ", stream: 1", doubleY, "fill: {array: y, value: 2}"}, []string{"launch 1", "launch 0"}},
		{[]string{"let: {name: n, value: 1}", doubleX + ", stream: 1", "let: {name: n, value: \"n + x[1]\"}", "repeat: {times: n, steps: [{" + doubleY + "}]}"},
			[]string{"launch 1", "wait", "launch 0", "launch 0"}}, // once, not twice
		// Numbers that are in arrays are looked at when they have been computed.
		{[]string{doubleX + ", stream: 1", "let: {name: n, value: \"x[1]\"}", doubleY + ", stream: 2"}, []string{"launch 1", "wait", "launch 2"}},
		{[]string{doubleX + ", stream: 1", "launch: {kernel: double, grid: [\"x[1]\"], args: [x]}, stream: 2"}, []string{"launch 1", "wait", "launch 2"}},
		{[]string{doubleX + ", stream: 1", "repeat: {times: \"x[2]\", steps: [{" + doubleX + ", stream: 1}, {" + doubleY + ", stream: 2}]}"},
			[]string{"launch 1", "wait", "launch 1", "launch 2", "launch 1", "launch 2"}},
		{[]string{"repeat: {while: \"x[1] < 1\", steps: [{" + doubleX + ", stream: 1}]}", doubleX + ", stream: 1", "repeat: {while: \"x[1] < 1\", steps: [{" + doubleX + "}]}"},
			[]string{"launch 1", "wait"}},
	} {
		assert.Equal(t, c.want, operations(t, c.steps...), c.steps)
	}
}

func TestLaunchesOfAGraphsTurnWaitForTheFirst(t *testing.T) {
	twice := func(more string) string {
		return "repeat: {times: 2, " + more + "steps: [{" + doubleX + "}, {sync: true}, {" + doubleY + "}]}"
	}
	for _, c := range []struct {
		step string
		want []string
	}{
		{twice(""), []string{"launch 0", "launch 0", "launch 0", "launch 0"}},
		{twice("graph: 0, "), []string{"launch 0", "launch 0", "launch 0", "launch 0"}},
		{twice("graph: 1, "), []string{"launch 0", "next 0", "launch 0", "next 0"}},
		// What repeats in a graph belongs to it, graph or not.
		{"repeat: {times: 1, graph: 1, steps: [{" + twice("") + "}]}", []string{"launch 0", "next 0", "next 0", "next 0"}},
		{"repeat: {times: 1, graph: 1, steps: [{" + twice("graph: 1, ") + "}]}", []string{"launch 0", "next 0", "next 0", "next 0"}},
		// The second launch looks at what the first writes, and is found again.
		{"repeat: {times: 1, graph: 1, steps: [{" + doubleX + ", stream: 1}, {launch: {kernel: double, grid: [\"x[1]\"], args: [x]}, stream: 2}]}", []string{"launch 1", "wait", "next 2"}},
	} {
		assert.Equal(t, c.want, operations(t, c.step), c.step)
	}
}

func TestLaunchesHaveThePriorityOfTheirStream(t *testing.T) {
	text := strings.Replace(streaming, "steps:\nSTEPS", "streams: [{stream: 2, priority: -1}]\nsteps:\n  - {"+doubleX+", stream: 1}\n  - {"+doubleY+", stream: 2}\n", 1)
	load := func(text string) (*Manifest, error) {
		return Load(folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": text}))
	}
	m, err := load(text)
	require.NoError(t, err)
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	for _, want := range []int{0, -1} {
		op, ok, err := i.Next()
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, op.Launch.Priority)
	}
	for wrong, message := range map[string]string{
		"{stream: 2, priority: 1}":                             "streams[0].priority is 1; valid: -5 to 0",
		"{stream: 0, priority: -1}":                            "streams[0].stream is 0; valid: 1 to 1024",
		"{stream: 2, priority: -1}, {stream: 2, priority: -2}": "streams[0].stream is 2, as another; valid: each stream once",
	} {
		_, err := load(strings.Replace(text, "{stream: 2, priority: -1}", wrong, 1))
		require.ErrorContains(t, err, message)
	}
}

func TestStreamsBelongToLaunchesAndCopies(t *testing.T) {
	for step, want := range map[string]string{
		doubleX + ", stream: 0":    "steps[0].stream is 0; valid: whole numbers from 1 to 1024",
		doubleX + ", stream: 1025": "steps[0].stream is 1025; valid: whole numbers from 1 to 1024",
		"cpu: 5us, stream: 1":      "steps[0].stream is beside cpu; valid: beside launch, upload or download",
		"sync: true, cpu: 5us":     "steps[0] has 2 of the keys launch, sync, upload, download, cpu, copy, fill, set, prefix_sum, swap, let, dump, expect, repeat; valid: one",
	} {
		text := strings.Replace(streaming, "STEPS", "  - {"+step+"}\n  - {"+doubleX+"}\n", 1)
		_, err := Load(folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": text}))
		if assert.Error(t, err, step) {
			assert.Equal(t, "mine.yaml:8: "+want, base(err), step)
		}
	}
}
