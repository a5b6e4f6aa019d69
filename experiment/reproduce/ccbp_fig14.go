package reproduce

import "cotenant/experiment/sweep"

func init() {
	hybrid := func(name, option string) contender {
		return contender{name: "WS+" + name, machine: plainWith(option), policy: viaWS.policy}
	}
	bmi, mil := hybrid("BMI", "sm.memory_issue=bmi"), hybrid("MIL", milOption)
	hybrids := []contender{hybrid("TCM", "dram.scheduler=tcm"), bmi, mil, hybrid("UCP", "sm.l1.victim=ucp")}
	list := append([]contender{viaWS, viaCCBP}, hybrids...)
	groups := func(s Scale) []oldGroup { return withAll(ccbpPairs(s)...) }
	register(&Experiment{
		Name:   "ccbp-fig14",
		About:  "Warped-Slicer with schemes for memory, and CCBP, on pairs: harmonic speedup by class",
		Source: "CCBP, Figure 14",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + pairNotes + detectNotes + " The paper's 19 % is over the approach of its reference [11] with Warped-Slicer, which is BMI or MIL; it does not say which.",
		runs: func(s Scale) []sweep.Run {
			all := groups(s)
			return withAlone(s, all[len(all)-1].mixes, list...)
		},
		rows: func(d *Data) ([]Row, error) {
			h := speedups[:1]
			rows := d.speedupsOf(h, groups(d.Scale), list...)
			for _, c := range hybrids {
				rows = append(rows, d.gains(h, groups(d.Scale), c, viaWS)...)
			}
			rows = append(rows, d.gains(h, groups(d.Scale), viaCCBP, append([]contender{viaWS}, hybrids...)...)...)
			const from = "text 1: over [11] with WS"
			return oldPublished{
				"HSpeedup, ALL, CCBP over WS":     {39, "text 7.1"},
				"HSpeedup, ALL, CCBP over WS+BMI": {19, from},
				"HSpeedup, ALL, CCBP over WS+MIL": {19, from},
			}.add(rows), nil
		},
	})
}
