// Package timeslice is time multiplexing of the whole GPU, as a reference: one
// tenant at a time has all SMs, in turn by order of arrival.
//
// A tenant between two launches keeps the GPU until its slice ends, so that one
// with short kernels is not passed over at each of them; without a kernel at
// the end of a slice it loses its turn. An SM that is still being emptied when
// a slice ends prolongs the next one: with slices shorter than a preemption
// nobody would ever run.
package timeslice

import (
	"errors"

	"cotenant/cta_dispatcher/policy"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "timeslice",
		About: "the whole GPU for one tenant at a time, in turn",
		Options: []policy.Option{
			{Name: "slice", About: "length of a turn in cycles, 1k to 1000M", Default: "100k"},
			{Name: "preempt", About: "how a turn ends: switch, drain or ideal", Default: "switch"},
		},
		New: func(o policy.Options) (policy.Policy, error) {
			slice, err := o.Int("slice", 1000, 1_000_000_000)
			m, err2 := o.Mechanism("preempt", policy.Switch, policy.Drain, policy.Ideal)
			return &timeslice{slice: uint64(slice), mechanism: m, current: -1, arrival: -1}, errors.Join(err, err2)
		},
	})
}

type timeslice struct {
	slice     uint64
	mechanism policy.Mechanism
	current   int // tenant whose turn it is, -1 before the first turn
	arrival   int // its rank, from which the next is found when it has ended
}

// EpochCycles is the length of a slice.
func (p *timeslice) EpochCycles() uint64 { return p.slice }

// Concurrent makes timeslice a policy.Concurrent.
func (*timeslice) Concurrent() bool { return true }

// Decide ends a turn that is over, takes the SMs away from others and places
// the thread blocks of the tenant whose turn it is.
func (p *timeslice) Decide(v *policy.View, a policy.Actions) {
	if p.current < 0 || !v.Tenants[p.current].Present || v.Event == policy.Epoch && p.settled(v) {
		p.turn(v)
	}
	if p.current < 0 || v.Tenants[p.current].Waiting == 0 {
		return
	}
	for i := range v.SMs {
		if s := &v.SMs[i]; !s.Reserved && s.StayingOthers(p.current) {
			a.PreemptSM(i, p.mechanism)
		}
	}
	policy.Breadth(v, a, p.current, func(sm int) bool { return v.SMs[sm].Only(p.current) })
}

// settled reports whether the last change of turns is complete, and its tenant
// has issued something since, if it has a thread block: else slices that are
// shorter than a context switch would pass without anybody's doing any work.
func (p *timeslice) settled(v *policy.View) bool {
	issued := uint64(0)
	for i := range v.SMs {
		if v.SMs[i].Reserved {
			return false
		}
		window, _ := v.SMWindow(i)
		issued += window.Tenants[p.current].WarpInstructions
	}
	return issued > 0 || v.Tenants[p.current].Running == 0
}

// turn passes the GPU to the next tenant that has a kernel, which may be the
// one that has it.
func (p *timeslice) turn(v *policy.View) {
	next, first := -1, -1
	for _, tenant := range v.Active {
		rank := v.Tenants[tenant].Rank
		if first < 0 || rank < v.Tenants[first].Rank {
			first = tenant
		}
		if rank > p.arrival && (next < 0 || rank < v.Tenants[next].Rank) {
			next = tenant
		}
	}
	if next < 0 {
		next = first
	}
	if next >= 0 {
		p.current, p.arrival = next, v.Tenants[next].Rank
	}
}
