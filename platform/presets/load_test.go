package presets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"cotenant/platform/wiring"
	"cotenant/sm/tensor"
	"cotenant/workload"
	"cotenant/workload/strictyaml"
)

// folder writes files, given as name and text in turn, and returns where.
func folder(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(files[i+1]), 0o600))
	}
	return dir
}

// loadText loads a file with the given text.
func loadText(t testing.TB, text string) (*wiring.Config, error) {
	t.Helper()
	return Load(filepath.Join(folder(t, "gpu.yaml", text), "gpu.yaml"))
}

func preset(t testing.TB, name string) *wiring.Config {
	t.Helper()
	c, err := Load(name)
	require.NoError(t, err)
	return c
}

func TestEveryPresetIsValid(t *testing.T) {
	assert.Subset(t, Names(), []string{"ccbp16", "ccbp16-irc", "fermi16", "fermi16-half", "fermi16-threehalves", "gtx980", "heterocore-12b4s", "heterocore-4b12s", "heterocore-8b8s", "k20c", "plain16", "qos56", "reference16", "smk16"})
	for _, name := range Names() {
		c := preset(t, name)
		assert.Equal(t, name, c.Name)
		assert.NotEmpty(t, c.About)
		assert.NotContains(t, c.About, "\n")
	}
}

// The sizes of systems.md section 0, which come from the papers' tables.
func TestPresetsHaveTheSizesOfTheirSources(t *testing.T) {
	type size struct {
		sms, schedulers, threads, tbs, registers int
		shared                                   []int
		l1, l2                                   int    // KB
		dram                                     string // GB/s
	}
	for name, want := range map[string]size{
		"gtx980":  {16, 4, 2048, 32, 65536, []int{96 << 10}, 24, 2048, "224.4"},
		"smk16":   {16, 4, 2048, 32, 65536, []int{96 << 10}, 16, 2048, "224.0"},
		"qos56":   {56, 2, 2048, 32, 65536, []int{96 << 10}, 16, 2048, "224.0"},
		"ccbp16":  {16, 4, 2048, 32, 65536, []int{96 << 10}, 24, 2048, "319.0"},
		"fermi16": {16, 2, 1536, 8, 32768, []int{48 << 10}, 16, 768, "177.4"},
		"k20c":    {13, 4, 2048, 16, 65536, []int{16 << 10, 32 << 10, 48 << 10}, 16, 1536, "207.9"},
	} {
		c := preset(t, name)
		channel := c.DRAM.PeakBytesPerSecond(uint64(c.Clocks.DRAM) * 1_000_000)
		assert.Equal(t, want, size{c.SMs.Count(), c.SM.Schedulers, c.SM.Threads, c.SM.TBs, c.SM.Registers, c.SM.SharedBytes,
			c.SM.L1.Sets * c.SM.L1.Ways * 128 / 1024, c.L2.Sets * c.L2.Ways * c.Address.Slices * 128 / 1024,
			fmt.Sprintf("%.1f", float64(channel)*float64(c.Address.Channels)/1e9)}, name)
	}
}

func TestPlain16SetsEveryField(t *testing.T) {
	data, err := files.ReadFile("plain16.yaml")
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal(data, &doc))
	requireKeys(t, reflect.TypeFor[wiring.Config](), doc, "")
}

// requireKeys asserts that doc has a key for every field of a struct.
func requireKeys(t *testing.T, s reflect.Type, doc map[string]any, path string) {
	for i := range s.NumField() {
		key := s.Field(i).Tag.Get("yaml")
		if key == "-" || strings.HasSuffix(key, ",omitempty") {
			continue
		}
		if key == ",inline" {
			requireKeys(t, s.Field(i).Type, doc, path)
			continue
		}
		if assert.Contains(t, doc, key, "in %q", path) && s.Field(i).Type.Kind() == reflect.Struct {
			requireKeys(t, s.Field(i).Type, doc[key].(map[string]any), path+key+".")
		}
	}
}

func TestFileOverridesSingleFields(t *testing.T) {
	c, err := loadText(t, "extends: k20c\nsms: 2\nsm:\n  shared_bytes: [1024]\n  l1: {ways: 12}\n")
	require.NoError(t, err)
	want := preset(t, "k20c")
	want.Name, want.About = "gpu", ""
	want.SMs = wiring.EqualSMs(2)
	want.SM.SharedBytes = []int{1024} // replaced, not merged
	want.SM.L1.Ways = 12
	assert.Equal(t, want, c)
}

