package kernels

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// valid is a manifest of a user, with everything that faults are put into. It
// takes the PTX of sgemm.
const valid = `name: mine
ptx: mine.ptx
parameters:
  - {name: n, value: 16}
arrays:
  - {name: a, type: f32, length: 128 * 8, fill: 1}
  - {name: b, type: f32, length: n * 8, file: b.bin}
  - {name: c, type: f32, length: 128 * n}
kernels:
  - {name: mysgemmNT, block: [16, 8]}
steps:
  - repeat: {times: 2, steps: [{launch: {kernel: mysgemmNT, grid: [1], args: [a, 128, b, n, c, 128, 8, 1, 1]}}]}
`

// write puts a manifest with its PTX and data into a folder.
func write(t *testing.T, text string) (file string) {
	t.Helper()
	folder := t.TempDir()
	code, err := embedded.ReadFile("ptx/sgemm.ptx")
	require.NoError(t, err)
	ones := strings.Repeat("\x00\x00\x80\x3f", 128)
	for name, content := range map[string]string{"mine.yaml": text, "mine.ptx": string(code), "b.bin": ones, "odd.bin": "odd"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	large := filepath.Join(folder, "large.bin") // without a block on the disk
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 9<<30))
	return filepath.Join(folder, "mine.yaml")
}

func TestContentsChangeWithTheFilesOfArrays(t *testing.T) {
	file := write(t, valid)
	m, err := Load(file)
	require.NoError(t, err)
	before, err := m.Contents()
	require.NoError(t, err)
	again, err := m.Contents()
	require.NoError(t, err)
	assert.Equal(t, before, again)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "b.bin"), make([]byte, 512), 0o600))
	after, err := m.Contents()
	require.NoError(t, err)
	assert.NotEqual(t, before, after)
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(file), "b.bin")))
	_, err = m.Contents()
	assert.Error(t, err)
}

func TestManifestOfAUserRuns(t *testing.T) {
	m, err := Load(write(t, valid))
	require.NoError(t, err)
	_, after := runManifest(t, m)
	// Two products of ones over k of 8, the second on top of the first.
	assert.Equal(t, 16.0, floats(after, "c")[77])
	assert.Equal(t, int64(4*(128*8+16*8+128*16)), after.bytes)
}

func TestFaultsInManifestsNameTheLine(t *testing.T) {
	for _, fault := range []struct{ old, new, want string }{
		{"name: mine", "name: ''", "mine.yaml:1: name is missing; give the application a name"},
		{"name: mine", "name: mine\nabbr: M-1", "mine.yaml:2: abbr has \"M-1\"; valid: letters, digits, underscores and plus signs, once"},
		{"name: mine", "name: mine\nabbr: [M, M]", "mine.yaml:2: abbr has \"M\"; valid: letters, digits, underscores and plus signs, once"},
		{"name: mine", "name: mine\nabbr: [\"\"]", "mine.yaml:2: abbr has \"\"; valid: letters, digits, underscores and plus signs, once"},
		{"name: mine", "name: mine\nabbr: {M: 1}", "mine.yaml:2: abbr is a mapping; it takes one text, or a list of texts"},
		{"ptx: mine.ptx", "ptx: other.ptx", "mine.yaml:2: ptx names other.ptx, which cannot be read: no such file or directory; give the path of a PTX file, relative to the manifest"},
		{"ptx: mine.ptx", "ptx: /dev/zero", "mine.yaml:2: ptx names zero, which cannot be read: not a regular file; give the path of a PTX file, relative to the manifest"},
		{"value: 16", "value: " + strings.Repeat("(", 10_001), `mine.yaml:4: parameters[0].value is "((((((((((((((((((((...", which is longer than 10000 characters; write it in parts`},
		{"value: 16", "tiny: 16", "mine.yaml:4: parameters[0] must have either value, or all of tiny, small, medium"},
		{"value: 16", "value: 16 +", `mine.yaml:4: parameters[0].value is "16 +", which ends where a number or a name should follow`},
		{"name: n,", "name: 2n,", `mine.yaml:4: parameters[0].name is "2n"; valid: letters, digits and underscores, a digit not first`},
		{"name: b,", "name: a,", `mine.yaml:7: arrays[1].name is "a", the name of an earlier entry; valid: a name of its own`},
		{"name: b,", "name: min,", `mine.yaml:7: arrays[1].name is "min", which expressions know already; valid: any other name`},
		{"type: f32, length: 128 * 8", "type: float, length: 128 * 8", `mine.yaml:6: arrays[0].type is "float"; valid: u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16, e4m3, e5m2`},
		{"length: 128 * n", "zero: 1", `mine.yaml:8: unknown key "zero" in arrays[2]; valid keys: name, type, length, margin, output, fields, fill, values, stretches, formula, file, uniform, normal, sky, matrix, road, rmat, water, kspace, frames, tree, queens`},
		{", length: 128 * n", "", "mine.yaml:8: arrays[2].length is missing; give the number of elements"},
		{"fill: 1", "values: []", "mine.yaml:6: arrays[0].values has 0 entries; valid: 1 to 1000"},
		{"fill: 1", "fill: 1, uniform: {}", "mine.yaml:6: arrays[0] has 2 sources of its contents; valid: one, or none for zeros"},
		{"fill: 1", "road: {width: 2}", "mine.yaml:6: arrays[0] has type, length, fields or margin beside road, which sets type and length"},
		{"name: mysgemmNT", "name: sgemm", `mine.yaml:12: steps[0].repeat.steps[0].launch.kernel is "mysgemmNT", no entry of kernels; valid: sgemm`},
		{"times: 2,", "", "mine.yaml:12: steps[0].repeat must have either times or while"},
		{", 1, 1]", ", 1]", "mine.yaml:12: steps[0].repeat.steps[0].launch.args has 8 entries; valid: 9, the parameters of mysgemmNT"},
		{"block: [16, 8]", "demands: [{registers_per_thread: 300}]", "mine.yaml:10: kernels[0].demands[0].registers_per_thread is 300; valid: 0 to 255"},
		{"block: [16, 8]", "demands: [{registers_per_thread: -1}]", "mine.yaml:10: kernels[0].demands[0].registers_per_thread is -1; valid: 0 to 255"},
	} {
		_, err := Load(write(t, strings.Replace(valid, fault.old, fault.new, 1)))
		require.Error(t, err, fault.new)
		assert.Equal(t, fault.want, base(err), fault.new)
	}
	_, err := Load("missing.yaml")
	assert.EqualError(t, err, "missing.yaml: cannot be read: no such file or directory; give the path of a launch manifest")
}

