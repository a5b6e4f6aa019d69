package reproduce

import (
	"fmt"
	"math"
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	metrics := []metric{stp, fairness, antt}
	spartText := published{
		"STP, C+M, Spart":       {1.30, "text 6.3"},
		"STP, all pairs, Spart": {1.37 / 1.127, "text 6.2 and 1: 1.37 is 12.7 % above it"},
	}
	register(&Experiment{
		Name:   "smk-fig12",
		About:  "SMK-(P+W) and spatial partitioning on 45 pairs: STP, fairness and ANTT by class",
		Source: "SMK, Figure 12",
		GPU:    "smk16",
		runs:   func(s Scale) []sweep.Run { return smkRuns(s, allPairs().mixes, spart, smkPW) },
		rows: func(d *Data) ([]Row, error) {
			rows := spartText.add(d.means(append(slices.Clone(metrics), contexts), pairGroups(), spart, smkPW))
			return published{
				"STP, C+M, SMK-(P+W)":                       {1.52, "text 6.3"},
				"STP, all pairs, SMK-(P+W)":                 {1.37, "text 6.2"},
				"fairness, all pairs, SMK-(P+W)":            {0.74, "text 6.2"},
				"STP, C+M, SMK-(P+W) over Spart":            {17, "text 1"},
				"STP, M+M, SMK-(P+W) over Spart":            {5.1, "text 6.3"},
				"STP, all pairs, SMK-(P+W) over Spart":      {12.7, "text 1"},
				"fairness, all pairs, SMK-(P+W) over Spart": {5.7, "text 1"},
				"ANTT, C+M, SMK-(P+W) over Spart":           {-19.0, "text 1"},
				"ANTT, all pairs, SMK-(P+W) over Spart":     {-10.6, "text 1"},
			}.add(append(rows, d.changes(metrics, pairGroups(), smkPW, spart)...)), nil
		},
	})
	register(&Experiment{
		Name:   "smk-fig13",
		About:  "SMK-(P+W) and spatial partitioning on the 24 C+M pairs: STP of each",
		Source: "SMK, Figure 13",
		GPU:    "smk16",
		runs:   func(s Scale) []sweep.Run { return smkRuns(s, allPairs().mixes, spart, smkPW) },
		rows: func(d *Data) ([]Row, error) {
			rows := d.each(stp, computeMemory().mixes, spart, smkPW)
			least, most := math.Inf(1), math.Inf(-1)
			for _, mix := range allPairs().mixes {
				c := change(d.mean(smkPW, [][]string{mix}, stp), d.mean(spart, [][]string{mix}, stp))
				if c == nil {
					return nil, fmt.Errorf("%s has no STP under Spart", title(mix))
				}
				least, most = min(least, *c), max(most, *c)
			}
			pair := group{"tpacf+lbm", [][]string{{"tpacf", "lbm"}}}
			rows = append(rows, d.changes([]metric{stp}, []group{pair}, smkPW, spart)...)
			rows = append(rows, row("STP, largest of all pairs, SMK-(P+W) over Spart", "%", most),
				row("STP, smallest of all pairs, SMK-(P+W) over Spart", "%", least))
			return published{
				"STP, tpacf+lbm, SMK-(P+W) over Spart":             {20, "text 6.3"},
				"STP, largest of all pairs, SMK-(P+W) over Spart":  {61.3, "text 6.3"},
				"STP, smallest of all pairs, SMK-(P+W) over Spart": {-5, "text 6.3: less than 5 % behind"},
			}.add(rows), nil
		},
	})
}

// changes are rows of how much larger means are under one policy than under
// another, in percent.
func (d *Data) changes(metrics []metric, groups []group, p, base named) (rows []Row) {
	for _, m := range metrics {
		for _, g := range groups {
			rows = append(rows, Row{Label: m.name + ", " + g.name + ", " + p.name + " over " + base.name, Unit: "%",
				Ours: change(d.mean(p, g.mixes, m), d.mean(base, g.mixes, m))})
		}
	}
	return rows
}
