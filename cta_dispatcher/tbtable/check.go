package tbtable

import (
	"fmt"
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// Check recounts the thread blocks of all active kernels from the lists, for tests. The
// error names a thread block that is on two lists or on a list of another state, a kernel
// that has lost a thread block, or a count of the View that differs.
func (t *Table) Check(kernels []*Kernel) error {
	lists := []*[]*Entry{&t.recalled}
	for sm := range t.on {
		lists = append(lists, &t.on[sm], &t.off[sm])
	}
	for _, k := range kernels {
		lists = append(lists, &k.preempted)
		if n := k.Waiting + k.Running + k.Saving + k.Done; n != k.Shape.TBs() {
			return fmt.Errorf("launch %d of tenant %d has %d thread blocks of %d", k.Launch, k.Tenant, n, k.Shape.TBs())
		}
	}
	seen := map[*Entry]bool{}
	counts := make([]policy.Tenant, len(t.view.Tenants))
	for _, list := range lists {
		for _, b := range *list {
			if seen[b] || t.list(b) != list {
				return fmt.Errorf("thread block %d of tenant %d, which is %v, is on a wrong list", b.TB.ID, b.Kernel.Tenant, b.state)
			}
			seen[b] = true
			s, n := &standings[b.state], &counts[b.Kernel.Tenant]
			n.Running += change(false, s.room)
			n.Saving += change(false, s.saving)
			n.Loading += change(false, s.loading)
		}
	}
	return t.checkView(counts)
}

// checkView compares the View with the counts of tenants, and of SMs by their lists.
func (t *Table) checkView(counts []policy.Tenant) error {
	for i, n := range counts {
		v := &t.view.Tenants[i]
		if v.Running != n.Running || v.Saving != n.Saving || v.Loading != n.Loading {
			return fmt.Errorf("tenant %d has %d running, %d saving and %d loading, and the View says %d, %d and %d",
				i, n.Running, n.Saving, n.Loading, v.Running, v.Saving, v.Loading)
		}
	}
	for sm := range t.on {
		if err := t.checkSM(sm); err != nil {
			return err
		}
	}
	return nil
}

// checkSM is Check for the View of an SM.
func (t *Table) checkSM(sm int) error {
	s := &t.view.SMs[sm]
	tbs, leaving := make([]int, len(s.TBs)), make([]int, len(s.TBs))
	for _, b := range t.on[sm] {
		tbs[b.Kernel.Tenant] += change(false, standings[b.state].room)
		leaving[b.Kernel.Tenant] += change(false, standings[b.state].leaving)
	}
	if !slices.Equal(tbs, s.TBs) || !slices.Equal(leaving, s.Leaving) {
		return fmt.Errorf("SM %d has %v thread blocks, %v leaving, and the View says %v and %v", sm, tbs, leaving, s.TBs, s.Leaving)
	}
	return nil
}
