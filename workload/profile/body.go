package profile

import (
	"cmp"
	"slices"

	"cotenant/workload"
)

// op is a key of Mix, in the order of its fields.
type op uint8

const (
	opInt op = iota
	opFP32
	opFP64
	opSFU
	opTensor
	opConstant
	opBranch
	opGlobalLoad
	opGatherLoad
	opGlobalStore
	opAtomic
	opReduction
	opSharedLoad
	opSharedStore
	opSharedAtomic
	numOps
)

var mixKeys = [numOps]string{"int", "fp32", "fp64", "sfu", "tensor", "constant", "branch", "global_load", "gather_load",
	"global_store", "atomic", "reduction", "shared_load", "shared_store", "shared_atomic"}

func (m *Mix) fractions() [numOps]float64 {
	return [numOps]float64{m.Int, m.FP32, m.FP64, m.SFU, m.Tensor, m.Constant, m.Branch, m.GlobalLoad, m.GatherLoad,
		m.GlobalStore, m.Atomic, m.Reduction, m.SharedLoad, m.SharedStore, m.SharedAtomic}
}

// work is what Fetch must draw for an instruction at each execution.
type work uint8

const (
	nothing work = iota
	split
	globalAddress
	sharedAddress
)

// slot says which Access of a phase an instruction follows.
type slot uint8

const (
	slotLoad slot = iota
	slotGather
	slotStore
	slotAtomic
	numSlots
)

var slotKeys = [numSlots]string{"load", "gather", "store", "atomic"}

var ops = [numOps]struct {
	class  workload.Class
	space  workload.Space
	work   work
	slot   slot
	writes bool // has a destination register
	long   bool // its first use is LoadDistance away
}{
	opInt:          {class: workload.Int, writes: true},
	opFP32:         {class: workload.FP32, writes: true},
	opFP64:         {class: workload.FP64, writes: true},
	opSFU:          {class: workload.SFU, writes: true},
	opTensor:       {class: workload.Tensor, writes: true},
	opConstant:     {class: workload.Constant, writes: true},
	opBranch:       {class: workload.Branch, work: split},
	opGlobalLoad:   {class: workload.Load, work: globalAddress, slot: slotLoad, writes: true, long: true},
	opGatherLoad:   {class: workload.Load, work: globalAddress, slot: slotGather, writes: true, long: true},
	opGlobalStore:  {class: workload.Store, work: globalAddress, slot: slotStore},
	opAtomic:       {class: workload.Atomic, work: globalAddress, slot: slotAtomic, writes: true, long: true},
	opReduction:    {class: workload.Reduction, work: globalAddress, slot: slotAtomic},
	opSharedLoad:   {class: workload.Load, space: workload.Shared, work: sharedAddress, writes: true},
	opSharedStore:  {class: workload.Store, space: workload.Shared, work: sharedAddress},
	opSharedAtomic: {class: workload.Atomic, space: workload.Shared, work: sharedAddress, writes: true},
}

// instBytes is the size of a machine instruction before Volta; only the
// spacing of PCs depends on it.
const instBytes = 8

// step is one instruction of a body: all that is the same at each execution.
type step struct {
	inst workload.Inst
	work work
	slot slot
}

// newBody lays out length instructions in the proportions of the phase's mix.
// registers is the number a thread has; pc is the address of the first
// instruction.
func newBody(p *Phase, length, registers int, pc uint32, draw *random) []step {
	order := shuffledOps(&p.Mix, length, draw)
	body := make([]step, length)
	for i, o := range order {
		body[i] = step{work: ops[o].work, slot: ops[o].slot, inst: workload.Inst{
			Class: ops[o].class, Space: ops[o].space, PC: pc + uint32(i)*instBytes,
			Dst: workload.NoRegs4, Src: workload.NoRegs10,
		}}
		if ops[o].work == globalAddress || ops[o].work == sharedAddress {
			body[i].inst.Width = 4
		}
	}
	if order[length-1] == opBranch {
		body[length-1].inst.Flags = workload.Redirect
	}
	newFlow(order, body, registers).link(p, draw)
	return body
}

