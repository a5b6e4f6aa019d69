package docs

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "cotenant/"

// floors are the rooms of the house from top to bottom: an import goes down, or stays
// in its room. A room is a folder with its subfolders; each block is a room on one
// floor.
var floors = [][]string{
	{"platform"},
	{"platform/cli"},
	{"observe"},
	{"experiment"},
	{"platform/presets"},
	{"platform/wiring"},
	{"platform/instances"},
	nil, // the blocks: every other folder
	{"platform/blocks"},
	{"sm/egress"}, // what paces packets registers there
	{"mem", "mem/cache", "mem/pages"},
	{"protocol"},
	{"metrics", "workload"},
	{"components/occupancy", "staging", "tenant"},
	{"components", "options"},
}

// blockFloor is the floor of the blocks.
var blockFloor = slices.IndexFunc(floors, func(rooms []string) bool { return rooms == nil })

// houses have blocks in folders of their own.
var houses = []string{"host", "mem"}

// room is where a package lies, and on which floor. Guides and tests are in no
// room.
func room(pkg string) (name string, floor int, ok bool) {
	if first, _, _ := strings.Cut(pkg, "/"); first == "docs" || first == "tests" {
		return "", 0, false
	}
	best, at := "", blockFloor
	for i, rooms := range floors {
		for _, r := range rooms {
			if (pkg == r || strings.HasPrefix(pkg, r+"/")) && len(r) > len(best) {
				best, at = r, i
			}
		}
	}
	parts := strings.Split(pkg, "/")
	switch {
	case slices.Contains(houses, parts[0]) && len(parts) > 1 && best != "mem/cache" && best != "mem/pages":
		return parts[0] + "/" + parts[1], blockFloor, true
	case best == "":
		return parts[0], blockFloor, true
	}
	return best, at, true
}

// toolChain is the folder of the packages that read, analyse, run and lower PTX.
const toolChain = "workload/ptx"

// Other programs can use the tool chain without the simulator: of its packages
// the tool chain imports workload alone, which imports none.
func TestPTXToolChainImportsNothingOfTheSimulator(t *testing.T) {
	own := func(pkg string) bool { return pkg == toolChain || strings.HasPrefix(pkg, toolChain+"/") }
	found := 0
	eachImport(t, func(file, from, to string) {
		switch {
		case from == "workload":
			t.Errorf("%s: package workload imports %s; it is a leaf", file, to)
		case own(from):
			found++
			if to != "workload" && !own(to) {
				t.Errorf("%s: %s imports %s; valid are workload and %s", file, from, to, toolChain)
			}
		}
	})
	require.NotZero(t, found)
}

// imported is an import of one room's package by another room's.
type imported struct{ from, to string }

// imports maps each pair of rooms with an import to a file that has it. Tests do not
// count.
func imports(t *testing.T) map[imported]string {
	list := map[imported]string{}
	eachImport(t, func(file, from, pkg string) {
		from, _, inside := room(from)
		if to, _, ok := room(pkg); inside && ok && to != from {
			list[imported{from, to}] = file
		}
	})
	return list
}

// eachImport calls each for the imports of our packages by files that are not
// tests, with the packages' paths in the module.
func eachImport(t *testing.T, each func(file, from, to string)) {
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range source.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if pkg, own := strings.CutPrefix(name, module); own {
				each(file, filepath.ToSlash(filepath.Dir(file)), pkg)
			}
		}
		return nil
	}))
}

func TestImportsGoDownAndNoBlockImportsAnother(t *testing.T) {
	for link, file := range imports(t) {
		_, from, _ := room(link.from)
		_, to, _ := room(link.to)
		switch {
		case from == blockFloor && to == blockFloor:
			t.Errorf("%s: block %s imports block %s; what they say to each other belongs into protocol", file, link.from, link.to)
		case to <= from:
			t.Errorf("%s: %s imports %s, which is not below it", file, link.from, link.to)
		}
	}
}

func TestArchitectureShowsTheImports(t *testing.T) {
	requireGenerated(t, "architecture.md", "```mermaid\n"+draw(imports(t))+"```\n")
}

// draw writes rooms and imports as a Mermaid graph. It leaves out an import that
// follows from other imports.
func draw(all map[imported]string) string {
	links := map[string][]string{}
	for link := range all {
		links[link.from] = append(links[link.from], link.to)
	}
	var out strings.Builder
	out.WriteString("graph TD\n")
	for _, from := range slices.Sorted(maps.Keys(links)) {
		targets := links[from]
		slices.Sort(targets)
		for _, to := range targets {
			if !slices.ContainsFunc(targets, func(by string) bool { return by != to && reaches(links, by, to) }) {
				fmt.Fprintf(&out, "  %s --> %s\n", node(from), node(to))
			}
		}
	}
	return out.String()
}

func reaches(links map[string][]string, from, to string) bool {
	return slices.ContainsFunc(links[from], func(next string) bool { return next == to || reaches(links, next, to) })
}

// node is a room as Mermaid writes it: blocks in round boxes.
func node(name string) string {
	id := strings.ReplaceAll(name, "/", "_")
	if _, floor, _ := room(name); floor == blockFloor {
		return id + "(" + name + ")"
	}
	return id + "[" + name + "]"
}
