package timeslice

import (
	"fmt"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// desk is a GPU of two SMs of one slot each under timeslice, driven by the test. As the
// policy's Actions it writes down each action, and changes the View like the driver.
type desk struct {
	t      *testing.T
	policy *timeslice
	view   policy.View
	asked  []string
	// contexts counts, by tenant, its waiting thread blocks that have run before.
	contexts [3]int
}

func newDesk(t *testing.T) *desk { return deskOf(t, "timeslice:slice=1k") }

func deskOf(t *testing.T, spec string) *desk {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	d := &desk{t: t, policy: p.(*timeslice)}
	c := &occupancy.Capacity{TBs: 1, Threads: 1024, Warps: 32, SharedOptions: []int{0}}
	for i := range 2 {
		d.view.SMs = append(d.view.SMs, policy.SM{Capacity: c, TBs: make([]int, 3), Leaving: make([]int, 3)})
		d.view.Windows = append(d.view.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}})
	}
	d.view.Tenants = make([]policy.Tenant, 3)
	return d
}

// see lets the policy decide at an event and returns its actions.
func (d *desk) see(e policy.Event) []string {
	d.view.Event, d.asked = e, nil
	d.policy.Decide(&d.view, d)
	return d.asked
}

// arrive adds the next tenant, with thread blocks for both SMs.
func (d *desk) arrive(tenant int) []string {
	d.view.Tenants[tenant] = policy.Tenant{Present: true, Rank: len(d.view.Active), Kernels: 1, Waiting: 2,
		Demand: occupancy.Demand{TBs: 1, Threads: 32, Warps: 1}}
	d.view.Active = append(d.view.Active, tenant)
	return d.see(policy.KernelArrived)
}

// ended ends a window in which a tenant has issued so much on SM 0.
func (d *desk) ended(tenant int, issued uint64) []string {
	var c protocol.SMCounters
	c.Tenants[tenant].WarpInstructions = issued
	d.view.Windows[0].Counters = c
	return d.see(policy.WindowEnded)
}

// freed has the thread block of a reserved SM leave it; its context is in memory at once.
func (d *desk) freed(sm int) []string {
	s := &d.view.SMs[sm]
	require.True(d.t, s.Reserved)
	for tenant, n := range s.TBs {
		d.view.Tenants[tenant].Running -= n
		d.view.Tenants[tenant].Waiting += n
		d.contexts[tenant] += n
		s.TBs[tenant], s.Leaving[tenant] = 0, 0
	}
	s.Usage, s.Reserved = occupancy.Usage{}, false
	return d.see(policy.SMFreed)
}

func (d *desk) Place(tenant, sm int) {
	t, s := &d.view.Tenants[tenant], &d.view.SMs[sm]
	t.Waiting--
	t.Running++
	if d.contexts[tenant] > 0 {
		d.contexts[tenant]--
		t.Loading++
	}
	s.TBs[tenant]++
	s.Usage.Take(t.Demand)
	d.asked = append(d.asked, fmt.Sprintf("place %d SM%d", tenant, sm))
}

func (d *desk) PreemptSM(sm int, m policy.Mechanism) {
	require.Equal(d.t, policy.Switch, m)
	s := &d.view.SMs[sm]
	s.Reserved = true
	copy(s.Leaving, s.TBs)
	d.asked = append(d.asked, fmt.Sprintf("preempt SM%d", sm))
}

func (d *desk) Window(cycles uint64, kinds ...string) {
	require.Empty(d.t, kinds)
	d.asked = append(d.asked, fmt.Sprintf("window %d", cycles))
}

func (d *desk) Preempt(int, int, int, policy.Mechanism)  { d.t.Fatal("not asked for") }
func (d *desk) Relocate(int, int, int, policy.Mechanism) { d.t.Fatal("not asked for") }
func (d *desk) Send(u protocol.Unit, _ protocol.Control) { d.t.Fatal("not asked for", u) }
func (d *desk) places(tenant int, more ...string) (l []string) {
	return append([]string{fmt.Sprintf("place %d SM0", tenant), fmt.Sprintf("place %d SM1", tenant)}, more...)
}

// switched has both SMs freed for a tenant that has run before, and its contexts loaded
// one after the other.
func (d *desk) switched(tenant int) {
	require.Equal(d.t, []string{fmt.Sprintf("place %d SM0", tenant)}, d.freed(0))
	require.Equal(d.t, []string{fmt.Sprintf("place %d SM1", tenant)}, d.freed(1), "its contexts are on their way")
	require.Equal(d.t, 2, d.view.Tenants[tenant].Loading)
	d.view.Tenants[tenant].Loading = 1
	require.Empty(d.t, d.see(policy.TBFinished), "one has yet to come")
	d.view.Tenants[tenant].Loading = 0
	require.Equal(d.t, []string{"window 1000"}, d.see(policy.ContextsLoaded))
	require.Empty(d.t, d.see(policy.ContextsLoaded), "once")
}

var preemptBoth = []string{"preempt SM0", "preempt SM1"}

