// Package timeslice implements time multiplexing of the whole GPU, as a reference: one tenant at a
// time has all SMs, in turn by order of arrival.
//
// A turn is a switch and a slice. The slice begins when the tenant can run: other tenants' SMs
// are empty, and the contexts of its thread blocks are back. The option sets the length of the
// slice, without the switch.
//
// With idle=keep a tenant between two launches keeps the GPU until its slice ends, so that a
// tenant with short kernels is not passed over at each of them. Without a kernel at the end of
// a slice it loses its turn. With idle=skip it loses the turn at once, if another has a kernel.
// A single application has no slices.
//
// A GPU can name the slice of its driver (driver.time_slice_us), which is then the default;
// with such a GPU idle processes are skipped by default, as NVIDIA's driver does.
package timeslice

import (
	"cmp"

	"cotenant/cta_dispatcher/policy"
)

func init() {
	policy.Register(policy.Descriptor{
		Name:  "timeslice",
		About: "the whole GPU for one tenant at a time, in turn",
		Options: []policy.Option{
			{Name: "slice", About: "cycles, 1k to 1000M, of a turn once the tenant's contexts are loaded; gpu: what the GPU names, 100k if it names nothing", Default: theGPUs},
			{Name: "preempt", About: "how a turn ends: switch, drain or ideal", Default: "switch"},
			{Name: "idle", About: "a tenant without a kernel: keep, it keeps its turn to the end of the slice; skip, it loses the turn; gpu: skip if the GPU names a slice, else keep", Default: theGPUs},
		},
		New: func(o *policy.Options) policy.Policy {
			p := &timeslice{current: -1, arrival: -1, idle: o.Choice("idle", theGPUs, keep, skip),
				mechanism: o.Mechanism("preempt", policy.Switch, policy.Drain, policy.Ideal)}
			if o.Text("slice") != theGPUs {
				p.slice = o.Cycles("slice", 1000)
			}
			return p
		},
	})
}

// Values of the options.
const (
	theGPUs = "gpu"
	keep    = "keep"
	skip    = "skip"
)

// unnamed is the slice on a GPU that names none, in cycles.
const unnamed = 100_000

type timeslice struct {
	slice     uint64 // 0: the GPU's
	idle      string // theGPUs, keep or skip
	mechanism policy.Mechanism
	current   int  // tenant with the turn, -1 before the first turn
	arrival   int  // its rank, which finds the next tenant after its end
	begun     bool // its slice has
	// open counts windows that have not ended: this turn's slice, and unfinished slices of
	// applications that have ended.
	open int
}

// Needs makes timeslice a policy.Policy.
func (*timeslice) Needs() policy.Needs { return policy.Needs{Concurrent: true, Loads: true} }

// Decide ends a finished turn, takes SMs away from other tenants, places the thread blocks of
// the tenant with the turn, and begins its slice when they can run.
func (p *timeslice) Decide(v *policy.View, a policy.Actions) {
	if v.Event == policy.WindowEnded {
		p.open--
	}
	if p.current < 0 || !v.Tenants[p.current].Present || p.over(v) || p.idles(v) {
		p.begun = false
		p.turn(v)
	}
	if p.current < 0 {
		return
	}
	p.dispatch(v, a)
	if !p.begun && v.Present() > 1 && p.loaded(v) {
		p.begun = true
		p.open++
		a.Window(cmp.Or(p.slice, v.Machine.TimeSliceCycles, unnamed))
	}
}

func (p *timeslice) dispatch(v *policy.View, a policy.Actions) {
	if v.Tenants[p.current].Waiting == 0 {
		return
	}
	for i := range v.SMs {
		if s := &v.SMs[i]; !s.Reserved && s.StayingOthers(p.current) {
			a.PreemptSM(i, p.mechanism)
		}
	}
	policy.Breadth(v, a, p.current, func(sm int) bool { return v.SMs[sm].Only(p.current) })
}

// loaded reports whether the last change of turns is complete: no SM is being emptied, and the
// tenant has its contexts and runs, or has nothing to run. Thread blocks still on their way to
// memory since its last turn join it later.
func (p *timeslice) loaded(v *policy.View) bool {
	t := &v.Tenants[p.current]
	return !v.Emptying() && t.Loading == 0 && (t.Running > 0 || t.Waiting == 0 && t.Saving == 0)
}

// over reports whether the slice has ended. A tenant with thread blocks that issued nothing,
// because they wait for memory, gets another slice.
func (p *timeslice) over(v *policy.View) bool {
	if v.Event != policy.WindowEnded || p.open > 0 || !p.begun {
		return false
	}
	issued := uint64(0)
	for i := range v.SMs {
		window, _ := v.SMWindow(i)
		issued += window.Tenants[p.current].WarpInstructions
	}
	p.begun = issued > 0 || v.Tenants[p.current].Running == 0
	return p.begun
}

// idles reports whether the tenant with the turn loses it because it has no kernel.
func (p *timeslice) idles(v *policy.View) bool {
	skips := p.idle == skip || p.idle == theGPUs && v.Machine.TimeSliceCycles > 0
	return skips && v.Tenants[p.current].Kernels == 0 && len(v.Active) > 0
}

// turn passes the GPU to the next tenant with a kernel, possibly the same one.
func (p *timeslice) turn(v *policy.View) {
	next := policy.LeastOf(v.Active, func(tenant int) (int, bool) { return v.Tenants[tenant].Rank, v.Tenants[tenant].Rank > p.arrival })
	if next < 0 {
		next = policy.LeastOf(v.Active, func(tenant int) (int, bool) { return v.Tenants[tenant].Rank, true })
	}
	if next >= 0 {
		p.current, p.arrival = next, v.Tenants[next].Rank
	}
}
