package ccbp

// maxPoints is the most numbers of CTAs at which a kernel is measured; a kernel with more CTAs
// is measured at every second, third and so on ("CTA numbers of interest").
const maxPoints = 8

// pointsOf lists the numbers of active CTAs for the measurement of a kernel with this even
// part, from the even part downwards.
func pointsOf(even int) (list []int) {
	step := (even + maxPoints - 1) / maxPoints
	for n := even; n > 0; n -= step {
		list = append(list, n)
	}
	return list
}

// measured is a kernel's rate with a number of active CTAs, in requests of an SM in an
// interval.
type measured struct {
	ctas int
	rate float64
}

// curve is a kernel's rate by its number of CTAs, from 0 to most, from points in falling order
// of CTAs. It is linear between points and to the origin. Beyond the first point it continues
// the last slope up to the sustained rate, and is flat from there. It never falls: a lower
// rate is raised to the rate of fewer CTAs.
func curve(list []measured, most int, sustained float64) []float64 {
	rates := make([]float64, most+1)
	last, slope := measured{}, 0.0
	for i := len(list) - 1; i >= 0; i-- {
		p := list[i]
		p.rate = max(p.rate, last.rate)
		slope = (p.rate - last.rate) / float64(p.ctas-last.ctas)
		for n := last.ctas + 1; n <= min(p.ctas, most); n++ {
			rates[n] = p.rate - slope*float64(p.ctas-n)
		}
		last = p
	}
	for n := last.ctas + 1; n <= most; n++ {
		rates[n] = max(min(last.rate+slope*float64(n-last.ctas), sustained), last.rate)
	}
	return rates
}

// linear is the curve of a sensitive kernel: its measured rate, in proportion to CTAs (CCBP
// 5.4).
func linear(p measured, most int) []float64 {
	rates := make([]float64, most+1)
	for n := range rates {
		rates[n] = p.rate * float64(n) / float64(p.ctas)
	}
	return rates
}

// inUnits turns a curve of rates into nbw and dbw.
func inUnits(rates []float64, f Factors, b Bandwidth) (noc, dram []float64) {
	for _, r := range rates {
		n, d := units(r, f, b)
		noc, dram = append(noc, n), append(dram, d)
	}
	return noc, dram
}
