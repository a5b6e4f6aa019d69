package kernels

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// program is what an application's host program does at size tiny, a word for
// each operation, such as in:4096, out:4096, 20ns or a kernel's name.
func program(t *testing.T, m *Manifest) (words []string) {
	t.Helper()
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	for {
		op, ok, err := i.Next()
		require.NoError(t, err)
		if !ok {
			return words
		}
		switch {
		case op.Launch != nil:
			execute(t, op.Launch)
			words = append(words, op.Launch.Kernel.Name)
		case op.CPU > 0:
			words = append(words, op.CPU.String())
		case op.ToHost:
			words = append(words, fmt.Sprint("out:", op.Bytes))
		default:
			words = append(words, fmt.Sprint("in:", op.Bytes))
		}
	}
}

func TestHostProgramsCopyTheirInputsInAndTheirResultsOut(t *testing.T) {
	known := map[string]string{
		"sgemm": "in:12288 in:3072 mysgemmNT out:16384",  // 128x24, 32x24 and 128x32 floats
		"tpacf": "in:10800 in:84 genhists out:400 100ns", // three sets of 300 points, 5 histograms of 20 bins
		"mri-q": "in:192 in:192 ComputePhiMag out:192 in:2048 in:2048 in:2048 in:16384 ComputeQ out:2048 out:2048",
		"histo": "in:12288 in:8 prescan intermediates out:8 main final out:98304",
	}
	for _, name := range Names() {
		words := program(t, builtinManifest(t, name))
		if want, ok := known[name]; ok {
			assert.Equal(t, want, strings.Join(words, " "), name)
			delete(known, name)
		}
		if name != "add-strings" { // which has no input
			assert.True(t, strings.HasPrefix(words[0], "in:"), name)
		}
		assert.Contains(t, strings.Join(words[len(words)-2:], " "), "out:", name)
	}
	assert.Empty(t, known)
}

func TestStepsOfTheHostTakeWhatTheManifestSays(t *testing.T) {
	const launch = "  - repeat: {times: 2, steps: [{launch: {kernel: mysgemmNT, grid: [1], args: [a, 128, b, n, c, 128, 8, 1, 1]}}]}\n"
	text := strings.Replace(valid, "steps:\n", "steps:\n  - upload: [a, b]\n  - cpu: 120us\n", 1) + "  - download: [c]\n  - cpu: n * 2.5 ns\n  - cpu: 0ms\n"
	m, err := Load(write(t, text))
	require.NoError(t, err)
	require.Contains(t, text, launch)
	require.Equal(t, []string{"in:4096", "in:512", "120µs", "mysgemmNT", "mysgemmNT", "out:8192", "40ns", "in:0"}, program(t, m))
}

func TestFaultsInStepsOfTheHostNameTheLine(t *testing.T) {
	for step, want := range map[string]string{
		"upload: []":          "mine.yaml:12: steps[0].upload has 0 entries; valid: 1 to 1000",
		"upload: [a, nosuch]": `mine.yaml:12: steps[0].upload[1] is "nosuch", no array: `,
		"cpu: 120":            `mine.yaml:12: steps[0].cpu is "120"; it takes a time in ns, us or ms, such as 120us or 2 * rows ns`,
		"cpu: us":             "mine.yaml:12: steps[0].cpu is missing; it takes an expression, such as ceildiv(rows, 128)",
		"cpu: 2 * us":         `mine.yaml:12: steps[0].cpu is "2 *", which ends where a number or a name should follow`,
		"cpu: 0 - n us":       `mine.yaml:12: steps[0].cpu "0 - n us" is a time of -16 times 1µs; valid: from 0 to 1h0m0s`,
		"cpu: 3600001ms":      `mine.yaml:12: steps[0].cpu "3600001ms" is a time of 3.600001e+06 times 1ms; valid: from 0 to 1h0m0s`,
		"cpu: a ns":           `mine.yaml:12: steps[0].cpu "a" is an address; valid: a number`,
		"cpu: {us: 3}":        "mine.yaml:12: steps[0].cpu is a mapping; it takes a time in ns, us or ms, such as 120us or 2 * rows ns",
	} {
		m, err := Load(write(t, strings.Replace(valid, "steps:\n", "steps:\n  - "+step+"\n", 1)))
		if err == nil {
			var i *Instance
			i, err = m.New("tiny", "", exec.NewMemory())
			require.NoError(t, err)
			_, _, err = i.Next()
		}
		require.Error(t, err, step)
		assert.True(t, strings.HasPrefix(base(err), want), "%s", base(err))
	}
	d := Duration{}
	require.NoError(t, d.UnmarshalText([]byte(" 1.5 ms ")))
	require.Equal(t, 1500*time.Microsecond, (&Instance{}).duration("", &d))
}

// The thesis' Table 5.2 counts the launches of a whole application.
func TestApplicationsLaunchAsOftenAsPublished(t *testing.T) {
	text, err := os.ReadFile("../../../shared/spec/vectors/k20c_parboil_table5_2.json")
	if err != nil {
		t.Skip("the published table is not there")
	}
	var table struct {
		Kernels []struct {
			Benchmark, Kernel string
			Launches          int
		}
	}
	require.NoError(t, json.Unmarshal(text, &table))
	require.Len(t, table.Kernels, 24)
	for _, row := range table.Kernels {
		m := builtinManifest(t, row.Benchmark)
		i, err := m.start("medium", "k20c")
		require.NoError(t, err)
		assert.Equal(t, row.Launches, i.launches(t, m.Steps, row.Kernel), "%s %s", row.Benchmark, row.Kernel)
	}
}

// launches counts a kernel's launches in a program without conditions.
func (i *Instance) launches(t *testing.T, steps []Step, kernel string) (n int) {
	for _, s := range steps {
		switch {
		case s.Repeat != nil:
			n += int(i.whole(&s.Repeat.Times, 0, maxTurns)) * i.launches(t, s.Repeat.Steps, kernel)
		case s.Launch != nil && s.Launch.Kernel == kernel:
			n++
		}
	}
	return n
}
