package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inputs writes one input of every kind, in a folder of its own.
func inputs(t testing.TB) (folder string) {
	t.Helper()
	folder = t.TempDir()
	trace := filepath.Join(folder, "trace")
	got := cotenant(t, "trace", "export", "--app", "sgemm?size=tiny", "--out", trace, "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	require.NoError(t, os.WriteFile(filepath.Join(trace, "kernel-1.registers"), nil, 0o600))
	for name, text := range map[string]string{
		"gpu.yaml": "extends: base.yaml\n", "base.yaml": smallGPU, "profile.yaml": smallApp, "scale.yaml": scaleManifest,
		"scale.ptx": ".version 6.0\n.target sm_52\n.address_size 64\n.visible .entry scale(.param .u64 p) { ret; }\n",
		"data.raw":  "0123",
		"page.html": `<head><meta name="generator" content="cotenant run page"><meta name="cotenant-configuration" content="0123">`,
		"m.yaml": strings.ReplaceAll("gpus: [DIR/gpu.yaml]\npolicies: [fcfs]\nmixes: [{apps: ['ptx:DIR/scale.yaml', 'profile:DIR/profile.yaml', 'traceg:DIR/trace']}]\ncycles: [1k]\n",
			"DIR", folder),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

const scaleManifest = `name: scale
ptx: scale.ptx
arrays:
  - {name: data, type: f32, file: data.raw}
kernels:
  - {name: scale, block: [32]}
steps:
  - launch: {kernel: scale, grid: [1], args: [data]}
`

// readers has, for every command with outputs, a command line in a folder of inputs, the
// inputs that it reads, and what follows its flags.
func readers(t *testing.T, folder string) map[string]struct{ args, reads, last []string } {
	program, err := os.Executable() // any will do
	require.NoError(t, err)
	path := func(name string) string { return filepath.Join(folder, name) }
	trace := []string{"trace/kernelslist.g", "trace/kernel-1.traceg", "trace/kernel-1.registers"}
	scale := []string{"scale.yaml", "scale.ptx", "data.raw"}
	return map[string]struct{ args, reads, last []string }{
		"cotenant run": {[]string{"--gpu", path("gpu.yaml"), "--app", "ptx:" + path("scale.yaml"), "--app", "profile:" + path("profile.yaml"), "--app", "traceg:" + path("trace"), "--cycles", "1k"},
			slices.Concat([]string{"gpu.yaml", "base.yaml", "profile.yaml"}, scale, trace), nil},
		"cotenant sweep": {[]string{path("m.yaml")},
			slices.Concat([]string{"m.yaml", "gpu.yaml", "base.yaml", "profile.yaml"}, scale, trace), nil},
		"cotenant exec":              {[]string{"--gpu", path("gpu.yaml")}, []string{"gpu.yaml", "base.yaml"}, []string{program}},
		"cotenant report workloads":  {[]string{"--gpu", path("gpu.yaml"), "--size", "tiny"}, []string{"gpu.yaml", "base.yaml"}, nil},
		"cotenant report area":       {[]string{"--gpu", path("gpu.yaml")}, []string{"gpu.yaml", "base.yaml"}, nil},
		"cotenant report validation": {[]string{"--gpu", path("gpu.yaml")}, []string{"gpu.yaml", "base.yaml"}, nil},
		"cotenant report sweep":      {[]string{path("data.raw"), "--pages", folder}, []string{"data.raw", "page.html"}, nil},
		"cotenant report compare":    {[]string{path("data.raw"), path("scale.ptx")}, []string{"data.raw", "scale.ptx"}, nil},
		"cotenant report results":    {[]string{path("data.raw"), "--date", "2026-11-24"}, []string{"data.raw"}, nil},
		"cotenant fit":               {[]string{path("data.raw")}, []string{"data.raw"}, nil},
		"cotenant query":             {[]string{path("data.raw")}, []string{"data.raw"}, nil},
		"cotenant trace capture":     {nil, nil, []string{program}},
		"cotenant trace info":        {[]string{path("trace")}, trace, nil},
		"cotenant trace export":      {[]string{"--app", "ptx:" + path("scale.yaml")}, scale, nil},
		"cotenant reproduce":         {[]string{"smk-table2", "--quick"}, nil, nil}, // it takes what is built in
	}
}

// outputFlags are the flags of all commands that name what is written.
func outputFlags() map[*cobra.Command][]string {
	found := map[*cobra.Command][]string{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if _, ok := f.Value.(*outputFlag); ok {
				found[c] = append(found[c], f.Name)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	return found
}

// A flag that is added is tested without a word here; a command that is added
// says in readers what it reads.
func TestNoOutputOverwritesAnInput(t *testing.T) {
	folder := inputs(t)
	commands := readers(t, folder)
	for c, flags := range outputFlags() {
		reader, ok := commands[c.CommandPath()]
		require.True(t, ok, "%s writes something: what does it read?", c.CommandPath())
		for _, flag := range flags {
			for _, name := range reader.reads {
				path := filepath.Join(folder, name)
				before := read(t, path)
				link := filepath.Join(t.TempDir(), "link.yaml")
				if flag == "hot" || flag == "power" { // which knows its form by the ending
					link = filepath.Join(t.TempDir(), "link.csv")
				}
				require.NoError(t, os.Symlink(path, link))
				args := slices.Concat(strings.Fields(c.CommandPath())[1:], reader.args, []string{"--" + flag, link})
				if flag == "into" {
					require.NoError(t, os.WriteFile(path, []byte(before+"\n# "+beginTables+"\n# "+endTables+"\n"), 0o600))
					before = read(t, path)
				}
				if flag == "spool" { // of executors that are not local
					args = append(args, "--executor", "slurm")
				}
				got := cotenant(t, append(args, reader.last...)...)
				assert.Equal(t, exitUsage, got.status, "%v: %s", args, got.stderr)
				assert.Contains(t, got.stderr, "--"+flag+" would overwrite ", args)
				assert.Equal(t, before, read(t, path), args)
			}
		}
	}
}

// Otherwise the test above would not see it.
func TestEveryFlagForAFileIsAnOutput(t *testing.T) {
	inputs := []string{"cache", "gpu", "pages", "programs"}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			word, _ := pflag.UnquoteUsage(f)
			if _, ok := f.Value.(*outputFlag); ok || slices.Contains(inputs, f.Name) {
				return
			}
			assert.NotContains(t, []string{"FILE", "DIR", "PATH", "FOLDER"}, word, "%s --%s: use bindOutput", c.CommandPath(), f.Name)
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
}

// A file that is opened or made elsewhere is in no command's list, so nothing checks it.
func TestFilesAreOpenedAndMadeInFewPlaces(t *testing.T) {
	calls := regexp.MustCompile(`os\.(Create|CreateTemp|OpenFile|WriteFile|Rename|Mkdir\w*|Truncate|Open|ReadFile|ReadDir)\(|staging\.(File|Folder)\(|openOutput\(|presets\.Load\w*\(|experiment\.Open\(`)
	allowed := map[string]string{ // and why
		"platform/cli/files.go":           "the files of commands",
		"platform/cli/outfile.go":         "outputs, by the flags in files.go",
		"platform/cli/batch.go":           "GPUs of a plan, entered with its applications",
		"platform/cli/report.go":          "the document that --into changes",
		"platform/cli/list.go":            "presets, and no output",
		"platform/cli/list_kernels.go":    "a GPU and profiles, and no output",
		"platform/cli/netlist.go":         "a GPU, and no output",
		"platform/cli/fit.go":             "the report that it has entered",
		"platform/cli/report_results.go":  "reports, which it copies into the folder of --data",
		"observe/hotlines/sources.go":     "sources that line tables name, to show their text",
		"platform/presets/load.go":        "files that LoadWithFiles lists",
		"experiment/run.go":               "an application, which lists its files",
		"experiment/sweep/inputs.go":      "the same",
		"experiment/reproduce/samples.go": "applications of a run that has been entered",
		"experiment/spool/":               "the folder of --spool",
		"staging/":                        "whatever is staged",
		"workload/kernels/":               "files that a manifest lists",
		"workload/strictyaml/":            "files that those who have them read list",
		"workload/programs/":              "files of the compiler in folders of its own, and the processor time of a program",
		"workload/traceg/":                "files that a trace lists, and those of trace export",
		"workload/export/":                "the folder of trace export --out",
		"workload/file.go":                "reads what others name",
		"platform/cli/dump.go":            "enters the files of dump steps; the others are in the folder of --dump-arrays",
		"workload/streamcache/":           "the folder of --cache",
		"docs/":                           "examples, no part of the program",
		"observe/browsertest/":            "tests, no part of the program",
	}
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		name = filepath.ToSlash(name)
		for place := range allowed {
			if name == place || strings.HasSuffix(place, "/") && strings.HasPrefix(name, place) {
				return nil
			}
		}
		for i, line := range strings.Split(read(t, path), "\n") {
			assert.False(t, calls.MatchString(line), "%s:%d: %s", name, i+1, strings.TrimSpace(line))
		}
		return nil
	}))
}

func TestTwoPathsOfOneFileAreOneOutput(t *testing.T) {
	app := "profile:" + file(t, "small.yaml", smallApp)
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.Mkdir(path("real"), 0o700))
	require.NoError(t, os.Symlink("real", path("linked")))
	require.NoError(t, os.Symlink(filepath.Join("real", "new.json"), path("dangling")))
	require.NoError(t, os.WriteFile(path("old.json"), []byte("old"), 0o600))
	require.NoError(t, os.Link(path("old.json"), path("other.json")))
	for _, pair := range [][2]string{
		{"real/new.json", "linked/new.json"},
		{"real/new.json", "dangling"},
		{"linked/new.json", "real/../dangling"},
		{"old.json", "other.json"},
	} {
		got := cotenant(t, "run", "--app", app, "--cycles", "1k", "--json", path(pair[0]), "--csv", path(pair[1]))
		assert.Equal(t, exitUsage, got.status, pair)
		assert.Equal(t, "cotenant: --json and --csv both write to "+path(pair[1])+"; valid: different files\n", got.stderr)
	}
	assertEmptyFolder(t, path("real"))
	assert.Equal(t, "old", read(t, path("old.json")))
}

func TestStoreIsNoOtherFile(t *testing.T) {
	matrix := sweepFiles(t)
	store := matrix + ".sqlite"
	for _, csv := range []string{store, store + "-journal"} {
		got := sweepTo(t, matrix, "--dry-run", "--csv", csv)
		assert.Equal(t, exitUsage, got.status, got.stderr)
		assert.Contains(t, got.stderr, "both write to")
	}
	got := cotenant(t, "sweep", matrix, "--store", matrix)
	assert.Equal(t, exitUsage, got.status, got.stderr)
	assert.Contains(t, got.stderr, "--store would overwrite "+matrix)
}

func TestOutputIsNoRecording(t *testing.T) {
	cache := t.TempDir()
	args := func(name string) []string {
		return []string{"run", "--app", "stencil?size=tiny", "--cycles", "100", "--cache", cache, "--json", filepath.Join(cache, name)}
	}
	got := cotenant(t, args("abc.streams")...)
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "both write to "+cache)
	assertEmptyFolder(t, cache)
	got = cotenant(t, args("abc.json")...)
	assert.Equal(t, 0, got.status, got.stderr)
}

