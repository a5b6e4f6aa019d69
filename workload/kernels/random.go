package kernels

import "math"

// random is the splitmix64 generator (Steele, Lea and Flood, OOPSLA 2014). What
// is drawn from it uses no function of the mathematics library but the square
// root, and no sum of products that a compiler may fuse, so that inputs are the
// same on every machine.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below draws evenly from 0 to n-1, for n up to 2^32.
func (r *random) below(n int) int { return int(r.next() >> 32 * uint64(n) >> 32) }

// unit draws evenly from 0 to below 1.
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

// within draws evenly from low to below high.
func (r *random) within(low, high float64) float64 { return low + float64((high-low)*r.unit()) }

// chance is true with a probability.
func (r *random) chance(p float64) bool { return r.unit() < p }

// normal draws from the standard normal distribution, as the sum of twelve even
// draws (Irwin-Hall); it stays within 6.
func (r *random) normal() float64 {
	sum := -6.0
	for range 12 {
		sum += r.unit()
	}
	return sum
}

// vector is a point in space.
type vector [3]float64

// plus adds a times v.
func (p vector) plus(a float64, v vector) vector {
	for i := range p {
		p[i] += float64(a * v[i])
	}
	return p
}

func (p vector) square() float64 {
	return float64(p[0]*p[0]) + float64(p[1]*p[1]) + float64(p[2]*p[2])
}

// unit is the vector of length 1 in the same direction.
func (p vector) unit() vector {
	length := math.Sqrt(p.square())
	return vector{p[0] / length, p[1] / length, p[2] / length}
}

// direction draws evenly from the unit sphere.
func (r *random) direction() vector {
	for {
		v := vector{r.within(-1, 1), r.within(-1, 1), r.within(-1, 1)}
		if s := v.square(); s > 1e-6 && s <= 1 {
			return v.unit()
		}
	}
}
