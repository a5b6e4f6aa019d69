package reproduce

import "cotenant/experiment/sweep"

// marginNotes say what the margin is.
const marginNotes = " The paper's tests are strict, a margin of 0; 0.05 has IPCs that differ by 5 % count as equal."

// staticNotes say what static divisions go by.
const staticNotes = " What applications achieve alone is measured in runs of the same length, on 16 and 8 SMs of the conventional GPU, and on the big and on the small SMs. Static policies that divide a pair alike share its run."

func init() {
	ways := []oldWay{viaAgnostic, viaClasses, viaSTP, viaBalanced, viaClassesMargin, viaBalancedMargin}
	register(&Experiment{
		Name:   "heterocore-fig6",
		About:  "agnostic and static policies over the conventional GPU in even halves: STP and ANTT by class",
		Source: "HeteroCore, Figure 6",
		GPU:    hetero8b8s,
		Notes:  heteroNotes + heteroPairNotes + staticNotes + marginNotes,
		runs:   func(s Scale) []sweep.Run { return heteroRuns(s, heteroMixes(s), viaEven, viaAgnostic) },
		more: func(d *Data) []sweep.Run {
			return append(d.offlineAsked(heteroAll()), d.heteroSearched(heteroMixes(d.Scale), ways...)...)
		},
		rows: func(d *Data) ([]Row, error) {
			if _, err := d.fleet(d.Scale.GPU); err != nil {
				return nil, err
			}
			groups := heteroGroups(d.Scale)
			rows := d.improved(improvements, groups, viaEven, ways...)
			rows = append(rows, d.extremes(improvements, groups[2], viaEven, ways...)...)
			return oldPublished{
				"STP, ALL, balanced":                  {13.9, "text 4.2.4"},
				"STP, highest of ALL, balanced":       {90.4, "text 4.2.4"},
				"ANTT, ALL, balanced":                 {23.8, "text 4.2.4"},
				"ANTT, highest of ALL, balanced":      {52.3, "text 4.2.4"},
				"ANTT, lowest of ALL, " + viaSTP.name: {-87.4, "text 4.2.3"},
			}.add(rows), nil
		},
	})
}
