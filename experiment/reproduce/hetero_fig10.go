package reproduce

import (
	"slices"

	"cotenant/experiment/sweep"
)

// assignments are the policies that give one of two applications a quarter, half or three
// quarters of the SMs, any number of them big, and the other the rest (6.5): 19 of eight
// big and eight small SMs, 15 of four and twelve.
func (f fleet) assignments() []string {
	return slices.Concat(f.assigned(1), f.assigned(2), f.assigned(3))
}

// assigned are those of so many quarters of the SMs.
func (f fleet) assigned(quarters int) (policies []string) {
	bigs, smalls := f.bigs(), f.smalls()
	n := (bigs + smalls) * quarters / 4
	for big := max(0, n-smalls); big <= min(n, bigs); big++ {
		policies = append(policies, "fixed:sms="+f.share(big, n-big)+"/"+f.share(bigs-big, smalls-n+big))
	}
	return policies
}

// optimum is the best of the assignments on a machine.
func optimum(name string, machine func(Scale) string) oldWay {
	return oldWay{contender{name: name, machine: machine, tried: func(d *Data, _ []string, _ speedup) []string {
		f, err := d.fleet(machine(d.Scale))
		if err != nil {
			return nil
		}
		return f.assignments()
	}}, highestSTP}
}

// optima are those on the paper's machines, or on another that is named.
func optima(s Scale) []oldWay {
	list := []oldWay{optimum("optimum", plain)}
	if s.GPU == hetero8b8s {
		list = append(list, optimum("optimum of 4B12S", always("heterocore-4b12s")), optimum("optimum of 12B4S", always("heterocore-12b4s")))
	}
	return list
}

func init() {
	// pairs are the heterogeneous ones, with --quick three.
	pairs := func(s Scale) []oldGroup {
		g := heteroPairs(s)[0]
		if s.Quick {
			g.mixes = every(5, g.mixes)
		}
		return []oldGroup{g}
	}
	register(&Experiment{
		Name:   "heterocore-fig10",
		About:  "the best assignment of SMs to heterogeneous pairs, with 8, 4 and 12 big SMs, and the dynamic policy",
		Source: "HeteroCore, Figure 10",
		GPU:    hetero8b8s,
		Notes: heteroNotes + " Heterogeneous pairs only, with --quick three of them. The optimum is by STP, of all assignments of 4, 8 or 12 SMs to one kernel, 19 on 8B8S and 15 on the others; there is no profiling in it. " +
			"The paper does not say over what ANTT suffers on 4B12S; here it is over the optimum of 8B8S.",
		runs: func(s Scale) []sweep.Run { return heteroRuns(s, pairs(s)[0].mixes, viaEven, viaDynamic) },
		more: func(d *Data) []sweep.Run { return d.heteroSearched(pairs(d.Scale)[0].mixes, optima(d.Scale)...) },
		rows: func(d *Data) ([]Row, error) {
			f, err := d.fleet(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			list, groups := optima(d.Scale), pairs(d.Scale)
			rows := d.improved(improvements, groups, viaEven, append([]oldWay{viaDynamic}, list...)...)
			rows = append(rows, d.improved(improvements, groups, list[0], viaDynamic.named("dynamic over optimum"))...)
			rows = append(rows, figureRow("pairs whose optimum has as many SMs for each", "%", 100*d.optimumIsEven(f, list[0], groups[0].mixes)))
			p := oldPublished{"STP, heterogeneous, dynamic over optimum": {-3.5, "text 6.5, within"}}
			for _, w := range list[1:] {
				rows = append(rows, d.improved(improvements, groups, list[0], w.named(w.name+" over optimum"))...)
			}
			if len(list) > 1 {
				p.put("ANTT, heterogeneous, optimum of 4B12S over optimum", -34.4, "text 6.5")
			}
			return p.add(rows), nil
		},
	})
}

// optimumIsEven is the part of the mixes whose optimum gives each half of the SMs.
func (d *Data) optimumIsEven(f fleet, w oldWay, mixes [][]string) float64 {
	var list []float64
	for _, mix := range mixes {
		_, policy := d.outcome(w, mix)
		list = append(list, float64(index(slices.Contains(f.assigned(2), policy))))
	}
	return average(list)
}
