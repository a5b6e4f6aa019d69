package docs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// limit is the number of occurrences of each word family that 10,000 words of a
// top-level folder may hold.
const limit = 2

// families are words that replace a noun, so that the reader must look for it.
// The cure is to repeat the noun.
var families = []struct {
	name string
	word *regexp.Regexp
}{
	{"those that", regexp.MustCompile(`(?i)\bthose\s+(that|which|of|with|in|who|whose)\b`)},
	{"one that", regexp.MustCompile(`(?i)\bone\s+(that|which|of)\b`)},
	{"whose", regexp.MustCompile(`(?i)\bwhose\b`)},
	{"others", regexp.MustCompile(`(?i)\bothers\b`)},
	{"nobody", regexp.MustCompile(`(?i)\b(nobody|somebody|whoever)\b`)},
	{"so many", regexp.MustCompile(`(?i)\bso\s+many\b`)},
}

// passage is connected prose: a comment, a message or another text of the program, or a
// Markdown document without its fenced blocks. Line ends are kept.
type passage struct {
	file    string
	line    int // of its first character
	prose   string
	message bool // a string of the program, where "one of" and a list are the common form
}

// found is an occurrence of a word family.
type found struct {
	family   string
	file     string
	line     int
	sentence string
}

func (p passage) find() (list []found) {
	for _, f := range families {
		for _, at := range f.word.FindAllStringIndex(p.prose, -1) {
			if p.message && strings.EqualFold(p.prose[at[0]:at[1]], "one of") {
				continue
			}
			line := p.line + strings.Count(p.prose[:at[0]], "\n")
			list = append(list, found{f.name, p.file, line, sentence(p.prose, at[0], at[1])})
		}
	}
	return list
}

var (
	words       = regexp.MustCompile(`[A-Za-z']+`)
	sentenceEnd = regexp.MustCompile(`[.?!:]\s|\n\s*\n|\|`)
)

// sentence is the sentence around a part of prose, on one line.
func sentence(prose string, start, end int) string {
	first, last := 0, len(prose)
	for _, at := range sentenceEnd.FindAllStringIndex(prose, -1) {
		if at[1] <= start {
			first = at[1]
		} else if at[0] >= end {
			last = at[0]
			break
		}
	}
	return strings.Join(strings.Fields(prose[first:last]), " ")
}

// leastSpaces is the number of spaces from which a string is prose: help, a message, a text of
// a page.
const leastSpaces = 3

// texts are the passages of a Go file: its comments, and outside of tests its strings.
func texts(name string, source []byte) (list []passage, err error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range tree.Comments {
		var prose strings.Builder
		for _, c := range group.List {
			prose.WriteString(strings.Trim(c.Text, "/*") + "\n")
		}
		list = append(list, passage{file: name, line: files.Position(group.Pos()).Line, prose: prose.String()})
	}
	if strings.HasSuffix(name, "_test.go") {
		return list, nil
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, fault := strconv.Unquote(literal.Value)
		if fault == nil && strings.Count(text, " ") >= leastSpaces && !strings.Contains(text, "<script") {
			list = append(list, passage{name, files.Position(literal.Pos()).Line, text, true})
		}
		return true
	})
	return list, nil
}

