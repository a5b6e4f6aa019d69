package tenant

// Share is how many of n parts the tenant that came so many after the first of k
// gets: as many as all, and those that came first one more if some are left over.
func Share(n, k, after int) int {
	parts := n / k
	if after < n%k {
		parts++
	}
	return parts
}
