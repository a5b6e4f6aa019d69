package spatial

import (
	"strings"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// viewOf is a View of two tenants with waiting thread blocks, and of SMs with two slots; taken
// has the tenants' thread blocks by SM.
func viewOf(waiting [2]int, taken ...[2]int) *policy.View {
	v := &policy.View{}
	for _, n := range waiting {
		v.Tenants = append(v.Tenants, policy.Tenant{Demand: occupancy.Demand{TBs: 1}, Waiting: n})
	}
	for _, n := range taken {
		v.SMs = append(v.SMs, policy.SM{Capacity: &occupancy.Capacity{TBs: 2},
			Usage: occupancy.Usage{Demand: occupancy.Demand{TBs: n[0] + n[1]}}, TBs: []int{n[0], n[1]}, Leaving: []int{0, 0}})
	}
	return v
}

// driver applies placements to the View, and keeps preemptions.
type driver struct {
	policy.Actions
	view      *policy.View
	preempted []int
	by        []policy.Mechanism
}

func (d *driver) Place(tenant, sm int) {
	d.view.Tenants[tenant].Waiting--
	d.view.SMs[sm].Usage.TBs++
	d.view.SMs[sm].TBs[tenant]++
}

func (d *driver) PreemptSM(sm int, m policy.Mechanism) {
	d.view.SMs[sm].Reserved = true
	d.preempted, d.by = append(d.preempted, sm), append(d.by, m)
}

func (d *driver) have() (list [][]int) {
	for i := range d.view.SMs {
		list = append(list, d.view.SMs[i].TBs)
	}
	return list
}

func TestTenantKeepsTheFirstOfItsSMsAndGetsTheFirstThatAreFree(t *testing.T) {
	v := viewOf([2]int{}, make([][2]int, 6)...)
	var o Owners
	for _, c := range []struct{ order, due, want []int }{
		{[]int{0}, []int{4}, []int{0, 0, 0, 0, -1, -1}},
		{[]int{0, 1}, []int{2, 3}, []int{0, 0, 1, 1, 1, -1}},
		{[]int{1, 0}, []int{1, 5}, []int{0, 0, 1, 0, 0, 0}},
		{[]int{1}, []int{2}, []int{1, -1, 1, -1, -1, -1}},
		{nil, nil, []int{-1, -1, -1, -1, -1, -1}},
	} {
		o.Assign(v, 0, c.order, func(place int) int { return c.due[place] })
		require.Equal(t, c.want, o.owner)
	}
}

func TestSMsOfAnotherKindStayWhoseTheyAre(t *testing.T) {
	v := viewOf([2]int{}, make([][2]int, 4)...)
	v.SMs[1].Kind, v.SMs[2].Kind = 1, 1
	var o Owners
	o.Assign(v, 1, []int{0, 1}, func(int) int { return 1 })
	require.Equal(t, []int{-1, 0, 1, -1}, o.owner)
	o.Assign(v, 0, []int{1}, func(int) int { return 2 })
	require.Equal(t, []int{1, 0, 1, 1}, o.owner)
}

// owned gives tenant 0 all SMs but the last, which is tenant 1's.
func owned(v *policy.View) *Owners {
	var o Owners
	o.Assign(v, 0, []int{0, 1}, func(place int) int { return [...]int{len(v.SMs) - 1, 1}[place] })
	return &o
}

func TestNothingIsPlacedBesideAnothersThreadBlocks(t *testing.T) {
	v := viewOf([2]int{9, 9}, [2]int{}, [2]int{0, 1}, [2]int{1, 0}, [2]int{})
	d := &driver{view: v}
	o := owned(v)
	o.Place(v, d, 0)
	require.Equal(t, [][]int{{2, 0}, {0, 1}, {2, 0}, {0, 0}}, d.have())
	o.Place(v, d, 1)
	require.Equal(t, [][]int{{2, 0}, {0, 1}, {2, 0}, {0, 2}}, d.have())
}

func TestAsManySMsAreTakenAsThreadBlocksWaitForThem(t *testing.T) {
	v := viewOf([2]int{3, 0}, [2]int{0, 2}, [2]int{2, 0}, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 2}, [2]int{0, 2})
	v.SMs[4].Reserved = true // on its way already
	d := &driver{view: v}
	owned(v).Take(v, d, 0, policy.Switch)
	require.Equal(t, []int{0, 2}, d.preempted)
	owned(v).Take(v, d, 0, policy.Switch)
	require.Equal(t, []int{0, 2}, d.preempted, "three are on their way")
}

