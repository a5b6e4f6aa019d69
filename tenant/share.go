package tenant

// Share divides n parts among k tenants and returns a tenant's number of parts: an
// equal share, and a part more for the first n%k in order of arrival. After counts
// the tenants that arrived earlier.
func Share(n, k, after int) int {
	parts := n / k
	if after < n%k {
		parts++
	}
	return parts
}
