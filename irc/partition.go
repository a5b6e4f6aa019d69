package irc

import "cotenant/tenant"

// PartitionVector is, for each of k tenants in the order in which they came, the
// number of the sub-queue that is the tail of its virtual queue, if there are n
// sub-queues, at least k (CCBP 6.1). Its head is behind the tail of the one before.
func PartitionVector(n, k int) []int {
	tails := make([]int, k)
	last := -1
	for i := range tails {
		last += tenant.Share(n, k, i)
		tails[i] = last
	}
	return tails
}

// entries is how many packets the virtual queue of a tenant holds that came so many
// after the first of k. It is that of its sub-queues, or an equal part of all entries
// where there are too few of these.
func (s *Spec) entries(k, slot int) int {
	if k > s.SubQueues {
		return tenant.Share(s.Entries(), k, slot)
	}
	return tenant.Share(s.SubQueues, k, slot) * s.Depth
}
