package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unique"

	"cotenant/experiment/sweep"
)

// mix is applications that run together, and what is asked for some of them.
type mix struct {
	apps []string // names of the paper's applications
	// The first goals applications have goals: percent of their isolated IPC.
	goals, percent int
	preferred      int // the process that some ways prefer

	key unique.Handle[string] // tells the mixes of figures apart; none for a mix in no group
}

// title names a mix.
func title(apps []string) string { return strings.Join(apps, "+") }

// mixesOf are mixes without goals.
func mixesOf(list ...[]string) (mixes []mix) {
	for _, apps := range list {
		mixes = append(mixes, mix{apps: apps})
	}
	return mixes
}

// group is a set of mixes that a paper reports together.
type group struct {
	name  string // in rows
	mixes []mix
}

// percents are the goals of the group's mixes, in order.
func (g *group) percents() (list []int) {
	for i := range g.mixes {
		if m := &g.mixes[i]; m.goals > 0 && !slices.Contains(list, m.percent) {
			list = append(list, m.percent)
		}
	}
	return list
}

// groupOfMixes lists a group's mixes, by Mixes, Alone, Pairs, Cross, Down, Of or Set, less
// the mixes that it leaves out.
type groupOfMixes struct {
	Name  string  `yaml:"name"`
	Label string  `yaml:"label"` // in rows; "": the name
	Mixes []names `yaml:"mixes" of:"application"`
	Alone names   `yaml:"alone" of:"class"` // classes: each application by itself
	Pairs names   `yaml:"pairs" of:"class"` // classes: all pairs of their applications
	Cross names   `yaml:"cross" of:"class"` // two classes: for each of the first all of the second
	Down  names   `yaml:"down" of:"class"`  // two classes: for each of the second all of the first
	Of    names   `yaml:"of" of:"group"`    // groups
	Set   string  `yaml:"set" of:"set"`     // of sets

	First   string  `yaml:"first" of:"application"` // the mixes that begin with an application
	Classes names   `yaml:"classes" of:"class"`     // the mixes of applications of these classes, in any order
	Quick   thinned `yaml:"quick"`
	Count   bool    `yaml:"count"` // the label ends in the number of mixes
	Goals   goals   `yaml:"goals"`
}

// thinned says which of the mixes the quick scale takes; all if nothing is said.
type thinned struct {
	Every int `yaml:"every"` // the period of taken mixes,
	From  int `yaml:"from"`  // the first at this place, from 0
	// Diagonals takes mixes of two where the places in the classes add up to a multiple of it.
	Diagonals int `yaml:"diagonals"`
}

// goals are what the first tenants of each mix are promised, in percent of what they have
// alone: every mix with every goal. The quick scale takes the first, the middle one and the last.
type goals struct {
	Tenants int   `yaml:"tenants"`
	Percent []int `yaml:"percent"`
}

// group makes a group at a scale.
func (f *Experiment) group(s Scale, name string) *group {
	spec, _ := f.groupOf(name)
	g := &group{name: cmp.Or(spec.Label, spec.Name), mixes: f.mixes(s, spec)}
	g.mixes = slices.DeleteFunc(g.mixes, func(m mix) bool {
		return spec.First != "" && m.apps[0] != spec.First || spec.Classes != nil && !f.ofClasses(m.apps, spec.Classes)
	})
	if s.Quick {
		g.mixes = f.thin(g.mixes, &spec.Quick)
	}
	if spec.Count {
		g.name += fmt.Sprintf(" of %d pairs", len(g.mixes))
	}
	if spec.Goals.Tenants > 0 {
		g.mixes = withGoals(s, g.mixes, &spec.Goals)
	}
	for i := range g.mixes {
		m := &g.mixes[i]
		m.key = unique.Make(fmt.Sprint(m.apps, m.goals, m.percent, m.preferred))
	}
	return g
}

// mixes are the mixes of a group before any is left out.
func (f *Experiment) mixes(s Scale, g *groupOfMixes) (list []mix) {
	for _, apps := range g.Mixes {
		list = append(list, mix{apps: apps})
	}
	for _, app := range f.ofClass(g.Alone...) {
		list = append(list, mix{apps: []string{app}})
	}
	list = append(list, mixesOf(sweep.Pairs(f.ofClass(g.Pairs...))...)...)
	if g.Cross != nil {
		list = append(list, mixesOf(cross(f.ofClass(g.Cross[0]), f.ofClass(g.Cross[1]))...)...)
	}
	if g.Down != nil {
		for _, apps := range cross(f.ofClass(g.Down[1]), f.ofClass(g.Down[0])) {
			slices.Reverse(apps)
			list = append(list, mix{apps: apps})
		}
	}
	for _, other := range g.Of {
		list = append(list, f.group(s, other).mixes...)
	}
	if g.Set != "" {
		list = append(list, sets[g.Set](f, s)...)
	}
	return list
}

// cross pairs each application of one list with each of another.
func cross(first, second []string) (list [][]string) {
	for _, a := range first {
		for _, b := range second {
			list = append(list, []string{a, b})
		}
	}
	return list
}

// ofClass are the applications of some classes, in the paper's order.
func (f *Experiment) ofClass(classes ...string) (list []string) {
	for _, s := range []*setting{&f.paper.Setting, &f.Setting} {
		for i := range s.Applications {
			if a := &s.Applications[i]; f.hasClass(a.Name, classes...) && !slices.Contains(list, a.Name) {
				list = append(list, a.Name)
			}
		}
	}
	return list
}

// hasClass reports whether an application is in any of some classes.
func (f *Experiment) hasClass(app string, classes ...string) bool {
	a, _ := f.application(app)
	return slices.ContainsFunc(classes, func(c string) bool { return slices.Contains(a.Class, c) })
}

// ofClasses reports whether applications cover some classes one to one, in any order.
func (f *Experiment) ofClasses(apps, classes []string) bool {
	left := slices.Clone(classes)
	for _, app := range apps {
		i := slices.IndexFunc(left, func(c string) bool { return f.hasClass(app, c) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return len(left) == 0
}

// thin leaves what the quick scale takes.
func (f *Experiment) thin(mixes []mix, t *thinned) (some []mix) {
	if t.Every == 0 && t.Diagonals == 0 {
		return mixes
	}
	place := func(app string) int {
		a, _ := f.application(app)
		return slices.Index(f.ofClass(a.Class[0]), app)
	}
	for i := range mixes {
		if t.Every > 0 && i%t.Every == t.From || t.Diagonals > 0 && (place(mixes[i].apps[0])+place(mixes[i].apps[1]))%t.Diagonals == 0 {
			some = append(some, mixes[i])
		}
	}
	return some
}

// withGoals are mixes with each goal, by goal.
func withGoals(s Scale, mixes []mix, g *goals) (list []mix) {
	percents := g.Percent
	if n := len(percents); s.Quick && n > 3 {
		percents = []int{percents[0], percents[n/2], percents[n-1]}
	}
	for _, percent := range percents {
		for _, m := range mixes {
			m.goals, m.percent = g.Tenants, percent
			list = append(list, m)
		}
	}
	return list
}
