package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// valid is a profile that uses most keys, one to a line, so that a fault can be
// put into any of them and its line be known.
const valid = `name: app
kernels:
  - name: first
    tbs: 4
    launches: 2
    demands:
      - arch: old
        threads: 64
        registers_per_thread: 32
        shared_bytes_per_tb: 1024
      - arch: new
        threads: 128
        registers_per_tb: 4096
        shared_bytes_per_tb: 2048
    instructions: 100
    spread: 0.5
    phases:
      - share: 0.25
        mix: {int: 0.5, shared_load: 0.5}
        body: 16
        distance: 3
        load_distance: 5
        barrier_every: 7
        split_probability: 0.5
        split_active: 0.25
        shared_conflict: 4
      - share: 0.75
        mix: {global_load: 1}
        load:
          pattern: random
          lines: 4
          footprint: 1MiB
          warp_reuse: 0.25
          warp_window: 3
          tb_reuse: 0.25
          tb_window: 2
          grid_reuse: 0.5
          grid_set: 64KiB
`

const (
	accessKeys = "pattern, lines, footprint, warp_reuse, warp_window, tb_reuse, tb_window, grid_reuse, grid_set"
	kernelKeys = "name, tbs, launches, loop, demands, instructions, spread, phases"
	mixList    = "int, fp32, fp64, sfu, tensor, constant, branch, global_load, gather_load, global_store, atomic, reduction, shared_load, shared_store, shared_atomic"
)

