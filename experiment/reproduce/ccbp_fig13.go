package reproduce

import (
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	list := []contender{viaSMK, viaWS, viaCCBP}
	groups := func(s Scale) []oldGroup { return []oldGroup{ccbpMost(s, 3), ccbpMost(s, 4)} }
	register(&Experiment{
		Name:   "ccbp-fig13",
		About:  "CCBP, SMK and Warped-Slicer with three and four kernels: speedups, and HG's read latency beside LBM and SAD",
		Source: "CCBP, Figure 13 and text 7.4",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + detectNotes + latencyNotes + " The paper draws 40 mixes of each at random and names one, HG+LBM+SAD. The others are drawn here with a fixed seed; --quick has six of each, HG+LBM+SAD among them.",
		runs: func(s Scale) (runs []sweep.Run) {
			for _, g := range groups(s) {
				runs = append(runs, ccbpRuns(s, g.mixes, list...)...)
			}
			hg := [][]string{hgLBMSAD}
			runs = append(runs, ccbpRuns(s, hg, countingReads(viaSMK), countingReads(viaWS))...)
			runs = append(runs, aloneOn(s, greedyTimed, hgLBMSAD[:1])...)
			return append(runs, withAlone(s, slices.Concat(groups(s)[0].mixes, groups(s)[1].mixes))...)
		},
		rows: func(d *Data) ([]Row, error) {
			rows := d.speedupsOf(speedups, groups(d.Scale), list...)
			rows = append(rows, d.gains(speedups, groups(d.Scale), viaCCBP, viaSMK, viaWS)...)
			for _, c := range []contender{countingReads(viaSMK), countingReads(viaWS), viaCCBP} {
				rows = append(rows, figureRow("read latency of HG in HG+LBM+SAD over alone, "+c.name, "", d.latencyOverAlone(c, hgLBMSAD, 0)))
			}
			return oldPublished{
				"HSpeedup, 3 kernels, CCBP over WS":                 {46, "text 7.4"},
				"WSpeedup, 3 kernels, CCBP over WS":                 {18, "text 7.4"},
				"HSpeedup, 4 kernels, CCBP over WS":                 {48, "text 7.4"},
				"WSpeedup, 4 kernels, CCBP over WS":                 {21, "text 7.4"},
				"read latency of HG in HG+LBM+SAD over alone, SMK":  {4.8, "text 7.4"},
				"read latency of HG in HG+LBM+SAD over alone, WS":   {4.5, "text 7.4"},
				"read latency of HG in HG+LBM+SAD over alone, CCBP": {1.4, "text 7.4"},
			}.add(rows), nil
		},
	})
}
