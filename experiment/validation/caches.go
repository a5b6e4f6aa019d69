package validation

import (
	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"
)

// caches are the microkernels of the caches, and of the way to the DRAM.
func caches() (list []*Microkernel) {
	for _, level := range []struct {
		name, text string
		bytes      int
	}{
		{"constant-chain", "one word of constant memory", 4},
		{"constant-16k-chain", "16 KB of constant memory, a line apart: beyond the first level, on chips with a published second one", 16 << 10},
		{"constant-64k-chain", "64 KB of constant memory, a line apart: beyond all levels of an SM", 64 << 10},
	} {
		words := max(1, level.bytes/protocol.LineBytes)
		list = append(list, chain(level.name,
			"One warp, loads of "+level.text+", all lanes the same word, each waiting for the one before it; twice round before it counts.",
			max(256, 2*words), func(i int) workload.Inst {
				return script.Access(workload.Constant, workload.Constants, array+uint64(i%words*protocol.LineBytes), 0, 4, 1, 1)
			}))
	}
	for _, of := range []struct {
		name, about string
		space       workload.Space
		first, step uint64 // address and distance of the lines
	}{
		{"l1-chain", "One lane, a chain of loads of global memory round 8 lines: load to use of an L1 hit, where the L1 serves them.", workload.Global, array, protocol.LineBytes},
		{"local-chain", "The same with local memory.", workload.Local, 0, 4},
		{"texture-chain", "The same with texture fetches: a hit in the cache that serves textures.", workload.Texture, array, protocol.LineBytes},
	} {
		const lines = 8 // which stay in the smallest L1
		list = append(list, chain(of.name, of.about, 256, func(i int) workload.Inst { return follow(of.space, of.first+uint64(i%lines)*of.step) }))
	}
	return append(list, single(Figure{"l2-chain", "cycles", Latency},
		"One lane, a chain of loads of global memory over lines that the L2 has, four times as many as the L1 holds (at most half of the L2), each once: load to use of an L2 hit.",
		(*bench).l2Chain), single(Figure{"dram-chain", "cycles", Latency},
		"One lane, a chain of loads of lines drawn at random from 512 MB that nothing else touches: load to use on the idle GPU.",
		(*bench).dramChain), blockRate("l1-rate", "B/SM/cycle",
		"One thread block that is as large as an SM takes, independent loads of global memory, each warp one line over and over, once it has it.",
		protocol.LineBytes, 640, func(warp, i int) workload.Inst {
			load := lineOf(workload.Load, array, warp, i)
			load.Flags = 0
			return afterFirst(load, i)
		}, (*bench).touch), blockRate("texture-rate", "texels/SM/cycle",
		"The same with texture fetches of 4-byte texels.",
		workload.WarpSize, 640, func(warp, i int) workload.Inst {
			return afterFirst(script.Access(workload.Load, workload.Texture, array+uint64(warp)*protocol.LineBytes, 4, 4, uint8(i%64)), i)
		}, (*bench).touch), &Microkernel{
		About:   "The GPU full of warps that read lines drawn at random from half of the L2's capacity, past the L1.",
		Figures: []Figure{{"l2-rate", "B/cycle", Bandwidth}, {"l2-bandwidth", "GB/s", Bandwidth}},
		measure: (*bench).l2Rate})
}

// follow is a load by one lane that waits for the one before it.
func follow(space workload.Space, addr uint64) workload.Inst {
	load := script.Access(workload.Load, space, addr, 0, 4, 1, 1)
	load.Active = 1
	return load
}

func (b *bench) l2Chain() (float64, error) {
	l1 := &b.sm().L1
	lines := max(2, min(4*l1.Sets*l1.Ways, b.l2Lines()/2))
	return b.perStep(lines/2, oneWarp(func(i int) workload.Inst {
		return follow(workload.Global, array+uint64(i)*protocol.LineBytes)
	}), b.touch(lines))
}

// manyLines is the number of lines that a chain through the DRAM draws from.
const manyLines = 1 << 22

func (b *bench) dramChain() (float64, error) {
	return b.perStep(1024, func(n int) *workload.Kernel {
		// Each launch has an array of its own.
		return oneWarp(func(i int) workload.Inst {
			return follow(workload.Global, array*uint64(n)+uint64(random(manyLines, i))*protocol.LineBytes)
		})(n)
	})
}

// afterFirst makes a warp's second load wait for the first, which writes register 0: later
// loads hit.
func afterFirst(load workload.Inst, i int) workload.Inst {
	if i == 1 {
		load.Src[0] = 0
	}
	return load
}

func (b *bench) l2Rate() ([]float64, error) {
	more, err := b.randomReads(^uint32(0))
	if err != nil {
		return nil, err
	}
	rate := float64(more.WarpInstructions*protocol.LineBytes) / float64(more.Cycles)
	return []float64{rate, b.gigabytes(rate)}, nil
}

// gigabytes is a rate in bytes per core cycle in GB/s.
func (b *bench) gigabytes(rate float64) float64 { return rate * float64(b.gpu.Clocks.Core) / 1e3 }