func TestNullDeviceAndPipesMayBeOutputs(t *testing.T) {
	app := "profile:" + file(t, "small.yaml", smallApp)
	c := newChild(t, "run", "--app", app, "--cycles", "1k", "--json", os.DevNull, "--csv", os.DevNull, "--html", os.DevNull)
	c.start(t)
	assert.Equal(t, 0, c.status(t), c.stderr.String())

	c = newChild(t, "run", "--app", app, "--cycles", "1k", "--json", "/dev/stdout")
	c.start(t)
	require.Equal(t, 0, c.status(t), c.stderr.String())
	assert.Regexp(t, `(?s)^\{.*"schema".*\}\n┌.*┘\n$`, c.stdout.String(), "the result and then the table")

	c = newChild(t, "run", "--app", app, "--cycles", "1k", "--json", "/dev/stdout", "--csv", "/dev/fd/1")
	c.start(t)
	assert.Equal(t, exitUsage, c.status(t), c.stderr.String())
}

func TestStandardOutputInAFileIsAnOutputToo(t *testing.T) {
	app := "profile:" + file(t, "small.yaml", smallApp)
	path := filepath.Join(t.TempDir(), "out")
	run := func(output string) (int, string) {
		out, err := os.Create(path)
		require.NoError(t, err)
		defer out.Close()
		c := newChild(t, "run", "--app", app, "--cycles", "1k", "--json", output)
		c.Stdout = out
		c.start(t)
		return c.status(t), c.stderr.String()
	}
	status, complaint := run(path)
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, complaint, "standard output and --json both write to "+path)
	status, complaint = run("/dev/stdout")
	assert.Equal(t, 0, status, complaint)
	assert.Regexp(t, `(?s)^\{.*"schema".*\}\n┌.*┘\n$`, read(t, path), "one does not lie over the other")
}
