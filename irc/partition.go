package irc

import "cotenant/tenant"

// entries is how many packets the virtual queue of a tenant holds that came so many
// after the first of k. It is that of its sub-queues, or an equal part of all entries
// where there are too few of these.
func (s *Spec) entries(k, slot int) int {
	if k > s.SubQueues {
		return tenant.Share(s.Entries(), k, slot)
	}
	return tenant.Share(s.SubQueues, k, slot) * s.Depth
}
