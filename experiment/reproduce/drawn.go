package reproduce

import (
	"slices"

	"cotenant/experiment/sweep"
)

func init() {
	sets["mixes of three"] = func(f *figure, s Scale) []mix { return covering(f, s, 3, 56) }
	sets["mixes of four"] = func(f *figure, s Scale) []mix { return covering(f, s, 4, 70) }
	sets["pairs in order"], sets["trios"] = orderedPairs, trios
}

// covering draws so many mixes (SMK 6.6), or 12 at the quick scale: the first of every
// number of compute-intensive applications, then others, in the order of one draw.
func covering(f *figure, s Scale, size, count int) []mix {
	if s.Quick {
		count = 12
	}
	apps := f.ofClass("compute", "memory")
	seen := map[int]bool{}
	var first, rest [][]string
	for _, drawn := range sweep.Draw(sweep.Combinations(len(apps), size), size, apps, uint64(size)) {
		computing := 0
		for _, app := range drawn {
			if f.hasClass(app, "compute") {
				computing++
			}
		}
		if seen[computing] {
			rest = append(rest, drawn)
			continue
		}
		seen[computing] = true
		first = append(first, drawn)
	}
	return mixesOf(append(first, rest[:count-len(first)]...)...)
}

// orderedPairs are pairs of a tenant with a goal and one without: the QoS paper's 90 (4.1), of
// which the quick scale has 20: each application once with a compute-intensive and once with
// a memory-intensive partner, the next of its class or the one of its place in the other, so
// that 4 are C+C, 10 C+M and 6 M+M.
func orderedPairs(f *figure, s Scale) (list []mix) {
	classes := [][]string{f.ofClass("compute"), f.ofClass("memory")}
	for _, class := range classes {
		for i, app := range class {
			for _, partners := range classes {
				place := i
				if partners[0] == class[0] {
					place++
				}
				if s.Quick {
					partners = []string{partners[place%len(partners)]}
				}
				for _, other := range partners {
					if other != app {
						list = append(list, mix{apps: []string{app, other}})
					}
				}
			}
		}
	}
	return list
}

// trios are mixes of three tenants, 60 of which with the goals are 600 cases (QoS 4.1). The
// paper does not list them. Of the 120 sets of three applications, in the order of their
// names, these are every second one, each turned by its number, so that its first tenant, or
// its first two, are not always those of the first letters.
func trios(f *figure, _ Scale) (list []mix) {
	apps := slices.Sorted(slices.Values(f.ofClass("compute", "memory")))
	number := 0
	for i := range apps {
		for j := i + 1; j < len(apps); j++ {
			for _, third := range apps[j+1:] {
				if set := []string{apps[i], apps[j], third}; number%2 == 0 {
					turn := number / 2 % len(set)
					list = append(list, mix{apps: slices.Concat(set[turn:], set[:turn])})
				}
				number++
			}
		}
	}
	return list
}
