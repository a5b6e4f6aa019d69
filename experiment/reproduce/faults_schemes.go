package reproduce

import "cotenant/experiment/sweep"

func init() {
	const text = "text 6.5.2"
	schemes := func(name, about, source, notes string, values oldPublished, list ...scheme) {
		register(&Experiment{
			Name: name, About: about, Source: source, GPU: pagefault16, Notes: notes,
			runs: func(s Scale) []sweep.Run { return schemeRuns(s, list...) },
			rows: func(d *Data) ([]Row, error) { return values.add(d.schemeRows(list...)), nil },
		})
	}
	schemes("thesis-fig6.1", "performance of SMs that issue or commit in order over the baseline, which does neither", "Tanasic's thesis, Figure 6.1",
		faultNotes+" The text has no number.", nil, inOrder, inOrderCommit, inOrderBoth)
	schemes("thesis-fig6.11", "performance without faults of the schemes without a log over the baseline", "Tanasic's thesis, Figure 6.11",
		faultNotes+" For lbm with the replay queue 6.5.2 has 0.59, and further on 0.67.", oldPublished{
			"geometric mean, " + wdCommit.name:    {0.85, text},
			"geometric mean, " + wdLastcheck.name: {0.91, text},
			"geometric mean, " + replayQueue.name: {0.94, text},
			"lbm, " + replayQueue.name:            {0.59, text},
		}, wdCommit, wdLastcheck, replayQueue)
	schemes("thesis-fig6.12", "performance without faults with operand logs of three sizes over the baseline", "Tanasic's thesis, Figure 6.12",
		faultNotes, oldPublished{
			"geometric mean, " + log8.name:  {0.969, text},
			"geometric mean, " + log16.name: {0.998, text},
			"lbm, " + log16.name:            {0.96, text},
		}, log8, log16, log32)
}
