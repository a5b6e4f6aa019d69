// Package source makes applications from what a user writes for them:
//
//	NAME                      a built-in application of real kernels
//	ptx:FILE.yaml             the user's own kernels, by their launch manifest
//	traceg:DIR                the traces of a real program
//	profile:NAME              a built-in statistical profile
//	profile:FILE.yaml         a profile of the user's own
//	cuda:PROGRAM              a CUDA program that package cc has compiled
//	FILE.app.yaml             such a program with its arguments and files
//	capture:DIR               the recorded calls of such a program
//
// A profile or an application of real kernels may be followed by ?arch=ARCH,
// which prefers the demands of its kernels on that GPU to the first of each; the
// latter also by ?size=SIZE, by ?set=NAME:NUMBER,... which sets parameters of its
// launch manifest, and by ?lower=-RULE,... which switches lowering rules off, or with a +
// on, that the GPU's ISA has otherwise (sass.ParseOptions). A CUDA program may be followed by
// ?args=WORD WORD..., its arguments, ?folder=, ?files= and ?lower=, a capture or FILE.app.yaml by ?lower=. Several options are joined by &.
// Every application takes ?memory_limit=SIZE and the options of Split, too.
package source

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cotenant/options"
	"cotenant/workload"
	"cotenant/workload/emulated"
	"cotenant/workload/kernels"
	"cotenant/workload/profile"
	"cotenant/workload/programs"
	"cotenant/workload/ptx/sass"
	"cotenant/workload/streamcache"
	"cotenant/workload/traceg"
)

// Options are the choices that hold for every application of a run.
type Options struct {
	// Seed of the statistical profiles.
	Seed uint64
	// Trace holds the choices in reading traces.
	Trace traceg.Options
	// Target is what of the run's GPU shapes the streams of real kernels.
	Target workload.Target
	// Device is the run's GPU as CUDA programs see it.
	Device programs.Device
	// HostTimeout is the processor time that a CUDA program may take between two calls; 0 is
	// programs.DefaultCPUTimeout.
	HostTimeout time.Duration
	// Check says for which faults the kernels of CUDA programs are looked at.
	Check programs.Check
	// Strict makes it an error that a run of a CUDA program makes other calls than the first one, or has a fault
	// that Check finds.
	Strict bool
	// Tenant is the number of the tenant that runs the application, for messages.
	Tenant int
	// memoryLimit is the device memory that the application can have allocated at a time, in
	// bytes; 0: all of the device's.
	memoryLimit uint64
	// OutsideIsZero lets kernels of CUDA programs read zeroes next to arrays.
	OutsideIsZero bool
	// Cache replays applications of real kernels that have run before. It may
	// be nil.
	Cache *streamcache.Store
	// CheckAsync makes it an error of a kernel to read what an asynchronous copy has written
	// before the thread that copies has waited for it. There are no replays then.
	CheckAsync bool
}

// Forms lists the valid ways to write an application, for messages and help.
const Forms = "NAME, ptx:FILE.yaml, traceg:DIR, profile:NAME, profile:FILE.yaml, cuda:PROGRAM, FILE.app.yaml, capture:DIR"

// defaultSize is the input of real kernels if nothing else is asked for.
const defaultSize = "small"

// Open makes the application that spec names. A fault in a file is a
// *workload.InputError that names file and line; any other error means that
// spec is malformed or names nothing, and says what would be valid.
func Open(spec string, o Options) (*workload.App, error) {
	rest, limit, err := cutLimit(spec)
	if err != nil {
		return nil, err
	}
	o.memoryLimit = uint64(limit)
	app, err := open(rest, o)
	if err == nil {
		err = checkLimit(spec, app, limit, o)
	}
	if err != nil {
		return nil, err
	}
	return app, nil
}

// open is Open for an application without memory_limit.
func open(spec string, o Options) (*workload.App, error) {
	text, query, hasQuery := strings.Cut(spec, "?")
	kind, name, hasKind := strings.Cut(text, ":")
	switch {
	case strings.HasSuffix(text, appSuffix) && !slices.Contains([]string{"ptx", "traceg", "profile", "cuda", "capture"}, kind):
		return described(spec, text, query, hasQuery, o)
	case !hasKind && !slices.Contains(kernels.Names(), text):
		return nil, bareName(spec, text)
	case !hasKind:
		return realKernels(spec, text, query, hasQuery, o)
	case kind != "traceg" && kind != "profile" && kind != "ptx" && kind != "cuda" && kind != "capture":
		return nil, fmt.Errorf("application %q: unknown source %q; valid: %s", spec, kind, Forms)
	case name == "":
		return nil, fmt.Errorf("application %q: nothing follows %s:; valid: %s", spec, kind, Forms)
	case kind == "traceg":
		// A question mark may be part of the path.
		return traceg.Open(strings.TrimPrefix(spec, "traceg:"), o.Trace)
	case kind == "ptx":
		return realKernels(spec, name, query, hasQuery, o)
	case kind == "cuda":
		return program(spec, name, query, hasQuery, o)
	case kind == "capture":
		return capture(spec, name, query, hasQuery, o)
	}
	values := map[string]string{"arch": ""}
	if err := readOptions(spec, query, hasQuery, values); err != nil {
		return nil, err
	}
	open := profile.Builtin
	if isFile(name) {
		open = profile.Open
	}
	app, err := open(name, values["arch"], o.Seed)
	return app, unlessInput(spec, err)
}

