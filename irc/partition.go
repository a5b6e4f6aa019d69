package irc

// share is how many of n parts the tenant that came so many after the first of k
// gets: as many as all, and those that came first one more if some are left over.
func share(n, k, slot int) int {
	parts := n / k
	if slot < n%k {
		parts++
	}
	return parts
}

// PartitionVector is, for each of k tenants in the order in which they came, the
// number of the sub-queue that is the tail of its virtual queue, if there are n
// sub-queues, at least k (CCBP 6.1). Its head is behind the tail of the one before.
func PartitionVector(n, k int) []int {
	tails := make([]int, k)
	last := -1
	for i := range tails {
		last += share(n, k, i)
		tails[i] = last
	}
	return tails
}

// entries is how many packets the virtual queue of a tenant holds that came so many
// after the first of k. It is that of its sub-queues, or an equal part of all entries
// where there are too few of these.
func (s *Spec) entries(k, slot int) int {
	if k > s.SubQueues {
		return share(s.Entries(), k, slot)
	}
	return share(s.SubQueues, k, slot) * s.Depth
}
