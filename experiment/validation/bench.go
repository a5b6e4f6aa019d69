package validation

import (
	"context"
	"fmt"

	"cotenant/experiment/workloads"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/sm"
	"cotenant/workload"
	"cotenant/workload/script"
)

// longest bounds the microkernels of one measurement, in core cycles, so that an endless one
// is an error.
const longest = 100_000_000

// bench is a GPU on which microkernels run alone.
type bench struct {
	ctx context.Context
	gpu *wiring.Config
	// tell is told what further steps did. It may be nil.
	tell func(more *workloads.Counts)
}

// run runs kernels one after another on the GPU as it is after a reset, and
// returns what each did, its launch included.
func (b *bench) run(kernels ...*workload.Kernel) ([]workloads.Counts, error) {
	return b.launched(false, kernels...)
}

// launched is run; in a CUDA graph, each kernel waits for the one before.
func (b *bench) launched(graph bool, kernels ...*workload.Kernel) ([]workloads.Counts, error) {
	// The process' arrival is before an empty kernel, which is not counted.
	app := script.App("validation", append([]*workload.Kernel{empty()}, kernels...)...)
	var at, each []workloads.Counts
	err := workloads.Alone(b.ctx, b.gpu, app, longest, func(host workload.Host, now workloads.Counts) (workload.Op, bool, error) {
		op, more, err := host.Next()
		op.Graph = graph && len(at) > 0
		at = append(at, now)
		return op, more, err
	})
	for i := 2; i < len(at); i++ {
		each = append(each, at[i].Since(&at[i-1]))
	}
	return each, err
}

// steps makes a kernel of n steps for each warp.
type steps func(n int) *workload.Kernel

// more counts n further steps: a run of 2n steps less a run of n steps. Costs of both, such as
// the launch and cold caches, cancel out. Kernels in before run first.
func (b *bench) more(n int, k steps, before ...*workload.Kernel) (*workloads.Counts, error) {
	each, err := b.run(append(before, k(n), k(2*n))...)
	if err != nil {
		return nil, err
	}
	once, twice := each[len(before)], each[len(before)+1]
	if twice.Cycles <= once.Cycles {
		return nil, fmt.Errorf("%d steps take %d cycles, %d take %d: nothing is measured", n, once.Cycles, 2*n, twice.Cycles)
	}
	difference := twice.Since(&once)
	if b.tell != nil {
		b.tell(&difference)
	}
	return &difference, nil
}

// perStep is how many core cycles a further step takes.
func (b *bench) perStep(n int, k steps, before ...*workload.Kernel) (float64, error) {
	more, err := b.more(n, k, before...)
	if err != nil {
		return 0, err
	}
	return float64(more.Cycles) / float64(n), nil
}

// empty is a kernel of one warp that does nothing.
func empty() *workload.Kernel {
	return script.Kernel("empty", 1, workload.WarpSize, func(int, int) []workload.Inst {
		return []workload.Inst{script.Op(workload.Exit, workload.NoReg)}
	})
}

// oneWarp is a kernel of one warp; step gives its instruction i.
func oneWarp(step func(i int) workload.Inst) steps {
	return warps(1, 1, func(_, i int) workload.Inst { return step(i) })
}

// warps is a kernel of thread blocks with some warps each; step gives instruction i of a
// warp, numbered over the GPU.
func warps(tbs, each int, step func(warp, i int) workload.Inst) steps {
	return func(n int) *workload.Kernel {
		k := script.Kernel("microkernel", tbs, each*workload.WarpSize, func(tb, warp int) []workload.Inst {
			list := make([]workload.Inst, n)
			for i := range list {
				list[i] = step(tb*each+warp, i)
			}
			return list
		})
		k.SharedBytesPerTB = sharedBytes
		return k
	}
}

// sm is the SM that the GPU has first, on which single thread blocks run.
func (b *bench) sm() *sm.Spec { return &b.gpu.SMList()[0].Spec }

