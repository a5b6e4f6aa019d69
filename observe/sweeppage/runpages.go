package sweeppage

import (
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// mostPages bounds the examined files of a folder, headBytes the part read of each.
const (
	mostPages = 20_000
	headBytes = 1024
)

// generator is the writer of a page in its head: the word after cotenant.
var (
	generator     = regexp.MustCompile(`<meta name="generator" content="cotenant (\w+) page">`)
	configuration = regexp.MustCompile(`<meta name="cotenant-configuration" content="([0-9a-f]+)">`)
)

// Pages lists this program's pages in a folder and its subfolders, by their paths with
// slashes: of a run's page the config_hash of its result, of any other page "". It skips
// hidden folders and unreadable files.
func Pages(folder fs.FS) map[string]string {
	found, seen := map[string]string{}, 0
	_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case entry.IsDir():
			if name != "." && (strings.HasPrefix(entry.Name(), ".") || strings.Contains(name, "/")) {
				return fs.SkipDir
			}
			return nil
		case !strings.EqualFold(path.Ext(name), ".html") || !entry.Type().IsRegular():
			return nil
		}
		if seen++; seen > mostPages {
			return fs.SkipAll
		}
		if kind, hash := PageOf(folder, name); kind != "" {
			found[name] = hash
		}
		return nil
	})
	return found
}

// PageOf returns the kind of this program's pages that a file is, "" if it is none, and of
// a run's page the config_hash of its result.
func PageOf(folder fs.FS, name string) (kind, hash string) {
	if info, err := fs.Stat(folder, name); err != nil || !info.Mode().IsRegular() {
		return "", "" // a pipe would have to be waited for
	}
	file, err := folder.Open(name)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, headBytes))
	if err != nil {
		return "", ""
	}
	if found := generator.FindSubmatch(head); found != nil {
		kind = string(found[1])
	}
	if found := configuration.FindSubmatch(head); found != nil && kind == "run" {
		hash = string(found[1])
	}
	return kind, hash
}
