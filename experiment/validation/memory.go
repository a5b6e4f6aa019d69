package validation

import (
	"cotenant/experiment/workloads"
	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"
)

// streams are the microkernels of the DRAM's bandwidth.
func streams() (list []*Microkernel) {
	for _, s := range []struct {
		name, text string
		reads      int // arrays
		computes   bool
		writes     bool
	}{
		{"read", "read an array", 1, false, false},
		{"write", "write an array", 0, false, true},
		{"copy", "copy an array to another", 1, false, true},
		{"scale", "write a multiple of an array to another", 1, true, true},
		{"triad", "add a multiple of an array to another and write the sum to a third", 2, true, true},
	} {
		var body []access
		for r := range s.reads {
			body = append(body, access{workload.Load, r})
		}
		if s.computes {
			body = append(body, access{workload.FP32, 0})
		}
		if s.writes {
			body = append(body, access{workload.Store, 2})
		}
		list = append(list, &Microkernel{
			About: "The GPU full of warps that walk through memory together and " + s.text +
				", a line each, once the L2 and the queues behind it are as full as they get. Bytes that the program reads and writes, over the bytes that the DRAM's pins could move.",
			Figures: []Figure{{"dram-" + s.name, "% of peak", Bandwidth}, {"dram-" + s.name + "-bandwidth", "GB/s", Bandwidth}},
			measure: func(b *bench) ([]float64, error) { return b.stream(body) },
		})
	}
	return list
}

// access is an instruction of a stream's body: its class and, of a load or
// store, the number of the array.
type access struct {
	class workload.Class
	array int
}

// dealt is the number of rounds of a stream that a thread block walks. The next ones begin where
// SMs are free, as in the published programs, so that SMs with more bandwidth do more of the work.
const dealt = 4

// stream measures a stream: the share of the peak in per cent, and GB/s.
func (b *bench) stream(body []access) ([]float64, error) {
	_, n := b.everywhere(nil)
	accesses := 0
	for _, a := range body {
		if a.class != workload.FP32 {
			accesses++
		}
	}
	walk := func(region, rounds int) *workload.Kernel {
		k, _ := b.dealt(rounds/dealt, func(warp, i int) workload.Inst {
			round, a := warp/n*dealt+i/len(body), body[i%len(body)]
			warp %= n
			first, sum := uint8(round%32), uint8(64+round%32)
			switch {
			case a.class == workload.FP32:
				return script.Op(workload.FP32, sum, first, 32+first)
			case a.class == workload.Store && accesses == len(body):
				sum = first // nothing is computed
			}
			inst := lineOf(a.class, array*uint64(1+4*region+a.array), round*n+warp, 0)
			if a.class == workload.Load {
				inst.Dst[0], inst.Flags = first+32*uint8(a.array), 0
			} else {
				inst.Src[0] = sum
			}
			return inst
		})
		return k(dealt * len(body))
	}
	rounds := max(dealt, upTo(dealt, (b.l2Lines()+n*accesses-1)/(n*accesses)))
	filled := walk(0, 3*rounds)
	if rounds *= 2; b.large() { // once and a half is enough to fill it, and a part shows the rate
		filled = walk(0, upTo(dealt, rounds*3/4))
		rounds = max(dealt, upTo(dealt, rounds/8))
	}
	more, err := b.more(rounds, func(m int) *workload.Kernel { return walk(m/rounds, m) }, filled)
	if err != nil {
		return nil, err
	}
	rate := b.gigabytes(float64(rounds*n*accesses*protocol.LineBytes) / float64(more.Cycles))
	peak := float64(b.gpu.DRAM.PeakBytesPerSecond(uint64(b.gpu.Clocks.DRAM)*1_000_000)*uint64(b.gpu.Address.Channels)) / 1e9
	return []float64{100 * rate / peak, rate}, nil
}

// upTo is the least multiple of n from x on.
func upTo(n, x int) int { return (x + n - 1) / n * n }

// randomReads is what reads of lines drawn at random from half of the L2 do, by
// the lanes of a mask.
func (b *bench) randomReads(active uint32) (*workloads.Counts, error) {
	lines := b.l2Lines() / 2
	k, _ := b.everywhere(func(warp, i int) workload.Inst {
		load := lineOf(workload.Load, array, random(lines, warp, i), i)
		load.Active = active
		return load
	})
	return b.more(64, k, b.touch(lines))
}

// crossbar are the microkernels of the crossbars.
func crossbar() (list []*Microkernel) {
	for _, c := range []struct {
		name, text string
		active     uint32
	}{{"noc-sectors", "a sector of 32 bytes", 1<<(protocol.SectorBytes/4) - 1}, {"noc-lines", "a line", ^uint32(0)}} {
		list = append(list, single(Figure{c.name, "% of port width", Bandwidth},
			"The GPU full of warps that read "+c.text+" each of lines drawn at random from half of the L2's capacity, past the L1: flits of replies, over the flits that the ports of the reply crossbar could move on the side with fewer.",
			func(b *bench) (float64, error) {
				more, err := b.randomReads(c.active)
				if err != nil {
					return 0, err
				}
				ports := min(b.gpu.SMs.Count(), b.gpu.Address.Slices)
				return 100 * float64(more.ReplyFlits) / float64(more.NoCCycles*uint64(ports)), nil
			}))
	}
	return list
}

// atomics are the microkernels of atomic operations on global memory.
func atomics() []*Microkernel {
	return []*Microkernel{
		chain("atomic-chain", "One lane, atomic operations on one word of global memory, each waits for the result of the one before.",
			64, func(int) workload.Inst {
				inst := script.Access(workload.Atomic, workload.Global, array, 0, 4, 1, 1)
				inst.Active = 1
				return inst
			}),
		single(Figure{"atomic-same", "cycles", Bandwidth},
			"A thread block of eight warps for each SM, atomic additions by all lanes to one word of global memory, results unread: cycles of each lane's.",
			func(b *bench) (float64, error) {
				tbs := b.gpu.SMs.Count()
				const n = 8
				cycles, err := b.perStep(n, warps(tbs, groupWarps, func(int, int) workload.Inst {
					return script.Access(workload.Reduction, workload.Global, array, 0, 4, workload.NoReg, 1)
				}), b.touch(1))
				return cycles / float64(tbs*groupWarps*workload.WarpSize), err
			}),
		single(Figure{"atomic-many", "per cycle", Bandwidth},
			"The GPU full of warps, atomic additions by all lanes to neighbouring words of lines drawn at random from half of the L2's capacity: lanes' operations in a core cycle.",
			func(b *bench) (float64, error) {
				lines := b.l2Lines() / 2
				k, n := b.everywhere(func(warp, i int) workload.Inst {
					return lineOf(workload.Reduction, array, random(lines, warp, i), i)
				})
				cycles, err := b.perStep(8, k, b.touch(lines))
				return float64(n*workload.WarpSize) / cycles, err
			}),
	}
}
