package source

import (
	"strings"

	"cotenant/workload/kernels"
	"cotenant/workload/traceg"
)

// Files lists the files whose contents determine, beside spec itself, the
// application that Open makes of it; none for a built-in one. Spec is one that
// Open takes.
func Files(spec string) ([]string, error) {
	if path, ok := strings.CutPrefix(spec, "traceg:"); ok {
		return traceg.Files(path)
	}
	text, _, _ := strings.Cut(spec, "?")
	kind, name, _ := strings.Cut(text, ":")
	switch {
	case kind == "ptx":
		return kernels.Files(name)
	case kind == "profile" && isFile(name):
		return []string{name}, nil
	}
	return nil, nil
}
