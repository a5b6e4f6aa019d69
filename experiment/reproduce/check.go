package reproduce

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cotenant/workload/strictyaml"
)

// unknown is the error on a name that is not known.
func unknown(at strictyaml.Position, what, name string, valid []string) error {
	slices.Sort(valid)
	valid = slices.DeleteFunc(slices.Compact(valid), func(name string) bool { return name == "" })
	return at.Errorf("unknown %s %q; valid: %s", what, name, strings.Join(valid, ", "))
}

// keysOf lists the names of a map.
func keysOf[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

// checker collects the faults of a file.
type checker struct {
	at   strictyaml.Positions
	errs []error
}

func (c *checker) errorf(at, text string, args ...any) {
	c.errs = append(c.errs, c.at.Nearest(at).Errorf(text, args...))
}

// name checks that a name, unless it is "", is among the valid ones.
func (c *checker) name(at, what, name string, valid []string) {
	if name != "" && !slices.Contains(valid, name) {
		c.errs = append(c.errs, unknown(c.at.Nearest(at), what, name, valid))
	}
}

func (c *checker) names(at, what string, list names, valid []string) {
	for i, name := range list {
		c.name(fmt.Sprintf("%s[%d]", at, i), what, name, valid)
	}
}

// check returns the first fault of the figure: a name that there is not, rows without what
// they need, or a published value without a row of its own.
func (f *Experiment) check() error {
	c := &checker{at: f.at}
	if i := strings.Index(f.Notes, "{"); i >= 0 {
		var valid []string
		for _, n := range f.paper.Notes {
			valid = append(valid, n.Name)
		}
		name, _, _ := strings.Cut(f.Notes[i+1:], "}")
		c.name("notes", "note", name, valid)
	}
	common := &checker{at: f.paper.at}
	f.checkSetting(common, &f.paper.Setting)
	f.checkSetting(c, &f.Setting)
	for i := range f.Entries {
		f.checkRows(c, fmt.Sprintf("rows[%d]", i), &f.Entries[i])
	}
	if errs := append(common.errs, c.errs...); errs != nil {
		return errs[0]
	}
	rows := f.checkCells(c)
	if c.errs == nil {
		f.checkPublished(c, rows)
	}
	return errors.Join(c.errs[:min(1, len(c.errs))]...)
}

func (f *Experiment) checkSetting(c *checker, s *setting) {
	_, ways := f.way("")
	_, machines := f.machine("")
	_, groups := f.groupOf("")
	_, apps := f.application("")
	var classes []string
	for _, name := range apps {
		a, _ := f.application(name)
		classes = append(classes, a.Class...)
	}
	c.name("machine", "machine", s.Machine, machines)
	c.name("isolated", "machine", s.Isolated, machines)
	for i := range s.Ways {
		w, at := &s.Ways[i], fmt.Sprintf("ways[%d].", i)
		c.name(at+"machine", "machine", w.Machine, machines)
		c.name(at+"like", "way", w.Like, ways)
		c.name(at+"policies", "list of policies", w.Policies, keysOf(searches))
		c.name(at+"best", "measure", w.Best, keysOf(bests))
		c.name(at+"only", "scale", w.Only, []string{"quick", "full"})
	}
	for i := range s.Groups {
		g, at := &s.Groups[i], fmt.Sprintf("groups[%d].", i)
		for k, mix := range g.Mixes {
			c.names(fmt.Sprintf("%smixes[%d]", at, k), "application", mix, apps)
		}
		c.names(at+"alone", "class", g.Alone, classes)
		c.names(at+"pairs", "class", g.Pairs, classes)
		c.names(at+"cross", "class", g.Cross, classes)
		c.names(at+"down", "class", g.Down, classes)
		c.names(at+"classes", "class", g.Classes, classes)
		c.names(at+"of", "group", g.Of, slices.DeleteFunc(slices.Clone(groups), func(name string) bool { return name == g.Name }))
		c.name(at+"first", "application", g.First, apps)
		c.name(at+"set", "set", g.Set, keysOf(sets))
		if n := len(g.Cross) + len(g.Down); n != 0 && len(g.Cross) != 2 && len(g.Down) != 2 {
			c.errorf(at+"cross", "a group crosses two classes, not %d", n)
		}
	}
}

func (f *Experiment) checkRows(c *checker, at string, r *rowsOf) {
	_, groups := f.groupOf("")
	_, ways := f.way("")
	c.names(at+".metrics", "metric", r.Metrics, keysOf(measures))
	c.names(at+".groups", "group", r.Groups, groups)
	c.names(at+".each", "group", r.Each, groups)
	c.names(at+".ways", "way", r.Ways, ways)
	c.names(at+".over", "way", r.Over, ways)
	c.names(at+".less", "way", r.Less, ways)
	c.names(at+".and", "way", r.And, ways)
	c.names(at+".reached", "way", r.Reached, ways)
	c.names(at+".extremes", "extreme", r.Extremes, keysOf(extremes))
	c.name(at+".base", "way", r.Base, ways)
	c.name(at+".change", "change", r.Change, keysOf(changes))
	c.name(at+".goals", "choice of goals", r.Goals, []string{"each"})
	c.name(at+".make", "maker of rows", r.Make, keysOf(makers))
	for i := range r.Rows {
		f.checkRows(c, fmt.Sprintf("%s.rows[%d]", at, i), &r.Rows[i])
	}
}

// checkCells checks that rows have what their metrics need, and lists their keys at the full
// scale, on the paper's machine.
func (f *Experiment) checkCells(c *checker) (rows []key) {
	full := Full
	full.GPU = f.Setting.GPU
	for _, cell := range f.cells(full) {
		switch {
		case cell.entry.Make != "":
			continue
		case cell.metric == nil:
			c.errorf(cell.at, "rows have no metric; give metrics")
		case cell.metric.without == nil && (cell.way == nil || cell.mixes == nil):
			c.errorf(cell.at, "rows of %s have no mixes or no ways; give groups or each, and ways", cell.called)
		}
		rows = append(rows, cell.key())
	}
	return rows
}
