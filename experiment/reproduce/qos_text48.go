package reproduce

import "cotenant/experiment/sweep"

func init() {
	// Balancing thread blocks is reported of the M+M pairs alone.
	balanced := func(s Scale) qosSet { return qosClasses(qosPairs(s))[2] }
	register(&Experiment{
		Name:   "qos-text48",
		About:  "what preemption costs, and what history and moving thread blocks gain, pairs",
		Source: "QoS, text of 4.8",
		GPU:    "smk16",
		Notes:  qosNotes + otherNotes + " The cost of preemption is what the throughput loses against contexts that move in no time. Each is switched off in Rollover; moving thread blocks only for the M+M pairs, 300 cases, 18 with --quick.",
		runs: func(s Scale) []sweep.Run {
			return append(qosRuns(s, qosPairs(s), rollover, rolloverIdeal, rolloverPast), qosRuns(s, balanced(s), rolloverStatic)...)
		},
		rows: func(d *Data) ([]Row, error) {
			pairs := qosPairs(d.Scale)
			loss := func(also ...named) measure {
				return minus(func([]qosCase) float64 { return 0 }, relative(d.others(rollover, also...), d.others(rolloverIdeal, also...)))
			}
			rows := pairs.table("cost of preemption", "%", series{rollover.name, loss()})
			rows = append(rows, pairs.total("cost of preemption where both reach", "%", series{rollover.name, loss(rollover, rolloverIdeal)})...)
			rows = append(rows, pairs.table("QoSreach", "%", d.reaches(rolloverPast, rollover)...)...)
			rows = append(rows, pairs.total("QoSreach", "%", series{against(rollover, rolloverPast), relative(d.reach(rollover), d.reach(rolloverPast))})...)
			rows = append(rows, d.throughputs(balanced(d.Scale), rollover, rolloverStatic)...)
			return published{
				"cost of preemption, pairs, all goals, Rollover":                   {1.93, "text 4.8"},
				"QoSreach, pairs, all goals, " + against(rollover, rolloverPast):   {86.4, "text 4.8"},
				"throughput, M+M, all goals, " + against(rollover, rolloverStatic): {13.3, "text 4.8"},
			}.add(rows), nil
		},
	})
}
