package kernels

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// double doubles an element of type f32 for each thread.
const double = `.version 7.8
.target sm_70
.address_size 64
.visible .entry double(.param .u64 data)
{
	.reg .b32 %r<3>;
	.reg .b64 %x<3>;
	.reg .f32 %f<3>;
	ld.param.u64 %x1, [data];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %x1, %r1, 4, %x1;
	ld.global.f32 %f1, [%x1];
	add.f32 %f1, %f1, %f1;
	st.global.f32 [%x1], %f1;
	ret;
}
`

// doubling launches double on the numbers from 0 to 7; STEPS stands for what
// follows.
const doubling = `name: mine
ptx: mine.ptx
arrays:
  - {name: x, type: f32, length: 8, formula: i}
  - {name: n, type: u8, values: [1, 2, 255]}
kernels: [{name: double, block: [8]}]
steps:
  - launch: {kernel: double, grid: [1], args: [x]}
`

// folderOf puts files into a folder and returns the path of mine.yaml.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return filepath.Join(folder, "mine.yaml")
}

// found is an inspector that keeps what it is told.
type found struct {
	tenant int
	// differences are by comparison, "" where there is none.
	differences []string
	files       map[string]string
}

func (f *found) Tenant() int { return f.tenant }

func (f *found) Expected(_ string, difference error) {
	text := ""
	if difference != nil {
		text = base(difference)
	}
	f.differences = append(f.differences, text)
}

func (f *found) Dumped(_, file string, data []byte) error {
	if f.files == nil {
		f.files = map[string]string{}
	}
	f.files[file] = string(data)
	return nil
}

// inspect runs a manifest with its steps that look at arrays.
func inspect(t *testing.T, file string) (*found, error) {
	t.Helper()
	m, err := Load(file)
	if err != nil {
		return nil, err
	}
	i, err := m.New("tiny", "", exec.NewMemory())
	if err != nil {
		return nil, err
	}
	f := &found{tenant: 3}
	i.Inspect(f)
	for {
		l, err := nextLaunch(i)
		if l == nil || err != nil {
			return f, err
		}
		execute(t, l)
	}
}

// elements are 32-bit numbers as they lie in memory.
func elements(list ...float32) string {
	var b []byte
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return string(b)
}

func TestExpectTellsTheFirstDifferenceAndHowManyThereAre(t *testing.T) {
	const step = "mine.yaml:9: steps[1].expect"
	for steps, want := range map[string]string{
		"expect: {array: x, formula: 2 * i}":                                            "",
		"expect: {array: x, values: [0, 2, 4, 6, 8, 10, 12, 14]}":                       "",
		"expect: {array: x, start: 3, count: 2, values: [6, 8]}":                        "",
		"expect: {array: x, start: 3, formula: 2 * i}":                                  "",
		"expect: {array: x, stretches: [0, 2, 4, 6, 8, 10, 12, 14]}":                    "",
		"expect: {array: x, file: x.raw}":                                               "",
		"expect: {array: n, values: [1, 2, -1]}":                                        "",
		"expect: {array: x, formula: 2 * i + 0.25, absolute: 0.25}":                     "",
		"expect: {array: x, formula: 2 * i * 1.25, relative: 0.25}":                     "",
		"expect: {array: x, formula: 3 * i}":                                            step + " failed: x[1] is 2, expected 3; 7 of 8 elements differ",
		"expect: {array: x, start: 5, fill: 10}":                                        step + " failed: x[6] is 12, expected 10; 2 of 3 elements differ",
		"expect: {array: x, formula: 2 * i + 0.25, absolute: 0.2}":                      step + " failed: x[0] is 0, expected 0.25 within 0.2; 8 of 8 elements differ",
		"expect: {array: x, formula: 2 * i * 1.25, relative: 0.1}":                      step + " failed: x[1] is 2, expected 2.5 within 0.1 of it; 7 of 8 elements differ",
		"expect: {array: x, formula: 2 * i + i / 4, absolute: 0.5, relative: 1 / 64.0}": step + " failed: x[4] is 8, expected 9 within 0.5 and 0.015625 of it; 4 of 8 elements differ",
		"expect: {array: n, values: [1, 2, 254]}":                                       step + " failed: n[2] is 255, expected 254; 1 of 3 elements differ",
		"expect: {array: x, file: other.raw}":                                           step + " failed: x[7] is 14, expected 15; 1 of 8 elements differ",
	} {
		f, err := inspect(t, folderOf(t, map[string]string{"mine.yaml": doubling + "  - " + steps + "\n", "mine.ptx": double,
			"x.raw": elements(0, 2, 4, 6, 8, 10, 12, 14), "other.raw": elements(0, 2, 4, 6, 8, 10, 12, 15)}))
		require.NoError(t, err, steps)
		assert.Equal(t, []string{want}, f.differences, steps)
	}
}

func TestNaNIsExpectedOnlyWhereItIs(t *testing.T) {
	nan := float32(math.NaN())
	for expected, want := range map[string]string{
		elements(nan, 1):                    "",
		elements(1, 1):                      "mine.yaml:8: steps[0].expect failed: y[0] is NaN, expected 1 within 1 of it; 1 of 2 elements differ",
		elements(nan, nan):                  "mine.yaml:8: steps[0].expect failed: y[1] is 1, expected NaN within 1 of it; 1 of 2 elements differ",
		elements(nan, float32(math.Inf(1))): "mine.yaml:8: steps[0].expect failed: y[1] is 1, expected +Inf within 1 of it; 1 of 2 elements differ",
	} {
		text := strings.Replace(doubling, "  - {name: n, type: u8, values: [1, 2, 255]}", "  - {name: y, type: f32, file: y.raw}", 1)
		text = strings.Replace(text, "steps:\n", "steps:\n  - expect: {array: y, file: z.raw, relative: 1}\n", 1)
		f, err := inspect(t, folderOf(t, map[string]string{"mine.yaml": text, "mine.ptx": double, "y.raw": elements(nan, 1), "z.raw": expected}))
		require.NoError(t, err)
		assert.Equal(t, []string{want}, f.differences)
	}
}

