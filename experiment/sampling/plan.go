package sampling

import (
	"fmt"

	"cotenant/workload"
)

// Role says how a launch is executed, and what its cycles stand for.
type Role uint8

// The roles.
const (
	Estimated      Role = iota // it is executed without timing
	WarmUp                     // it is simulated before a representative, and estimated
	Representative             // it is simulated, and stands for its cluster
)

var roleNames = [...]string{Estimated: "estimated", WarmUp: "warm-up", Representative: "representative"}

// String is the role's name in results.
func (r Role) String() string { return roleNames[r] }

// MarshalText writes the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Plan says which launches of an application are simulated.
type Plan struct {
	// Clusters lists the launches of each cluster, Of the cluster of each launch.
	Clusters [][]int
	Of       []int
	Roles    []Role
	// Exact is the number of launches before the first skipped launch: they are simulated
	// as in a full run.
	Exact int
	// Share is the part of the warp instructions that is simulated.
	Share float64
}

// NewPlan chooses the launches to be simulated. It refuses an application without launches,
// and an application with so little repetition that more than s.Most of its warp
// instructions would be simulated.
func NewPlan(s Spec, launches []Launch) (*Plan, error) {
	if len(launches) == 0 {
		return nil, fmt.Errorf("the application launches no kernel")
	}
	p := &Plan{Clusters: Clusters(launches, s.Spread), Of: make([]int, len(launches)), Roles: make([]Role, len(launches))}
	for c, members := range p.Clusters {
		for _, m := range members {
			p.Of[m] = c
		}
		for _, m := range representatives(members, s.Representatives) {
			p.Roles[m] = Representative
		}
	}
	for i, r := range p.Roles {
		if r != Representative {
			continue
		}
		for before := max(0, i-s.WarmUps); before < i; before++ {
			p.Roles[before] = max(p.Roles[before], WarmUp)
		}
	}
	for p.Exact < len(launches) && p.Roles[p.Exact] != Estimated {
		p.Exact++
	}
	p.Share = p.share(launches)
	if p.Share > s.Most {
		return nil, fmt.Errorf("%.0f %% of the instructions would be simulated, as its %s form %s; valid: an application with launches that repeat, for at most %.0f %%",
			100*p.Share, workload.Count(len(launches), "launch"), workload.Count(len(p.Clusters), "cluster"), 100*s.Most)
	}
	return p, nil
}

// representatives are the middle members of n equal stretches of a cluster, or all members if
// it has no more.
func representatives(members []int, n int) (list []int) {
	if len(members) <= n {
		return members
	}
	for i := range n {
		list = append(list, members[(2*i+1)*len(members)/(2*n)])
	}
	return list
}

// share is the part of the warp instructions that is simulated.
func (p *Plan) share(launches []Launch) float64 {
	simulated, all := uint64(0), uint64(0)
	for i := range launches {
		all += launches[i].WarpInstructions
		if p.Simulated(i) {
			simulated += launches[i].WarpInstructions
		}
	}
	return float64(simulated) / float64(max(1, all))
}

// Simulated reports whether a launch is simulated.
func (p *Plan) Simulated(launch int) bool { return p.Roles[launch] != Estimated }
