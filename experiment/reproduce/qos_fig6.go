package reproduce

import (
	"fmt"

	"cotenant/experiment/sweep"
)

// trioNotes say what the experiments of trios run.
const trioNotes = " The paper does not list its 60 trios; these are every second one of the 120 in the order of their names, turned by their number. Each kind of trios has 600 cases, 18 with --quick (six trios; goals of 50, 75 and 95 %, or 25, 50 and 70 % each); one of two goals is reached if both are."

func init() {
	pairs := []named{spartQoS, naive, elastic, rollover}
	trios := []named{spartQoS, rollover}
	register(&Experiment{
		Name:   "qos-fig6",
		About:  "QoSreach by goal: pairs, and trios with one and two goals",
		Source: "QoS, Figure 6",
		GPU:    "smk16",
		Notes:  qosNotes + trioNotes + " What the text says of trios is held to be relative, as its 12.2 % for pairs is.",
		runs: func(s Scale) []sweep.Run {
			runs := qosRuns(s, qosPairs(s), pairs...)
			runs = append(runs, qosRuns(s, qosTrios(s, 1), trios...)...)
			return append(runs, qosRuns(s, qosTrios(s, 2), trios...)...)
		},
		rows: func(d *Data) (rows []Row, err error) {
			change := series{against(rollover, spartQoS), relative(d.reach(rollover), d.reach(spartQoS))}
			for _, set := range []struct {
				qosSet
				policies []named
			}{{qosPairs(d.Scale), pairs}, {qosTrios(d.Scale, 1), trios}, {qosTrios(d.Scale, 2), trios}} {
				rows = append(rows, set.table("QoSreach", "%", d.reaches(set.policies...)...)...)
				rows = append(rows, set.total("QoSreach", "%", change)...)
			}
			return published{
				"QoSreach, pairs, all goals, Spart":                              {78.8, "text 4.2"},
				"QoSreach, pairs, all goals, Naive":                              {20.6, "text 4.2"},
				"QoSreach, pairs, all goals, Rollover":                           {88.4, "text 4.2"},
				"QoSreach, pairs, all goals, Rollover over Spart":                {12.2, "text 4.2"},
				"QoSreach, trios with one goal, all goals, Rollover over Spart":  {18.8, "text 4.2"},
				"QoSreach, trios with two goals, all goals, Rollover over Spart": {43.8, "text 4.2"},
				"QoSreach, trios with two goals, 70 %, Spart":                    {0, "text 4.2"},
			}.add(rows), nil
		},
	})
	register(&Experiment{
		Name:   "qos-fig7",
		About:  "QoSreach by the application with the goal and by class, pairs",
		Source: "QoS, Figure 7",
		GPU:    "smk16",
		Notes:  qosNotes + " Each application has 90 cases, 6 with --quick; the classes have 120 (C+C), 480 and 300, with --quick 12, 30 and 18. The paper does not name the six applications that reach all goals.",
		runs:   func(s Scale) []sweep.Run { return qosRuns(s, qosPairs(s), trios...) },
		rows: func(d *Data) (rows []Row, err error) {
			set, all := qosPairs(d.Scale), map[named]int{}
			for _, app := range append(append([]string{}, compute...), memory...) {
				own := set.of(app, func(mix []string) bool { return mix[0] == app })
				rows = append(rows, own.total("QoSreach", "%", d.reaches(trios...)...)...)
				for _, p := range trios {
					if d.reach(p)(own.cases()) == 100 {
						all[p]++
					}
				}
			}
			for _, class := range qosClasses(set) {
				rows = append(rows, class.total("QoSreach", "%", d.reaches(trios...)...)...)
			}
			for _, p := range trios {
				rows = append(rows, row(fmt.Sprintf("applications that reach all goals, %s", p.name), "", float64(all[p])))
			}
			return published{
				"QoSreach, C+C, all goals, Spart":             {100, "text 4.2"},
				"QoSreach, C+C, all goals, Rollover":          {100, "text 4.2"},
				"applications that reach all goals, Rollover": {6, "text 4.2"},
			}.add(rows), nil
		},
	})
}

// reaches are the QoSreach of some policies.
func (d *Data) reaches(policies ...named) (list []series) {
	for _, p := range policies {
		list = append(list, series{p.name, d.reach(p)})
	}
	return list
}