// shuffledOps gives every op its share of length, by largest remainder, in an
// order drawn from draw; but a branch, if there is one, closes the body.
func shuffledOps(m *Mix, length int, draw *random) []op {
	var counts [numOps]int
	var remainders [numOps]float64
	byRemainder := make([]op, numOps)
	fractions, sum := m.fractions(), 0.0
	for _, v := range fractions {
		sum += v
	}
	left := length
	for o := range numOps {
		exact := fractions[o] / sum * float64(length)
		counts[o] = int(exact)
		remainders[o] = exact - float64(counts[o])
		left -= counts[o]
		byRemainder[o] = o
	}
	slices.SortStableFunc(byRemainder, func(a, b op) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, o := range byRemainder[:left] {
		counts[o]++
	}
	order := make([]op, 0, length)
	for o := range numOps {
		for range counts[o] {
			order = append(order, o)
		}
	}
	for i := length - 1; i > 0; i-- {
		j := draw.below(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	if i := slices.Index(order, opBranch); i >= 0 {
		order[i], order[length-1] = order[length-1], order[i]
	}
	return order
}

// flow assigns registers to a body so that dependences run from one
// instruction to another of the same or the next execution of the body.
type flow struct {
	order []op
	body  []step
	// ordinal[i] is the number of register writes before place i of the body.
	ordinal []int
	writers int
	// life is how many register writes a value survives.
	life int
}

// newFlow hands the registers out in rotation. The rotation starts afresh with
// every execution of the body; so the writers are cut into rounds of nearly
// equal length, which keeps the distance between two writes of one register
// the same across the seam.
func newFlow(order []op, body []step, registers int) *flow {
	f := &flow{order: order, body: body, ordinal: make([]int, len(body))}
	for i, o := range order {
		f.ordinal[i] = f.writers
		if ops[o].writes {
			f.writers++
		}
	}
	if f.writers == 0 {
		return f
	}
	rounds := (f.writers + registers - 1) / registers
	f.life = f.writers / rounds
	round, first := 0, 0
	for i, o := range order {
		if !ops[o].writes {
			continue
		}
		if next := f.writers * (round + 1) / rounds; f.ordinal[i] == next {
			round, first = round+1, next
		}
		body[i].inst.Dst[0] = uint8(f.ordinal[i] - first)
	}
	return f
}

// link makes every instruction wait for one short producer at about the
// phase's Distance, and every global load be waited for at about its
// LoadDistance.
func (f *flow) link(p *Phase, draw *random) {
	if f.writers == 0 {
		return
	}
	for i := range f.body {
		if from, ok := f.shortProducer(i, drawDistance(p.Distance, draw)); ok {
			f.body[i].inst.Src[0] = f.body[from].inst.Dst[0]
		}
	}
	for i, o := range f.order {
		if ops[o].long {
			f.use(i, drawDistance(p.LoadDistance, draw))
		}
	}
}

// drawDistance draws evenly from 1 to twice the mean less one, with that mean.
func drawDistance(mean float64, draw *random) int {
	whole := int(mean)
	if chanceOf(mean - float64(whole)).hit(draw.next()) {
		whole++
	}
	return 1 + draw.below(2*whole-1)
}

// shortProducer finds the writer nearest to distance before place i that is
// not a global load, with a value that is still alive there.
func (f *flow) shortProducer(i, distance int) (place int, ok bool) {
	n := len(f.body)
	for off := 0; off < n; off++ {
		for _, d := range [2]int{distance - off, distance + off} {
			if d < 1 || d > n {
				continue
			}
			from := (i - d + n) % n
			if o := f.order[from]; ops[o].writes && !ops[o].long && f.alive(from, i, d) {
				return from, true
			}
		}
	}
	return 0, false
}

// alive reports whether what place from wrote is still in its register when
// place to, distance instructions on, reads it.
func (f *flow) alive(from, to, distance int) bool {
	writes := f.ordinal[to] - f.ordinal[from]
	if from+distance >= len(f.body) {
		writes += f.writers
	}
	return writes <= f.life
}

// use makes the instruction distance after the load at place i read its
// result, or makes the nearest earlier instruction that can.
func (f *flow) use(i, distance int) {
	n := len(f.body)
	for d := min(distance, n); d >= 1; d-- {
		to := (i + d) % n
		if !f.alive(i, to, d) {
			continue
		}
		for s := range f.body[to].inst.Src {
			if f.body[to].inst.Src[s] == workload.NoReg {
				f.body[to].inst.Src[s] = f.body[i].inst.Dst[0]
				return
			}
		}
	}
}
