package heterocore

import (
	"slices"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

var (
	baseSM  = occupancy.Capacity{TBs: 8, Threads: 1536, Warps: 48, Registers: 32768, SharedOptions: []int{49152}}
	bigSM   = occupancy.Capacity{TBs: 10, Threads: 2304, Warps: 72, Registers: 49152, SharedOptions: []int{65536}}
	smallSM = occupancy.Capacity{TBs: 6, Threads: 768, Warps: 24, Registers: 16384, SharedOptions: []int{32768}}
)

// desk is a View without thread blocks, on which a test shows a policy events and
// windows, and keeps the windows that it opens.
type desk struct {
	policy.Actions
	policy policy.Policy
	view   policy.View
	opened []uint64
	quiet  []int // SMs that issue nothing
}

func (d *desk) Window(cycles uint64, _ ...string) { d.opened = append(d.opened, cycles) }

// sit is a GPU with SMs of each kind, small ones first, and two tenants with kernels without
// waiting thread blocks.
func sit(t *testing.T, spec string, big, small int) *desk {
	t.Helper()
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	d := &desk{policy: p}
	d.view.Machine.BaseSM = baseSM
	for i := range small + big {
		s := policy.SM{Capacity: &smallSM, TBs: make([]int, 3), Leaving: make([]int, 3)}
		if i >= small {
			s.Capacity, s.Kind = &bigSM, 1
		}
		d.view.SMs = append(d.view.SMs, s)
		d.view.Windows = append(d.view.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}})
	}
	for range 2 {
		d.join()
	}
	return d
}

// join adds a tenant, of three at most, with a kernel: x, y or z.
func (d *desk) join() {
	i := len(d.view.Tenants)
	d.view.Tenants = append(d.view.Tenants, policy.Tenant{Name: "xyz"[i : i+1], Present: true, Rank: i, Kernels: 1,
		Demand: occupancy.Demand{TBs: 1, Threads: 256, Warps: 8, Registers: 5120}})
	d.view.Active = append(d.view.Active, i)
}

func (d *desk) see(e policy.Event) {
	d.view.Event = e
	d.policy.Decide(&d.view, d)
}

// end ends a window. issued has the instructions of each tenant on each big and each small SM.
func (d *desk) end(cycles uint64, issued [2][2]uint64) {
	for i := range d.view.SMs {
		var c protocol.SMCounters
		for tenant := range issued {
			c.Tenants[tenant].ThreadInstructions = issued[tenant][1-d.view.SMs[i].Kind]
		}
		if slices.Contains(d.quiet, i) {
			c = protocol.SMCounters{}
		}
		d.view.Windows[i].To, d.view.Windows[i].Counters = cycles, c
	}
	d.see(policy.WindowEnded)
}

func (d *desk) register(name string, tenant int) float64 {
	for _, r := range d.policy.Needs().Registers() {
		if r.Name == name && r.Tenant == tenant {
			return r.Value
		}
	}
	return -1
}

// owns is how many big and small SMs a tenant has.
func (d *desk) owns(tenant int) [2]float64 {
	return [2]float64{d.register("sms_big", tenant), d.register("sms_small", tenant)}
}

// relaunch has the first tenant launch again, with one thing that is other than before.
func (d *desk) relaunch(other string) {
	x := &d.view.Tenants[0]
	x.Launch++
	switch other {
	case "code":
		x.Code++
	case "demand":
		x.Demand.Registers++
	case "run":
		x.Run++
	case "application":
		x.Rank = len(d.view.Tenants)
	case "holds": // it fits no small SM
		x.Demand.Threads, x.Demand.Warps = 1024, 32
	}
	d.see(policy.KernelArrived)
}

// decided is a GPU after a decision.
func decided(t *testing.T, spec string) *desk {
	d := sit(t, spec, 8, 8)
	d.see(policy.KernelArrived)
	d.end(20_000, [2][2]uint64{})
	d.end(40_000, [2][2]uint64{{30_000, 40_000}, {60_000, 50_000}})
	require.Equal(t, float64(parted), d.register("phase", -1))
	d.opened = nil
	return d
}
