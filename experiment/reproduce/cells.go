package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// cell is what one row shows.
type cell struct {
	at     string // path of its entry in the figure's file
	entry  *rowsOf
	metric *metric

	// The fields that published values are looked up by, "" where a row lacks one.
	called, group, mix, of, goal, extreme string
	way, over, less, and                  *way

	groupLabel string
	mixes      []mix
}

// inherit fills what an entry leaves out with what is around it.
func (r rowsOf) inherit(outer *rowsOf) rowsOf {
	for _, text := range []struct{ inner, outer *string }{{&r.As, &outer.As}, {&r.Goals, &outer.Goals}, {&r.Base, &outer.Base},
		{&r.Change, &outer.Change}, {&r.Label, &outer.Label}, {&r.Unit, &outer.Unit}} {
		*text.inner = cmp.Or(*text.inner, *text.outer)
	}
	if r.Reached == nil {
		r.Reached = outer.Reached
	}
	return r
}

// cells lists what rows there are at a scale, in their order.
func (f *Experiment) cells(s Scale) (list []cell) {
	for i := range f.Entries {
		list = append(list, f.expand(s, &f.Entries[i], cell{at: fmt.Sprintf("rows[%d]", i)})...)
	}
	return list
}

// expand makes the rows of an entry; outer has the fields from the entries around it.
func (f *Experiment) expand(s Scale, entry *rowsOf, outer cell) []cell {
	outer.entry = entry
	rows := []cell{outer}
	for _, dimension := range []func(cell) []cell{
		f.alongMetrics, func(c cell) []cell { return f.alongGroups(s, c) }, f.alongGoals,
		func(c cell) []cell { return along(c, entry.Of, func(c *cell, name string) { c.of = name }) },
		func(c cell) []cell { return f.alongWays(s, c) },
		func(c cell) []cell { return along(c, entry.Extremes, func(c *cell, name string) { c.extreme = name }) },
	} {
		rows = expanded(rows, dimension)
	}
	if entry.Rows == nil {
		return rows
	}
	return expanded(rows, func(c cell) (inner []cell) {
		for i := range entry.Rows {
			within, merged := c, entry.Rows[i].inherit(entry)
			within.at += fmt.Sprintf(".rows[%d]", i)
			inner = append(inner, f.expand(s, &merged, within)...)
		}
		return inner
	})
}

// along makes a row for each of some names; one as it is if there are none.
func along(c cell, list names, set func(*cell, string)) (rows []cell) {
	if list == nil {
		return []cell{c}
	}
	for _, name := range list {
		row := c
		set(&row, name)
		rows = append(rows, row)
	}
	return rows
}

func (f *Experiment) alongMetrics(c cell) []cell {
	c.called = cmp.Or(c.entry.As, c.called)
	return along(c, c.entry.Metrics, func(c *cell, name string) {
		c.metric, c.called = measures[name], cmp.Or(c.entry.As, name)
	})
}

func (f *Experiment) alongGroups(s Scale, c cell) (rows []cell) {
	if c.entry.Each == nil && c.entry.Groups == nil {
		return []cell{c}
	}
	for _, name := range c.entry.Each {
		g := f.group(s, name)
		for _, m := range g.mixes {
			c.group, c.groupLabel, c.mix, c.mixes = name, g.name, title(m.apps), []mix{m}
			rows = append(rows, c)
		}
	}
	for _, name := range c.entry.Groups {
		g := f.group(s, name)
		c.group, c.groupLabel, c.mix, c.mixes = name, g.name, "", g.mixes
		rows = append(rows, c)
	}
	return rows
}

// allGoals is what the rows of all goals say.
const allGoals = "all goals"

func (f *Experiment) alongGoals(c cell) (rows []cell) {
	all := group{mixes: c.mixes}
	percents := all.percents()
	if percents == nil || c.entry.Rows != nil || c.goal != "" {
		return []cell{c}
	}
	if c.entry.Goals == "each" {
		for _, percent := range percents {
			one := c
			one.goal = fmt.Sprintf("%d %%", percent)
			one.mixes = slices.DeleteFunc(slices.Clone(all.mixes), func(m mix) bool { return m.percent != percent })
			rows = append(rows, one)
		}
	}
	c.goal = allGoals
	return append(rows, c)
}

func (f *Experiment) alongWays(s Scale, c cell) []cell {
	rows := []cell{c}
	for _, d := range []struct {
		names names
		of    func(*cell) **way
	}{
		{c.entry.Ways, func(c *cell) **way { return &c.way }}, {c.entry.Over, func(c *cell) **way { return &c.over }},
		{c.entry.Less, func(c *cell) **way { return &c.less }}, {c.entry.And, func(c *cell) **way { return &c.and }},
	} {
		there := slices.DeleteFunc(slices.Clone(d.names), func(name string) bool {
			w, _ := f.way(name)
			return f.machineOf(s, w) == ""
		})
		rows = expanded(rows, func(c cell) []cell {
			return along(c, there, func(c *cell, name string) { *d.of(c), _ = f.way(name) })
		})
	}
	return rows
}

// expanded are the rows that each of some rows becomes.
func expanded(rows []cell, by func(cell) []cell) (list []cell) {
	for _, c := range rows {
		list = append(list, by(c)...)
	}
	return list
}

// label names the row.
func (c *cell) label() string {
	by := nameOf(c.way)
	for _, other := range []struct {
		word string
		way  *way
	}{{" over ", c.over}, {" less ", c.less}, {" and ", c.and}} {
		if other.way != nil {
			by += other.word + other.way.Name
		}
	}
	if text := c.entry.Label; text != "" {
		return strings.NewReplacer("{metric}", c.called, "{group}", c.groupLabel, "{mix}", cmp.Or(c.mix, c.groupLabel), "{goal}", c.goal, "{of}", c.of,
			"{way}", nameOf(c.way), "{over}", nameOf(c.over)).Replace(text)
	}
	metric, shown := c.called, cmp.Or(c.mix, c.groupLabel)
	if c.of != "" {
		metric += " of " + c.of
	}
	if c.extreme != "" {
		shown = c.extreme + " of " + shown
	}
	words := slices.DeleteFunc([]string{metric, shown, c.goal, by}, func(word string) bool { return word == "" })
	return strings.Join(words, ", ")
}

func nameOf(w *way) string {
	if w == nil {
		return ""
	}
	return w.Name
}
