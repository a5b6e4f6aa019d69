package reproduce

import (
	"math"
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	mixes := func(s Scale) [][]string {
		groups := ccbpGroups(s)
		return slices.Concat(groups[1].mixes, groups[2].mixes)
	}
	register(&Experiment{
		Name:   "ccbp-fig10",
		About:  "CCBP and the CTA oracle on each pair with a bandwidth-intensive kernel: harmonic speedup",
		Source: "CCBP, Figure 10",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + pairNotes + detectNotes + oracleNotes,
		runs:   func(s Scale) []sweep.Run { return withAlone(s, mixes(s), viaCCBP) },
		more:   func(d *Data) []sweep.Run { return d.searched(mixes(d.Scale), viaCTAs) },
		rows: func(d *Data) (rows []Row, err error) {
			if err := d.fit(mixes(d.Scale)); err != nil {
				return nil, err
			}
			largest := math.Inf(-1)
			for _, mix := range mixes(d.Scale) {
				pair := []oldGroup{{title(mix), [][]string{mix}}}
				rows = append(rows, d.speedupsOf(speedups[:1], pair, viaCTAs, viaCCBP)...)
				rows = append(rows, d.gains(speedups[:1], pair, viaCCBP, viaCTAs)...)
				if gain := rows[len(rows)-1].Ours; gain != nil {
					largest = max(largest, *gain)
				}
			}
			if math.IsInf(largest, 0) {
				largest = math.NaN()
			}
			rows = append(rows, Row{Label: "HSpeedup, largest of all, CCBP over CTA_oracle", Unit: "%", Ours: defined(largest)})
			return oldPublished{
				"HSpeedup, BP+CFD, CCBP over CTA_oracle":         {25, "text 7.2"},
				"HSpeedup, CFD+FTD, CCBP over CTA_oracle":        {16, "text 7.3"},
				"HSpeedup, largest of all, CCBP over CTA_oracle": {51, "abstract"},
			}.add(rows), nil
		},
	})
}
