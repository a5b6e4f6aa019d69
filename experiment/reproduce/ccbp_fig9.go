package reproduce

import "cotenant/experiment/sweep"

func init() {
	found := []contender{viaSpatial, viaCTAs}
	list := func(s Scale) []contender { return []contender{viaSMK, viaWS, viaDRF, viaCCBP, otherwise(s)} }
	beside := []contender{viaQuotas, viaSustain, viaInOrder, viaPaper}
	bound := func(s Scale) oldGroup { return ccbpGroups(s)[2] }
	all := func(s Scale) [][]string { return ccbpGroups(s)[3].mixes }
	register(&Experiment{
		Name:   "ccbp-fig9",
		About:  "CCBP, SMK, Warped-Slicer and oracles on pairs: harmonic and weighted speedup by class",
		Source: "CCBP, Figure 9",
		GPU:    "ccbp16",
		Notes: ccbpNotes + pairNotes + detectNotes + oracleNotes +
			" Spatial_oracle searches one kernel's numbers after the other's, each on half of the SMs, and then neighbours; --quick tries quarters of what fits. Both oracles count by the best of each metric." +
			" CCBP_DRF detects while it runs in both scales. Options of CCBP are each changed alone, the last row but for the two points in which it differs from the paper; --quick has eight pairs for them, and for climb=on, which moves thread blocks between NBI and DBI kernels, all NBI+DBI pairs. Kernels detected as printed are of the type that Table 2 has, in the first set of kernels that CCBP knows.",
		runs: func(s Scale) []sweep.Run {
			runs := withAlone(s, all(s), list(s)...)
			runs = append(runs, ccbpRuns(s, ccbpFewer(s)[3].mixes, beside...)...)
			return append(runs, ccbpRuns(s, bound(s).mixes, viaClimbing)...)
		},
		more: func(d *Data) []sweep.Run { return d.searched(all(d.Scale), found...) },
		rows: func(d *Data) ([]Row, error) {
			if err := d.fit(all(d.Scale)); err != nil {
				return nil, err
			}
			groups, other := ccbpGroups(d.Scale), otherwise(d.Scale)
			rows := d.speedupsOf(speedups, groups, viaSMK, viaWS, viaSpatial, viaCTAs, viaDRF, viaCCBP, other)
			rows = append(rows, d.gains(speedups, groups, viaCCBP, viaSMK, viaWS, viaSpatial, viaCTAs, other)...)
			rows = append(rows, d.gains(speedups, groups, other, viaSMK, viaWS, viaSpatial, viaCTAs)...)
			for _, g := range groups {
				for _, c := range []contender{viaCCBP, other} {
					rows = append(rows, figureRow("kernels detected as printed, "+g.name+", "+c.name, "%", 100*d.asPrinted(c, g.mixes)))
				}
			}
			for _, c := range beside {
				rows = append(rows, d.gains(speedups, ccbpFewer(d.Scale), c, viaCCBP, viaCTAs)...)
			}
			rows = append(rows, d.gains(speedups, []oldGroup{bound(d.Scale)}, viaClimbing, viaCCBP, viaCTAs)...)
			return oldPublished{
				"HSpeedup, ALL, CCBP over SMK":            {78, "text 7.1"},
				"HSpeedup, ALL, CCBP over WS":             {39, "text 7.1"},
				"HSpeedup, ALL, CCBP over Spatial_oracle": {28, "text 7.1"},
				"HSpeedup, ALL, CCBP over CTA_oracle":     {11, "abstract"},
				"HSpeedup, LS+BI, CCBP over CTA_oracle":   {11, "text 7.1"},
				"HSpeedup, NBI+DBI, CCBP over CTA_oracle": {12, "text 7.1"},
				"WSpeedup, ALL, CCBP over SMK":            {21, "text 7.1"},
				"WSpeedup, ALL, CCBP over WS":             {12, "text 7.1"},
				"WSpeedup, ALL, CCBP over Spatial_oracle": {18, "text 7.1"},
				"WSpeedup, LS+BI, CCBP over CTA_oracle":   {7, "text 7.1"},
				"WSpeedup, NBI+DBI, CCBP over CTA_oracle": {5, "text 7.1"},
			}.add(rows), nil
		},
	})
}