// full is the number of warps of the largest thread block that an SM takes.
func (b *bench) full() int {
	threads := b.sm().Threads
	for _, limit := range []int{b.gpu.Driver.ThreadsPerTB, b.gpu.Driver.Block.X} {
		if limit > 0 {
			threads = min(threads, limit)
		}
	}
	return threads / workload.WarpSize
}

// groupWarps are the warps of a thread block of kernels that fill the GPU.
const groupWarps = 8

// groups is how many thread blocks of groupWarps the GPU holds.
func (b *bench) groups() (n int) {
	for _, m := range b.gpu.SMList() {
		n += min(m.Spec.TBs, m.Spec.Threads/(groupWarps*workload.WarpSize))
	}
	return n
}

// everywhere is a kernel that fills the GPU with warps, and their number.
func (b *bench) everywhere(step func(warp, i int) workload.Inst) (k steps, n int) {
	return b.dealt(1, step)
}

// dealt is a kernel that fills the GPU with warps so many times over, and the number of warps
// that fill it once.
func (b *bench) dealt(times int, step func(warp, i int) workload.Inst) (k steps, n int) {
	tbs := b.groups()
	fill := warps(times*tbs, groupWarps, step)
	return func(n int) *workload.Kernel {
		k := fill(n)
		k.SharedBytesPerTB = 0
		return k
	}, tbs * groupWarps
}

// l2Lines is how many lines the L2 holds.
func (b *bench) l2Lines() int { return b.gpu.Address.Slices * b.gpu.L2.Sets * b.gpu.L2.Ways }

// large reports whether to fill the L2 many times would take minutes: it has more than 8 MB.
func (b *bench) large() bool { return b.l2Lines()*protocol.LineBytes > 8<<20 }

// touch is a kernel that reads lines of the first array once, all over the GPU, so that
// the L2 has them; more often, from both halves of the SMs, where slices hold copies of lines.
func (b *bench) touch(lines int) *workload.Kernel {
	return b.touchAll(lines, func(n int) int { return n })
}

// touchAll is touch for lines that are numbered.
func (b *bench) touchAll(lines int, line func(n int) int) *workload.Kernel {
	_, n := b.everywhere(nil)
	rounds, times := (lines+n-1)/n, 1
	// Thread blocks go to the SMs in turn, so that steps of the lesser half's SMs reach both.
	half := b.gpu.LesserHalf()
	if b.gpu.Topology == "halves" {
		times = (b.gpu.SMs.Count() + half - 1) / half
	}
	across := half * groupWarps
	k, _ := b.everywhere(func(warp, i int) workload.Inst {
		return lineOf(workload.Load, array, line((i%rounds*n+warp+i/rounds*across)%lines), i)
	})
	return k(times * rounds)
}

// lineOf is an access of a warp to a line of an array, its lanes side by side, by
// a register that the accesses take in turn. A load passes the L1 by.
func lineOf(class workload.Class, array uint64, line, turn int) workload.Inst {
	reg := uint8(turn % 100)
	dst, src := reg, uint8(workload.NoReg)
	if class != workload.Load && class != workload.Atomic {
		dst, src = src, dst
	}
	inst := script.Access(class, workload.Global, array+uint64(line)*protocol.LineBytes, 4, 4, dst, src)
	if class == workload.Load {
		inst.Flags = workload.BypassL1
	}
	return inst
}

// array is the address of the first array, and the distance to the next.
const array = uint64(1) << 32

// sharedBytes is the shared memory of a thread block: room for the lanes of a
// warp that lie a row of banks apart.
const sharedBytes = 32 * 32 * 4

// random is a number below n, the same for the same seeds (SplitMix64).
func random(n int, seeds ...int) int {
	x := uint64(0)
	for _, s := range seeds {
		x = (x + uint64(s) + 1) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return int(x % uint64(n))
}