func TestSMIsTakenOnlyIfSomebodyElseStaysThereAndTheThreadBlockFits(t *testing.T) {
	v := viewOf([2]int{9, 0}, [2]int{}, [2]int{0, 1}, [2]int{0, 1}, [2]int{0, 1}, [2]int{})
	v.SMs[1].Leaving[1] = 1
	v.SMs[2].Capacity = &occupancy.Capacity{}
	d := &driver{view: v}
	owned(v).Take(v, d, 0, policy.Switch)
	require.Equal(t, []int{3}, d.preempted)
}

func TestEachSMIsEmptiedByItsOwnMechanism(t *testing.T) {
	v := viewOf([2]int{9, 0}, [2]int{0, 1}, [2]int{0, 1}, [2]int{})
	d := &driver{view: v}
	owned(v).TakeBy(v, d, 0, func(sm int) policy.Mechanism { return [...]policy.Mechanism{policy.Drain, policy.Switch}[sm] })
	require.Equal(t, []int{0, 1}, d.preempted)
	require.Equal(t, []policy.Mechanism{policy.Drain, policy.Switch}, d.by)
}

func TestEvenPartsOfEachKind(t *testing.T) {
	for _, c := range []struct {
		sms  []int
		n    int
		fits string // by place and kind, a digit for each that holds it; all, if empty
		want [][]int
	}{
		{[]int{8, 8}, 2, "", [][]int{{4, 4}, {4, 4}}},
		{[]int{5}, 3, "", [][]int{{2, 2, 1}}},
		{[]int{5, 5}, 3, "", [][]int{{2, 2, 1}, {2, 1, 2}}},
		{[]int{4, 0, 1}, 3, "", [][]int{{2, 1, 1}, {0, 0, 0}, {0, 1, 0}}},
		{[]int{1}, 2, "", [][]int{{1, 0}}},
		{[]int{8, 8}, 0, "", [][]int{{}, {}}},
		{[]int{8, 8}, 2, "0 01", [][]int{{4, 4}, {0, 8}}},
		{[]int{8, 8}, 2, "0 0", [][]int{{4, 4}, {0, 0}}},
		{[]int{5, 5, 5}, 3, "02 0 01", [][]int{{2, 2, 1}, {0, 0, 5}, {5, 0, 0}}},
		{[]int{7, 5}, 3, "01 0 01", [][]int{{3, 2, 2}, {2, 0, 3}}}, // the second comes next, and does not fit
	} {
		var fits func(place, kind int) bool
		if c.fits != "" {
			list := strings.Fields(c.fits)
			fits = func(place, kind int) bool { return strings.ContainsRune(list[place], rune('0'+kind)) }
		}
		require.Equal(t, c.want, Even(c.sms, c.n, fits), "%v %d %s", c.sms, c.n, c.fits)
	}
}

func TestAnSMThatIsEmptiedForAnotherIsNotOnItsWay(t *testing.T) {
	v := viewOf([2]int{1, 1}, [2]int{0, 1}, [2]int{1, 0})
	v.SMs[1].Reserved = true // for tenant 1
	d := &driver{view: v}
	owned(v).Take(v, d, 0, policy.Switch)
	require.Equal(t, []int{0}, d.preempted)
}

func TestAReservedSMIsNotTakenAgain(t *testing.T) {
	v := viewOf([2]int{9, 0}, [2]int{0, 1}, [2]int{0, 1}, [2]int{})
	v.SMs[0].Reserved = true
	d := &driver{view: v}
	owned(v).Take(v, d, 0, policy.Switch)
	require.Equal(t, []int{1}, d.preempted)
}
