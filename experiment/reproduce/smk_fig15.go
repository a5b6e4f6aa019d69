package reproduce

import (
	"fmt"
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	// SMK-(P+W)K of the paper, without a limit of kernels per SM, is SMK-(P+W).
	policies := []named{spart, smkPW, smkPW2}
	register(&Experiment{
		Name:   "smk-fig15",
		About:  "three and four kernels: STP, fairness and ANTT",
		Source: "SMK, Figure 15",
		GPU:    "smk16",
		Notes:  "The paper draws 56 and 70 mixes at random and does not list them. These are drawn with a fixed seed, at least one of every number of compute-intensive applications; --quick takes the first 12 and 12.",
		runs: func(s Scale) (runs []sweep.Run) {
			for _, g := range largerMixes(s) {
				runs = append(runs, smkRuns(s, g.mixes, policies...)...)
			}
			return runs
		},
		rows: func(d *Data) ([]Row, error) {
			groups, metrics := largerMixes(d.Scale), []metric{stp, fairness, antt}
			rows := d.means(metrics, groups, policies...)
			return published{
				"STP, 3 kernels, SMK-(P+W) over Spart": {14.8, "text 6.6"},
				"STP, 4 kernels, SMK-(P+W) over Spart": {14.3, "text 6.6"},
			}.add(append(append(rows, d.changes(metrics, groups, smkPW, spart)...), d.changes(metrics, groups, smkPW2, spart)...)), nil
		},
	})
}

// largerMixes are the mixes of three and of four kernels.
func largerMixes(s Scale) []group {
	counts := []int{56, 70} // SMK 6.6
	if s.Quick {
		counts = []int{12, 12}
	}
	var groups []group
	for i, size := range []int{3, 4} {
		groups = append(groups, group{fmt.Sprintf("%d kernels", size), drawCovering(counts[i], size)})
	}
	return groups
}

// drawCovering draws mixes of the ten applications: the first of every number
// of compute-intensive ones, then others, in the order of one draw.
func drawCovering(count, size int) (mixes [][]string) {
	apps := slices.Concat(compute, memory)
	all := sweep.Draw(sweep.Combinations(len(apps), size), size, apps, uint64(size))
	class := func(mix []string) (n int) {
		for _, app := range mix {
			if slices.Contains(compute, app) {
				n++
			}
		}
		return n
	}
	seen := map[int]bool{}
	var rest [][]string
	for _, mix := range all {
		if c := class(mix); !seen[c] {
			seen[c] = true
			mixes = append(mixes, mix)
		} else {
			rest = append(rest, mix)
		}
	}
	return append(mixes, rest[:count-len(mixes)]...)
}
