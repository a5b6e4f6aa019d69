package flow

import (
	"math/bits"
	"slices"

	"cotenant/workload/ptx"
)

// pressure tells how many 32-bit registers hold values at once in the blocks of
// a function, as MaxLive does, when the instructions of a block come in another
// order. That changes nothing about what holds a value between blocks.
type pressure struct {
	words   []int32 // that each register counts for
	behind  []Row   // what holds a value at the end of each block
	callees map[*ptx.Func]int
}

// Words has for each register the number of 32-bit registers that it takes of a machine:
// none for predicates, which have registers of their own, and for a kernel's parameters, which
// machine code reads where it needs them.
func Words(f *ptx.Func) []int32 {
	free, words := rereadable(f), make([]int32, len(f.Regs))
	for reg, t := range f.Regs {
		if t != ptx.Pred && !free.Has(reg) {
			words[reg] = int32(max(t.Size()/4, 1))
		}
	}
	return words
}

func newPressure(f *ptx.Func, blocks []block) *pressure {
	p := &pressure{words: Words(f), behind: make([]Row, len(blocks)), callees: map[*ptx.Func]int{}}
	live := liveBefore(f, blocks)
	defined := definedAfter(f, blocks, live)
	now := newRegSet(f)
	for i, b := range blocks {
		now.clear()
		for _, s := range b.succs {
			live[s].addTo(now)
		}
		p.behind[i].union(now)
		p.behind[i].intersect(defined[i])
	}
	return p
}

// most is the largest number while some instructions of the end of a block
// execute in an order, and turns the set of registers that hold a value behind
// them into that before them.
func (p *pressure) most(insts []ptx.Inst, order []int, now RegSet) (most int) {
	weight := p.weight(now)
	add := func(reg int) {
		if !now.Has(reg) {
			now.add(reg)
			weight += int(p.words[reg])
		}
	}
	remove := func(reg int) {
		if now.Has(reg) {
			now.remove(reg)
			weight -= int(p.words[reg])
		}
	}
	for k := len(order) - 1; k >= 0; k-- {
		in := &insts[order[k]]
		EachRegister(in.Dst, add) // a result that nothing reads takes room, too
		most = max(most, weight+p.callee(in))
		before(in, add, remove)
	}
	return most
}

// callee is what the function needs that an instruction calls.
func (p *pressure) callee(in *ptx.Inst) int {
	if in.Op != "call" {
		return 0
	}
	return maxLive(in.Src[0].Func, p.callees)
}

// weight is the number of 32-bit registers that the members of a set count for.
func (p *pressure) weight(s RegSet) (n int) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			n += int(p.words[64*i+bits.TrailingZeros64(w)])
		}
	}
	return n
}

// tally follows the number of registers that hold values while instructions
// are put into an order one by one, each behind those it depends on.
type tally struct {
	p     *pressure
	insts []ptx.Inst
	// Each time that a register is written gives it another value. reads and
	// writes are the values that an instruction reads and writes; a value that it
	// writes under a guard is read before.
	reads, writes [][]int32
	values        []value
	live          int
	// As they are at the beginning.
	allValues []value
	allLive   int
}

// value is held by a register.
type value struct {
	words int32
	left  int32 // times that it is still to be read
	stays bool  // it holds to the end
}

// newTally makes the tally of instructions: the registers of before hold values at
// their start, and the registers of behind at their end.
func newTally(p *pressure, insts []ptx.Inst, before, behind RegSet) *tally {
	t := &tally{p: p, insts: insts, reads: make([][]int32, len(insts)), writes: make([][]int32, len(insts))}
	now := map[int]int32{} // the value that a register holds
	holds := func(reg int) int32 {
		v, ok := now[reg]
		if !ok {
			v = int32(len(t.values))
			t.values = append(t.values, value{words: p.words[reg]})
			now[reg] = v
		}
		return v
	}
	for i := range insts {
		in := &insts[i]
		read := func(reg int) {
			v := holds(reg)
			t.reads[i] = append(t.reads[i], v)
			t.values[v].left++
		}
		EachRegister(in.Src, read)
		if in.Guard >= 0 {
			read(in.Guard)
			EachRegister(in.Dst, read)
		}
		EachRegister(in.Dst, func(reg int) {
			delete(now, reg)
			t.writes[i] = append(t.writes[i], holds(reg))
		})
	}
	behind.Each(func(reg int) { t.values[holds(reg)].stays = true })
	t.allValues, t.allLive = t.values, p.weight(before)
	t.values = slices.Clone(t.allValues)
	return t
}

// begin starts anew.
func (t *tally) begin() {
	copy(t.values, t.allValues)
	t.live = t.allLive
}

// do takes the next instruction and returns how many registers hold values
// while it executes. undo takes it back.
func (t *tally) do(i int) (most int) {
	for _, v := range t.reads[i] {
		x := &t.values[v]
		if x.left--; x.left == 0 && !x.stays {
			t.live -= int(x.words)
		}
	}
	most = t.live + t.p.callee(&t.insts[i])
	for _, v := range t.writes[i] {
		x := &t.values[v]
		most += int(x.words)
		if x.left > 0 || x.stays {
			t.live += int(x.words)
		}
	}
	return most
}

func (t *tally) undo(i int) {
	for _, v := range t.writes[i] {
		if x := &t.values[v]; x.left > 0 || x.stays {
			t.live -= int(x.words)
		}
	}
	for _, v := range t.reads[i] {
		x := &t.values[v]
		if x.left++; x.left == 1 && !x.stays {
			t.live += int(x.words)
		}
	}
}
