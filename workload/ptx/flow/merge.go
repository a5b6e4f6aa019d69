package flow

import (
	"slices"

	"cotenant/workload/ptx"
)

// Merge is a function in which loads of neighbouring words of shared memory are
// one vector load: two or four words, or two double words, at an address that
// is a multiple of their size together, as far as can be proved. They are in one
// block, and between them nothing may write shared memory. It computes the same.
// Loads are left apart where together they would have more 32-bit registers hold
// values at once than a number, or than the function has anyway (see MaxLive).
func Merge(f *ptx.Func, place Place, registers int) *ptx.Func {
	blocks := piecesOf(f)
	m := &merger{f: f, congruences: congruences(f, place), place: place, p: newPressure(f, blocks), most: max(registers, MaxLive(f))}
	behind := newRegSet(f)
	return rebuilt(f, blocks, func(i int, b block) []ptx.Inst {
		behind.is(m.p.behind[i])
		return m.block(b, behind)
	})
}

// rebuilt is a function with other instructions in its blocks, in the same order of blocks.
func rebuilt(f *ptx.Func, blocks []block, insts func(i int, b block) []ptx.Inst) *ptx.Func {
	h := *f
	h.Insts = make([]ptx.Inst, 0, len(f.Insts))
	starts := make([]int, len(f.Insts)+1) // of blocks, which alone are targets
	for i, b := range blocks {
		starts[b.first] = len(h.Insts)
		h.Insts = append(h.Insts, insts(i, b)...)
	}
	starts[len(f.Insts)] = len(h.Insts)
	for i := range h.Insts {
		in := &h.Insts[i]
		if in.Target >= 0 {
			in.Target = starts[in.Target]
		}
		in.Targets = slices.Clone(in.Targets)
		for k, t := range in.Targets {
			in.Targets[k] = starts[t]
		}
	}
	return &h
}

// merger is the state of Merge.
type merger struct {
	f           *ptx.Func
	congruences []congruence
	place       Place
	p           *pressure
	most        int // registers

	// Of the block at hand, instructions being numbered from its first.
	insts        []ptx.Inst
	needs, users [][]edge
	group        [][]int // what each is to be merged with, itself included, in the order of addresses
	checks       int     // of the registers
}

// block merges the loads of a block, behind which registers hold values.
func (m *merger) block(b block, behind RegSet) []ptx.Inst {
	m.insts = m.f.Insts[b.first:b.end]
	candidates := m.candidates()
	if len(candidates) == 0 {
		return m.insts
	}
	n := len(m.insts)
	m.needs, m.users, m.group = make([][]edge, n), make([][]edge, n), make([][]int, n)
	var d dependences
	for i := range m.insts {
		m.needs[i] = d.next(&m.insts[i])
		for _, e := range m.needs[i] {
			m.users[e.node] = append(m.users[e.node], edge{i, e.waits})
		}
	}
	var groups [][]int
	for _, list := range candidates {
		for len(list) > 1 {
			taken := 1
			for _, words := range []int{4, 2} {
				if m.neighbours(list, words) && !m.depend(list[:words]) {
					taken = words
					groups = append(groups, list[:words])
					m.join(list[:words], list[:words])
					break
				}
			}
			list = list[taken:]
		}
	}
	for _, g := range groups {
		m.join(g, nil)
	}
	m.checks = 0
	m.merge(groups, behind)
	return m.merged()
}

// join notes what loads are to be merged with.
func (m *merger) join(loads, group []int) {
	for _, i := range loads {
		m.group[i] = group
	}
}

// mostChecks is how often the registers of a block are counted at most.
const mostChecks = 64

// merge makes a load of each group of loads, or, if registers are too few for
// all, of the groups of either half for which they are enough.
func (m *merger) merge(groups [][]int, behind RegSet) {
	if len(groups) == 0 || m.checks == mostChecks {
		return
	}
	m.checks++
	for _, g := range groups {
		m.join(g, g)
	}
	if insts := m.merged(); m.p.most(insts, upTo(len(insts)), slices.Clone(behind)) <= m.most {
		return
	}
	for _, g := range groups {
		m.join(g, nil)
	}
	if n := len(groups); n > 1 {
		m.merge(groups[:n/2], behind)
		m.merge(groups[n/2:], behind)
	}
}

// sameLoad is what loads have in common that may be merged.
type sameLoad struct {
	reg, written int // base, and the instruction that wrote it last, from 1
	v            *ptx.Var
	guard        int
	not          bool
	guardWritten int
	opcode       string
}

