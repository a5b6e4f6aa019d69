package reproduce

import "cotenant/experiment/sweep"

func init() {
	designs := []named{smk, smkP, smkPW}
	register(&Experiment{
		Name:   "smk-fig10",
		About:  "the SMK designs on 45 pairs: STP, fairness and ANTT by class",
		Source: "SMK, Figure 10",
		GPU:    "smk16",
		runs:   func(s Scale) []sweep.Run { return smkRuns(s, allPairs().mixes, designs...) },
		rows: func(d *Data) ([]Row, error) {
			return published{
				"STP, C+M, SMK":                  {1.38, "text 6.2"},
				"STP, C+M, SMK-P":                {1.46, "text 6.2"},
				"STP, C+M, SMK-(P+W)":            {1.52, "text 6.2"},
				"STP, all pairs, SMK":            {1.28, "text 6.2"},
				"STP, all pairs, SMK-P":          {1.34, "text 6.2"},
				"STP, all pairs, SMK-(P+W)":      {1.37, "text 6.2"},
				"fairness, all pairs, SMK":       {0.60, "text 6.2"},
				"fairness, all pairs, SMK-P":     {0.54, "text 6.2"},
				"fairness, all pairs, SMK-(P+W)": {0.74, "text 6.2"},
			}.add(d.means([]metric{stp, fairness, antt, contexts}, pairGroups(), designs...)), nil
		},
	})
	register(&Experiment{
		Name:   "smk-fig11",
		About:  "the SMK designs on the 24 C+M pairs: STP of each",
		Source: "SMK, Figure 11",
		GPU:    "smk16",
		runs:   func(s Scale) []sweep.Run { return smkRuns(s, computeMemory().mixes, designs...) },
		rows: func(d *Data) ([]Row, error) {
			rows := d.each(stp, computeMemory().mixes, designs...)
			return published{
				"STP, C+M, SMK":       {1.38, "text 6.2"},
				"STP, C+M, SMK-P":     {1.46, "text 6.2"},
				"STP, C+M, SMK-(P+W)": {1.52, "text 6.2"},
			}.add(append(rows, d.means([]metric{stp}, []group{computeMemory()}, designs...)...)), nil
		},
	})
}
