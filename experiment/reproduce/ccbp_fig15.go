package reproduce

import (
	"fmt"
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	queues := func(depth int) contender {
		if depth == 16 {
			return heldTo(rated)
		}
		return heldTo(ratedWith(fmt.Sprintf("sm.irc.depth=%d", depth)))
	}
	const unlimited = 1024
	depths := []int{8, 16, 32}
	groups := func(s Scale) []oldGroup {
		return []oldGroup{{"2 kernels", ccbpGroups(s)[3].mixes}, ccbpMost(s, 3), ccbpMost(s, 4)}
	}
	all := func(s Scale) (mixes [][]string) {
		for _, g := range groups(s) {
			mixes = append(mixes, g.mixes...)
		}
		return mixes
	}
	register(&Experiment{
		Name:   "ccbp-fig15",
		About:  "CCBP with shorter queues in its controllers: harmonic speedup of that with unlimited ones",
		Source: "CCBP, Figure 15",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + pairNotes + detectNotes + heldNotes + " Unlimited queues have eight times 1024 entries, more than an SM can have requests. Of three and four kernels the mixes are those of Figure 13.",
		runs:   func(s Scale) []sweep.Run { return withAlone(s, all(s), viaCCBP) },
		more: func(d *Data) []sweep.Run {
			return d.searched(all(d.Scale), queues(8), queues(16), queues(32), queues(unlimited))
		},
		rows: func(d *Data) (rows []Row, err error) {
			for i, g := range groups(d.Scale) {
				whole := d.geometric(queues(unlimited), g.mixes, hSpeedup)
				rows = append(rows, figureRow(fmt.Sprintf("HSpeedup, %s, unlimited", g.name), "", whole))
				for _, depth := range depths {
					paper := [][]float64{{96, 91, 89}, {99, 96, 94}, {100, 98, 98}}[slices.Index(depths, depth)][i]
					rows = append(rows, figureRow(fmt.Sprintf("HSpeedup, %s, %d entries, of unlimited", g.name, 8*depth), "%",
						100*d.geometric(queues(depth), g.mixes, hSpeedup)/whole).is(paper, "text 7.6"))
				}
			}
			return rows, nil
		},
	})
}