var fenced = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```$")

// markdown is the passage of a document. Fenced blocks leave empty lines.
func markdown(name, text string) passage {
	prose := fenced.ReplaceAllStringFunc(text, func(block string) string { return strings.Repeat("\n", strings.Count(block, "\n")) })
	return passage{file: name, line: 1, prose: prose}
}

// passages are all prose of the tree, by top-level folder. Files beside the
// folders are under ".".
func passages(t *testing.T) map[string][]passage {
	all := map[string][]passage{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(entry.Name(), ".") && path != root; hidden && entry.IsDir() {
			return filepath.SkipDir
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		folder, _, inFolder := strings.Cut(file, "/")
		if !inFolder {
			folder = "."
		}
		switch filepath.Ext(file) {
		case ".go":
			list, err := texts(file, []byte(read(t, path)))
			all[folder] = append(all[folder], list...)
			return err
		case ".md":
			all[folder] = append(all[folder], markdown(file, read(t, path)))
		}
		return nil
	}))
	return all
}

// never are phrases that no text holds: they hide a subject or praise, or tell history.
var never = regexp.MustCompile(`(?i)\bthat which\b|\bfound and left\b|\bmean of alone over shared\b|\bin some epochs\b|` +
	`\bwhat (its|their) parts do not share\b|\bwhat becomes of\b|\b(honest|honestly|seamless|blazing|cutting-edge|state-of-the-art)\b|` +
	`\bthen called\b|\bwhich it takes since\b|\bbuilds in which\b|\bused to (be|have)\b|\bformerly\b`)

func TestProseHoldsNoneOfTheSentencesThatMustNotBe(t *testing.T) {
	for _, list := range passages(t) {
		for _, p := range list {
			if p.file == "docs/voice_test.go" {
				continue
			}
			for _, at := range never.FindAllStringIndex(p.prose, -1) {
				t.Errorf("%s:%d: %s", p.file, p.line+strings.Count(p.prose[:at[0]], "\n"), sentence(p.prose, at[0], at[1]))
			}
		}
	}
}

// begins is how a package comment begins: a verb says what the package does.
var begins = regexp.MustCompile(`^\s*Package (\w+) (\w+)`)

func TestProseOfPackagesBeginsWithAVerb(t *testing.T) {
	for _, list := range passages(t) {
		for _, p := range list {
			if m := begins.FindStringSubmatch(p.prose); m != nil && strings.HasSuffix(p.file, ".go") && !strings.HasSuffix(p.file, "_test.go") {
				if m[2] == "is" || !strings.HasSuffix(m[2], "s") {
					t.Errorf("%s:%d: %q; say what the package does", p.file, p.line, strings.TrimSpace(m[0]))
				}
			}
		}
	}
}

// TestProseRepeatsTheNoun lists what exceeds a folder's limit.
func TestProseRepeatsTheNoun(t *testing.T) {
	all := passages(t)
	for _, folder := range slices.Sorted(maps.Keys(all)) {
		count, byFamily := 0, map[string][]found{}
		for _, p := range all[folder] {
			count += len(words.FindAllString(p.prose, -1))
			for _, f := range p.find() {
				byFamily[f.family] = append(byFamily[f.family], f)
			}
		}
		for _, family := range slices.Sorted(maps.Keys(byFamily)) {
			list := byFamily[family]
			if len(list) > allowed(limit, count) {
				t.Errorf("%s: %q stands %.1f times in 10,000 words, limit %d:\n%s", folder, family, density(len(list), count), limit, lines(list))
			}
		}
	}
}

func density(occurrences, words int) float64 { return 10_000 * float64(occurrences) / float64(words) }

// allowed is the number of occurrences for a limit, rounded up: a short text may
// hold one.
func allowed(limit, words int) int { return (limit*words + 9_999) / 10_000 }

func lines(list []found) string {
	var out strings.Builder
	for _, f := range list {
		fmt.Fprintf(&out, "  %s:%d: %s\n", f.file, f.line, f.sentence)
	}
	return out.String()
}

func TestVoiceCountsBothOccurrencesWithLineAndSentence(t *testing.T) {
	source := []byte("package p\n\n// A warp waits. Those\n// that wait sleep; so do the others.\nvar whose = `others` // A short string is not prose.\nvar m = \"nobody knows kernel %s\"\nvar n = \"valid: one of them\"\n")
	list, err := texts("p.go", source)
	require.NoError(t, err)
	var all []found
	for _, p := range list {
		all = append(all, p.find()...)
	}
	const line = "Those that wait sleep; so do the others"
	require.Equal(t, []found{{"those that", "p.go", 3, line}, {"others", "p.go", 4, line}, {"nobody", "p.go", 6, "nobody knows kernel %s"}}, all)
}

func TestVoiceReadsMarkdownButNotItsCode(t *testing.T) {
	text := bytes.Join([][]byte{[]byte("A text."), []byte("```go"), []byte("// whose"), []byte("```"), []byte("Two units, one"), []byte("of which sleeps. The end.")}, []byte("\n"))
	require.Equal(t, []found{{"one that", "a.md", 5, "Two units, one of which sleeps"}}, markdown("a.md", string(text)).find())
}

func TestVoiceEveryFamilyIsFound(t *testing.T) {
	for text, family := range map[string]string{
		"those with": "those that", "one which": "one that", "Whose": "whose", "Others": "others", "somebody": "nobody", "so many": "so many",
	} {
		list := passage{prose: text}.find()
		require.Len(t, list, 1, text)
		require.Equal(t, family, list[0].family)
	}
	require.Empty(t, passage{prose: "the other one, or another; these and this one"}.find())
}

func TestVoiceLimitIsADensity(t *testing.T) {
	require.Equal(t, 2, allowed(2, 10_000))
	require.Equal(t, 3, allowed(2, 10_001))
	require.Equal(t, 1, allowed(2, 100))
	require.Zero(t, allowed(2, 0))
}
