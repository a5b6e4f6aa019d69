package reproduce

import "cotenant/experiment/sweep"

// stallKinds are the stalls of the SMK paper (6.4) in our causes. Cycles in
// which a scheduler has no warp at all are none of them.
var stallKinds = []struct {
	name   string
	causes []string
}{
	{"pipeline", []string{"lsu_full", "pipe_other"}},
	{"control", []string{"control"}},
	{"data", []string{"raw_long", "raw_other"}},
	{"all three", []string{"lsu_full", "pipe_other", "control", "raw_long", "raw_other"}},
}

func init() {
	register(&Experiment{
		Name:   "smk-fig14",
		About:  "stall cycles of SMK-(P+W) against spatial partitioning, C+M pairs",
		Source: "SMK, Figure 14",
		GPU:    "smk16",
		Notes:  "Change of the sum over the pairs. Pipeline is lsu_full and pipe_other, data is raw_long and raw_other; cycles without a warp do not count.",
		runs:   func(s Scale) []sweep.Run { return smkRuns(s, computeMemory().mixes, spart, smkPW) },
		rows: func(d *Data) (rows []Row, err error) {
			for _, kind := range stallKinds {
				r := Row{Label: kind.name + " stalls, C+M, SMK-(P+W) over Spart", Unit: "%"}
				r.Ours = change(d.stalls(smkPW, computeMemory(), kind.causes), d.stalls(spart, computeMemory(), kind.causes))
				rows = append(rows, r)
			}
			return published{
				"pipeline stalls, C+M, SMK-(P+W) over Spart":  {-19.5, "text 6.4"},
				"control stalls, C+M, SMK-(P+W) over Spart":   {-18.4, "text 6.4"},
				"data stalls, C+M, SMK-(P+W) over Spart":      {14.5, "text 6.4"},
				"all three stalls, C+M, SMK-(P+W) over Spart": {-8.6, "text 6.4"},
			}.add(rows), nil
		},
	})
}

// stalls sums scheduler-cycles of some causes over the mixes of a group.
func (d *Data) stalls(p named, g group, causes []string) *float64 {
	sum := 0.0
	for _, mix := range g.mixes {
		for _, cause := range causes {
			sum += float64(d.of(p.spec, sized(d.Scale, mix)).Stalls[cause])
		}
	}
	return &sum
}