// candidates are lists of at least two loads that differ in their offsets
// alone, in the order of these.
func (m *merger) candidates() (lists [][]int) {
	index := map[sameLoad]int{}
	written := map[int]int{}
	for i := range m.insts {
		in := &m.insts[i]
		if m.mayMerge(in) {
			x := &in.Src[0]
			key := sameLoad{x.Reg, written[x.Reg], x.Var, in.Guard, in.GuardNot, written[in.Guard], in.Opcode()}
			at, ok := index[key]
			if !ok {
				at = len(lists)
				index[key] = at
				lists = append(lists, nil)
			}
			lists[at] = append(lists[at], i)
		}
		EachRegister(in.Dst, func(reg int) { written[reg] = i + 1 })
	}
	lists = slices.DeleteFunc(lists, func(l []int) bool { return len(l) < 2 })
	for _, l := range lists {
		slices.SortStableFunc(l, func(a, b int) int { return int(m.offset(a) - m.offset(b)) })
	}
	return lists
}

func (m *merger) offset(i int) int64 { return int64(m.insts[i].Src[0].Imm) }

// mayMerge tells plain loads of a word or double word of shared memory into a
// register of that size.
func (m *merger) mayMerge(in *ptx.Inst) bool {
	if in.Op != "ld" || in.Space != ptx.Shared || in.Vec > 1 || fixed(in) || in.Dst[0].Kind != ptx.Register {
		return false
	}
	bytes := in.Types[0].Size()
	return (bytes == 4 || bytes == 8) && m.f.Regs[in.Dst[0].Reg].Size() == bytes
}

// neighbours reports whether the first loads of a list are of a number of
// neighbouring words that one instruction can load.
func (m *merger) neighbours(list []int, words int) bool {
	bytes := int64(m.insts[list[0]].Types[0].Size())
	size := bytes * int64(words)
	if len(list) < words || size > 16 {
		return false
	}
	for k, i := range list[:words] {
		if m.offset(i) != m.offset(list[0])+int64(k)*bytes {
			return false
		}
	}
	address := operandCongruence(&m.insts[list[0]].Src[0], m.congruences, m.place)
	mask := uint64(size - 1)
	return !address.none && lowBits(address.known)&mask == mask && address.value&mask == 0
}

// depend reports whether any of some instructions must stay behind another.
func (m *merger) depend(insts []int) bool {
	seen := make([]bool, len(m.insts))
	var reach func(i int) bool
	reach = func(i int) bool {
		if slices.Contains(insts, i) {
			return true
		}
		if seen[i] {
			return false
		}
		for _, j := range m.together(i) {
			seen[j] = true
			for _, e := range m.users[j] {
				if reach(e.node) {
					return true
				}
			}
		}
		return false
	}
	for _, i := range insts {
		for _, e := range m.users[i] {
			if reach(e.node) {
				return true
			}
		}
	}
	return false
}

// together are the instructions that are one with an instruction.
func (m *merger) together(i int) []int {
	if m.group[i] != nil {
		return m.group[i]
	}
	return []int{i}
}

// merged are the instructions of the block: loads that are merged come where the
// first of them was, with what they need.
func (m *merger) merged() (insts []ptx.Inst) {
	done := make([]bool, len(m.insts))
	var put func(i int)
	put = func(i int) {
		if done[i] {
			return
		}
		group := m.together(i)
		for _, j := range group {
			done[j] = true
		}
		for _, j := range group {
			for _, e := range m.needs[j] {
				put(e.node)
			}
		}
		insts = append(insts, m.vector(group))
	}
	for i := range m.insts {
		put(i)
	}
	return insts
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// vector is the instruction that stands for some loads.
func (m *merger) vector(group []int) ptx.Inst {
	in := m.insts[group[0]]
	if len(group) == 1 {
		return in
	}
	in.Line = m.insts[slices.Min(group)].Line
	in.Vec = len(group)
	in.Mods = slices.Insert(slices.Clone(in.Mods), len(in.Mods)-1, map[int]string{2: "v2", 4: "v4"}[in.Vec])
	to := ptx.Operand{Kind: ptx.Vector, Reg: -1}
	for _, i := range group {
		to.Elems = append(to.Elems, m.insts[i].Dst[0])
	}
	in.Dst = []ptx.Operand{to}
	return in
}
