package profile

import (
	"math"

	"cotenant/workload"
)

// heap is where the first array of every kernel starts; so the kernels of an
// application meet in the same data.
const heap = 1 << 32

// program is a kernel with its phases compiled, shared by all its warps.
type program struct {
	name       string
	key        uint64 // root of all draws
	tbs, warps int
	lastLanes  uint32 // of the last warp of a TB
	length     float64
	spread     float64
	phases     []phase
	exit       workload.Inst
}

// phase is a compiled Phase.
type phase struct {
	body         []step
	until        float64 // end of the phase as a fraction of the warp
	barrier      workload.Inst
	barrierEvery int // 0 for none
	split        chance
	splitActive  uint // lanes per 256
	shared       sharedAccess
	access       [numSlots]access
}

// compile prepares kernel k, in the variant of demand d, for its streams.
func compile(k *Kernel, d *Demand, seed uint64) *program {
	p := &program{
		name: k.Name, key: kernelKey(seed, k.Name), tbs: k.TBs,
		warps:     (d.Threads + workload.WarpSize - 1) / workload.WarpSize,
		lastLanes: math.MaxUint32,
		length:    float64(k.Instructions), spread: k.Spread,
		phases: make([]phase, len(k.Phases)),
	}
	if part := d.Threads % workload.WarpSize; part != 0 {
		p.lastLanes = 1<<part - 1
	}
	draw := random(p.key)
	bases := arrays(k)
	pc, until := uint32(0), 0.0
	for i := range k.Phases {
		from := &k.Phases[i]
		until += from.Share
		length := min(from.Body, max(1, int(math.Round(from.Share*p.length))))
		ph := &p.phases[i]
		*ph = phase{
			until:        until,
			body:         newBody(from, length, d.registersPerThread(), pc, &draw),
			barrierEvery: from.BarrierEvery,
			split:        chanceOf(from.SplitProbability),
			splitActive:  uint(math.Round(from.SplitActive * 256)),
			shared:       newSharedAccess(from.SharedConflict, d.SharedBytesPerTB),
		}
		pc += uint32(length) * instBytes
		ph.barrier = plain(workload.Barrier, pc)
		pc += instBytes
		for s := range numSlots {
			a, owner := from.follows(s)
			ph.access[s] = newAccess(a, owner, bases[owner], p)
		}
	}
	p.exit = plain(workload.Exit, pc)
	return p
}

// plain is an instruction without registers.
func plain(class workload.Class, pc uint32) workload.Inst {
	return workload.Inst{Class: class, PC: pc, Dst: workload.NoRegs4, Src: workload.NoRegs10}
}

// follows returns the Access that a slot follows, and walks the array of.
func (p *Phase) follows(s slot) (*Access, slot) {
	if own := [numSlots]*Access{p.Load, p.Gather, p.Store, p.Atomic}[s]; own != nil {
		return own, s
	}
	if p.Load != nil {
		return p.Load, slotLoad
	}
	byDefault := &Access{}
	byDefault.SetDefaults()
	return byDefault, slotLoad
}

// arrays places one array for each slot, large enough for all phases that use
// it and one behind the other, and returns where each starts.
func arrays(k *Kernel) (bases [numSlots]uint64) {
	var sizes [numSlots]uint64
	for i := range k.Phases {
		for o, fraction := range k.Phases[i].Mix.fractions() {
			if fraction > 0 && ops[o].work == globalAddress {
				a, owner := k.Phases[i].follows(ops[o].slot)
				sizes[owner] = max(sizes[owner], uint64(a.Footprint))
			}
		}
	}
	next := uint64(heap)
	for s, size := range sizes {
		bases[s] = next
		// cudaMalloc aligns to 256 bytes.
		next += (size + 255) &^ 255
	}
	return bases
}

// registersPerThread is never 0 in a valid Demand.
func (d *Demand) registersPerThread() int {
	return max(d.RegistersPerThread, d.RegistersPerTB/d.Threads)
}

func (d *Demand) registersPerTB() int {
	return max(d.RegistersPerTB, d.RegistersPerThread*d.Threads)
}
