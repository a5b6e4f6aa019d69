package cc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compiler makes programs of the names in a folder that print what clang of the version prints.
func compiler(t *testing.T, folder, version string, names ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o700))
	for _, name := range names {
		text := "#!/bin/sh\necho 'Debian clang version " + version + "'\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700))
	}
}

// CLANG may be a path, of which only the file's name is that of a compiler.
func TestCompilerOfTheEnvironmentIsFoundByItsPath(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "clang-17", "bin")
	compiler(t, folder, "17.0.6", "clang", "clang++")
	t.Setenv("CLANG", filepath.Join(folder, "clang"))
	c, err := find()
	require.NoError(t, err)
	assert.Equal(t, clang{c: filepath.Join(folder, "clang"), cxx: filepath.Join(folder, "clang++"), version: "Debian clang version 17.0.6"}, *c)
}

func TestOpenMPNeedsItsLibrary(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\ncase $1 in -print-resource-dir) echo " + folder + ";; *) echo 'Debian clang version 17.0.6';; esac\n"
	for _, name := range []string{"clang-17", "clang++-17"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700))
	}
	t.Setenv("CLANG", filepath.Join(folder, "clang-17"))
	c, err := find()
	require.NoError(t, err)
	require.EqualError(t, c.hasOpenMP(), "-fopenmp: clang++-17 has no omp.h; install the Debian package libomp-17-dev")
}

func TestCompilersThatWillNotDoAreNamedWithTheReason(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	compiler(t, folder, "15.0.7", "clang", "clang++", "clang-18")
	compiler(t, folder, "none", "clang-3", "clang++-3")
	for own, want := range map[string]string{
		"":         "no clang of version 16 or later (clang: version 15 is too old); install the Debian package clang-16, or name one by CLANG",
		"clang-18": `CLANG=clang-18: its C++ compiler: exec: "clang++-18": executable file not found in $PATH; valid: a clang of version 16 or later, such as clang-16`,
		"clang-99": `CLANG=clang-99: exec: "clang-99": executable file not found in $PATH; valid: a clang of version 16 or later, such as clang-16`,
		"clang":    "CLANG=clang: version 15 is too old; valid: a clang of version 16 or later, such as clang-16",
		"clang-3":  `CLANG=clang-3: ` + folder + `/clang-3 --version prints "Debian clang version none", without a version; valid: a clang of version 16 or later, such as clang-16`,
	} {
		t.Setenv("CLANG", own)
		_, err := find()
		assert.EqualError(t, err, want)
	}
}
