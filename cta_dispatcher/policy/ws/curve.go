package ws

import "cotenant/tenant"

// point is the sample of an SM that a kernel had to itself.
type point struct {
	tbs int     // of the kernel
	ipc float64 // thread instructions in a core cycle
	// stalls is the part of its scheduler-cycles that went to waiting for memory, 0 to 1.
	stalls float64
}

// limits bound the correction factor of a point.
type limits struct{ least, most float64 }

// corrected is a point's performance without the effect of other SMs on memory. An SM with
// fewer thread blocks than most suffers from the traffic of the rest, which would be less with
// as few thread blocks there; an SM with more is spared. The factor is 1 + m x (mean - c)/mean
// for an SM with c thread blocks that waits for memory for the part m of its time.
func (l limits) corrected(p point, mean float64) float64 {
	factor := 1 + p.stalls*(mean-float64(p.tbs))/mean
	return p.ipc * min(max(factor, l.least), l.most)
}

// curve is a kernel's performance by its thread blocks on an SM, from 0 to most: the mean of
// the corrected points of each number, with straight lines between them and to 0, and flat
// beyond the last. It never falls, because harmful thread blocks can be left out. Without
// points or instructions, performance is proportional to thread blocks.
func (l limits) curve(points []point, most int) []float64 {
	sum, times := make([]float64, most+1), make([]int, most+1)
	mean := 0.0
	for _, p := range points {
		mean += float64(p.tbs) / float64(len(points))
	}
	for _, p := range points {
		sum[p.tbs] += l.corrected(p, mean)
		times[p.tbs]++
	}
	list := make([]float64, most+1)
	last := 0
	for n := 1; n <= most; n++ {
		if times[n] == 0 {
			continue
		}
		list[n] = sum[n] / float64(times[n])
		for between := last + 1; between < n; between++ {
			list[between] = list[last] + (list[n]-list[last])*float64(between-last)/float64(n-last)
		}
		last = n
	}
	for n := 1; n <= most; n++ {
		list[n] = max(list[n], list[n-1])
	}
	if list[most] == 0 {
		for n := range list {
			list[n] = float64(n)
		}
	}
	return list
}

// steps are the numbers of thread blocks that a kernel runs on its SMs while it is
// profiled, most at most: one more on each than on the one before, and again from one;
// or, if there are more numbers than SMs, at even distances up to most.
func steps(sms, most int) (list []int) {
	for i := range sms {
		if sms >= most {
			list = append(list, i%most+1)
		} else {
			list = append(list, ((i+1)*most+sms-1)/sms)
		}
	}
	return list
}

// part is the range of a kernel's SMs when kernels divide them: an equal number for each, and
// one more of the remainder for the first.
func part(sms, kernels, place int) (first, end int) {
	first = place*(sms/kernels) + min(place, sms%kernels)
	return first, first + tenant.Share(sms, kernels, place)
}
