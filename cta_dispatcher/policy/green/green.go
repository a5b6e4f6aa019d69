// Package green shares the SMs as green contexts of the CUDA driver do (CUDA driver API 12.4 and
// 13.0, Green Contexts): the SMs are split into groups, and each application runs in a context
// with a group of its own.
//
// A group has at least as many SMs as the compute capability asks for, and a multiple of the
// number of SMs that the capability schedules together; what a user asks for is rounded up:
//
//	capability  least  multiple of
//	6.x             1            1
//	7.x             2            2
//	8.x             4            2
//	9.0 and up      8            8
//
// Groups of a split are disjoint. They follow each other from SM 0 in the order of the
// applications' arrival, so that a group consists of whole TPCs. A context reserves nothing: an
// application without a context of its own (-) may use all SMs, also those of other
// applications' groups. On a shared SM the higher priority goes first (package confined).
package green

import (
	"errors"
	"fmt"
	"strconv"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/confined"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "green",
		About: "green contexts: each application on a group of SMs of its own, by the rules of the compute capability",
		Options: []policy.Option{
			{Name: "sms", About: "SMs of each context by order of arrival, such as 16/32, rounded up as the capability asks; -: no context, all SMs; even: equal groups; or all: no contexts", Default: "all"},
		},
		New: func(o *policy.Options) policy.Policy {
			g := &green{even: o.Text("sms") == "even"}
			if !g.even {
				g.sms = policy.List(o, "sms", "all", "even, or whole numbers from 1 to 1024, and - for none, such as 16/32", func(item string) (int, bool) {
					if item == "-" {
						return 0, true
					}
					n, err := strconv.Atoi(item)
					return n, err == nil && n >= 1 && n <= 1024
				})
			}
			g.Lay = g.lay
			return g
		},
	})
}

type green struct {
	sms  []int // asked for, by order of arrival; 0: no context; nil: no contexts
	even bool  // equal groups

	groups []group // by order of arrival; nil before the check
	confined.Placement
}

// group is a range of SMs; without SMs it stands for all of them.
type group struct{ first, sms int }

// Needs makes it a policy.Policy.
func (g *green) Needs() policy.Needs {
	return policy.Needs{Concurrent: true, Check: g.check, Registers: g.Registers}
}

func (g *green) check(v *policy.View) error {
	if g.sms == nil && !g.even {
		return nil
	}
	if v.Mixed() {
		return errors.New("green contexts need equal SMs, and the GPU has SMs of several kinds")
	}
	if g.sms != nil && len(g.sms) < len(v.Tenants) {
		return fmt.Errorf("option sms has %d numbers for %d applications: give one for each", len(g.sms), len(v.Tenants))
	}
	var err error
	g.groups, err = g.split(len(v.SMs), len(v.Tenants), v.Machine.ComputeCapability)
	return err
}

// split makes the groups of a number of applications.
func (g *green) split(sms, applications, capability int) ([]group, error) {
	least, multiple, err := granularity(capability)
	if err != nil {
		return nil, err
	}
	asked := g.sms
	if g.even {
		each := sms / max(applications, 1) / multiple * multiple
		if each < least {
			return nil, fmt.Errorf("%d SMs cannot be split into %d groups; valid: at most %d, as a group has at least %d", sms, applications, sms/least, least)
		}
		for range applications {
			asked = append(asked, each)
		}
	}
	var list []group
	next := 0
	for _, n := range asked[:min(applications, len(asked))] {
		if n > 0 {
			n = max((n+multiple-1)/multiple*multiple, least)
		}
		list = append(list, group{next, n})
		next += n
	}
	if next > sms {
		return nil, fmt.Errorf("the groups of option sms have %d SMs, each rounded up to a multiple of %d and to %d at least; valid: at most %d", next, multiple, least, sms)
	}
	return list, nil
}

// granularity is the least number of SMs of a group, and what the number is a multiple of. A GPU
// that names no capability is told to programs as 7.0.
func granularity(capability int) (least, multiple int, err error) {
	switch major := capability / 10; {
	case capability == 0, major == 7:
		return 2, 2, nil
	case major < 6:
		return 0, 0, fmt.Errorf("green contexts need compute capability 6.0, and the GPU has %d.%d", major, capability%10)
	case major == 6:
		return 1, 1, nil
	case major == 8:
		return 4, 2, nil
	}
	return 8, 8, nil
}

// lay gives a tenant the SMs of its context.
func (g *green) lay(v *policy.View, tenant int) []bool {
	set := make([]bool, len(v.SMs))
	own := group{0, len(v.SMs)}
	if rank := v.Tenants[tenant].Rank; rank < len(g.groups) && g.groups[rank].sms > 0 {
		own = g.groups[rank]
	}
	for i := range own.sms {
		set[own.first+i] = true
	}
	return set
}
