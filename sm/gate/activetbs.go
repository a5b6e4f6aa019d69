package gate

import (
	"math/bits"
	"reflect"
	"slices"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// ActiveTBs throttles thread blocks (CCBP 5.4): a tenant with a limit of n issues from
// its n thread blocks that were placed first. Warps of its further thread blocks keep
// their slots and wait. A thread block counts until it has left the SM, its stores
// performed; then the tenant's oldest waiting thread block takes its place. So n active
// thread blocks use what n thread blocks on the SM would use.
//
// A thread block that comes back from memory is the last placed.
type ActiveTBs struct {
	on bool
	// stale: thread blocks have come or gone since the masks were made.
	stale      bool
	most       [tenant.Max]uint8
	schedulers []residents
	numbers    []uint64 // of a tenant's thread blocks; of use while masks are made
}

// residents are one scheduler's warps.
type residents struct {
	slots [tenant.Max]warps.Mask // of the tenant's warps
	owner [warps.PerScheduler]tenant.ID
	tb    [warps.PerScheduler]uint64 // number of the warp's thread block
	held  warps.Mask                 // slots that may not issue
}

func init() { register(func(schedulers int) Gate { return NewActiveTBs(schedulers) }) }

// NewActiveTBs makes a gate without limits.
func NewActiveTBs(schedulers int) *ActiveTBs {
	return &ActiveTBs{schedulers: make([]residents, schedulers)}
}

// Takes lists protocol.ActiveTBs.
func (a *ActiveTBs) Takes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*protocol.ActiveTBs]()}
}

// Control sets the limits of all tenants, or ends them.
func (a *ActiveTBs) Control(c protocol.Control) bool {
	m, ok := c.(*protocol.ActiveTBs)
	if !ok {
		return false
	}
	a.on, a.most, a.stale = m.On, m.Most, true
	a.Edge()
	return true
}

// Active reports whether there are limits.
func (a *ActiveTBs) Active() bool { return a.on }

// Placed counts a warp in.
func (a *ActiveTBs) Placed(scheduler, slot int, t tenant.ID, tb uint64) {
	s := &a.schedulers[scheduler]
	s.owner[slot], s.tb[slot] = t, tb
	s.slots[t] |= 1 << slot
	a.stale = true
}

// Ended changes nothing: the warp stays until its stores are performed.
func (a *ActiveTBs) Ended(scheduler, slot int) {}

// Freed counts a warp out.
func (a *ActiveTBs) Freed(scheduler, slot int) {
	s := &a.schedulers[scheduler]
	s.slots[s.owner[slot]] &^= 1 << slot
	a.stale = true
}

// Issued changes nothing.
func (a *ActiveTBs) Issued(scheduler, slot int, insts []workload.Inst) {}

// Edge finds the warps that may issue, if warps have come or gone.
func (a *ActiveTBs) Edge() (changed bool) {
	if !a.on || !a.stale {
		return false
	}
	a.stale = false
	for i := range a.schedulers {
		a.schedulers[i].held = 0
	}
	for t, most := range a.most {
		if most > 0 {
			a.limit(t, int(most))
		}
	}
	return true
}

// limit holds back all of a tenant's thread blocks but the oldest most.
func (a *ActiveTBs) limit(t, most int) {
	a.numbers = a.numbers[:0]
	for i := range a.schedulers {
		s := &a.schedulers[i]
		for slots := s.slots[t]; slots != 0; slots &= slots - 1 {
			a.numbers = append(a.numbers, s.tb[bits.TrailingZeros64(slots)])
		}
	}
	slices.Sort(a.numbers)
	a.numbers = slices.Compact(a.numbers)
	if len(a.numbers) <= most {
		return
	}
	first := a.numbers[most]
	for i := range a.schedulers {
		s := &a.schedulers[i]
		for slots := s.slots[t]; slots != 0; slots &= slots - 1 {
			if s.tb[bits.TrailingZeros64(slots)] >= first {
				s.held |= slots & -slots
			}
		}
	}
}

// Masks are the slots of thread blocks that wait.
func (a *ActiveTBs) Masks(scheduler int) (all, memory warps.Mask) {
	return a.schedulers[scheduler].held, 0
}
