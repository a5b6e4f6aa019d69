package validation

import (
	"context"
	"fmt"
	"math/rand/v2"

	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload"
)

// L2Bandwidth is the rate in GB/s at which all SMs together read one buffer of a size in KB,
// once the caches hold what earlier rounds leave in them, past the L1. As the program
// gpu-l2-cache of RRZE-HPC's gpu-benches does, thread blocks of 1,024 threads walk through the
// buffer 16 KB at a step, neighbours side by side. That program runs 200,000; here thread blocks
// begin at steps drawn at random, as if thousands had gone before.
func L2Bandwidth(ctx context.Context, gpu *wiring.Config, kb int) (float64, error) {
	b := &bench{ctx: ctx, gpu: gpu}
	const (
		each  = 32                             // warps of a thread block
		chunk = 16 << 10 / protocol.LineBytes  // lines that a thread block reads at a step
		loads = chunk / each                   // of a warp at a step
		block = 512 << 10 / protocol.LineBytes // lines that a thread block reads
		steps = block / chunk                  // of a thread block
	)
	run := max(1, kb/512) // thread blocks that read different lines
	tbs := 0
	for _, m := range gpu.SMList() {
		tbs += m.Spec.Threads / (each * workload.WarpSize)
	}
	draw := rand.New(rand.NewPCG(1, uint64(kb)))
	phases := make([]int, tbs)
	for i := range phases {
		phases[i] = draw.IntN(steps * loads)
	}
	walk := func(from, n int) *workload.Kernel {
		return warps(tbs, each, func(warp, i int) workload.Inst {
			i += from + phases[warp/each]
			turn, step, load := i/loads/steps, i/loads%steps, i%loads
			at := (step*run + (warp/each+turn*tbs)%run) * chunk
			return lineOf(workload.Load, array, at+load*each+warp%each, i)
		})(n)
	}
	round := steps * loads * max(1, (run+tbs-1)/tbs) // in which every line is read at least once
	before, n := 2*round, round/8
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
	return b.gigabytes(float64(pairs*n*tbs*each*protocol.LineBytes) / float64(cycles)), nil
}