func TestEveryFaultNamesItsLineItsFieldAndWhatIsValid(t *testing.T) {
	_, err := load("p.yaml", []byte(valid), "", 1)
	require.NoError(t, err)

	for _, c := range []struct {
		old, new string // in valid
		want     string // after p.yaml:
	}{
		// What is not YAML, or not a profile.
		{valid, "", " is empty; a profile starts with name and kernels"},
		{valid, "# nothing\n", " is empty; a profile starts with name and kernels"},
		{valid, "name: [", "1: is not YAML: did not find expected node content"},
		{valid, "a: *b", " is not YAML: unknown anchor 'b' referenced"},
		{valid, "- a", "1: the profile is a list; it takes the keys name, kernels"},
		{valid, "---\n", "2: the profile is empty; it takes the keys name, kernels"},
		{valid, valid + "---\nname: b\n", "39: a second document starts here; a profile is one document"},
		{valid, valid + "---\n\tx: 1\n", "40: is not YAML: found character that cannot start any token"},
		{valid, strings.Repeat("#", 1<<20+1), " is larger than 1 MiB; a profile is a short text"},
		{"name: app", "", "2: name is missing; give the application a name"},
		{"name: app", "name: [app]", "1: name is a list; it takes text"},
		{"name: app", "name:", "1: name is empty; it takes text"},
		{valid, "name: a\nkernels: 3", "2: kernels is \"3\"; it takes a list, such as [a, b]"},
		{valid, "name: a\nkernels: []", "2: kernels has 0 entries; valid: 1 to 64"},
		{valid, "name: a", "1: kernels has 0 entries; valid: 1 to 64"},
		{"name: app", "name: &a app\nnames: *a", `2: unknown key "names" in the profile; valid keys: name, kernels`},
		{"share: 0.25", "share: &s 0.25\n        body: *s", "19: kernels[0].phases[0].body is an alias; write the value out"},
		// Unknown and repeated keys.
		{"tbs: 4", "tb: 4", `4: unknown key "tb" in kernels[0]; valid keys: ` + kernelKeys},
		{"lines: 4", "line: 4", `31: unknown key "line" in kernels[0].phases[1].load; valid keys: ` + accessKeys},
		{"shared_load: 0.5", "shared: 0.5", `19: unknown key "shared" in kernels[0].phases[0].mix; valid keys: ` + mixList},
		{"tbs: 4", "? [a]\n    : 4", `4: unknown key "" in kernels[0]; valid keys: ` + kernelKeys},
		{"tbs: 4", "tbs: 4\n    tbs: 5", "5: kernels[0].tbs is given twice; once is enough"},
		// Wrong types.
		{"tbs: 4", "tbs: 4.5", `4: kernels[0].tbs is "4.5"; it takes a whole number`},
		{"tbs: 4", "tbs: four", `4: kernels[0].tbs is "four"; it takes a whole number`},
		{"tbs: 4", "tbs:", "4: kernels[0].tbs is empty; it takes a whole number"},
		{"tbs: 4", "tbs: 99999999999999999999", `4: kernels[0].tbs is "99999999999999999999"; it takes a whole number`},
		{"spread: 0.5", "spread: much", `16: kernels[0].spread is "much"; it takes a number`},
		{"spread: 0.5", "spread: {}", "16: kernels[0].spread is a mapping; it takes a number"},
		{"footprint: 1MiB", "footprint: 1MB", `32: kernels[0].phases[1].load.footprint is "1MB"; it takes a number of bytes, such as 65536, 64KiB or 2MiB`},
		{"footprint: 1MiB", "footprint: 9999999999999GiB", `32: kernels[0].phases[1].load.footprint is "9999999999999GiB"; it takes a number of bytes, such as 65536, 64KiB or 2MiB`},
		// Values out of limits.
		{"name: first", "name: ''", "3: kernels[0].name is missing; give the kernel a name"},
		{"tbs: 4", "tbs: 0", "4: kernels[0].tbs is 0; valid: 1 to 2147483647"},
		{"tbs: 4", "tbs: -4", "4: kernels[0].tbs is -4; valid: 1 to 2147483647"},
		{"    tbs: 4\n", "", "3: kernels[0].tbs is 0; valid: 1 to 2147483647"},
		{"launches: 2", "launches: 0", "5: kernels[0].launches is 0; valid: 1 to 10000"},
		{"launches: 2", "launches: 10001", "5: kernels[0].launches is 10001; valid: 1 to 10000"},
		{"arch: new", "arch: ''", "11: kernels[0].demands[1].arch is missing; several demands are told apart by it"},
		{"arch: new", "arch: old", `11: kernels[0].demands[1].arch is "old", as in an earlier entry; valid: one entry per architecture`},
		{"threads: 64", "threads: 0", "8: kernels[0].demands[0].threads is 0; valid: 1 to 1024"},
		{"threads: 64", "threads: 1025", "8: kernels[0].demands[0].threads is 1025; valid: 1 to 1024"},
		{"registers_per_thread: 32", "registers_per_thread: 256", "9: kernels[0].demands[0].registers_per_thread is 256; valid: 1 to 255"},
		{"registers_per_thread: 32", "registers_per_thread: -1", "9: kernels[0].demands[0].registers_per_thread is -1; valid: 1 to 255"},
		{"        registers_per_thread: 32\n", "", "7: kernels[0].demands[0].registers_per_thread is 0; valid: 1 to 255"},
		{"registers_per_tb: 4096", "registers_per_tb: 127", "13: kernels[0].demands[1].registers_per_tb is 127; valid: 128 to 32640"},
		{"arch: old", "registers_per_tb: 2048", "7: kernels[0].demands[0].arch is missing; several demands are told apart by it"},
		{"arch: old", "arch: old\n        registers_per_tb: 2048", "8: kernels[0].demands[0].registers_per_tb is given beside registers_per_thread; valid: one of the two"},
		{"shared_bytes_per_tb: 1024", "shared_bytes_per_tb: -1", "10: kernels[0].demands[0].shared_bytes_per_tb is -1; valid: 0 to 1048576"},
		{"shared_bytes_per_tb: 1024", "shared_bytes_per_tb: 500", "19: kernels[0].phases[0].mix has shared accesses with conflict 4, which need 512 bytes, and demands[0].shared_bytes_per_tb is 500; valid: more shared memory or less conflict"},
		{"instructions: 100", "instructions: 0", "15: kernels[0].instructions is 0; valid: 1 to 10000000"},
		{"spread: 0.5", "spread: 1", "16: kernels[0].spread is 1; valid: 0 to below 1"},
		{"spread: 0.5", "spread: -0.1", "16: kernels[0].spread is -0.1; valid: 0 to below 1"},
		{"spread: 0.5", "spread: .nan", "16: kernels[0].spread is NaN; valid: 0 to below 1"},
		{"share: 0.25", "share: 0", "18: kernels[0].phases[0].share is 0; valid: above 0, to 1"},
		{"share: 0.25", "share: 0.2", "18: kernels[0].phases sums to 0.95; valid: 1 within 0.001"},
		{"{global_load: 1}", "{global_load: 0.9}", "28: kernels[0].phases[1].mix sums to 0.9; valid: 1 within 0.001"},
		{"{global_load: 1}", "{global_load: 1.5, int: -0.5}", "28: kernels[0].phases[1].mix.int is -0.5; valid: 0 to 1"},
		{"{global_load: 1}", "{global_load: .inf}", "28: kernels[0].phases[1].mix.global_load is +Inf; valid: 0 to 1"},
		{"        mix: {global_load: 1}\n", "", "27: kernels[0].phases[1].mix sums to 0; valid: 1 within 0.001"},
		{"body: 16", "body: 0", "20: kernels[0].phases[0].body is 0; valid: 1 to 1024"},
		{"body: 16", "body: 1025", "20: kernels[0].phases[0].body is 1025; valid: 1 to 1024"},
		{"distance: 3", "distance: 0.5", "21: kernels[0].phases[0].distance is 0.5; valid: 1 to 64"},
		{"load_distance: 5", "load_distance: 257", "22: kernels[0].phases[0].load_distance is 257; valid: 1 to 256"},
		{"barrier_every: 7", "barrier_every: 1", "23: kernels[0].phases[0].barrier_every is 1; valid: 0 for none, or 2 to 10000000"},
		{"barrier_every: 7", "barrier_every: -7", "23: kernels[0].phases[0].barrier_every is -7; valid: 0 for none, or 2 to 10000000"},
		{"split_probability: 0.5", "split_probability: 1.1", "24: kernels[0].phases[0].split_probability is 1.1; valid: 0 to 1"},
		{"split_active: 0.25", "split_active: 0", "25: kernels[0].phases[0].split_active is 0; valid: above 0, to 1"},
		{"shared_conflict: 4", "shared_conflict: 33", "26: kernels[0].phases[0].shared_conflict is 33; valid: 1 to 32"},
		{"pattern: random", "pattern: spiral", `30: kernels[0].phases[1].load.pattern is "spiral"; valid: stream, strided, random`},
		{"lines: 4", "lines: 0", "31: kernels[0].phases[1].load.lines is 0; valid: 1 to 32"},
		{"footprint: 1MiB", "footprint: 511", "32: kernels[0].phases[1].load.footprint is 511; valid: 512 to 64GiB"},
		{"footprint: 1MiB", "footprint: 65GiB", "32: kernels[0].phases[1].load.footprint is 65GiB; valid: 512 to 64GiB"},
		{"warp_reuse: 0.25", "warp_reuse: -1", "33: kernels[0].phases[1].load.warp_reuse is -1; valid: 0 to 1"},
		{"warp_reuse: 0.25", "warp_reuse: 0.5", "30: kernels[0].phases[1].load has warp_reuse, tb_reuse and grid_reuse that sum to 1.25; valid: at most 1"},
		{"warp_window: 3", "warp_window: 0", "34: kernels[0].phases[1].load.warp_window is 0; valid: 1 to 1000000"},
		{"tb_reuse: 0.25", "tb_reuse: 2", "35: kernels[0].phases[1].load.tb_reuse is 2; valid: 0 to 1"},
		{"tb_window: 2", "tb_window: -2", "36: kernels[0].phases[1].load.tb_window is -2; valid: 1 to 1000000"},
		{"grid_reuse: 0.5", "grid_reuse: 1.5", "37: kernels[0].phases[1].load.grid_reuse is 1.5; valid: 0 to 1"},
		{"grid_set: 64KiB", "grid_set: 2MiB", "38: kernels[0].phases[1].load.grid_set is 2MiB; valid: 512 to 1MiB"},
		{"grid_set: 64KiB", "grid_set: 0", "38: kernels[0].phases[1].load.grid_set is 0; valid: 512 to 1MiB"},
	} {
		text := strings.Replace(valid, c.old, c.new, 1)
		_, err := load("p.yaml", []byte(text), "", 1)
		assert.EqualError(t, err, "p.yaml:"+c.want, "with %q", c.new)
	}
}

