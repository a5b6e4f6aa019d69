package reproduce

import (
	"slices"

	"cotenant/experiment"
)

// metric is a figure of a result.
type metric struct {
	name  string
	unit  string // "" for a ratio
	value func(*experiment.Result) experiment.Figure
}

var (
	stp      = metric{"STP", "", func(r *experiment.Result) experiment.Figure { return r.STP }}
	fairness = metric{"fairness", "", func(r *experiment.Result) experiment.Figure { return r.Fairness }}
	antt     = metric{"ANTT", "", func(r *experiment.Result) experiment.Figure { return r.ANTT }}
	// contexts are what moving thread blocks costs the memory.
	contexts = metric{"contexts in DRAM traffic", "%", func(r *experiment.Result) experiment.Figure {
		moved := uint64(0)
		for i := range r.Kernels {
			moved += r.Kernels[i].ContextBytes + r.Kernels[i].RestoredBytes
		}
		return experiment.Figure(100 * float64(moved) / float64(max(1, r.DRAM.Bytes)))
	}}
)

// mean is the mean of a metric over mixes under a policy; nil if it is not
// defined for one of them.
func (d *Data) mean(p named, mixes [][]string, m metric) *float64 {
	sum := 0.0
	for _, mix := range mixes {
		x := m.value(d.of(p.spec, sized(d.Scale, mix)))
		if !x.Defined() {
			return nil
		}
		sum += float64(x)
	}
	sum /= float64(len(mixes))
	return &sum
}

// change is how much larger one mean is than another, in percent; nil if one of
// them is not defined. It is the ratio of the means, as the SMK paper's 17 % is
// that of 1.52 to 1.30.
func change(ours, base *float64) *float64 {
	if ours == nil || base == nil || *base == 0 {
		return nil
	}
	percent := 100 * (*ours / *base - 1)
	return &percent
}

// published are numbers that a paper gives, by the label of their row.
type published map[string]struct {
	value float64
	from  string
}

// put adds a number.
func (p published) put(label string, value float64, from string) {
	p[label] = struct {
		value float64
		from  string
	}{value, from}
}

// add puts every published number to its row, which must be there.
func (p published) add(rows []Row) []Row {
	for label, n := range p {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Label == label })
		rows[i] = rows[i].is(n.value, n.from)
	}
	return rows
}

// means are the rows of some metrics by group and policy.
func (d *Data) means(metrics []metric, groups []group, policies ...named) (rows []Row) {
	for _, m := range metrics {
		for _, g := range groups {
			for _, p := range policies {
				rows = append(rows, Row{Label: m.name + ", " + g.name + ", " + p.name, Unit: m.unit, Ours: d.mean(p, g.mixes, m)})
			}
		}
	}
	return rows
}

// each are the rows of a metric of every mix by policy.
func (d *Data) each(m metric, mixes [][]string, policies ...named) (rows []Row) {
	for _, mix := range mixes {
		for _, p := range policies {
			rows = append(rows, Row{Label: m.name + ", " + title(mix) + ", " + p.name, Unit: m.unit, Ours: d.mean(p, [][]string{mix}, m)})
		}
	}
	return rows
}
