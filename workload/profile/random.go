package profile

import (
	"hash/fnv"
	"math"
)

// golden is 2^64 divided by the golden ratio, the increment of splitmix64.
const golden = 0x9e3779b97f4a7c15

// random is the splitmix64 generator (Steele, Lea and Flood, OOPSLA 2014): one
// word of state, and any word makes a good start.
type random uint64

func (r *random) next() uint64 {
	*r += golden
	return mix(uint64(*r))
}

// mix scatters a word: equal words stay equal, close ones become unrelated.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below draws evenly from 0 to n-1, for n up to 2^32.
func (r *random) below(n int) int { return int(scale(r.next(), uint64(n))) }

// scale maps the upper half of a drawn word to 0 to n-1.
func scale(word, n uint64) uint64 { return word >> 32 * n >> 32 }

// chance is a probability as a threshold for the lower half of a drawn word.
type chance uint64

func chanceOf(p float64) chance { return chance(math.Round(p * (1 << 32))) }

func (c chance) hit(word uint64) bool { return word&math.MaxUint32 < uint64(c) }

// kernelKey is the root of everything that is drawn for a kernel.
func kernelKey(seed uint64, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return mix(mix(seed+golden) ^ h.Sum64())
}