func TestListsHaveLimits(t *testing.T) {
	demand := "demands: [{threads: 1, registers_per_thread: 1}], instructions: 1, tbs: 1"
	kernels, phases := "", ""
	for i := range 65 {
		kernels += fmt.Sprintf("\n- {name: k%d, %s, phases: [{mix: {int: 1}}]}", i, demand)
	}
	for range 17 {
		phases += fmt.Sprintf("{share: %v, mix: {int: 1}}, ", 1.0/17)
	}
	for text, want := range map[string]string{
		"name: a\nkernels:" + kernels: "p.yaml:3: kernels has 65 entries; valid: 1 to 64",
		"name: a\nkernels: [{name: k, " + demand + ",\n phases: [" + phases + "]}]":      "p.yaml:3: kernels[0].phases has 17 entries; valid: 1 to 16",
		"name: a\nkernels: [{name: k, tbs: 1}]":                                          "p.yaml:2: kernels[0].demands is missing; give the threads, registers and shared memory of a TB",
		"name: a\nkernels:" + strings.ReplaceAll(kernels[:len(kernels)/2], "k1,", "k0,"): `p.yaml:4: kernels[1].name is "k0", the name of an earlier kernel; valid: a name of its own`,
	} {
		if strings.Contains(want, "earlier") {
			text = text[:strings.LastIndex(text, "\n")]
		}
		_, err := load("p.yaml", []byte(text), "", 1)
		assert.EqualError(t, err, want)
	}
}

func TestOpenReadsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.yaml")
	require.NoError(t, os.WriteFile(file, []byte(valid), 0o600))
	app, err := Open(file, "", 1)
	require.NoError(t, err)
	assert.Equal(t, "app", app.Name)
	require.Len(t, app.Ops, 2)
	k := app.Kernels()[0]
	assert.Equal(t, "first", k.Name)
	assert.Equal(t, 4, k.TBs())
	assert.Equal(t, 64, k.ThreadsPerTB())
	assert.Equal(t, 2048, k.RegistersPerTB)
	assert.Equal(t, 1024, k.SharedBytesPerTB)

	app, err = Open(file, "new", 1)
	require.NoError(t, err)
	k = app.Kernels()[0]
	assert.Equal(t, 128, k.ThreadsPerTB())
	assert.Equal(t, 4096, k.RegistersPerTB)

	_, err = Open(file, "newer", 1)
	assert.EqualError(t, err, `no demands are known for arch "newer"; valid: gtx980, k20c, new, old`)
}

func TestOpenOfWhatIsNoFileSaysSo(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "missing.yaml"), "", 1)
	assert.EqualError(t, err, filepath.Join(dir, "missing.yaml")+": cannot be read: no such file or directory; give the path of a profile")
	_, err = Open(dir, "", 1)
	assert.EqualError(t, err, dir+": cannot be read: is a directory; give the path of a profile")
}

func TestDefaultsAreThoseOfTheDocumentation(t *testing.T) {
	s, err := parse("p.yaml", []byte(`{name: a, kernels: [{name: k, tbs: 1, demands: [{threads: 1, registers_per_thread: 1}],
		instructions: 1, phases: [{mix: {int: 1}, load: {}}]}]}`))
	require.NoError(t, err)
	k := s.Kernels[0]
	assert.Equal(t, 1, k.Launches)
	assert.Equal(t, Phase{Share: 1, Mix: Mix{Int: 1}, Body: 256, Distance: 4, LoadDistance: 8, SplitActive: 0.5, SharedConflict: 1,
		Load: &Access{Pattern: "stream", Lines: 1, Footprint: 64 << 20, WarpWindow: 4, TBWindow: 1, GridSet: 512 << 10}}, k.Phases[0])
}

func FuzzProfile(f *testing.F) {
	f.Add([]byte(valid))
	f.Add([]byte("name: a\nkernels: [{name: b, tbs: 1, demands: [{threads: 33, registers_per_tb: 100}]," + everything + "}]"))
	for _, name := range Names() {
		data, err := builtin.ReadFile("builtin/" + name + ".yaml")
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		app, err := load("p.yaml", data, "", 1)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "p.yaml:"), "%v", err)
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		for _, k := range app.Kernels()[:1] {
			launch, err := k.Source.Open()
			require.NoError(t, err)
			var tb workload.TB
			require.NoError(t, launch.Next(&tb))
			for _, stream := range tb.Warps {
				var inst workload.Inst
				for i := 0; i < 2000 && stream.Fetch(&inst); i++ {
					if inst.Active == 0 || inst.Class >= workload.NumClasses {
						t.Fatalf("instruction %d is %+v", i, inst)
					}
				}
			}
			launch.Recycle(&tb)
		}
	})
}

func TestTheExampleOfThePackageCommentIsAProfile(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var example strings.Builder
	for line := range strings.Lines(string(source)) {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			example.WriteString(text)
		}
	}
	app, err := load("doc.go", []byte(example.String()), "", 1)
	require.NoError(t, err)
	assert.Equal(t, "triad", app.Name)
}
