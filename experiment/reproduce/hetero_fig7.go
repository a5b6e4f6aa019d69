package reproduce

import "cotenant/experiment/sweep"

func init() {
	ways := []oldWay{viaAgnostic, viaBalanced, viaBalancedMargin, viaDynamic, viaMargin}
	for _, f := range []struct {
		name, source string
		m            improvement
		printed      oldPublished
	}{
		{"heterocore-fig7", "HeteroCore, Figure 7 and text 6.1", stpOver, oldPublished{
			"STP, heterogeneous, dynamic":               {20.1, "abstract"},
			"STP, ALL, dynamic":                         {11, "text 6.1"},
			"STP, highest of ALL, dynamic":              {80.9, "abstract"},
			"STP, lowest of ALL, dynamic":               {-6.7, "text 6.1"},
			"STP, ALL, balanced less dynamic":           {3, "text 6.1, within"},
			"STP, lowest of ALL, dynamic over balanced": {-17.3, "text 6.1"},
		}},
		{"heterocore-fig8", "HeteroCore, Figure 8 and text 6.1", anttOver, oldPublished{
			"ANTT, heterogeneous, dynamic":     {29.8, "abstract"},
			"ANTT, ALL, dynamic":               {20.2, "text 6.1"},
			"ANTT, highest of ALL, dynamic":    {50.3, "abstract"},
			"ANTT, lowest of ALL, dynamic":     {-14, "text 6.1"},
			"ANTT, ALL, balanced less dynamic": {3.6, "text 6.1, within"},
		}},
	} {
		register(&Experiment{
			Name:   f.name,
			About:  "the dynamic policy over the conventional GPU in even halves: " + f.m.name,
			Source: f.source,
			GPU:    hetero8b8s,
			Notes:  heteroNotes + heteroPairNotes + staticNotes + marginNotes + " The dynamic policy profiles for 40,000 cycles, 4 % of the window with --quick.",
			runs: func(s Scale) []sweep.Run {
				return heteroRuns(s, heteroMixes(s), viaEven, viaAgnostic, viaDynamic, viaMargin)
			},
			more: func(d *Data) []sweep.Run {
				return append(d.offlineAsked(heteroAll()), d.heteroSearched(heteroMixes(d.Scale), ways...)...)
			},
			rows: func(d *Data) ([]Row, error) {
				if _, err := d.fleet(d.Scale.GPU); err != nil {
					return nil, err
				}
				groups, only := heteroGroups(d.Scale), []improvement{f.m}
				all := groups[2]
				rows := d.improved(only, groups, viaEven, ways...)
				rows = append(rows, d.extremes(only, all, viaEven, ways...)...)
				rows = append(rows, figureRow(f.m.name+", ALL, balanced less dynamic", "points",
					average(d.betters(f.m, viaBalanced, viaEven, all.mixes))-average(d.betters(f.m, viaDynamic, viaEven, all.mixes))))
				rows = append(rows, d.extremes(only, all, viaBalanced, viaDynamic.named("dynamic over balanced"))...)
				rows = append(rows, d.ofEach(f.m, all.mixes, viaEven, viaBalanced, viaDynamic, viaMargin)...)
				return f.printed.add(rows), nil
			},
		})
	}
}
