package irc

import "cotenant/tenant"

// entries is the number of packets in the virtual queue of a tenant on a slot from 0 to k-1:
// its sub-queues' entries, or an equal part of all entries if there are fewer sub-queues than
// tenants.
func entries(s *Spec, k, slot int) int {
	if k > s.SubQueues {
		return tenant.Share(s.Entries(), k, slot)
	}
	return tenant.Share(s.SubQueues, k, slot) * s.Depth
}
