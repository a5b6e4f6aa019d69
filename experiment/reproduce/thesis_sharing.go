package reproduce

import (
	"fmt"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
)

func init() {
	mechanisms := []named{dssSwitch, dssDrain}
	runs := func(s Scale) []sweep.Run { return processRuns(s, false, fcfs, dssSwitch, dssDrain) }
	const ends = "text 5.3.4, end of a range from 2 to 8 processes"
	register(&Experiment{
		Name:   "thesis-fig5.6",
		About:  "turnaround time of every process under equal sharing against FCFS, 2 to 8 processes",
		Source: "Tanasic's thesis, Figure 5.6",
		GPU:    "k20c",
		Notes:  workloadNotes,
		runs:   runs,
		rows: func(d *Data) (rows []Row, err error) {
			for _, p := range mechanisms {
				for _, c := range append(classNames, "AVERAGE") {
					rows = append(rows, d.overProcesses(c, false, fcfs, p, func(r *ratios, m processMix, before, after *experiment.Result) {
						for i, app := range m.apps {
							if c == "AVERAGE" || classes[app].application == c {
								r.add(before.Kernels[i].NTT, after.Kernels[i].NTT)
							}
						}
					})...)
				}
			}
			return oldPublished{
				"SHORT, 2 processes, " + dssSwitch.name:   {2.45, ends},
				"SHORT, 8 processes, " + dssSwitch.name:   {4, ends},
				"SHORT, 2 processes, " + dssDrain.name:    {2.2, ends},
				"SHORT, 8 processes, " + dssDrain.name:    {3.7, ends},
				"MEDIUM, 2 processes, " + dssSwitch.name:  {1.3, ends},
				"MEDIUM, 8 processes, " + dssSwitch.name:  {1.7, ends},
				"MEDIUM, 2 processes, " + dssDrain.name:   {1.2, ends},
				"MEDIUM, 8 processes, " + dssDrain.name:   {1.4, ends},
				"LONG, 2 processes, " + dssSwitch.name:    {0.9, ends},
				"LONG, 8 processes, " + dssSwitch.name:    {0.55, ends},
				"LONG, 2 processes, " + dssDrain.name:     {0.9, ends},
				"LONG, 8 processes, " + dssDrain.name:     {0.55, ends},
				"AVERAGE, 2 processes, " + dssSwitch.name: {1.5, ends},
				"AVERAGE, 8 processes, " + dssSwitch.name: {2, ends},
				"AVERAGE, 2 processes, " + dssDrain.name:  {1.4, ends},
				"AVERAGE, 8 processes, " + dssDrain.name:  {1.65, ends},
			}.add(rows), nil
		},
	})
	register(&Experiment{
		Name:   "thesis-fig5.7",
		About:  "share of the workloads whose ANTT equal sharing improves over FCFS, 2 to 8 processes",
		Source: "Tanasic's thesis, Figure 5.7",
		GPU:    "k20c",
		Notes:  workloadNotes + " The figure draws the ANTT of every workload; this is what the text says of it, better by more than 5 %.",
		runs:   runs,
		rows: func(d *Data) (rows []Row, err error) {
			for _, p := range mechanisms {
				for _, n := range processes {
					rows = append(rows, d.improvedANTT(n, p))
				}
			}
			return oldPublished{
				fmt.Sprintf("improved workloads, %d processes, %s", 2, dssSwitch.name): {20, "text 5.3.4: about"},
				fmt.Sprintf("improved workloads, %d processes, %s", 4, dssSwitch.name): {70, "text 5.3.4"},
				fmt.Sprintf("improved workloads, %d processes, %s", 6, dssSwitch.name): {100, "text 5.3.4: almost all"},
				fmt.Sprintf("improved workloads, %d processes, %s", 8, dssSwitch.name): {100, "text 5.3.4: almost all"},
			}.add(rows), nil
		},
	})
	register(&Experiment{
		Name:   "thesis-fig5.8",
		About:  "fairness gained and STP lost by equal sharing against FCFS, 2 to 8 processes",
		Source: "Tanasic's thesis, Figure 5.8",
		GPU:    "k20c",
		Notes:  workloadNotes,
		runs:   runs,
		rows: func(d *Data) (rows []Row, err error) {
			for _, p := range mechanisms {
				rows = append(rows, d.overProcesses("fairness improvement", false, fcfs, p, func(r *ratios, _ processMix, before, after *experiment.Result) {
					r.add(after.Fairness, before.Fairness)
				})...)
				rows = append(rows, d.overProcesses("STP degradation", false, fcfs, p, stpDegradation)...)
			}
			return oldPublished{
				"fairness improvement, 2 processes, " + dssSwitch.name: {1.1, ends},
				"fairness improvement, 8 processes, " + dssSwitch.name: {3.35, ends},
				"fairness improvement, 2 processes, " + dssDrain.name:  {1.05, ends},
				"fairness improvement, 8 processes, " + dssDrain.name:  {2.7, ends},
				"STP degradation, 2 processes, " + dssSwitch.name:      {1.06, ends},
				"STP degradation, 8 processes, " + dssSwitch.name:      {1.34, ends},
				"STP degradation, 2 processes, " + dssDrain.name:       {1.08, ends},
				"STP degradation, 8 processes, " + dssDrain.name:       {1.5, ends},
			}.add(rows), nil
		},
	})
}

// improvedANTT is the share of the workloads of n processes whose ANTT is more
// than 5 % below that under FCFS, in percent; it is not defined if one of the two
// is not for a workload.
func (d *Data) improvedANTT(n int, p named) Row {
	mixes := processMixes(d.Scale, n)
	better := 0.0
	r := Row{Label: fmt.Sprintf("improved workloads, %d processes, %s", n, p.name), Unit: "%"}
	for _, m := range mixes {
		specs := m.specs(d.Scale, false)
		before, after := d.of(fcfs.spec, specs).ANTT, d.of(p.spec, specs).ANTT
		if !before.Defined() || !after.Defined() {
			return r
		}
		if after < 0.95*before {
			better++
		}
	}
	percent := 100 * better / float64(len(mixes))
	r.Ours = &percent
	return r
}
