package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"
)

// files lists the inputs and outputs of a command. Each is entered once, before the
// command runs or writes anything, and is compared with all entered before: a command
// overwrites none of its inputs, and writes nothing twice.
//
// openFiles enters the outputs that flags name (bindOutput). The methods that open inputs
// enter them.
type files struct {
	outputs, inputs []use
	standard        string // the flag that has standard output
	stderr          io.Writer
	checkAsync      bool // of the applications that are opened
}

// use is an output or input.
type use struct {
	place
	by    string // an output's flag; the role of an input
	shown string // the path as the user wrote it; "" if by says it
	// owns reports further places that belong to it; nil for none.
	owns func(place) bool
}

// openFiles enters a command's outputs. It refuses flags without a value.
func openFiles(c *cobra.Command) (*files, error) {
	if err := noneEmpty(c); err != nil {
		return nil, err
	}
	f := &files{stderr: c.ErrOrStderr()}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode().IsRegular() {
		f.outputs = append(f.outputs, use{by: "standard output", place: place{info: info}})
	}
	var err error
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if o, ok := flag.Value.(*outputFlag); ok && o.given() && err == nil {
			err = f.output("--"+flag.Name, o)
		}
	})
	if program, fault := os.Executable(); err == nil && fault == nil {
		err = f.needs(use{by: "this program", shown: program, place: find(program)})
	}
	return f, err
}

// output enters the file or folder of an output's flag.
func (f *files) output(by string, o *outputFlag) error {
	switch {
	case o.path != "-" || o.kind == keptFile || o.kind == newFolder || o.kind == keptFolder:
	case o.kind == wholeFile:
		return usagef("%s does not write to standard output; valid: the path of a file", by)
	case f.standard != "":
		return usagef("%s and %s both write to -; valid: different files", f.standard, by)
	default:
		f.standard = by
		return nil
	}
	u := use{by: by, shown: o.path, place: find(o.path)}
	switch o.kind {
	case newFolder, keptFolder:
		u.place = find(filepath.Clean(o.path))
		u.owns = func(p place) bool { return p.within(u.place) }
	case keptFile:
		// SQLite keeps these beside its file while it writes.
		var beside []place
		for _, suffix := range []string{"-journal", "-wal", "-shm"} {
			beside = append(beside, find(u.path+suffix))
		}
		u.owns = func(p place) bool {
			for _, q := range beside {
				if p.same(q) {
					return true
				}
			}
			return false
		}
	}
	return f.writes(u)
}

// writes enters an output.
func (f *files) writes(u use) error {
	for i := range f.outputs {
		if other := &f.outputs[i]; other.meets(&u) && !(other.shown == "" && u.stream) {
			return usagef("%s and %s both write to %s; valid: different files", other.by, u.by, u.shown)
		}
	}
	for i := range f.inputs {
		if err := u.spares(&f.inputs[i]); err != nil {
			return err
		}
	}
	f.outputs = append(f.outputs, u)
	return nil
}

// reads enters the files of an input.
func (f *files) reads(by string, paths ...string) error {
	for _, path := range paths {
		in := use{by: "which " + by + " reads", shown: path, place: find(path)}
		if err := f.needs(in); err != nil {
			return err
		}
	}
	return nil
}

// needs enters an input.
func (f *files) needs(in use) error {
	if in.info == nil || !in.info.Mode().IsRegular() {
		return nil // it cannot be overwritten
	}
	for i := range f.outputs {
		if err := f.outputs[i].spares(&in); err != nil {
			return err
		}
	}
	f.inputs = append(f.inputs, in)
	return nil
}

// meets reports whether two uses share a file.
func (u *use) meets(other *use) bool {
	return u.same(other.place) || u.owns != nil && u.owns(other.place) || other.owns != nil && other.owns(u.place)
}

// spares returns an error if an output would overwrite an input.
func (u *use) spares(in *use) error {
	if !u.meets(in) {
		return nil
	}
	return usagef("%s would overwrite %s, %s; valid: the path of another file", u.by, in.shown, in.by)
}

