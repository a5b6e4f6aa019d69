package dispatcher

import (
	"fmt"

	"cotenant/cta_dispatcher/tbtable"
	"cotenant/workload"
)

// The thread blocks of a cluster are placed at the same time, on SMs of one GPC, and stay there: they wait for each
// other, and a thread block that left would hold up the rest.

// fitsCluster returns an error if no GPC has room for a cluster of a kernel when it is empty.
func fitsCluster(sms []SM, k *workload.Kernel) error {
	room, some := map[int]int{}, false
	for i := range sms {
		if gpc := sms[i].GPC; gpc >= 0 {
			tbs, _ := sms[i].Capacity.Occupancy(DemandOf(k))
			room[gpc] += tbs
			some = true
		}
	}
	most := 0
	for _, tbs := range room {
		most = max(most, tbs)
	}
	switch {
	case !some:
		return fmt.Errorf("clusters of %d thread blocks; valid on this GPU are clusters of 1: it has no gpcs, or no sm.lsu.remote_latency", k.ClusterTBs)
	case most < k.ClusterTBs:
		return fmt.Errorf("clusters of %d thread blocks; valid are up to %d, as many as fit the SMs of a GPC", k.ClusterTBs, most)
	}
	return nil
}

// clusters returns an error if a kernel has clusters and they cannot be kept whole.
func (d *Driver) clusters(k *workload.Kernel) error {
	switch {
	case k.ClusterTBs <= 1:
		return nil
	case !d.needs.Clusters:
		return fmt.Errorf("kernel %s has clusters of %d thread blocks, which the policy does not keep together; valid with clusters is fcfs", k.Name, k.ClusterTBs)
	case d.spec.BlockSwitching.Extra > 0:
		return fmt.Errorf("kernel %s has clusters of %d thread blocks, which are not switched on page faults; valid with clusters is driver.block_switching.extra 0", k.Name, k.ClusterTBs)
	}
	return nil
}

// placeCluster places the next cluster of a tenant's kernel: a thread block on an SM, and the rest one by one on
// the SMs of its GPC behind it that have room, round and round.
func (d *Driver) placeCluster(tenant, sm int) {
	v := &d.ledger.view
	gpc := v.SMs[sm].GPC
	for left := d.ledger.next[tenant].ClusterTBs; left > 0 && d.err == nil; sm = (sm + 1) % len(v.SMs) {
		if v.SMs[sm].GPC == gpc && v.FitsTB(tenant, sm) {
			d.place(tenant, sm)
			left--
		}
	}
}

// keepsTogether ends the simulation if a thread block of a cluster is told to leave its SM, and reports whether.
func (d *Driver) keepsTogether(b *tbtable.Entry) bool {
	if b.Kernel.ClusterTBs <= 1 {
		return false
	}
	d.fail(fmt.Errorf("fault of the policy: kernel %s has clusters of %d thread blocks, of which one is to leave SM %d", b.Kernel.Shape.Name, b.Kernel.ClusterTBs, b.SM))
	return true
}
