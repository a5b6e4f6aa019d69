package reproduce

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"cotenant/workload/strictyaml"
)

//go:embed figures/*.yaml papers/*.yaml
var embedded embed.FS

// embeddedFigures are those of the program.
var embeddedFigures = sync.OnceValues(func() ([]*figure, error) { return load(embedded) })

var format = strictyaml.List("a figure", "the figure", "paper and about")

// load reads all figures of a file system: figures/NAME.yaml, and the papers that they name
// in papers. The error names file and line.
func load(files fs.FS) (list []*figure, err error) {
	papers := map[string]*paper{}
	paths, err := fs.Glob(files, "papers/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range paths {
		p := &paper{at: strictyaml.Positions{}}
		if err := decode(files, file, p, p.at); err != nil {
			return nil, err
		}
		papers[stem(file)] = p
	}
	if paths, err = fs.Glob(files, "figures/*.yaml"); err != nil {
		return nil, err
	}
	for _, file := range paths {
		f := &figure{name: stem(file), at: strictyaml.Positions{}}
		if err := decode(files, file, f, f.at); err != nil {
			return nil, err
		}
		if f.paper = papers[f.Paper]; f.paper == nil {
			return nil, f.unknown("paper", "paper", f.Paper, slices.Collect(maps.Keys(papers)))
		}
		if err := f.complete(); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func stem(file string) string { return strings.TrimSuffix(path.Base(file), ".yaml") }

func decode(files fs.FS, file string, out any, at strictyaml.Positions) error {
	data, err := fs.ReadFile(files, file)
	if err != nil {
		return err
	}
	doc, err := format.Parse(file, data)
	if err != nil {
		return err
	}
	return doc.Decode(out, at)
}

// unknown is the error on a name that is not known, at a path of the figure's file.
func (f *figure) unknown(at, what, name string, valid []string) error {
	slices.Sort(valid)
	valid = slices.DeleteFunc(slices.Compact(valid), func(name string) bool { return name == "" })
	return f.at.Nearest(at).Errorf("unknown %s %q; valid: %s", what, name, strings.Join(valid, ", "))
}

// complete takes from the paper what the figure does not say, and checks all names, and
// that every published value has its row.
func (f *figure) complete() error {
	own, common := &f.Setting, &f.paper.Setting
	for _, text := range []struct{ own, common *string }{{&own.GPU, &common.GPU}, {&own.Machine, &common.Machine}, {&own.Isolated, &common.Isolated},
		{&own.Pages, &common.Pages}, {&own.Size, &common.Size}} {
		if *text.own == "" {
			*text.own = *text.common
		}
	}
	if own.Cycles == (cycles{}) {
		own.Cycles = common.Cycles
	}
	if own.Until == (scaled{}) {
		own.Until = common.Until
	}
	for _, n := range f.paper.Notes {
		f.Notes = strings.ReplaceAll(f.Notes, "{"+n.Name+"}", n.Text)
	}
	if i := strings.Index(f.Notes, "{"); i >= 0 {
		var valid []string
		for _, n := range f.paper.Notes {
			valid = append(valid, n.Name)
		}
		name, _, _ := strings.Cut(f.Notes[i+1:], "}")
		return f.unknown("notes", "note", name, valid)
	}
	for i := range own.Groups {
		if err := f.checkGroup(fmt.Sprintf("groups[%d]", i), &own.Groups[i]); err != nil {
			return err
		}
	}
	for i := range own.Ways {
		if err := f.checkWay(fmt.Sprintf("ways[%d]", i), &own.Ways[i]); err != nil {
			return err
		}
	}
	for i := range f.Rows {
		if err := f.checkRows(fmt.Sprintf("rows[%d]", i), &f.Rows[i]); err != nil {
			return err
		}
	}
	return f.checkPublished()
}

// checkName returns an error if a name, unless it is "", is not among the valid ones.
func (f *figure) checkName(at, what, name string, valid []string) error {
	if name == "" || slices.Contains(valid, name) {
		return nil
	}
	return f.unknown(at, what, name, valid)
}

func (f *figure) checkNames(at, what string, list names, valid []string) error {
	for i, name := range list {
		if err := f.checkName(fmt.Sprintf("%s[%d]", at, i), what, name, valid); err != nil {
			return err
		}
	}
	return nil
}

// keysOf lists the names of a map.
func keysOf[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

func (f *figure) checkGroup(at string, g *groupOfMixes) error {
	_, groups := f.groupOf("")
	_, apps := f.application("")
	for i, mix := range g.Mixes {
		if err := f.checkNames(fmt.Sprintf("%s.mixes[%d]", at, i), "application", mix, apps); err != nil {
			return err
		}
	}
	var classes []string
	for _, name := range apps {
		a, _ := f.application(name)
		classes = append(classes, a.Class...)
	}
	for _, c := range []struct {
		key string
		of  names
	}{{"alone", g.Alone}, {"pairs", g.Pairs}, {"cross", g.Cross}, {"down", g.Down}, {"classes", g.Classes}} {
		if err := f.checkNames(at+"."+c.key, "class", c.of, classes); err != nil {
			return err
		}
	}
	if err := f.checkNames(at+".of", "group", g.Of, groups); err != nil {
		return err
	}
	if err := f.checkName(at+".first", "application", g.First, apps); err != nil {
		return err
	}
	return f.checkName(at+".set", "set", g.Set, keysOf(sets))
}

func (f *figure) checkWay(at string, w *way) error {
	_, ways := f.way("")
	_, machines := f.machine("")
	for _, n := range []struct {
		key, what, name string
		valid           []string
	}{{"machine", "machine", w.Machine, machines}, {"like", "way", w.Like, ways}, {"policies", "list of policies", w.Policies, keysOf(searches)},
		{"best", "measure", w.Best, keysOf(bests)}, {"only", "scale", w.Only, []string{"quick", "full"}}} {
		if err := f.checkName(at+"."+n.key, n.what, n.name, n.valid); err != nil {
			return err
		}
	}
	return nil
}

func (f *figure) checkRows(at string, r *rowsOf) error {
	_, groups := f.groupOf("")
	_, ways := f.way("")
	for _, n := range []struct {
		key, what string
		names     names
		valid     []string
	}{
		{"metrics", "metric", r.Metrics, keysOf(measures)}, {"groups", "group", r.Groups, groups}, {"each", "group", r.Each, groups},
		{"ways", "way", r.Ways, ways}, {"over", "way", r.Over, ways}, {"less", "way", r.Less, ways}, {"and", "way", r.And, ways},
		{"reached", "way", r.Reached, ways}, {"extremes", "extreme", r.Extremes, keysOf(extremes)},
	} {
		if err := f.checkNames(at+"."+n.key, n.what, n.names, n.valid); err != nil {
			return err
		}
	}
	for _, n := range []struct {
		key, what, name string
		valid           []string
	}{
		{"base", "way", r.Base, ways}, {"change", "change", r.Change, keysOf(changes)},
		{"goals", "choice of goals", r.Goals, []string{"each"}}, {"make", "maker of rows", r.Make, keysOf(makers)},
	} {
		if err := f.checkName(at+"."+n.key, n.what, n.name, n.valid); err != nil {
			return err
		}
	}
	for i := range r.Rows {
		if err := f.checkRows(fmt.Sprintf("%s.rows[%d]", at, i), &r.Rows[i]); err != nil {
			return err
		}
	}
	return nil
}
