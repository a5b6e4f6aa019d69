package ptx_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
	emulator "cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/sass"
)

// TestSurvey reads public files of PTX, compiles and lowers each of their kernels, and compares what is
// refused with testdata/survey.txt. Lines of that file are repository, commit, path and, if the file
// is refused, why; a path of JSON lines has the number of a line behind it. The contents are not
// here: SURVEY names a folder that has the repositories as OWNER+NAME/repo, and SURVEY_UPDATE=1 rewrites
// the list.
func TestSurvey(t *testing.T) {
	folder := os.Getenv("SURVEY")
	if folder == "" {
		t.Skip("SURVEY names no folder of repositories")
	}
	text, err := os.ReadFile("testdata/survey.txt")
	require.NoError(t, err)
	var list strings.Builder
	files, kernels, acceptedFiles, acceptedKernels := map[string]int{}, 0, map[string]int{}, 0
	for line := range strings.Lines(string(text)) {
		repository, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		commit, rest, _ := strings.Cut(rest, " ")
		path, want, _ := strings.Cut(rest, "\t")
		content, err := published(filepath.Join(folder, strings.Replace(repository, "/", "+", 1), "repo"), commit, path)
		if err != nil {
			t.Errorf("%s %s: %v", repository, path, err)
			continue
		}
		all, refused, reason := acceptance(content)
		files[repository]++
		kernels += all
		acceptedKernels += all - refused
		if reason == "" {
			acceptedFiles[repository]++
		}
		if reason != want && os.Getenv("SURVEY_UPDATE") == "" {
			t.Errorf("%s %s: refused for %q, expected %q", repository, path, reason, want)
		}
		fmt.Fprintf(&list, "%s %s %s", repository, commit, path)
		if reason != "" {
			fmt.Fprintf(&list, "\t%s", reason)
		}
		list.WriteString("\n")
	}
	sum, accepted := 0, 0
	for _, r := range slices.Sorted(maps.Keys(files)) {
		t.Logf("%-40s %3d of %3d files", r, acceptedFiles[r], files[r])
		sum, accepted = sum+files[r], accepted+acceptedFiles[r]
	}
	t.Logf("%d of %d files, %d of %d kernels", accepted, sum, acceptedKernels, kernels)
	if os.Getenv("SURVEY_UPDATE") != "" {
		require.NoError(t, os.WriteFile("testdata/survey.txt", []byte(list.String()), 0o644))
	}
}

// acceptance counts the kernels of a file, and the refused ones, and says why the first is refused.
func acceptance(content string) (kernels, refused int, reason string) {
	m, err := ptx.Parse("f.ptx", []byte(content))
	if err != nil {
		return 0, 0, plainReason(err)
	}
	for _, f := range m.Funcs {
		if !f.Entry {
			continue
		}
		kernels++
		_, err := emulator.Compile(m, f.Name)
		if err == nil {
			sass.Lower(f, sass.Options{})
			continue
		}
		if refused++; reason == "" {
			reason = plainReason(err)
		}
	}
	return kernels, refused, reason
}

// plainReason is an error without its place and without the instruction's operands.
func plainReason(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ")
	if _, after, ok := strings.Cut(text, "\": "); ok && strings.HasPrefix(text, "instruction ") {
		op, _, _ := strings.Cut(strings.TrimPrefix(text, "instruction \""), " ")
		text = op + ": " + after
	}
	return strings.ReplaceAll(text, "\t", " ")
}

// published is the PTX at a path of a commit, or within a line of JSON of the file there.
func published(repository, commit, path string) (string, error) {
	path, number, inside := strings.Cut(path, "#")
	data, err := exec.Command("git", "-C", repository, "cat-file", "blob", commit+":"+path).Output()
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return "", err
		}
		if data, err = io.ReadAll(z); err != nil {
			return "", err
		}
	}
	if !inside {
		return string(data), nil
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", err
	}
	var value any
	if err := json.Unmarshal(bytes.Split(data, []byte("\n"))[n-1], &value); err != nil {
		return "", err
	}
	if text := ptxIn(value); text != "" {
		return text, nil
	}
	return "", fmt.Errorf("line %d has no PTX", n)
}

// ptxIn is the first text of a JSON value that is PTX.
func ptxIn(value any) string {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, ".version") && strings.Contains(v, ".entry") && strings.Contains(v, ".target sm_") {
			return v
		}
	case []any:
		for _, x := range v {
			if text := ptxIn(x); text != "" {
				return text
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if text := ptxIn(v[k]); text != "" {
				return text
			}
		}
	}
	return ""
}
