package reproduce

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
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

// names checks the names in the fields of a struct, and of structs inside it. The tag of says
// of what a field has names.
func (c *checker) names(at string, v reflect.Value, valid func(what string) []string) {
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		key, _, _ := strings.Cut(tag.Get("yaml"), ",")
		c.field(strings.TrimPrefix(at+"."+key, "."), tag.Get("of"), v.Field(i), valid)
	}
}

func (c *checker) field(at, of string, v reflect.Value, valid func(what string) []string) {
	switch {
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			c.field(fmt.Sprintf("%s[%d]", at, i), of, v.Index(i), valid)
		}
	case v.Kind() == reflect.Struct:
		c.names(at, v, valid)
	case of != "":
		c.name(at, of, v.String(), valid(of))
	}
}

// known lists the names that the fields of figures may have.
func (f *Experiment) known(what string) (list []string) {
	switch what {
	case "machine":
		_, list = f.machine("")
	case "way":
		_, list = f.way("")
	case "group":
		_, list = f.groupOf("")
	case "application":
		_, list = f.application("")
	case "class":
		for _, name := range f.known("application") {
			a, _ := f.application(name)
			list = append(list, a.Class...)
		}
	}
	return append(list, map[string][]string{"metric": keysOf(measures), "measure": keysOf(bests), "extreme": keysOf(extremes), "change": keysOf(changes),
		"list of policies": keysOf(searches), "set": keysOf(sets), "maker of rows": keysOf(makers), "choice of goals": {"each"}, "scale": {"quick", "full", "short", "long"}}[what]...)
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
	c.field("rows", "", reflect.ValueOf(f.Entries), f.known)
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
	c.names("", reflect.ValueOf(s).Elem(), f.known)
	for i := range s.Groups {
		g, at := &s.Groups[i], fmt.Sprintf("groups[%d].", i)
		if k := slices.Index(g.Of, g.Name); k >= 0 {
			c.errorf(fmt.Sprintf("%sof[%d]", at, k), "group %q is of itself; valid: other groups", g.Name)
		}
		if n := len(g.Cross) + len(g.Down); n != 0 && len(g.Cross) != 2 && len(g.Down) != 2 {
			c.errorf(at+"cross", "a group crosses two classes, not %d", n)
		}
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
