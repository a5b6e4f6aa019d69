// Package source makes applications from what a user writes for them:
//
//	traceg:DIR                the traces of a real program
//	profile:NAME              a built-in statistical profile
//	profile:FILE.yaml         a profile of the user's own
//
// A profile may be followed by ?arch=ARCH, which chooses among the demands of
// its kernels. Names without a source in front are kept for real kernels.
package source

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"cotenant/workload"
	"cotenant/workload/profile"
	"cotenant/workload/traceg"
)

// Options are the choices that hold for every application of a run.
type Options struct {
	// Seed of the statistical profiles.
	Seed uint64
	// Trace holds the choices in reading traces.
	Trace traceg.Options
}

// Forms lists the valid ways to write an application, for messages and help.
const Forms = "traceg:DIR, profile:NAME, profile:FILE.yaml"

// Open makes the application that spec names. A fault in a file is a
// *workload.InputError that names file and line; any other error means that
// spec is malformed or names nothing, and says what would be valid.
func Open(spec string, o Options) (*workload.App, error) {
	text, query, hasQuery := strings.Cut(spec, "?")
	kind, name, hasKind := strings.Cut(text, ":")
	switch {
	case !hasKind:
		return nil, bareName(spec, text)
	case kind != "traceg" && kind != "profile":
		return nil, fmt.Errorf("application %q: unknown source %q; valid: %s", spec, kind, Forms)
	case name == "":
		return nil, fmt.Errorf("application %q: nothing follows %s:; valid: %s", spec, kind, Forms)
	case kind == "traceg":
		// A question mark may be part of the path.
		return traceg.Open(strings.TrimPrefix(spec, "traceg:"), o.Trace)
	}
	arch, err := archOf(spec, query, hasQuery)
	if err != nil {
		return nil, err
	}
	if isFile(name) {
		return profile.Open(name, arch, o.Seed)
	}
	app, err := profile.Builtin(name, arch, o.Seed)
	if fault := (*workload.InputError)(nil); errors.As(err, &fault) {
		// A built-in file has no fault: the arch is not one of its.
		return nil, fmt.Errorf("application %q: %s", spec, fault.Msg)
	}
	if err != nil {
		return nil, fmt.Errorf("application %q: %w", spec, err)
	}
	return app, nil
}

// isFile tells the path of a profile from the name of a built-in one.
func isFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml"
}

// archOf reads the options of a profile.
func archOf(spec, query string, hasQuery bool) (string, error) {
	if !hasQuery {
		return "", nil
	}
	key, arch, _ := strings.Cut(query, "=")
	if key != "arch" || arch == "" || strings.Contains(arch, "&") {
		return "", fmt.Errorf("application %q: invalid option %q; valid: arch=ARCH, such as arch=k20c", spec, query)
	}
	return arch, nil
}

// bareName is the error of a name without a source in front.
func bareName(spec, name string) error {
	hint := ""
	if slices.Contains(profile.Names(), name) {
		hint = fmt.Sprintf("did you mean profile:%s? ", name)
	}
	return fmt.Errorf("application %q: no kernel of that name is built in; %svalid: %s", spec, hint, Forms)
}
