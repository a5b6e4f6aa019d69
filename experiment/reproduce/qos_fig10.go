package reproduce

import "cotenant/experiment/sweep"

func init() {
	runs := func(s Scale) []sweep.Run { return qosRuns(s, qosPairs(s), rolloverTime, rollover) }
	register(&Experiment{
		Name:   "qos-fig10",
		About:  "QoSreach of sharing cycles and of taking turns, pairs",
		Source: "QoS, Figure 10",
		GPU:    "smk16",
		Notes:  qosNotes,
		runs:   runs,
		rows: func(d *Data) ([]Row, error) {
			pairs := qosPairs(d.Scale)
			rows := append(pairs.table("QoSreach", "%", d.reaches(rolloverTime, rollover)...), d.points(pairs, rollover, rolloverTime)...)
			return published{
				"QoSreach, pairs, all goals, Rollover less Rollover-Time": {3, "text 4.5: differs by 3 %, without a sign"},
			}.add(rows), nil
		},
	})
	register(&Experiment{
		Name:   "qos-fig11",
		About:  "throughput of tenants without goals when cycles are shared and when turns are taken, pairs",
		Source: "QoS, Figure 11",
		GPU:    "smk16",
		Notes:  qosNotes + otherNotes,
		runs:   runs,
		rows: func(d *Data) ([]Row, error) {
			return published{
				"throughput, pairs, all goals, Rollover over Rollover-Time": {47, "text 4.5: 1.47x"},
			}.add(d.throughputs(qosPairs(d.Scale), rollover, rolloverTime)), nil
		},
	})
}

// points are rows of the difference of two policies' QoSreach, in points of
// percent.
func (d *Data) points(q qosSet, p, base named) []Row {
	return q.table("QoSreach", "points", series{p.name + " less " + base.name, minus(d.reach(p), d.reach(base))})
}
