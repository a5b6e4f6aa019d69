package reproduce

import (
	"cotenant/experiment/sweep"
	"cotenant/metrics"
)

// qosNotes say what all experiments of the QoS paper's pairs run.
const qosNotes = "Goals are percentages of what the application has alone on the same GPU in the same time; one is reached if the IPC of the whole window is not below it. Full: the paper's 90 pairs with 10 goals, 900 cases; --quick: 20 pairs, each application with a C and with an M partner, with goals of 50, 75 and 95 %, 60 cases."

func init() {
	register(&Experiment{
		Name:   "qos-fig5",
		About:  "by how much the naive scheme with history misses goals, pairs",
		Source: "QoS, Figure 5",
		GPU:    "smk16",
		Notes:  qosNotes + " The paper counts cases, of which these are percentages; the widths of its bins are not in the text.",
		runs:   func(s Scale) []sweep.Run { return qosRuns(s, qosPairs(s), naive) },
		rows: func(d *Data) ([]Row, error) {
			pairs := qosPairs(d.Scale)
			rows := pairs.table("QoSreach", "%", series{naive.name, d.reach(naive)})
			rows = append(rows, d.misses(pairs, naive)...)
			rows = append(rows, pairs.total("over the goal", "%", series{naive.name, d.over(naive)})...)
			return published{
				"QoSreach, pairs, all goals, Naive":      {100 * 186. / 900, "text 3.4.2: 186 of 900"},
				"missed, pairs, all goals, Naive":        {100 * 714. / 900, "text 3.4.2: over 700 of 900"},
				"missed by at most 5 %, of all missed":   {50, "text 3.4.2: most, so more than half"},
				"over the goal, pairs, all goals, Naive": {1.3, "text 3.4.2"},
			}.add(rows), nil
		},
	})
}

// misses are rows of how many cases of a set miss their goals, and by how much, in
// percent of the cases.
func (d *Data) misses(q qosSet, p named) []Row {
	bins := metrics.Shortfalls(d.promises(p, q.cases()))
	missed := func([]qosCase) float64 { return 100 - d.reach(p)(q.cases()) }
	rows := q.total("missed", "%", series{p.name, missed})
	for i, bounds := range []string{"by at most 5 %", "by 5 to 10 %", "by 10 to 15 %", "by 15 to 20 %", "by more than 20 %"} {
		share := func(cases []qosCase) float64 { return 100 * float64(bins[i]) / float64(len(cases)) }
		rows = append(rows, q.total("missed "+bounds, "%", series{p.name, share})...)
	}
	all := 0
	for _, n := range bins {
		all += n
	}
	// Of none it is 0 over 0, not defined.
	of := 100 * float64(bins[0]) / float64(all)
	return append(rows, Row{Label: "missed by at most 5 %, of all missed", Unit: "%", Ours: defined(of)})
}
