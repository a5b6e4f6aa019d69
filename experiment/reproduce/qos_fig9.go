package reproduce

import "cotenant/experiment/sweep"

func init() {
	register(&Experiment{
		Name:   "qos-fig9",
		About:  "by how much tenants exceed their goals, pairs",
		Source: "QoS, Figure 9",
		GPU:    "smk16",
		Notes:  qosNotes + " Means over the cases that reach their goals under the scheme, and over those that do under both.",
		runs:   func(s Scale) []sweep.Run { return qosRuns(s, qosPairs(s), spartQoS, rollover) },
		rows: func(d *Data) ([]Row, error) {
			pairs := qosPairs(d.Scale)
			rows := pairs.table("over the goal", "%", series{spartQoS.name, d.over(spartQoS)}, series{rollover.name, d.over(rollover)})
			rows = append(rows, pairs.table("over the goal where both reach", "%",
				series{spartQoS.name, d.over(spartQoS, rollover)}, series{rollover.name, d.over(rollover, spartQoS)})...)
			return published{
				"over the goal, pairs, all goals, Spart":    {11.6, "text 4.4"},
				"over the goal, pairs, all goals, Rollover": {2.8, "text 4.4"},
			}.add(rows), nil
		},
	})
}
