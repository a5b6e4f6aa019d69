package reproduce

import (
	"fmt"

	"cotenant/experiment/sweep"
)

// otherNotes say how the normalised IPC of tenants without goals is averaged.
const otherNotes = " IPC normalised to that alone, of two tenants without goals their mean, averaged over the cases that reach the goal under each scheme by itself, as in the paper, which are not the same cases; and over those that both schemes reach."

func init() {
	register(&Experiment{
		Name:   "qos-fig8",
		About:  "throughput of tenants without goals by goal: pairs, and trios with one and two goals",
		Source: "QoS, Figure 8",
		GPU:    "smk16",
		Notes:  qosNotes + trioNotes + otherNotes,
		runs: func(s Scale) (runs []sweep.Run) {
			for _, set := range qosSets(s) {
				runs = append(runs, qosRuns(s, set, spartQoS, rollover)...)
			}
			return runs
		},
		rows: func(d *Data) (rows []Row, err error) {
			texts := published{
				"throughput, pairs, all goals, Rollover over Spart":                {15.9, "text 4.3"},
				"throughput, trios with one goal, all goals, Rollover over Spart":  {19.9, "text 4.3"},
				"throughput, trios with two goals, all goals, Rollover over Spart": {20.5, "text 4.3"},
				"throughput, trios with one goal, 95 %, Rollover over Spart":       {75.5, "text 4.3"},
			}
			for _, set := range qosSets(d.Scale) {
				rows = append(rows, d.throughputs(set, rollover, spartQoS)...)
				for _, percent := range set.percents {
					if set.with == 2 && percent >= 60 {
						texts.put(fmt.Sprintf("throughput, %s, %d %%, Rollover over Spart", set.name, percent), 900, "text 4.3: more than 10x in the last three")
					}
				}
			}
			return texts.add(rows), nil
		},
	})
}

// qosSets are the pairs and both kinds of trios.
func qosSets(s Scale) []qosSet { return []qosSet{qosPairs(s), qosTrios(s, 1), qosTrios(s, 2)} }

// throughputs are rows of the throughput of tenants without goals under two
// policies, and of their difference, over the cases that each reaches and over those
// that both reach.
func (d *Data) throughputs(q qosSet, p, base named) []Row {
	rows := q.table("throughput", "", series{base.name, d.others(base)}, series{p.name, d.others(p)})
	rows = append(rows, q.table("throughput", "%", series{against(p, base), relative(d.others(p), d.others(base))})...)
	rows = append(rows, q.table("reached by both", "%", series{base.name + " and " + p.name, d.reach(base, p)})...)
	return append(rows, q.table("throughput where both reach", "%", series{against(p, base), relative(d.others(p, base), d.others(base, p))})...)
}