func TestFilesExtendFilesRelativeToThemselves(t *testing.T) {
	dir := folder(t,
		"top.yml", "name: mine\nabout: a test\nextends: sub/middle.yaml\nsms: 3\n",
		"sub/middle.yaml", "extends: ../base.yaml\nsms: 4\nsm: {tbs: 4}\n",
		"base.yaml", "extends: gtx980\nsm: {tbs: 5, threads: 1024}\n")
	c, err := Load(filepath.Join(dir, "top.yml"))
	require.NoError(t, err)
	assert.Equal(t, []any{"mine", "a test", 3, 4, 1024}, []any{c.Name, c.About, c.SMs.Count(), c.SM.TBs, c.SM.Threads})
}

func TestLoadedConfigurationsShareNothing(t *testing.T) {
	preset(t, "k20c").SM.SharedBytes[0] = 1
	assert.Equal(t, 16384, preset(t, "k20c").SM.SharedBytes[0])
}

func TestUnknownPresetListsThoseThatThereAre(t *testing.T) {
	for _, name := range []string{"gtx", "", "GTX980"} {
		_, err := Load(name)
		assert.EqualError(t, err, fmt.Sprintf("unknown preset %q; valid: %s, or the path of a .yaml file", name, strings.Join(Names(), ", ")))
		var fault *workload.InputError
		assert.False(t, errors.As(err, &fault), "no file is at fault")
	}
}

func TestFaultsNameFileAndLine(t *testing.T) {
	const rootKeys = "extends, sm_kinds, name, about, isa, texture_layout, register_unit, clocks, sms, gpcs, sm, driver, preeng, host, request_noc, reply_noc, address, topology, far_noc, l2, dram, mmu, pager, mig_profiles, mig, energies, blocks"
	for _, c := range []struct{ text, message string }{
		{"", ": is empty; a GPU is a mapping, such as extends: gtx980 and fields that differ"},
		{"# nothing\n", ": is empty; a GPU is a mapping, such as extends: gtx980 and fields that differ"},
		{"gtx980\n", ":1: is not a mapping of keys to values; valid: extends: gtx980 and fields that differ"},
		{"extends: gtx980\nsm: [\n", ":2: is not YAML: did not find expected node content"},
		{"extends: gtx980\n\tsms: 3\n", ":2: is not YAML: found a tab character that violates indentation"},
		{"extends: gtx980\n---\nsms: 3\n", ":2: a second document starts here; a GPU is one document"},
		{"extends: gtx980\nsmss: 3\n", ":2: unknown key \"smss\"; valid keys: " + rootKeys},
		{"extends: gtx980\nsm:\n  l1:\n    x: 3\n", ":4: unknown key \"x\" in sm.l1; valid keys: sets, ways, set_index, victim, ucp_period, prefetch, globals, write_evict, sectored, allocate_on_fill, hit_latency, miss_latency, mshrs, mshr_per_sector, mshr_merge, miss_queue, store_buffer, reply_queue, returns_per_cycle, misses_take_hit_latency, banks, bank_bytes, access_bytes"},
		{"extends: gtx980\nsm:\n  pipes:\n    collectors: {units: 0}\n", ":4: sm.pipes.collectors has gone: " + gone["pipes.collectors"] + "; leave it out"},
		{"extends: gtx980\nsm_kinds:\n  big: {pipes: {collectors: {units: 0}}}\n", ":3: sm_kinds.big.pipes.collectors has gone: " + gone["pipes.collectors"] + "; leave it out"},
		{"extends: gtx980\nrequest_noc: {inputs: 3}\n", ":2: unknown key \"inputs\" in request_noc; valid keys: flit_bytes, header_bytes, input_buffer, output_buffer, latency, tpc_bytes, gpc_bytes, gpc_ports, arbiter"},
		{"extends: gtx980\n? [a]\n: 3\n", ":2: unknown key \"\"; valid keys: " + rootKeys},
		{"extends: gtx980\nsms: 3\nsms: 4\n", ":3: sms is given twice; once is enough"},
		{"extends: gtx980\nsm: {l1: {ways: 6,\n ways: 6}}\n", ":3: sm.l1.ways is given twice; once is enough"},
		{"extends: gtx980\nsms: many\n", ":2: sms is \"many\"; it takes a whole number"},
		{"extends: gtx980\nsms: 1.5\n", ":2: sms is \"1.5\"; it takes a whole number"},
		{"extends: gtx980\nsms:\n", ":2: sms is empty; it takes a whole number"},
		{"extends: gtx980\nsms: [3]\n", ":2: sms[0] is \"3\"; it takes the keys count, kind"},
		{"extends: gtx980\nsms: 99999999999999999999\n", ":2: sms is \"99999999999999999999\"; it takes a whole number"},
		{"extends: gtx980\nname: 3\n", ":2: name is \"3\"; it takes text"},
		{"extends: gtx980\nsm: {l1: {sectored: 1}}\n", ":2: sm.l1.sectored is \"1\"; it takes true or false"},
		{"extends: gtx980\nsm: 3\n", ":2: sm is \"3\"; it takes the keys schedulers, scheduler, issue_width, issue_same_unit, group_slots, memory_issue, tbs, threads, registers, shared_bytes, unified_bytes, carveouts, front_end, issue_queue, tlb, faults, pipes, tensor, tma, lsu, l1"},
		{"extends: gtx980\nsm: {shared_bytes: 49152}\n", ":2: sm.shared_bytes is \"49152\"; it takes a list, such as [a, b]"},
		{"extends: gtx980\nsm:\n  shared_bytes:\n  - 1\n  - {a: 3}\n", ":5: sm.shared_bytes[1] is a mapping; it takes a whole number"},
		{"extends: gtx980\nsms: &n 3\nsm: {tbs: *n}\n", ":3: sm.tbs is an alias; write the value out"},
		{"extends: [gtx980]\n", ":1: extends must be the name of a preset or the path of a YAML file"},
		{"extends:\n", ":1: extends must be the name of a preset or the path of a YAML file"},
		{"extends: gtx980\nextends: k20c\n", ":2: extends is given twice; once is enough"},
		{"sms: 3\nextends: gtx\n", ":2: extends: unknown preset \"gtx\"; valid: " + strings.Join(Names(), ", ") + ", or the path of a .yaml file"},
		// Values out of range.
		{"extends: gtx980\nsms: 0\n", ":2: sms is 0, must be 1 to 1024"},
		{"extends: gtx980\nsms: -3\n", ":2: sms is -3, must be 1 to 1024"},
		{"extends: gtx980\nclocks:\n  core_mhz: 0\n", ":3: clocks.core_mhz is 0, must be 1 to 100000"},
		{"extends: gtx980\nsm:\n  pipes: {sfu: {latency: -1}}\n", ":3: sm.pipes.sfu.latency is -1, must be 1 to "},
		{"extends: gtx980\nsm:\n  scheduler: best\n", ":3: sm.scheduler: unknown warp scheduler \"best\"; valid: "},
		{"extends: gtx980\nsm:\n  shared_bytes: []\n", ":3: sm.shared_bytes must list at least one size in bytes"},
		{"extends: gtx980\naddress: {slices: 9}\n", ": address.channels is 8, must be at least 1 and divide slices, which is 9"},
		{"sms: 3\n", ": clocks.core_mhz is 0, must be 1 to 100000 (it is not set: a file that leaves out fields must extend a preset)"},
	} {
		dir := folder(t, "gpu.yaml", c.text)
		_, err := Load(filepath.Join(dir, "gpu.yaml"))
		var fault *workload.InputError
		require.True(t, errors.As(err, &fault), "%q: %v", c.text, err)
		assert.True(t, strings.HasPrefix(err.Error(), filepath.Join(dir, "gpu.yaml")+c.message), "%q: %v", c.text, err)
		assert.NotContains(t, err.Error(), "\n")
	}
}

