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

	// What published values are looked up by. Those that a row does not have are "".
	called, group, mix, of, goal, extreme string
	way, over, less, and                  *way

	groupLabel string
	mixes      []mix
}

// inherit fills what an entry leaves out with what is around it.
func (r rowsOf) inherit(outer *rowsOf) rowsOf {
	for _, text := range []struct{ inner, outer *string }{{&r.As, &outer.As}, {&r.Goals, &outer.Goals}, {&r.Base, &outer.Base},
		{&r.Change, &outer.Change}, {&r.Label, &outer.Label}, {&r.Unit, &outer.Unit}} {
		if *text.inner == "" {
			*text.inner = *text.outer
		}
	}
	if r.Reached == nil {
		r.Reached = outer.Reached
	}
	return r
}

// cells lists what rows there are at a scale, in their order.
func (f *figure) cells(s Scale) (list []cell) {
	for i := range f.Rows {
		list = append(list, f.expand(s, &f.Rows[i], cell{at: fmt.Sprintf("rows[%d]", i)})...)
	}
	return list
}

// expand makes the rows of an entry, of which outer has what the entries around it give.
func (f *figure) expand(s Scale, entry *rowsOf, outer cell) (list []cell) {
	outer.entry = entry
	list = []cell{outer}
	for _, dimension := range []func(cell) []cell{
		f.alongMetrics, func(c cell) []cell { return f.alongGroups(s, c) }, f.alongGoals, f.alongOf,
		func(c cell) []cell { return f.alongWays(s, c) }, f.alongExtremes,
	} {
		var next []cell
		for _, c := range list {
			next = append(next, dimension(c)...)
		}
		list = next
	}
	if entry.Rows == nil {
		return list
	}
	var inner []cell
	for _, c := range list {
		for i := range entry.Rows {
			within := c
			within.at += fmt.Sprintf(".rows[%d]", i)
			merged := entry.Rows[i].inherit(entry)
			inner = append(inner, f.expand(s, &merged, within)...)
		}
	}
	return inner
}

func (f *figure) alongMetrics(c cell) (list []cell) {
	for _, name := range c.entry.Metrics {
		c.metric, c.called = measures[name], cmp.Or(c.entry.As, name)
		list = append(list, c)
	}
	if c.entry.Metrics == nil {
		c.called = cmp.Or(c.entry.As, c.called)
		return []cell{c}
	}
	return list
}

func (f *figure) alongGroups(s Scale, c cell) (list []cell) {
	for _, name := range c.entry.Each {
		g := f.group(s, name)
		for _, m := range g.mixes {
			c.group, c.groupLabel, c.mix, c.mixes = name, g.name, title(m.apps), []mix{m}
			list = append(list, c)
		}
	}
	for _, name := range c.entry.Groups {
		g := f.group(s, name)
		c.group, c.groupLabel, c.mix, c.mixes = name, g.name, "", g.mixes
		list = append(list, c)
	}
	if c.entry.Each == nil && c.entry.Groups == nil {
		return []cell{c}
	}
	return list
}

// allGoals is what the rows of all goals say.
const allGoals = "all goals"

func (f *figure) alongGoals(c cell) (list []cell) {
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
			list = append(list, one)
		}
	}
	c.goal = allGoals
	return append(list, c)
}

func (f *figure) alongOf(c cell) (list []cell) {
	for _, name := range c.entry.Of {
		c.of = name
		list = append(list, c)
	}
	if c.entry.Of == nil {
		return []cell{c}
	}
	return list
}

func (f *figure) alongWays(s Scale, c cell) (list []cell) {
	list = []cell{c}
	for _, d := range []struct {
		names names
		set   func(*cell, *way)
	}{
		{c.entry.Ways, func(c *cell, w *way) { c.way = w }}, {c.entry.Over, func(c *cell, w *way) { c.over = w }},
		{c.entry.Less, func(c *cell, w *way) { c.less = w }}, {c.entry.And, func(c *cell, w *way) { c.and = w }},
	} {
		if d.names == nil {
			continue
		}
		var next []cell
		for _, c := range list {
			for _, name := range d.names {
				if w, _ := f.way(name); f.machineOf(s, w) != "" {
					d.set(&c, w)
					next = append(next, c)
				}
			}
		}
		list = next
	}
	return list
}

func (f *figure) alongExtremes(c cell) (list []cell) {
	for _, name := range c.entry.Extremes {
		c.extreme = name
		list = append(list, c)
	}
	if c.entry.Extremes == nil {
		return []cell{c}
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
