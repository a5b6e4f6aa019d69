// Package policy is how a sharing policy sees the GPU and what it can ask for.
// A policy is a pure state machine: at defined moments it is shown a View and
// returns the thread blocks to place. It imports no block and holds no clock.
// Each policy is a folder of this package and registers itself by name.
package policy

import "cotenant/components/occupancy"

// Event is the moment at which a policy is asked.
type Event uint8

// The moments.
const (
	KernelArrived  Event = iota // a kernel became active
	KernelFinished              // the last TB of a kernel finished
	TBFinished                  // a TB finished and left room on its SM
)

// View is what a policy sees. It belongs to the SM driver, which keeps it up to
// date; a policy must not change it.
type View struct {
	Event   Event
	Tenants []Tenant // by tenant number
	SMs     []SM     // by SM number
	// Active lists the tenants that have an active kernel, in the order in
	// which those kernels arrived.
	Active []int
}

// Tenant is one application and its active kernel, if it has one.
type Tenant struct {
	// Present says that the application has not ended: it has an active
	// kernel or will launch another.
	Present bool
	Arrival int              // rank of the application's arrival, 0 for the first
	Demand  occupancy.Demand // of one TB of the active kernel
	Waiting int              // TBs of the active kernel that are not placed yet
	Running int              // TBs of the active kernel that are placed and have not finished
}

// SM is one SM's thread blocks.
type SM struct {
	Capacity *occupancy.Capacity
	Usage    occupancy.Usage
	TBs      []int              // by tenant
	Tenants  []occupancy.Demand // by tenant: what its TBs take
}

// Present counts the tenants that have not ended.
func (v *View) Present() int {
	n := 0
	for i := range v.Tenants {
		if v.Tenants[i].Present {
			n++
		}
	}
	return n
}

// Fits reports whether one more TB of a tenant's active kernel fits on an SM.
func (v *View) Fits(tenant, sm int) bool {
	return v.Tenants[tenant].Waiting > 0 && v.SMs[sm].Capacity.Fits(&v.SMs[sm].Usage, v.Tenants[tenant].Demand)
}

// Placer carries out placements as a policy decides them, so that the View
// shows the effect of one when the policy looks for the next.
type Placer interface {
	// Place puts the next waiting TB of a tenant's active kernel on an SM, where
	// it must fit.
	Place(tenant, sm int)
}

// Policy decides who gets what.
type Policy interface {
	// Decide is called at each Event. It may place any number of TBs; a TB
	// that is not placed is looked at again at the next event.
	Decide(v *View, p Placer)
}

// Breadth places TBs of a tenant one by one, each on the SM with the fewest
// TBs among those that allowed admits and where it fits, the lowest number
// first, until none is left.
func Breadth(v *View, p Placer, tenant int, allowed func(sm int) bool) {
	for v.Tenants[tenant].Waiting > 0 {
		best := -1
		for i := range v.SMs {
			if (best < 0 || v.SMs[i].Usage.TBs < v.SMs[best].Usage.TBs) && v.Fits(tenant, i) && allowed(i) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		p.Place(tenant, best)
	}
}