func TestDumpHandsOverTheArrayAsItIsThen(t *testing.T) {
	file := folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": strings.Replace(doubling, "steps:\n", "steps:\n  - dump: {array: x, file: before.raw}\n", 1) + `
  - repeat:
      times: 2
      index: turn
      steps:
        - launch: {kernel: double, grid: [1], args: [x]}
        - dump: {array: x, start: turn, count: 2, file: "after-{turn}-{tenant + 1}.raw"}
`})
	f, err := inspect(t, file)
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(filepath.Dir(file), name) }
	assert.Equal(t, map[string]string{at("before.raw"): elements(0, 1, 2, 3, 4, 5, 6, 7), at("after-0-4.raw"): elements(0, 4), at("after-1-4.raw"): elements(8, 16)}, f.files)
}

func TestStepsThatLookAtArraysArePassedOverUnlessInspected(t *testing.T) {
	m, err := Load(folderOf(t, map[string]string{"mine.ptx": double, "mine.yaml": doubling + "  - expect: {array: x, fill: 1/0}\n  - dump: {array: x, file: no/such/folder}\n"}))
	require.NoError(t, err)
	runManifest(t, m)
	var at []string
	for _, step := range m.Inspections() {
		at = append(at, step.At[strings.Index(step.At, "mine.yaml"):]+" "+filepath.Base(step.File))
	}
	assert.Equal(t, []string{"mine.yaml:9: steps[1].expect .", "mine.yaml:10: steps[2].dump folder"}, at)
}

func TestFaultsOfStepsThatLookAtArraysNameTheLine(t *testing.T) {
	for step, want := range map[string]string{
		"expect: {array: x}":                              "steps[1].expect has 0 of the keys fill, values, stretches, formula, file; valid: one",
		"expect: {array: x, fill: 1, formula: i}":         "steps[1].expect has 2 of the keys fill, values, stretches, formula, file; valid: one",
		"expect: {array: z, fill: 1}":                     `steps[1].expect.array is "z", no array; valid: n, x`,
		"expect: {array: x, uniform: {}}":                 `unknown key "uniform" in steps[1].expect; valid keys: array, start, count, fill, values, stretches, formula, file, absolute, relative`,
		"expect: {array: x, values: [1]}":                 "steps[1].expect.values has 1 entries; valid: 8, the elements that they are for",
		"expect: {array: x, file: no.raw}":                "steps[1].expect.file names no.raw, which cannot be read: no such file or directory; give the path of raw elements, relative to the manifest",
		"expect: {array: x, file: odd.raw}":               "steps[1].expect.file names odd.raw of 3 bytes; valid: 32, the 8 elements of 4 bytes that it is compared with",
		"expect: {array: x, start: 9, fill: 1}":           `steps[1].expect.start "9" is 9; valid: whole numbers from 0 to 8`,
		"expect: {array: x, start: 3, count: 6, fill: 1}": `steps[1].expect.count "6" is 6; valid: whole numbers from 0 to 5`,
		"expect: {array: n, fill: 1, absolute: 1}":        "steps[1].expect.absolute is given for elements of type u8; valid: for floating-point numbers; integers must be equal",
		"expect: {array: x, fill: 1, relative: -1}":       `steps[1].expect.relative "-1" is -1; valid: a number from 0`,
		"expect: {array: n, fill: 0.5}":                   "steps[1].expect.fill is 0.5; valid: a whole number of type u8",
		"expect: {array: x, formula: y}":                  `steps[1].expect.formula of element 0 "y" has the name y, which is no parameter, number or array so far`,
		"dump: {array: z, file: z.raw}":                   `steps[1].dump.array is "z", no array; valid: n, x`,
		"dump: {array: x}":                                "steps[1].dump.file is missing; give the path of the file to write",
		"dump: {array: x, file: mine.ptx}":                "steps[1].dump.file names mine.ptx, which the manifest reads; valid: another file",
		"dump: {array: x, file: ./mine.yaml}":             "steps[1].dump.file names ./mine.yaml, the manifest itself; valid: another file",
		`dump: {array: x, file: "x{"}`:                    `steps[1].dump.file is "x{"; it takes the path of a file, with expressions in braces, such as out-{turn}.raw`,
		`dump: {array: x, file: "x-{2 *}.raw"}`:           `steps[1].dump.file is "2 *", which ends where a number or a name should follow`,
		`dump: {array: x, file: "x-{turn}.raw"}`:          `steps[1].dump.file is "x-{turn}.raw", in which "turn" has the name turn, which is no parameter, number or array so far`,
		`dump: {array: x, file: "x-{0.5}.raw"}`:           `steps[1].dump.file is "x-{0.5}.raw", in which "0.5" is 0.5; valid: whole numbers from 0 to 9223372036854775807`,
	} {
		_, err := inspect(t, folderOf(t, map[string]string{"mine.ptx": double, "odd.raw": "odd", "mine.yaml": doubling + "  - " + step + "\n"}))
		if assert.Error(t, err, step) {
			assert.Equal(t, "mine.yaml:9: "+want, base(err), step)
		}
	}
}
