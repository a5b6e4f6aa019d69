package source

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"cotenant/workload/programs"
)

// appIn writes an application file, beside a program and a file that it reads.
func appIn(t *testing.T, text string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bfs"), nil, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "graph.txt"), nil, 0o600))
	file := filepath.Join(folder, "bfs.app.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestPathsOfAnApplicationFileAreRelativeToItsFolder(t *testing.T) {
	file := appIn(t, "program: ./bfs\nargs: [graph.txt, 3, two words]\nenvironment: [THREADS=4]\nreads: [graph.txt]\nhost_timeout: 5m\n")
	folder := filepath.Dir(file)
	s, err := readAppFile(file)
	require.NoError(t, err)
	require.Equal(t, programs.Spec{Program: filepath.Join(folder, "bfs"), Args: []string{"graph.txt", "3", "two words"}, Dir: folder,
		Environment: []string{"THREADS=4"}, Files: programs.PrivateFiles, Reads: []string{filepath.Join(folder, "graph.txt")}, CPUTimeout: 5 * time.Minute}, s)
	file = appIn(t, "program: bfs\nargs: graph.txt 'two words'\nfolder: /\nfiles: shared\n")
	s, err = readAppFile(file)
	require.NoError(t, err)
	require.Equal(t, programs.Spec{Program: filepath.Join(filepath.Dir(file), "bfs"), Args: []string{"graph.txt", "two words"}, Dir: "/", Files: programs.SharedFiles}, s)
}

func TestFaultyApplicationFilesNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       `: is empty; an application file starts with program`,
		"args: [3]\n":                            `:1: program is missing; it takes the path of an executable that ` + "`cotenant cc` has made",
		"program: bfs\nprograms: 3\n":            `:2: unknown key "programs" in the application; valid keys: program, args, environment, folder, reads, files, host_timeout`,
		"program: bfs\nprogram: bfs\n":           `:2: program is given twice; once is enough`,
		"program: other\n":                       `:1: program is wrong: `,
		"program: graph.txt\n":                   "graph.txt is no program; valid: an executable that `cotenant cc` has made",
		"program: bfs\nargs: {a: 1}\n":           `:2: args is a mapping; it takes a list of words, or a text that is read as by a shell`,
		"program: bfs\nargs: a 'b\n":             `:2: args is not a line of words: a quote or a backslash has no end; valid: words as a shell reads them`,
		"program: bfs\n\nenvironment: [A=1, B]":  `:3: environment[1] is "B"; it takes NAME=VALUE`,
		"program: bfs\nfolder: none\n":           `:2: folder is `,
		"program: bfs\nreads:\n- graph.txt\n- b": `:4: reads[1] is `,
		"program: bfs\nfiles: mine\n":            `:2: files is wrong: files "mine"; valid: private, shared`,
		"program: bfs\nhost_timeout: soon\n":     `:2: host_timeout is "soon"; it takes a time above 0, such as 90s or 5m`,
	} {
		file := appIn(t, text)
		_, err := readAppFile(file)
		require.ErrorContains(t, err, file, text)
		require.ErrorContains(t, err, want, text)
	}
}
