package reproduce

import (
	"cotenant/experiment"
	"cotenant/experiment/sweep"
)

func init() {
	preemptive := []named{ppqSwitch, ppqDrain}
	shared := []named{ppqSharedSwitch, ppqSharedDrain}
	const range531 = "text 5.3.2, end of a range from 2 to 8 processes"
	register(&Experiment{
		Name:   "thesis-fig5.4",
		About:  "turnaround time of the high-priority process against FCFS, 2 to 8 processes",
		Source: "Tanasic's thesis, Figure 5.4",
		GPU:    "k20c",
		Notes:  workloadNotes,
		runs: func(s Scale) []sweep.Run {
			return processRuns(s, true, fcfs, npq, ppqSwitch, ppqDrain)
		},
		rows: func(d *Data) (rows []Row, err error) {
			for _, p := range append([]named{npq}, preemptive...) {
				for _, c := range append(classNames, "AVERAGE") {
					rows = append(rows, d.overProcesses(c, true, fcfs, p, func(r *ratios, m processMix, before, after *experiment.Result) {
						if c == "AVERAGE" || classes[m.apps[m.first]].kernels == c {
							r.add(before.Kernels[m.first].NTT, after.Kernels[m.first].NTT)
						}
					})...)
				}
			}
			return oldPublished{
				"AVERAGE, 2 processes, " + npq.name:       {1, "text 5.3.2: no improvement"},
				"AVERAGE, 4 processes, " + npq.name:       {1.1, "text 5.3.2, end of a range from 4 to 8 processes"},
				"AVERAGE, 8 processes, " + npq.name:       {1.6, "text 5.3.2, end of a range from 4 to 8 processes"},
				"AVERAGE, 2 processes, " + ppqSwitch.name: {2, range531},
				"AVERAGE, 8 processes, " + ppqSwitch.name: {15.6, range531},
				"AVERAGE, 2 processes, " + ppqDrain.name:  {1.6, range531},
				"AVERAGE, 8 processes, " + ppqDrain.name:  {6, range531},
				"SHORT, 2 processes, " + ppqSwitch.name:   {5.1, range531},
				"SHORT, 8 processes, " + ppqSwitch.name:   {63.7, range531},
				"SHORT, 2 processes, " + ppqDrain.name:    {2.84, range531},
				"SHORT, 8 processes, " + ppqDrain.name:    {16.2, range531},
				"MEDIUM, 2 processes, " + ppqSwitch.name:  {1.06, range531},
				"MEDIUM, 8 processes, " + ppqSwitch.name:  {4.6, range531},
				"MEDIUM, 2 processes, " + ppqDrain.name:   {1.33, range531},
				"MEDIUM, 8 processes, " + ppqDrain.name:   {4.5, range531},
				"LONG, 2 processes, " + ppqSwitch.name:    {1.26, range531},
				"LONG, 8 processes, " + ppqSwitch.name:    {1.76, range531},
				"LONG, 8 processes, " + ppqDrain.name:     {1.54, range531},
			}.add(rows), nil
		},
	})
	const range533 = "text 5.3.3, end of a range that does not name processes"
	register(&Experiment{
		Name:   "thesis-fig5.5",
		About:  "cost of preemptive priority in STP against NPQ, exclusive and shared access, 2 to 8 processes",
		Source: "Tanasic's thesis, Figure 5.5",
		GPU:    "k20c",
		Notes:  workloadNotes,
		runs: func(s Scale) []sweep.Run {
			return processRuns(s, true, append(append([]named{npq}, preemptive...), shared...)...)
		},
		rows: func(d *Data) (rows []Row, err error) {
			for _, p := range append(append([]named{}, preemptive...), shared...) {
				rows = append(rows, d.overProcesses("STP degradation", true, npq, p, stpDegradation)...)
			}
			return oldPublished{
				"STP degradation, 2 processes, " + ppqSwitch.name: {1.08, range533},
				"STP degradation, 8 processes, " + ppqSwitch.name: {1.12, range533},
				"STP degradation, 2 processes, " + ppqDrain.name:  {1.09, range533},
				"STP degradation, 8 processes, " + ppqDrain.name:  {1.38, range533},
			}.add(rows), nil
		},
	})
}

// workloadNotes says how the workloads differ from the thesis's.
const workloadNotes = "The thesis draws its workloads at random and does not list them; these are drawn with fixed seeds, every application equally often the first process. Means of the workloads' ratios. The quick scale has three workloads for each number of processes, each of which completes once, and inputs of its own, whose kernels take ten microseconds (histo) to two milliseconds (mri-gridding)."

// stpDegradation adds how much lower the STP is than before.
func stpDegradation(r *ratios, _ processMix, before, after *experiment.Result) {
	r.add(before.STP, after.STP)
}
