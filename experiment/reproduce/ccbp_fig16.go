package reproduce

import "cotenant/experiment/sweep"

func init() {
	// schedulers are the warp schedulers as the paper calls them; rr is the machine's own.
	schedulers := []struct{ name, option string }{{"LRR", ""}, {"GTO", "gto"}, {"2LVL-8", "2lvl-8"}, {"LRR+GTO", "kernel-lrr"}}
	under := func(c contender) (list []contender) {
		for _, s := range schedulers {
			by := contender{name: c.name + ", " + s.name, machine: c.machine, policy: c.policy, tried: c.tried}
			if s.option != "" {
				by.machine = func(scale Scale) string { return with(c.machine(scale), "sm.scheduler="+s.option) }
			}
			list = append(list, by)
		}
		return list
	}
	ws, ours := under(viaWS), under(contender{name: viaCCBP.name, machine: rated, tried: (*Data).asDecided})
	all := func(s Scale) []oldGroup { return ccbpGroups(s)[3:] }
	register(&Experiment{
		Name:   "ccbp-fig16",
		About:  "warp schedulers under Warped-Slicer and CCBP on pairs: harmonic speedup",
		Source: "CCBP, Figure 16",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + pairNotes + detectNotes + heldNotes + " Of two-level schedulers with several group sizes only 2LVL-8 is run, the one that the text compares with.",
		runs: func(s Scale) []sweep.Run {
			return withAlone(s, all(s)[0].mixes, append(ws[:len(ws):len(ws)], viaCCBP)...)
		},
		more: func(d *Data) []sweep.Run { return d.searched(all(d.Scale)[0].mixes, ours...) },
		rows: func(d *Data) (rows []Row, err error) {
			h := speedups[:1]
			for _, list := range [][]contender{ws, ours} {
				rows = append(rows, d.speedupsOf(h, all(d.Scale), list...)...)
				rows = append(rows, d.gains(h, all(d.Scale), list[3], list[:3]...)...)
			}
			return oldPublished{"HSpeedup, ALL, WS, LRR+GTO over WS, 2LVL-8": {15, "text 7.6"}}.add(rows), nil
		},
	})
}
