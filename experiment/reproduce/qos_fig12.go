package reproduce

import "cotenant/experiment/sweep"

func init() {
	const few = " On this GPU --quick has 7 of the pairs, 21 cases."
	runs := func(s Scale) []sweep.Run { return qosRuns(s, qosPairs56(s), spartQoS, rollover) }
	register(&Experiment{
		Name:   "qos-fig12",
		About:  "QoSreach by goal on 56 SMs, pairs",
		Source: "QoS, Figure 12",
		GPU:    "qos56",
		Notes:  qosNotes + few,
		runs:   runs,
		rows: func(d *Data) ([]Row, error) {
			pairs := qosPairs56(d.Scale)
			rows := append(pairs.table("QoSreach", "%", d.reaches(spartQoS, rollover)...), d.points(pairs, rollover, spartQoS)...)
			return published{
				"QoSreach, pairs, all goals, Rollover less Spart": {4.76, "text 4.6: 4.76 %, not said of what"},
			}.add(rows), nil
		},
	})
	register(&Experiment{
		Name:   "qos-fig13",
		About:  "throughput of tenants without goals by goal on 56 SMs, pairs",
		Source: "QoS, Figure 13",
		GPU:    "qos56",
		Notes:  qosNotes + few + otherNotes,
		runs:   runs,
		rows: func(d *Data) ([]Row, error) {
			return published{
				"throughput, pairs, all goals, Rollover over Spart": {30.65, "text 4.6"},
			}.add(d.throughputs(qosPairs56(d.Scale), rollover, spartQoS)), nil
		},
	})
}
