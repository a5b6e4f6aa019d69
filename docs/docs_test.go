// Package docs holds the guides, and the tests that keep them true.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = ".."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// quote is a fenced block of a guide that names the file that it is from:
//
//	```go path/of/file.go    these lines are in the file
//	```diff path/of/file.go  so are the lines before the change, or those after it
//	```go path/of/file.go new    the file is not there, and this is the whole of it
type quote struct {
	kind, file, text string
	fresh            bool
}

var fence = regexp.MustCompile("(?ms)^```(\\w+) (\\S+)( new)?\n(.*?)^```$")

func quotes(guide string) (list []quote) {
	for _, m := range fence.FindAllStringSubmatch(guide, -1) {
		list = append(list, quote{m[1], m[2], m[4], m[3] != ""})
	}
	return list
}

// side is one side of a diff: all lines but those with the other side's mark.
func side(diff, otherMark string) string {
	var lines strings.Builder
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, otherMark) {
			lines.WriteString(line[1:])
		}
	}
	return lines.String()
}

// spaced has single spaces, because gofmt aligns a field with its neighbours.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestQuotedCodeIsInTheFileThatItNames(t *testing.T) {
	guides, err := filepath.Glob("*.md")
	require.NoError(t, err)
	for _, guide := range guides {
		for _, q := range quotes(read(t, guide)) {
			if q.fresh {
				require.NoFileExists(t, filepath.Join(root, q.file), guide)
				continue
			}
			file := read(t, filepath.Join(root, q.file))
			if q.kind != "diff" {
				require.Contains(t, file, q.text, "%s quotes %s", guide, q.file)
				continue
			}
			before, after := spaced(side(q.text, "+")), spaced(side(q.text, "-"))
			require.True(t, strings.Contains(spaced(file), before) || strings.Contains(spaced(file), after),
				"%s changes lines that %s has not:\n%s", guide, q.file, q.text)
		}
	}
}

func TestExamplesAreQuotedWhole(t *testing.T) {
	for guide, file := range map[string]string{
		"adding-a-block.md":   "docs/examples/throttle/throttle.go",
		"writing-a-policy.md": "cta_dispatcher/policy/fcfs/fcfs.go",
	} {
		var parts []string
		for _, q := range quotes(read(t, guide)) {
			if q.kind == "go" && q.file == file {
				parts = append(parts, q.text)
			}
		}
		require.Equal(t, read(t, filepath.Join(root, file)), strings.Join(parts, "\n"), guide)
	}
}

var (
	code = regexp.MustCompile("`([^`\n]+)`")
	// A name of the code, such as ReadReply, protocol.Packet or request_noc.latency.
	name = regexp.MustCompile(`^[A-Za-z]\w+(\.\w+)*$`)
	// A link to a file; text in square brackets that a call follows is code.
	link = regexp.MustCompile(`\]\(([^)#: ]+)\)`)
	word = regexp.MustCompile(`[A-Za-z]\w*`)
)

// What a guide names in code letters must exist: files, and every part of a
// name somewhere in the code or the presets.
func TestNamesAndFilesInTheGuidesExist(t *testing.T) {
	words := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || entry.IsDir() || ext != ".go" && ext != ".yaml" {
			return err
		}
		for _, w := range word.FindAllString(read(t, path), -1) {
			words[w] = true
		}
		return nil
	}))
	for _, guide := range []string{"architecture.md", "adding-a-block.md", "writing-a-policy.md"} {
		text := read(t, guide)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			require.FileExists(t, m[1], guide)
		}
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			switch span := m[1]; {
			case strings.Contains(span, "/") && !strings.ContainsAny(span, " *"):
				_, err := os.Stat(filepath.Join(root, span))
				require.NoError(t, err, guide)
			case name.MatchString(span) && filepath.Ext(span) != ".go":
				for _, part := range strings.Split(span, ".") {
					require.True(t, words[part], "%s: %s is not in the code", guide, span)
				}
			}
		}
	}
}