// run opens the GPUs and applications of a run.
func (f *files) run(s *experiment.Spec, cache *streamcache.Store) (*experiment.Run, error) {
	if _, err := policy.Parse(s.Policy); err != nil {
		return nil, usageError{err}
	}
	r := &experiment.Run{Spec: *s, Version: version()}
	var err error
	if r.GPU, err = f.gpu(s.GPU); err != nil {
		return nil, err
	}
	if s.IsolatedGPU != "" && s.IsolatedGPU != s.GPU {
		if r.IsolatedGPU, err = f.gpu(s.IsolatedGPU); err != nil {
			return nil, err
		}
	}
	r.Apps, err = f.apps(s.Apps, func(tenant int) source.Options {
		o := s.SourceOf(r.GPU, tenant)
		o.Cache, o.CheckAsync = cache, f.checkAsync
		return o
	})
	return r, err
}

// gpu loads a GPU by name or file.
func (f *files) gpu(ref string) (*wiring.Config, error) {
	gpu, read, err := presets.LoadWithFiles(ref)
	if err != nil {
		return nil, usageUnlessInput(err)
	}
	return gpu, f.reads("--gpu "+ref, read...)
}

// apps opens the applications of a mix, each by options of its own.
func (f *files) apps(specs []string, of func(tenant int) source.Options) ([]experiment.App, error) {
	var apps []experiment.App
	for i, spec := range specs {
		app, err := experiment.Open(spec, of(i))
		if err != nil {
			return nil, usageUnlessInput(err)
		}
		if err := f.reads(spec, app.Workload.Files...); err != nil {
			return nil, err
		}
		apps = append(apps, app)
	}
	return apps, nil
}

// cache opens the store of recordings that a flag asks for, nil for off. Only a folder
// that the flag names must exist or be makeable; other faults become a line on stderr.
func (f *files) cache(value string) (*streamcache.Store, error) {
	asked := value != ""
	if value == "off" {
		return nil, nil
	}
	if !asked {
		var err error
		if value, err = streamcache.DefaultFolder(); err != nil {
			return nil, nil
		}
	}
	u := use{by: "--cache", shown: value, place: find(filepath.Clean(value))}
	u.owns = func(p place) bool {
		here, err := os.Stat(value)
		return err == nil && p.folder != nil && os.SameFile(here, p.folder) && streamcache.Owns(filepath.Base(p.path))
	}
	if u.info == nil || u.info.IsDir() { // else it is no folder
		if err := f.writes(u); err != nil {
			return nil, err
		}
	}
	tell := func(problem string) {
		if b := lastBar.Load(); b != nil {
			b.clear()
		}
		fmt.Fprintf(f.stderr, "cache: %s\n", oneLine(problem))
	}
	store, err := streamcache.Open(value, streamcache.DefaultLimit)
	if err != nil {
		err = workload.WithoutPath(err)
		if !asked {
			tell(fmt.Sprintf("%s cannot be made a folder (%v); the run goes on without recordings", value, err))
			return nil, nil
		}
		return nil, usagef("--cache: %s cannot be made a folder: %w; valid: the path of a folder, or off", value, err)
	}
	store.Tell = tell
	store.Build = sync.OnceValues(build)
	return store, nil
}

// outputKind says what an output's flag names.
type outputKind uint8

const (
	// wholeFile appears whole or not at all.
	wholeFile outputKind = iota
	// wholeOrStandard is one too, or standard output if it is -.
	wholeOrStandard
	// keptFile is a file that the command reads and adds to: a store.
	keptFile
	// newFolder must be new or empty; the command fills it.
	newFolder
	// keptFolder is a folder that the command adds to.
	keptFolder
)

// outputFlag is a flag that names an output.
type outputFlag struct {
	kind outputKind
	path string
}

// bindOutput makes a flag for an output: a file or a folder that openFiles enters.
func bindOutput(c *cobra.Command, o *outputFlag, kind outputKind, name, usage string) {
	o.kind = kind
	c.Flags().Var(o, name, usage)
}

// Type is the placeholder that help shows, unless the usage has a better word.
func (o *outputFlag) Type() string { return "FILE" }

// String is the path.
func (o *outputFlag) String() string { return o.path }

// Set takes the path.
func (o *outputFlag) Set(path string) error {
	o.path = path
	return nil
}

// given reports whether there is such an output.
func (o *outputFlag) given() bool { return o.path != "" }

// standard reports whether it is standard output.
func (o *outputFlag) standard() bool { return o.kind == wholeOrStandard && o.path == "-" }

// open opens the output's file; nil without one.
func (o *outputFlag) open() (*outputFile, error) {
	if !o.given() || o.standard() {
		return nil, nil
	}
	if o.kind != wholeFile && o.kind != wholeOrStandard {
		panic(fmt.Sprintf("%s is not written as a whole", o.path))
	}
	return openOutput(o.path)
}
