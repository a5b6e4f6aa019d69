package validation

import (
	"context"
	"fmt"

	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload"
)

// L2Bandwidth is the rate in GB/s at which all SMs together read one buffer of a size in KB,
// once the caches hold what earlier rounds leave in them, past the L1. As the program
// gpu-l2-cache of RRZE-HPC's gpu-benches does, thread blocks of 1,024 threads walk through the
// buffer 16 KB at a step, neighbours side by side. That program runs 200,000; here thread blocks
// begin at steps drawn at random, as if thousands had gone before, and the rate is the mean over
// several draws.
func L2Bandwidth(ctx context.Context, gpu *wiring.Config, kb int) (float64, error) {
	return (&bench{ctx: ctx, gpu: gpu}).l2Bandwidth(kb, draws)
}

// l2Bandwidth is L2Bandwidth with a number of draws.
func (b *bench) l2Bandwidth(kb, draws int) (float64, error) {
	const (
		each  = 32                             // warps of a thread block
		chunk = 16 << 10 / protocol.LineBytes  // lines that a thread block reads at a step
		loads = chunk / each                   // of a warp at a step
		block = 512 << 10 / protocol.LineBytes // lines that a thread block reads
		steps = block / chunk                  // of a thread block
	)
	run := max(1, kb/512) // thread blocks that read different lines
	tbs := 0
	for _, m := range b.gpu.SMList() {
		tbs += m.Spec.Threads / (each * workload.WarpSize)
	}
	walk := func(draw, from, n int) *workload.Kernel {
		return warps(tbs, each, func(warp, i int) workload.Inst {
			i += from + random(steps*loads, draw, kb, warp/each)
			turn, step, load := i/loads/steps, i/loads%steps, i%loads
			at := (step*run + (warp/each+turn*tbs)%run) * chunk
			return lineOf(workload.Load, array, at+load*each+warp%each, i)
		})(n)
	}
	round := steps * loads * max(1, (run+tbs-1)/tbs) // in which every line is read at least once
	return b.steady(draws, 2*round, round/8, tbs*each, walk)
}

// SameL2Bandwidth is L2Bandwidth of two arrays of a size in KB together that all SMs read. As the
// program gpu-cache of RRZE-HPC's gpu-benches does, a thread block of 512 threads on each SM walks
// through both arrays side by side, over and over.
func SameL2Bandwidth(ctx context.Context, gpu *wiring.Config, kb int) (float64, error) {
	return (&bench{ctx: ctx, gpu: gpu}).sameL2Bandwidth(kb, draws)
}

// sameL2Bandwidth is SameL2Bandwidth with a number of draws.
func (b *bench) sameL2Bandwidth(kb, draws int) (float64, error) {
	const each = 16 // warps of a thread block, lines of a step through an array
	steps := max(1, kb<<10/protocol.LineBytes/2/each)
	sms := b.gpu.SMs.Count()
	return b.steady(draws, 2*steps, 256, sms*each, func(draw, from, n int) *workload.Kernel {
		return warps(sms, each, func(warp, i int) workload.Inst {
			i += from + random(2*steps, draw, kb, warp/each)
			return lineOf(workload.Load, array, (i%2*steps+i/2%steps)*each+warp%each, i)
		})(n)
	})
}

// draws is the number of draws that a rate is the mean of. One draw's rate is up to 7 % more or
// less than another's.
const draws = 3

// steady is the rate in GB/s of walks of some warps, a line in each step, after steps that only
// fill the caches: the mean over draws, at least one. walk makes the kernel of a draw with n steps from one on.
func (b *bench) steady(draws, before, n, warps int, walk func(draw, from, n int) *workload.Kernel) (mean float64, err error) {
	for draw := range draws {
		rate, err := b.steadyOf(before, n, warps, func(from, n int) *workload.Kernel { return walk(draw, from, n) })
		if err != nil {
			return 0, err
		}
		mean += rate / float64(draws)
	}
	return mean, nil
}

// steadyOf is steady for one draw.
func (b *bench) steadyOf(before, n, warps int, walk func(from, n int) *workload.Kernel) (float64, error) {
	// Each kernel goes on where the kernel before it ended, in pairs of n and 2n steps: one pair alone shows up to a
	// tenth more or less.
	const pairs = 4
	list := []*workload.Kernel{walk(0, before)}
	for from := before; len(list) < 1+2*pairs; from += 3 * n {
		list = append(list, walk(from, n), walk(from+n, 2*n))
	}
	timed, err := b.run(list...)
	if err != nil {
		return 0, err
	}
	cycles := int64(0) // of n steps in each pair
	for i := 1; i < len(timed); i += 2 {
		cycles += int64(timed[i+1].Cycles) - int64(timed[i].Cycles)
	}
	if cycles <= 0 {
		return 0, fmt.Errorf("%d times %d steps take no longer than %d: nothing is measured", pairs, 2*n, n)
	}
	return b.gigabytes(float64(pairs*n*warps*protocol.LineBytes) / float64(cycles)), nil
}
