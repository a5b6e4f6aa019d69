package interconnect

import "math/bits"

// portSet is a set of port numbers, one bit each.
type portSet []uint64

func newPortSet(ports int) portSet { return make(portSet, (ports+63)/64) }

func (s portSet) add(port int)    { s[port/64] |= 1 << (port % 64) }
func (s portSet) remove(port int) { s[port/64] &^= 1 << (port % 64) }

func (s portSet) empty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// firstFrom is the lowest member that is not below port, or the lowest of all
// if there is none. The set must not be empty.
func (s portSet) firstFrom(port int) int {
	start := min(port/64, len(s)-1)
	word := s[start] &^ (1<<(port-start*64) - 1)
	for w := start; ; word = s[w] {
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
		if w++; w == len(s) {
			w = 0
		}
	}
}
