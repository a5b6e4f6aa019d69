package reproduce

import "cotenant/experiment/sweep"

func init() {
	even := one("even", conventional, evenly(4))
	ways := []oldWay{viaAgnostic, viaDynamic}
	register(&Experiment{
		Name:   "heterocore-four",
		About:  "four kernels: agnostic and dynamic HeteroCore over the conventional GPU in even quarters",
		Source: "HeteroCore, text 6.4",
		GPU:    hetero8b8s,
		Notes: heteroNotes + " Mixes are of four applications, of which not all are thick and not all lean, drawn with a fixed seed: 50 as in the paper, which has them of 310 where there are 465, and does not list them; --quick has six. " +
			"The margin says nothing of four, which always have SMs of one kind.",
		runs: func(s Scale) []sweep.Run {
			return heteroRuns(s, heteroFours(s).mixes, append([]oldWay{even}, ways...)...)
		},
		rows: func(d *Data) ([]Row, error) {
			g := heteroFours(d.Scale)
			rows := d.improved(improvements, []oldGroup{g}, even, ways...)
			rows = append(rows, d.extremes(improvements, g, even, ways...)...)
			return oldPublished{
				"STP, four kernels, dynamic":            {19, "text 6.4"},
				"STP, highest of four kernels, dynamic": {59.8, "text 6.4"},
				"ANTT, four kernels, dynamic":           {33.2, "text 6.4"},
			}.add(rows), nil
		},
	})
}