func TestFaultInAnExtendedFileNamesThatFile(t *testing.T) {
	dir := folder(t, "top.yaml", "extends: base.yaml\nsms: 4\n", "base.yaml", "extends: gtx980\nsms: 0\nsm: {tbs: 0}\n", "worse.yaml", "extends: base.yaml\nsm: {tbs: x}\n")
	_, err := Load(filepath.Join(dir, "top.yaml"))
	assert.EqualError(t, err, filepath.Join(dir, "base.yaml")+":3: sm.tbs is 0, must be 1 to 256")
}

func TestFileThatCannotBeReadIsNamed(t *testing.T) {
	dir := folder(t, "top.yaml", "extends: missing.yaml\n", "large.yaml", strings.Repeat("# padding\n", 1<<17))
	for name, message := range map[string]string{
		"none.yaml":  "none.yaml: cannot be read: no such file or directory; give the path of a YAML file that describes a GPU",
		"top.yaml":   "top.yaml:1: extends: \"missing.yaml\" cannot be read: no such file or directory; valid: a preset, or",
		".":          ": cannot be read: is a directory; give",
		"large.yaml": "large.yaml: cannot be read: it is larger than 1 MiB; give",
	} {
		_, err := Load(dir + "/" + name)
		assert.ErrorContains(t, err, message)
		var fault *workload.InputError
		assert.True(t, errors.As(err, &fault))
	}
}

func TestFileThatExtendsItselfIsAnError(t *testing.T) {
	dir := folder(t, "a.yaml", "sms: 1\nextends: b.yaml\n", "b.yaml", "extends: ./sub/../a.yaml\n", "sub/c", "", "self.yaml", "extends: link.yaml\n")
	require.NoError(t, os.Symlink("self.yaml", filepath.Join(dir, "link.yaml")))
	_, err := Load(filepath.Join(dir, "a.yaml"))
	assert.ErrorContains(t, err, filepath.Join(dir, "b.yaml")+":1: extends: ")
	assert.ErrorContains(t, err, `"./sub/../a.yaml" extends itself; a chain must end in a file that extends nothing`)
	_, err = Load(filepath.Join(dir, "self.yaml"))
	assert.ErrorContains(t, err, `"link.yaml" extends itself`)
}

