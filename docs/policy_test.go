package docs

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// recorder keeps the View up to date when a thread block is placed, as the SM
// driver does, and a list of tenant and SM of each. Other actions, of which it
// has none, would end the test.
type recorder struct {
	policy.Actions
	view   *policy.View
	placed [][2]int
}

func (r *recorder) Place(tenant, sm int) {
	r.view.Tenants[tenant].Waiting--
	r.view.SMs[sm].Usage.Take(r.view.Tenants[tenant].Demand)
	r.placed = append(r.placed, [2]int{tenant, sm})
}

func TestFCFSGivesALaterKernelWhatTheFirstLeavesOver(t *testing.T) {
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	capacity := &occupancy.Capacity{TBs: 2, Threads: 1024, Warps: 32, Registers: 1, SharedOptions: []int{0}}
	demand := occupancy.Demand{TBs: 1, Threads: 256, Warps: 8}
	r := &recorder{view: &policy.View{
		Tenants: []policy.Tenant{{Demand: demand, Waiting: 5}, {Demand: demand, Waiting: 3}},
		SMs:     []policy.SM{{Capacity: capacity}, {Capacity: capacity}},
		Active:  []int{1, 0}, // tenant 1 came first
	}}
	fcfs.Decide(r.view, r)
	require.Equal(t, [][2]int{{1, 0}, {1, 1}, {1, 0}, {0, 1}}, r.placed)
}
