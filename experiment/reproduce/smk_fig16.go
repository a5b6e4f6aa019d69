package reproduce

import "cotenant/experiment/sweep"

func init() {
	policies := []named{spart, spartIdeal, smkPW, smkPWIdeal}
	// Short programs are more sensitive to preemption (SMK 6.5). The second
	// arrives when the first has the GPU (5.1): else spart never preempts.
	short := func(s Scale) Scale { s.Size, s.later = "small", s.Cycles/10; return s }
	register(&Experiment{
		Name:   "smk-fig16",
		About:  "throughput with and without the cost of preemption, 45 pairs of short programs",
		Source: "SMK, Figure 16",
		GPU:    "smk16",
		Notes:  "The second application of each pair arrives after a tenth of the window, so that there is something to preempt; the paper does not say when its programs arrive.",
		runs:   func(s Scale) []sweep.Run { return smkRuns(short(s), allPairs().mixes, policies...) },
		rows: func(d *Data) ([]Row, error) {
			d.Scale = short(d.Scale)
			groups := []group{allPairs()}
			rows := d.means([]metric{stp}, groups, policies...)
			rows = append(rows, d.changes([]metric{stp}, groups, spartIdeal, spart)...)
			rows = append(rows, d.changes([]metric{stp}, groups, smkPWIdeal, smkPW)...)
			rows = append(rows, d.changes([]metric{stp}, groups, smkPW, spartIdeal)...)
			return published{
				"STP, all pairs, Spart-Ideal over Spart":         {5, "text 6.5"},
				"STP, all pairs, SMK-(P+W)-Ideal over SMK-(P+W)": {2, "text 6.5"},
			}.add(rows), nil
		},
	})
}
