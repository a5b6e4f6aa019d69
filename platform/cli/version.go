package cli

import (
	"runtime/debug"
	"strings"
)

// release is the number of the program's version.
const release = "0.1.0"

// version is the release with the commit that the program was built from, as 0.1.0+COMMIT,
// and .changes behind it if files differed from that; 0.1.0+unknown where the build does
// not know, as of go run. It is the same in every run of one program.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

// versionOf is the version of a program by what its build has noted, which may be nil.
func versionOf(info *debug.BuildInfo) string {
	if info == nil {
		return release + "+unknown"
	}
	commit, changes := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = ".changes"
		}
	}
	switch module := info.Main.Version; {
	case commit != "":
		return release + "+" + commit + changes
	case module != "" && module != "(devel)": // as of go install MODULE@VERSION
		return strings.TrimPrefix(module, "v")
	}
	return release + "+unknown"
}
