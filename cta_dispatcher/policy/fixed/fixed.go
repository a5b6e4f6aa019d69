// Package fixed gives each tenant the user's numbers of thread blocks on each SM, and of SMs.
// It decides nothing: searches over combinations run it, such as the paper's oracles (CCBP 4,
// 7), and so do measurements of a kernel's scaling with its thread blocks on an SM.
//
// Numbers are by the order of arrival, which is the order of the command line if all arrive
// together. tbs=7/4 gives the first application seven thread blocks on each of its SMs, and
// the second four, of any kernel. Both have all SMs; with sms=8/8 the first has SMs 0 to 7 and
// the second 8 to 15. On a GPU with SMs of several kinds numbers are by kind, in the order of
// the kinds: sms=4+4/4+4 gives each four of the first kind and four of the second, as in
// HeteroCore's search for the best assignment (HeteroCore 6.5), and sms=8+0/0+8 gives each the
// SMs of one kind. The numbers hold for a tenant alone as well.
//
// If the numbers of the active kernels do not fit on an SM together, thread blocks are counted
// in turn, in the kernels' order of arrival, up to the numbers, while they fit. So a number that
// is too large means as many as fit, and the register tbs shows them. A kernel without any waits
// for an earlier kernel to end. While numbers fit, no thread block leaves an SM for another.
package fixed

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/deal"
	"cotenant/cta_dispatcher/policy/targets"
	"cotenant/protocol"
)

type fixed struct {
	lists     []list
	tbs       []int           // on an SM, by order of arrival; nil: as many as fit
	sms       [][]int         // by order of arrival and kind; nil: all for each
	rates     []protocol.Rate // by order of arrival; nil: SMs are told none
	mechanism policy.Mechanism

	targets *targets.Targets
	place   []int // by tenant: in the order of arrival, from 0; -1 before it
	arrived int
	active  []int // tenants for whom targets were set
}

// Needs makes it a policy.Policy.
func (f *fixed) Needs() policy.Needs {
	n := policy.Needs{Check: f.check, Registers: f.registers}
	if f.rates != nil {
		n.Sends = []policy.Sent{policy.Sending[*protocol.Rates](protocol.KindSM, "issue-rate controllers, with sm.irc.sub_queues above 0")}
	}
	return n
}

func (f *fixed) check(v *policy.View) error {
	for _, l := range f.lists {
		if l.length < len(v.Tenants) {
			return fmt.Errorf("option %s has %d numbers for %d applications: give one for each", l.name, l.length, len(v.Tenants))
		}
	}
	if f.rates != nil && v.Mixed() {
		return errors.New("options rates and first need equal SMs, and the GPU has SMs of several kinds")
	}
	if f.sms == nil {
		return nil
	}
	kinds := v.Kinds()
	for _, list := range f.sms {
		if len(list) != len(kinds) {
			return fmt.Errorf("option sms says %s of SMs of %s, and the GPU has SMs of %s: give a number for each, such as %s",
				written(list), plural(len(list)), plural(len(kinds)), written(kinds))
		}
	}
	for kind, has := range kinds {
		sum := 0
		for _, list := range f.sms {
			sum += list[kind]
		}
		switch {
		case sum > has && len(kinds) > 1:
			return fmt.Errorf("option sms asks for %d SMs of kind %d, the GPU has %d", sum, kind, has)
		case sum > has:
			return fmt.Errorf("option sms asks for %d SMs, the GPU has %d", sum, has)
		}
	}
	return nil
}

// plural is a number of kinds.
func plural(kinds int) string {
	if kinds == 1 {
		return "one kind"
	}
	return fmt.Sprintf("%d kinds", kinds)
}

// Decide sets targets for the active kernels, and places up to them.
func (f *fixed) Decide(v *policy.View, a policy.Actions) {
	if f.targets == nil {
		f.targets = targets.New(v)
		for range v.Tenants {
			f.place = append(f.place, -1)
		}
	}
	if f.attend(v) {
		f.sendRates(v, a)
	}
	if f.targets.Meet(v) || !slices.Equal(f.active, v.Active) {
		f.active = append(f.active[:0], v.Active...)
		f.aim(v)
	}
	f.targets.Dispatch(v, a, v.Active, f.mechanism)
}

// attend gives places to tenants that have come for the first time, and reports whether there
// are any.
func (f *fixed) attend(v *policy.View) (came bool) {
	for _, tenant := range v.Newcomers(func(tenant int) bool { return f.place[tenant] >= 0 }) {
		f.place[tenant] = f.arrived
		f.arrived++
		came = true
	}
	return came
}

// aim sets all targets.
func (f *fixed) aim(v *policy.View) {
	f.targets.Clear()
	most, tbs := make([]int, len(v.Active)), make([]int, len(v.Active))
	demands := make([]occupancy.Demand, len(v.Active))
	for i := range v.SMs {
		for at, tenant := range v.Active {
			most[at], demands[at] = f.most(v, f.place[tenant], i), v.Tenants[tenant].Demand
		}
		fit(v.SMs[i].Capacity, demands, most, tbs)
		for at, tenant := range v.Active {
			f.targets.TBs[tenant][i] = tbs[at]
		}
	}
}

// registers lists the most thread blocks that each tenant's kernel may have on an SM.
func (f *fixed) registers() (list []policy.RegisterValue) {
	for tenant, tbs := range f.targets.TBs {
		list = append(list, policy.RegisterValue{Name: "tbs", Tenant: tenant, Value: float64(slices.Max(tbs))})
	}
	return list
}

// most is the number of thread blocks that the application of a place may have on an
// SM.
func (f *fixed) most(v *policy.View, place, sm int) int {
	if f.sms != nil {
		kind, first, at := v.SMs[sm].Kind, 0, 0
		for _, n := range f.sms[:place] {
			first += n[kind]
		}
		for i := range sm {
			if v.SMs[i].Kind == kind {
				at++
			}
		}
		if at < first || at >= first+f.sms[place][kind] {
			return 0
		}
	}
	if f.tbs == nil {
		return math.MaxInt
	}
	return f.tbs[place]
}

// fit fills tbs with each kernel's thread blocks on an empty SM: one each in turn, up to
// the kernel's most, while they fit.
func fit(c *occupancy.Capacity, demands []occupancy.Demand, most, tbs []int) {
	clear(tbs)
	deal.InTurn(c, &occupancy.Usage{}, demands, most, 0, tbs)
}
