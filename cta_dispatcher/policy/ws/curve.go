package ws

// point is what an SM that a kernel had to itself did in the sample.
type point struct {
	tbs int     // of the kernel
	ipc float64 // thread instructions in a core cycle
	// stalls is the part of its scheduler-cycles that went to waiting for memory, 0 to 1.
	stalls float64
}

// limits are those of the factor that corrects a point.
type limits struct{ least, most float64 }

// corrected is the performance that a point stands for. All SMs share the memory: one
// with fewer thread blocks than most suffers from others' traffic, which would be less
// if they had as few, and one with more is spared. The factor is
// 1 + m x (mean - c)/mean for an SM with c thread blocks that spends the part m of
// its time waiting for memory.
func (l limits) corrected(p point, mean float64) float64 {
	factor := 1 + p.stalls*(mean-float64(p.tbs))/mean
	return p.ipc * min(max(factor, l.least), l.most)
}

// curve is a kernel's performance by its thread blocks on an SM, from 0 to most: the
// mean of the corrected points of each number, between them on straight lines, the
// first of which begins at nothing for none; beyond the last as much as there. It
// never falls: more thread blocks that do harm could be left out. Without points, or
// if nothing was issued, performance is taken to go by the number of thread blocks.
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

// part is where the SMs of a kernel begin and end when they are divided between so
// many kernels: an equal number for each, and of what is left over one more for the
// first.
func part(sms, kernels, place int) (first, end int) {
	each, over := sms/kernels, sms%kernels
	first = place*each + min(place, over)
	end = first + each
	if place < over {
		end++
	}
	return first, end
}
