package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	indexRow = regexp.MustCompile(`(?m)^\| \[([\w-]+\.md)\]\(([\w-]+\.md)\) \| (.+) \|$`)
	docLink  = regexp.MustCompile(`\]\(([^)#: ]+)(#[^)]*)?\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// The index lists every page once, with the question that the page answers.
func TestIndexListsEveryPageWithItsQuestion(t *testing.T) {
	seen := map[string]int{}
	for _, m := range indexRow.FindAllStringSubmatch(read(t, "README.md"), -1) {
		assert.Equal(t, m[1], m[2])
		assert.True(t, strings.HasSuffix(m[3], "?"), "%s: %q is no question", m[1], m[3])
		seen[m[1]]++
	}
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	for _, page := range pages {
		if page != "README.md" {
			assert.Equal(t, 1, seen[page], "rows of the index for %s", page)
			delete(seen, page)
		}
	}
	assert.Empty(t, seen, "pages that do not exist")
	assert.Contains(t, read(t, "../README.md"), "](docs/README.md)")
}

// anchor is the name by which a link finds a heading.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// Links of every page and of README.md lead to files and headings that exist.
func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "../README.md") {
		text := fenced.ReplaceAllString(read(t, page), "")
		for _, m := range docLink.FindAllStringSubmatch(text, -1) {
			target := filepath.Join(filepath.Dir(page), m[1])
			if _, err := os.Stat(target); !assert.NoError(t, err, page) {
				continue
			}
			if m[2] != "" && strings.HasSuffix(target, ".md") {
				anchors(t, page, target, m[2][1:])
			}
		}
		for _, m := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(text, -1) {
			anchors(t, page, page, m[1])
		}
	}
}

// anchors asserts that a page has the heading that a link of another names.
func anchors(t *testing.T, from, page, name string) {
	t.Helper()
	var list []string
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), ""), -1) {
		list = append(list, anchor(h[1]))
	}
	assert.Contains(t, list, name, "%s links to a heading of %s", from, page)
}
