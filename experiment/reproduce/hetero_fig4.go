package reproduce

import "cotenant/experiment/sweep"

func init() {
	groups := func(s Scale) []oldGroup { return fewer(s, heteroPairs(s)) }
	mixes := func(s Scale) [][]string { return groups(s)[3].mixes }
	found := []oldWay{viaUneven, viaSMKSTP, viaSMKANTT}
	register(&Experiment{
		Name:   "heterocore-fig4",
		About:  "the best uneven partition and the best SMK on the conventional GPU, and HeteroCore, over even halves",
		Source: "HeteroCore, Figure 4",
		GPU:    hetero8b8s,
		Notes: heteroNotes + heteroPairNotes + " Of them every third is here with --quick. The uneven partition is the best of 2+14 to 14+2 by STP. SMK tries all combinations of thread blocks, with --quick those to which none can be added, " +
			"under schedulers that take kernels in turn and the oldest warp of one; an application with several kernels counts as the kernel of which fewest thread blocks fit.",
		runs: func(s Scale) []sweep.Run { return heteroRuns(s, mixes(s), viaEven, viaDynamic) },
		more: func(d *Data) []sweep.Run { return d.heteroSearched(mixes(d.Scale), found...) },
		rows: func(d *Data) ([]Row, error) {
			for _, mix := range mixes(d.Scale) {
				if _, err := d.roomOf(conventional(d.Scale), heteroSpecs(d.Scale, mix)); err != nil {
					return nil, err
				}
			}
			list := groups(d.Scale)
			p, all := oldPublished{}, list[3].name
			p.put("STP, "+all+", "+viaSMKSTP.name, 14, "text 2.4")
			p.put("ANTT, "+all+", "+viaSMKSTP.name, -76.7, "text 2.4")
			p.put("STP, "+all+", "+viaSMKANTT.name, 4.8, "footnote 1")
			p.put("ANTT, "+all+", "+viaSMKANTT.name, -62.4, "footnote 1")
			return p.add(d.improved(improvements, list, viaEven, viaUneven, viaSMKSTP, viaSMKANTT, viaDynamic)), nil
		},
	})
}
