package reproduce

import (
	"fmt"

	"cotenant/experiment/sweep"
)

func init() {
	after := func(cycles int) contender {
		if cycles == 1 {
			return heldTo(rated)
		}
		return heldTo(ratedWith(fmt.Sprintf("sm.irc.latency=%d", cycles)))
	}
	latencies := func(s Scale) []int {
		if s.Quick {
			return []int{2, 4}
		}
		return []int{2, 3, 4}
	}
	pairs := func(s Scale) [][]string { return ccbpGroups(s)[3].mixes }
	register(&Experiment{
		Name:   "ccbp-arbiter",
		About:  "CCBP with slower arbiters in its controllers: what the harmonic speedup loses",
		Source: "CCBP, text 6.2",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + pairNotes + detectNotes + heldNotes + " The paper gives the range of the slowdown, 0.11 to 0.72 %, for 1 to 4 cycles; its ends are put to the smallest and the largest latency that is compared with 1 cycle.",
		runs:   func(s Scale) []sweep.Run { return withAlone(s, pairs(s), viaCCBP) },
		more: func(d *Data) []sweep.Run {
			list := []contender{after(1)}
			for _, cycles := range latencies(d.Scale) {
				list = append(list, after(cycles))
			}
			return d.searched(pairs(d.Scale), list...)
		},
		rows: func(d *Data) (rows []Row, err error) {
			least := d.geometric(after(1), pairs(d.Scale), hSpeedup)
			rows = append(rows, figureRow("HSpeedup, ALL, 1 cycle", "", least))
			for _, cycles := range latencies(d.Scale) {
				rows = append(rows, figureRow(fmt.Sprintf("slowdown, ALL, %d cycles", cycles), "%", -higher(d.geometric(after(cycles), pairs(d.Scale), hSpeedup), least)))
			}
			return oldPublished{
				"slowdown, ALL, 2 cycles": {0.11, "text 6.2: lower end of a range"},
				"slowdown, ALL, 4 cycles": {0.72, "text 6.2: upper end of a range"},
			}.add(rows), nil
		},
	})
}