// base is the message without the folders of files.
func base(err error) string {
	return regexp.MustCompile(`/[^ :]*/`).ReplaceAllString(err.Error(), "")
}

// A manifest may be in another folder than the one in which the program runs.
func TestMessagesNameFilesByPathsThatLeadToThem(t *testing.T) {
	manifest := write(t, strings.Replace(valid, "mine.ptx", "code/none.ptx", 1))
	code := filepath.Join(filepath.Dir(manifest), "code", "none.ptx")
	_, err := Load(manifest)
	require.ErrorContains(t, err, manifest+":2: ptx names "+code+", which cannot be read")
	require.NoError(t, os.Mkdir(filepath.Dir(code), 0o700))
	const header = ".version 6.0\n.target sm_52\n.address_size 64\n"
	require.NoError(t, os.WriteFile(code, []byte(header), 0o600))
	_, err = Load(manifest)
	require.EqualError(t, err, manifest+":2: ptx names "+code+", which has no kernel; give the path of a PTX file with an .entry")
	require.NoError(t, os.WriteFile(code, []byte(header+".nonsense\n"), 0o600))
	_, err = Load(manifest)
	require.ErrorContains(t, err, code+":4: ")
}

func TestNumbersWithoutAFractionAreWholeHoweverTheyAreWritten(t *testing.T) {
	for text, want := range map[string]int64{"1e3": 1000, "12.0": 12, "2.5e1 * 2": 50} {
		got, err := expr(t, text).whole(table{}, 0, 1000)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{"1e9": "1e+09", "0.5": "0.5", "1e300": "1e+300", "a": "an address"} {
		_, err := expr(t, text).whole(table{}, 0, 1000)
		assert.EqualError(t, err, `"`+text+`" is `+want+`; valid: whole numbers from 0 to 1000`)
	}
}

func TestFaultsInValuesNameTheLine(t *testing.T) {
	for _, fault := range []struct{ old, new, want string }{
		{"length: 128 * n", "length: 128 * m", `mine.yaml:8: arrays[2].length "128 * m" has the name m, which is no parameter, number or array so far`},
		{"length: 128 * n", "length: -1", `mine.yaml:8: arrays[2].length "-1" is -1; valid: whole numbers from 0 to 8589934592`},
		{"length: 128 * n", "length: 8000000000", "mine.yaml:8: arrays[2].length makes the arrays, with the variables of the PTX, larger than 8 GiB together; make the input smaller"},
		{"b.bin", "/dev/zero", "mine.yaml:7: arrays[1].file names zero, which cannot be read: not a regular file; give the path of raw elements, relative to the manifest"},
		{"b.bin", "large.bin", "mine.yaml:7: arrays[1].file names large.bin, which cannot be read: it is larger than 8 GiB; give the path of raw elements, relative to the manifest"},
		{"length: n * 8", "length: 5", "mine.yaml:7: arrays[1].length is 5, and the contents have 128 elements; valid: as many, or no length"},
		{"b.bin", "odd.bin", "mine.yaml:7: arrays[1].file names odd.bin of 3 bytes; valid: a whole number of elements of 4 bytes, at least one"},
		{"fill: 1", "uniform: {low: 2, high: 1}", `mine.yaml:6: arrays[0].uniform.high "1" is 1; valid: 2 to 1e+18`},
		{"type: f32, length: 128 * 8, fill: 1", "road: {width: 1, height: 2}", `mine.yaml:6: arrays[0].road.width "1" is 1; valid: whole numbers from 2 to 8192`},
		{"type: f32, length: 128 * 8, fill: 1", "road: {width: 2}", `mine.yaml:6: arrays[0].road.height is missing; valid: 2 to 8192`},
		{"times: 2", "times: -2", `mine.yaml:12: steps[0].repeat.times "-2" is -2; valid: whole numbers from 0 to 1000000`},
		{"times: 2", `while: "c[5000]"`, `mine.yaml:12: steps[0].repeat.while "c[5000]" reads element 5000 of c, which has 2048`},
		{"grid: [1]", "grid: [1.5]", `mine.yaml:12: steps[0].repeat.steps[0].launch.grid[0] "1.5" is 1.5; valid: whole numbers from 0 to 2147483647`},
		{"block: [16, 8]", "block: [64, 64]", "mine.yaml:12: steps[0].repeat.steps[0].launch has blocks of 4096 threads; valid: at most 1024"},
		{", block: [16, 8]", "", "mine.yaml:12: steps[0].repeat.steps[0].launch has no block size; give block here or at the kernel"},
		{"128, 8, 1, 1", "128, b, 1, 1", "mine.yaml:12: steps[0].repeat.steps[0].launch.args[6] for parameter 7 of mysgemmNT: it has 4 bytes, and the argument is an address; valid: a number"},
		{"128, 8, 1, 1", "128, 8.5, 1, 1", "mine.yaml:12: steps[0].repeat.steps[0].launch.args[6] for parameter 7 of mysgemmNT: it takes whole numbers, and the argument is 8.5"},
		{"block: [16, 8]", "block: [16, 8], demands: [{registers_per_thread: 40, shared_bytes_per_tb: 100}]",
			"mine.yaml:12: steps[0].repeat.steps[0].launch needs 512 bytes of shared memory, and the demands of mysgemmNT state 100; valid: at least as much"},
		{"steps:\n", "steps:\n  - swap: [a, n]\n", "mine.yaml:12: steps[0].swap is a and n; valid: two arrays of one type"},
		{"steps:\n", "steps:\n  - copy: {from: a, to: c, to_start: 1025}\n", "mine.yaml:12: steps[0].copy writes element 2048 of c, which has 2048 of 4 bytes"},
		{"steps:\n", "steps:\n  - copy: {from: a, to: z}\n", `mine.yaml:12: steps[0].copy.to is "z", no array: mine.ptx: no global or constant variable z is loaded`},
		{"steps:\n", "steps:\n  - fill: {array: a, value: 1/0}\n", `mine.yaml:12: steps[0].fill.value of element 0 "1/0" divides by zero`},
	} {
		m, err := Load(write(t, strings.Replace(valid, fault.old, fault.new, 1)))
		require.NoError(t, err, fault.new)
		i, err := m.New("tiny", "", exec.NewMemory())
		if err == nil {
			_, err = nextLaunch(i)
		}
		require.Error(t, err, fault.new)
		assert.Equal(t, fault.want, base(err), fault.new)
	}
}

func TestUnknownNamesListTheValidOnes(t *testing.T) {
	_, err := Builtin("sgem")
	assert.EqualError(t, err, `unknown application "sgem"; valid: add-strings, attention, attention-decode, backprop, bfs, btree, cfd, copy, cutcp, dxtc, embedding, fdtd2d, fdtd3d, gemm-f16, gemm-f16-variants, gemv-f16, gemv-q4, grid-points, histo, histogram1024, histogram64, hybridsort, kmeans, kv-append, lavamd, layernorm, lbm, llm-decode, llm-prefill, mri-gridding, mri-q, mul-fp32, mul-fp64, nn, nqueens, pathfinder, random-graph, residual-add, resnet-block, resnet-inference, resnet-training, rmsnorm, rodinia-bfs, rope, sad, sad-larger, sgemm, silu-mul, sleep, softmax, spmv, stencil, storegpu, streamcluster, syr2k, syrk, tpacf`)
	m := builtinManifest(t, "sgemm")
	_, err = m.New("huge", "", exec.NewMemory())
	assert.EqualError(t, err, `there is no size "huge"; valid: tiny, small, medium`)
	_, err = m.New("tiny", "h100", exec.NewMemory())
	assert.EqualError(t, err, `no demands are known for arch "h100"; valid: gtx980, k20c`)
}

func FuzzManifest(f *testing.F) {
	f.Add(valid)
	f.Add(particles + "  - expect: {array: p.mass, values: [1], relative: 1e-6}\n  - dump: {array: p, file: 'p-{tenant}.raw'}\n  - set: {array: p.id, index: 0, value: 1 << 2}\n")
	f.Add(asking + "  - prefix_sum: {from: data, inclusive: true}\n")
	for _, name := range Names() {
		text, _ := embedded.ReadFile("manifests/" + name + ".yaml")
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		code, _ := embedded.ReadFile("ptx/sgemm.ptx")
		m, err := parse("fuzz.yaml", []byte(text), func(string) ([]byte, error) { return code, nil })
		if err == nil {
			m.start("tiny", "")
		}
	})
}
