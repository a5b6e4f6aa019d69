package reproduce

import (
	"slices"
	"strconv"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/heterocore"
)

// division is a static division of two of the HeteroCore paper (4.2).
type division struct {
	goal   heterocore.Goal
	margin float64
}

// divisions lists them all; of equal divisions the first is run.
var divisions = []division{{heterocore.STPOptimised, 0}, {heterocore.Classification, 0}, {heterocore.Balanced, 0},
	{heterocore.Classification, 0.05}, {heterocore.Balanced, 0.05}}

func init() {
	for i, name := range []string{"static by STP", "static by class", "static and balanced", "static by class, margin 0.05", "static and balanced, margin 0.05"} {
		searches[name] = func(d *evaluation, _ *way, m *mix, _ string) []string { return d.static(divisions[i], m) }
	}
}

// static is the policy of a static division of a mix, nothing before it is known what its
// applications achieve alone. Divisions that are alike are one run: that of the first of
// them, or without a division that of even parts of each kind.
func (d *evaluation) static(way division, m *mix) []string {
	apps, f, ok := d.offline(m)
	if !ok {
		return nil
	}
	choice := func(way division) []bool {
		return way.goal.Choose(apps, heterocore.SMs{Big: f.bigs(), Small: f.smalls()}, way.margin, func(int, bool) bool { return true })
	}
	big := choice(way)
	if big == nil {
		return []string{"heterocore-agnostic"}
	}
	for _, first := range divisions {
		if slices.Equal(choice(first), big) {
			way = first
			break
		}
	}
	spec := "heterocore-static:goal=" + string(way.goal)
	if way.margin > 0 {
		spec += ",margin=" + strconv.FormatFloat(way.margin, 'g', -1, 64)
	}
	return []string{spec + ",ipcs=" + heterocore.ListOffline(apps)}
}

// offline is what the applications of a mix achieve alone by four of the paper's ways, and
// the fleet of the scale's GPU; false before it is known.
func (d *evaluation) offline(m *mix) (apps []heterocore.Offline, f fleet, ok bool) {
	f, known := d.fleet(d.Scale.GPU)
	if !known {
		return nil, f, false
	}
	for i := range m.apps {
		var figures [4]float64
		for k, name := range []string{"conventional", "half of the conventional", "big SMs", "small SMs"} {
			w, _ := d.figure.way(name)
			r, _ := d.outcome(w, &mix{apps: m.apps[i : i+1]}, "")
			if r == nil {
				known = false
				continue
			}
			figures[k] = policy.SixDigits(r.Kernels[0].IPC)
		}
		apps = append(apps, heterocore.Offline{Base16: figures[0], Base8: figures[1], Big: figures[2], Small: figures[3]})
	}
	return apps, f, known
}
