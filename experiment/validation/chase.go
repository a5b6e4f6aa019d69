package validation

import (
	"math/rand/v2"

	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"
)

// footprints are the sizes of memory that chains of loads walk through: in the L1, in the
// L2, before and behind the ends of the presets' L2s and near halves, and beyond all. The
// published curves have figures of these sizes.
var footprints = []struct {
	name string
	kb   int
}{
	{"64k", 64}, {"2m", 2048}, {"6m", 6067}, {"7m", 7044}, {"18m", 18443}, {"25m", 25047},
	{"31m", 31330}, {"38m", 37754}, {"64m", 63302}, {"100m", 101378}, {"128m", 128 << 10},
}

// chases are the microkernels of the latency by footprint.
func chases() *Microkernel {
	m := &Microkernel{About: "One lane, a chain of loads of global memory round lines of the footprint in the figure's name, in an order drawn at random and the same in each round, " +
		"as the program gpu-latency of RRZE-HPC's gpu-benches does: load to use, once the caches hold what rounds before leave in them."}
	for _, f := range footprints {
		m.Figures = append(m.Figures, Figure{"chase-" + f.name, "cycles", Latency})
	}
	m.measure = func(b *bench) (list []float64, err error) {
		for _, f := range footprints {
			cycles, err := b.chase(f.kb << 10 / protocol.LineBytes)
			if err != nil {
				return nil, err
			}
			list = append(list, cycles)
		}
		return list, nil
	}
	return m
}

// hops is how many loads of a chain show its latency.
const hops = 2048

// chase is the load-to-use latency of a chain round lines, in the core cycles of a hop.
func (b *bench) chase(lines int) (float64, error) {
	l1 := &b.sm().L1
	order := rand.New(rand.NewPCG(1, uint64(lines))).Perm(lines)
	walk := func(from, n int) *workload.Kernel {
		return oneWarp(func(i int) workload.Inst { return follow(workload.Global, lineAt(order[(from+i)%lines])) })(n)
	}
	if lines <= l1.Sets*l1.Ways { // a launch empties the L1, so the first round fills it
		return b.perStep(hops, func(n int) *workload.Kernel { return walk(0, lines+n) }, walk(0, lines))
	}
	// Each launch goes on where the launch before it ended.
	next := func(n int) *workload.Kernel { return walk(n-hops, n) }
	if lines >= 2*b.l2Lines() { // a line has left all caches when its turn comes again
		return b.perStep(hops, next)
	}
	return b.perStep(hops, next, b.round(order))
}

// lineAt is the address of a line of the first array.
func lineAt(line int) uint64 { return array + uint64(line)*protocol.LineBytes }

// round reads lines in an order, past the L1, by one thread block whose warps stay together.
func (b *bench) round(order []int) *workload.Kernel {
	const together = 8 // loads of a warp from one barrier to the next
	each := b.full()
	rounds := (len(order) + each*together - 1) / (each * together)
	return warps(1, each, func(warp, i int) workload.Inst {
		round, load := i/(together+1), i%(together+1)
		if load == together {
			return script.Op(workload.Barrier, workload.NoReg)
		}
		at := (round*together+load)*each + warp
		return lineOf(workload.Load, array, order[min(at, len(order)-1)], load)
	})(rounds * (together + 1))
}