func TestFilesReadAreThoseThatAGPUExtends(t *testing.T) {
	dir := folder(t, "gpu.yaml", "extends: deep/base.yaml\n", "deep/base.yaml", "extends: gtx980\nsms: 1\n")
	top, base := filepath.Join(dir, "gpu.yaml"), filepath.Join(dir, "deep", "base.yaml")
	for ref, want := range map[string][]string{"k20c": nil, "k20c?sms=2": nil, top: {top, base}, top + "?sms=2": {top, base}} {
		_, read, err := LoadWithFiles(ref)
		require.NoError(t, err, ref)
		assert.Equal(t, want, read, ref)
	}
}

// FuzzPreset feeds documents to the loader: it must return a valid GPU or an
// error of one line that names a file, whatever it is given.
func FuzzPreset(f *testing.F) {
	for _, text := range []string{
		"extends: gtx980\nsm: {l1: {ways: 12}, shared_bytes: [1, 2]}\n",
		"extends: k20c\nname: x\nclocks:\n  core_mhz: 1000\ndram:\n  timing: {t_rc: 80}\n",
		"extends: gpu.yaml\n", "{extends: gtx980, sms: *a}", "sms: 1.5", "? [a]\n: b", "a: &a [*a]", "---\n...\n---", "%YAML 1.2", "\xff\xfe",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l := loader{config: &wiring.Config{}, at: strictyaml.Positions{}}
		err := l.make(source{name: "gpu.yaml", file: "gpu.yaml", id: "gpu.yaml"}, text, "gpu.yaml", nil)
		if err == nil {
			require.NoError(t, l.config.Validate())
			return
		}
		require.NotContains(t, err.Error(), "\n")
		var fault *workload.InputError
		require.True(t, errors.As(err, &fault), "%v", err)
	})
}

// Whatever its shape, a product of one kind of elements and accumulators takes as long for each
// multiplication, whether as a whole or by steps.
func TestTensorCoresHaveOnePeakForEachKind(t *testing.T) {
	for _, name := range Names() {
		c, err := Load(name)
		require.NoError(t, err)
		rates := map[string]float64{}
		shapes := reflect.ValueOf(c.SM.Tensor.Shapes)
		for i := range shapes.NumField() {
			timing := shapes.Field(i).Interface().(tensor.Timing)
			if timing.Interval == 0 {
				continue
			}
			size, kind, _ := strings.Cut(shapes.Type().Field(i).Tag.Get("yaml"), "-")
			s := workload.ShapeOf(size, kind)
			kind = strings.TrimSuffix(kind, "-step")
			rate := float64(s.Products()) / float64(timing.Interval)
			if rates[kind] == 0 {
				rates[kind] = rate
			}
			require.InEpsilon(t, rates[kind], rate, 1e-9, "%s: %s", name, s)
			if step := workload.ShapeOf("m8n8k4", kind+"-step"); timing.Steps > 0 {
				require.Equal(t, s.Products(), uint64(timing.Steps)*step.Products(), "%s: %s", name, s)
			}
		}
	}
}

func TestTensorCoresHaveTimesByShape(t *testing.T) {
	c, err := Load(filepath.Join(folder(t, "gpu.yaml", "extends: gtx980\nsm: {tensor: {numerics: hopper, shapes: {m16n8k16-f32: {interval: 6.4, latency: 24}}}}\n"), "gpu.yaml"))
	require.NoError(t, err)
	require.Equal(t, tensor.Timing{Interval: 6400, Latency: 24}, c.SM.Tensor.Shapes.M16N8K16F32)
	require.Equal(t, workload.Hopper, c.Streams().Numerics)
	for text, message := range map[string]string{
		"numerics: maxwell":                   `:2: sm.tensor.numerics is "maxwell"; it takes ampere, volta, turing, ada or hopper`,
		"shapes: {m16n8k16: {}}":              `:2: unknown key "m16n8k16" in sm.tensor.shapes; valid keys: m16n8k16-f32, `,
		"shapes: {m8n8k4-f64: {interval: 0}}": `:2: sm.tensor.shapes.m8n8k4-f64.interval is "0"; it takes a number of cycles, 0.001 to 1023, with at most three digits behind the point`,
		"shapes: {m8n8k4-f64: {interval: 1}}": `: sm.tensor.shapes.m8n8k4-f64.latency is 0, must be 1 to 1023`,
	} {
		file := filepath.Join(folder(t, "gpu.yaml", "extends: gtx980\nsm: {tensor: {"+text+"}}\n"), "gpu.yaml")
		_, err := Load(file)
		require.ErrorContains(t, err, file+message)
	}
}
