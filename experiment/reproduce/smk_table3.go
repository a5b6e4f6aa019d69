package reproduce

import "cotenant/experiment/sweep"

func init() {
	register(&Experiment{
		Name:   "smk-table3",
		About:  "performance fairness under SMK-P by class of pair",
		Source: "SMK, Table 3, column Performance",
		GPU:    "smk16",
		runs:   func(s Scale) []sweep.Run { return smkRuns(s, allPairs().mixes, smkP) },
		rows: func(d *Data) ([]Row, error) {
			return published{
				"fairness, C+M, SMK-P":       {0.49, "printed"},
				"fairness, C+C, SMK-P":       {0.64, "printed"},
				"fairness, M+M, SMK-P":       {0.55, "printed"},
				"fairness, all pairs, SMK-P": {0.54, "printed"},
			}.add(d.means([]metric{fairness}, pairGroups(), smkP)), nil
		},
	})
}