// unlessInput puts the application before an error, unless a file is at fault.
func unlessInput(spec string, err error) error {
	if fault := (*workload.InputError)(nil); err == nil || errors.As(err, &fault) {
		return err
	}
	return fmt.Errorf("application %q: %w", spec, err)
}

// syntax is how the options of an application are written.
func syntax(spec string) options.Syntax {
	s := options.Syntax{Joint: "&", Equals: "=", Valid: usage()}
	name, _, _ := strings.Cut(spec, "?")
	switch kind, _, hasKind := strings.Cut(name, ":"); {
	case strings.HasSuffix(name, appSuffix):
		s.Valid = "lower=-RULE,..., " + s.Valid
	case kind == "profile" && hasKind:
		s.Valid = "arch=ARCH (such as k20c), " + s.Valid
	case kind == "cuda" && hasKind:
		s.Valid = programOptions + ", " + s.Valid
	case kind == "capture" && hasKind:
		s.Valid = "lower=-RULE,..., " + s.Valid
	case kind == "ptx" && hasKind, !hasKind:
		s.Valid = "size=SIZE (" + strings.Join(kernels.Sizes, ", ") + "), arch=ARCH, set=NAME:NUMBER,..., lower=-RULE,... (all, " +
			sass.RuleNames() + "), " + s.Valid
	}
	return s
}

// isFile tells the path of a profile from the name of a built-in one.
func isFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml"
}

// realKernels opens a built-in application or a user's manifest.
func realKernels(spec, name, query string, hasQuery bool, o Options) (*workload.App, error) {
	values := map[string]string{"arch": "", "size": defaultSize, "set": "", "lower": ""}
	rules, err := rulesOf(spec, query, hasQuery, values, o)
	if err != nil {
		return nil, err
	}
	var m *kernels.Manifest
	var files []string
	if strings.HasPrefix(spec, "ptx:") {
		if m, err = kernels.Load(name); err == nil {
			files = m.Files()
		}
	} else {
		m, err = kernels.Builtin(name)
	}
	if err != nil {
		return nil, err
	}
	if values["set"] != "" {
		if m, err = m.Set(values["set"]); err != nil {
			return nil, fmt.Errorf("application %q: set: %w", spec, err)
		}
	}
	if o.CheckAsync {
		m.CheckAsync()
	}
	open := func() (*workload.App, error) {
		app, err := emulated.App(m, values["size"], values["arch"], o.Target, rules)
		if err != nil && !strings.HasPrefix(spec, "ptx:") {
			// A built-in file has no fault: an option has.
			return nil, fmt.Errorf("application %q: %v", spec, err)
		}
		return app, unlessInput(spec, err)
	}
	// A replay computes nothing that could be looked at.
	if o.Cache != nil && !o.CheckAsync && len(m.Inspections()) == 0 {
		if key, err := cacheKey(o.Cache, m, values["size"]+" "+values["set"], values["arch"], o.Target, rules); err == nil { // else opening says what is wrong
			emulate := open
			open = func() (*workload.App, error) { return o.Cache.App(key, emulate) }
		}
	}
	app, err := open()
	if err != nil {
		return nil, err
	}
	app.Files = files
	return app, nil
}

// cacheKey identifies the instructions of an application of real kernels. The
// seeds of its inputs are in the manifest.
func cacheKey(cache *streamcache.Store, m *kernels.Manifest, input, arch string, target workload.Target, rules sass.Options) (streamcache.Key, error) {
	contents, err := m.Contents()
	if err != nil {
		return "", err
	}
	return cache.Key(append(contents, []byte(input), []byte(arch), fmt.Appendf(nil, "%v %v %+v", target.TextureLayout, target.Numerics, rules))...)
}

// readOptions reads what follows the question mark into values, which has the
// valid keys.
func readOptions(spec, query string, hasQuery bool, values map[string]string) error {
	if !hasQuery {
		return nil
	}
	s := syntax(spec)
	given, err := s.Parse(query)
	for _, o := range given {
		if _, known := values[o.Key]; !known {
			err = s.Invalid(s.Text(o))
			break
		}
		values[o.Key] = o.Value
	}
	return unlessInput(spec, err)
}

// bareName is the error of a name that is no built-in application.
func bareName(spec, name string) error {
	return fmt.Errorf("application %q: no application of real kernels is called %q; valid: %s, or %s", spec, name,
		strings.Join(kernels.Names(), ", "), Forms[len("NAME, "):])
}