func TestSliceBeginsWhenContextsAreLoaded(t *testing.T) {
	d := newDesk(t)
	require.True(t, d.policy.Needs().Loads)
	require.Equal(t, d.places(0), d.arrive(0), "alone: no slice")
	require.Equal(t, []string{"window 1000"}, d.arrive(1))
	require.Equal(t, preemptBoth, d.ended(0, 1))
	require.Equal(t, []string{"place 1 SM0"}, d.freed(0))
	require.Equal(t, []string{"place 1 SM1", "window 1000"}, d.freed(1), "new thread blocks have no contexts")
	require.Empty(t, d.arrive(2))
	require.Equal(t, preemptBoth, d.ended(1, 1))
	require.Equal(t, []string{"place 2 SM0"}, d.freed(0), "SM1 is still being emptied")
	require.Equal(t, []string{"place 2 SM1", "window 1000"}, d.freed(1))
	for _, tenant := range []int{0, 1, 2, 0} {
		require.Equal(t, preemptBoth, d.ended((tenant+2)%3, 1))
		d.switched(tenant)
	}
}

func TestTenantThatHasIssuedNothingGetsAnotherSlice(t *testing.T) {
	d := newDesk(t)
	d.arrive(0)
	d.arrive(1)
	require.Equal(t, []string{"window 1000"}, d.ended(1, 7), "what others issue does not count")
	require.Equal(t, preemptBoth, d.ended(0, 1))
}

func TestTenantWithNothingToRunKeepsItsSlice(t *testing.T) {
	d := newDesk(t)
	d.arrive(0)
	d.arrive(1)
	d.ended(0, 1)
	d.freed(0)
	d.freed(1)
	// The kernel of tenant 1 ends on both SMs. Its next has not come by the slice's end.
	for i := range d.view.SMs {
		d.view.SMs[i].TBs[1], d.view.SMs[i].Usage = 0, occupancy.Usage{}
	}
	d.view.Tenants[1].Running, d.view.Active = 0, []int{0}
	require.Empty(t, d.see(policy.KernelFinished))
	require.Equal(t, d.places(0), d.ended(1, 0))
}

// Until contexts that its last turn left are in memory, a tenant has nothing that could run.
func TestSliceWaitsForContextsThatAreStillBeingSaved(t *testing.T) {
	d := newDesk(t)
	d.arrive(0)
	d.arrive(1)
	d.ended(0, 1)
	d.freed(0)
	d.freed(1)
	d.view.Tenants[0].Waiting, d.view.Tenants[0].Saving = 0, 2
	require.Empty(t, d.ended(1, 1), "its turn, but none of its thread blocks can be placed")
	d.view.Tenants[0].Waiting, d.view.Tenants[0].Saving = 2, 0
	require.Equal(t, preemptBoth, d.see(policy.ContextSaved))
	d.switched(0)
}

// The windows of slices that were cut short end no other slice.
func TestWindowOfATenantThatHasEndedEndsNoOtherSlice(t *testing.T) {
	d := newDesk(t)
	for tenant := range 3 {
		d.arrive(tenant)
	}
	for i := range d.view.SMs {
		d.view.SMs[i].TBs[0], d.view.SMs[i].Usage = 0, occupancy.Usage{}
	}
	d.view.Tenants[0], d.view.Active = policy.Tenant{}, []int{1, 2}
	require.Equal(t, d.places(1, "window 1000"), d.see(policy.KernelFinished))
	require.Empty(t, d.ended(1, 1), "that of tenant 0")
	require.Equal(t, preemptBoth, d.ended(1, 1))
}

func TestOneApplicationAloneHasNoSlices(t *testing.T) {
	d := newDesk(t)
	d.arrive(0)
	d.arrive(1)
	d.view.Tenants[1], d.view.Active = policy.Tenant{}, []int{0}
	require.Empty(t, d.see(policy.KernelFinished))
	require.Empty(t, d.ended(0, 1))
	require.Equal(t, []string{"window 1000"}, d.arrive(1))
}

// A GPU that names its driver's slice has it by default, unless the option says otherwise.
func TestTheGPUsSliceIsTheDefault(t *testing.T) {
	for spec, want := range map[string][2]string{
		"timeslice":          {"window 100000", "window 1443840"}, // 1,024 us at 1410 MHz
		"timeslice:slice=2k": {"window 2000", "window 2000"},
	} {
		for i, slice := range []uint64{0, 1024 * 1410} {
			d := deskOf(t, spec)
			d.view.Machine.TimeSliceCycles = slice
			require.Equal(t, d.places(0), d.arrive(0))
			require.Equal(t, []string{want[i]}, d.arrive(1), spec)
		}
	}
}

// A tenant between two launches keeps the GPU, or loses it at once.
func TestATenantWithoutAKernelCanLoseItsTurn(t *testing.T) {
	for _, c := range []struct {
		spec  string
		slice uint64
		skips bool
	}{
		{"timeslice", 0, false}, {"timeslice", 5000, true},
		{"timeslice:idle=keep", 5000, false}, {"timeslice:idle=skip", 0, true},
	} {
		d := deskOf(t, c.spec)
		d.view.Machine.TimeSliceCycles = c.slice
		d.arrive(0)
		d.arrive(1)
		for i := range d.view.SMs { // its only kernel ends
			s := &d.view.SMs[i]
			s.TBs[0], s.Usage = 0, occupancy.Usage{}
		}
		d.view.Tenants[0].Running, d.view.Tenants[0].Waiting, d.view.Tenants[0].Kernels = 0, 0, 0
		d.view.Active = []int{1}
		asked := d.see(policy.KernelFinished)
		if !c.skips {
			require.Empty(t, asked, "%+v", c)
			continue
		}
		require.Len(t, asked, 3, "%+v", c)
		require.Equal(t, d.places(1), asked[:2])
	}
}
