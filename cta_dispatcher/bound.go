package dispatcher

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/workload"
)

// bound is the range of SMs on which a tenant's launch may be placed.
func (d *Driver) bound(tenant int, k *workload.Kernel) (policy.Range, error) {
	if d.bounds == nil {
		return policy.Range{}, nil
	}
	return d.bounds[tenant], nil
}
