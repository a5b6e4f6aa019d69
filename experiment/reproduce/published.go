package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// published is values that a paper gives, by what their rows have. Fields with several
// names have as many values, the last field changing fastest, or one for all.
type published struct {
	Metric  names   `yaml:"metric"`
	Group   names   `yaml:"group"`
	Mix     names   `yaml:"mix"`
	Of      names   `yaml:"of"`
	Goal    names   `yaml:"goal"`
	Way     names   `yaml:"way"`
	Over    names   `yaml:"over"`
	Less    names   `yaml:"less"`
	Extreme names   `yaml:"extreme"`
	Value   numbers `yaml:"value"`
	From    string  `yaml:"from"` // "": the figure's
}

// key identifies a row by its fields; a field that the row does not have is "".
type key [9]string

// keyFields names the fields. A published value may leave out the first optional fields where
// only one row is left without them; its remaining fields equal its row's.
var keyFields = [len(key{})]string{"metric", "group", "of", "way", "goal", "mix", "over", "less", "extreme"}

const optional = 4

func (p *published) fields() [len(key{})]names {
	return [len(key{})]names{p.Metric, p.Group, p.Of, p.Way, p.Goal, p.Mix, p.Over, p.Less, p.Extreme}
}

// key is that of a row.
func (c *cell) key() key {
	goal := c.goal
	if goal == allGoals {
		goal = ""
	}
	return key{c.called, c.group, c.of, nameOf(c.way), goal, c.mix, nameOf(c.over), nameOf(c.less), c.extreme}
}

// fits reports whether the first fields of a published value equal a row's.
func (k *key) fits(row key, count int) bool {
	for i := range count {
		if k[i] != row[i] && (k[i] != "" || i >= optional) {
			return false
		}
	}
	return true
}

func (k *key) String() string {
	var words []string
	for i, name := range k {
		if name != "" {
			words = append(words, keyFields[i]+" "+name)
		}
	}
	return strings.Join(words, ", ")
}

// printed is one published value.
type printed struct {
	key
	at    string // path in the figure's file
	value float64
	from  string
}

// values lists what an entry says, value by value.
func (p *published) values(at, from string) (list []printed) {
	list = []printed{{at: at, from: cmp.Or(p.From, from)}}
	for i, names := range p.fields() {
		var next []printed
		for _, v := range list {
			for _, name := range names {
				v.key[i] = name
				next = append(next, v)
			}
		}
		if names != nil {
			list = next
		}
	}
	for i := range list {
		list[i].value = float64(p.Value[i%len(p.Value)])
	}
	return list
}

// print adds the published value of a row.
func (f *Experiment) print(k key, r Row) Row {
	for i := range f.printed {
		if v := &f.printed[i]; v.fits(k, len(k)) {
			return r.is(v.value, v.from)
		}
	}
	return r
}

// checkPublished lists the published values, and checks that each has a row of its own.
func (f *Experiment) checkPublished(c *checker, rows []key) {
	taken := map[key]bool{}
	for i := range f.Published {
		p, at := &f.Published[i], fmt.Sprintf("published[%d]", i)
		if len(p.Value) == 0 {
			c.errorf(at, "a published value is missing; give value")
			continue
		}
		list := p.values(at, f.From)
		if n := len(list); len(p.Value) != 1 && len(p.Value) != n {
			c.errorf(at+".value", "value has %d numbers for %d rows; give one for each, or one for all", len(p.Value), n)
		}
		if list[0].from == "" {
			c.errorf(at, "a published value does not say where it stands; give from")
		}
		for _, v := range list {
			k := v.rowOf(c, rows)
			if taken[k] {
				c.errorf(at, "%s is published twice; once is enough", &v.key)
			}
			taken[k] = true
		}
		f.printed = append(f.printed, list...)
	}
}

// rowOf is the row of a published value. A fault names the first field that no row has.
func (v *printed) rowOf(c *checker, rows []key) key {
	for i, field := range keyFields {
		var valid []string
		left := rows[:0:0]
		for _, row := range rows {
			if v.fits(row, i+1) {
				left = append(left, row)
			} else if name := cmp.Or(row[i], "none"); !slices.Contains(valid, name) {
				valid = append(valid, name)
			}
		}
		if len(left) == 0 {
			c.errorf(v.at, "no row has %s with %s %q; valid: %s", v, field, v.key[i], strings.Join(valid, ", "))
			return v.key
		}
		rows = left
	}
	if len(rows) > 1 {
		c.errorf(v.at, "%s is several rows, such as %s and %s; say which", v, &rows[0], &rows[1])
	}
	return rows[0]
}
