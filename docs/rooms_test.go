package docs

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unlisted are rooms that architecture.md need not link: main, examples, tests and policies.
var unlisted = []string{"platform", "docs/", "tests", "tests/", "observe/browsertest", "cta_dispatcher/policy/"}

// architecture.md links each package of the program, so that a reader finds every room there.
func TestArchitectureLinksEveryRoom(t *testing.T) {
	linked := map[string]bool{}
	for _, m := range docLink.FindAllStringSubmatch(read(t, "architecture.md"), -1) {
		linked[path.Dir(path.Clean("docs/"+m[1]))] = true
	}
	rooms := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		file, _ := filepath.Rel(root, name)
		file = filepath.ToSlash(file)
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "/testdata/") {
			rooms[path.Dir(file)] = true
		}
		return err
	}))
	require.Contains(t, rooms, "sm/tma")
	for room := range rooms {
		if !linked[room] && !exempt(room) {
			assert.Fail(t, "architecture.md links no file of "+room)
		}
	}
}

func exempt(room string) bool {
	for _, u := range unlisted {
		if room == u || strings.HasSuffix(u, "/") && strings.HasPrefix(room, u) {
			return true
		}
	}
	return false
}
