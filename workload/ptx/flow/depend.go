package flow

import "cotenant/workload/ptx"

// An edge says that something stays behind an earlier node of its block, and
// whether it waits for its result.
type edge struct {
	node  int
	waits bool
}

// dependences finds out which earlier nodes of a block each node must stay
// behind. A node is one instruction or a few that stay together. It leaves out
// edges that follow from other edges.
type dependences struct {
	// class has for each register the first register that shares its machine
	// register: an access to either is an access to all. Nil if none shares.
	class  []int
	fixed  int // number of the last fixed node, from 1
	nodes  int
	memory []memoryAccess
	uses   map[int]*use // of registers
}

// use is which nodes used a register last.
type use struct {
	writer  int // number, from 1
	readers []int
}

// memoryAccess is a load or store of a node.
type memoryAccess struct {
	inst *ptx.Inst
	node int
}

// carry stands for the carry flag among the registers.
const carry = -1

// next takes in the next node and returns what it must stay behind.
func (d *dependences) next(insts ...*ptx.Inst) (needs []edge) {
	if d.uses == nil {
		d.uses = map[int]*use{}
	}
	i := d.nodes
	d.nodes++
	need := func(node int, waits bool) {
		if node >= 0 && node != i {
			needs = append(needs, edge{node, waits})
		}
	}
	need(d.fixed-1, false)
	for _, in := range insts {
		if fixed(in) {
			for j := d.fixed; j < i; j++ {
				need(j, false)
			}
			d.fixed = i + 1
		}
		if in.Op == "st" || loads(in) {
			a := memoryAccess{in, i}
			for _, before := range d.memory {
				if mustFollow(a, before) {
					need(before.node, false)
				}
			}
			d.memory = append(d.memory, a)
		}
		d.registers(in, i, need)
	}
	return needs
}

// use is the use of a register, or of the registers that share its machine register.
func (d *dependences) use(reg int) *use {
	if reg != carry && d.class != nil {
		reg = d.class[reg]
	}
	u := d.uses[reg]
	if u == nil {
		u = &use{}
		d.uses[reg] = u
	}
	return u
}

// registers adds what follows from the registers of an instruction of node i.
func (d *dependences) registers(in *ptx.Inst, i int, need func(node int, waits bool)) {
	read := func(reg int) {
		u := d.use(reg)
		need(u.writer-1, true)
		u.readers = append(u.readers, i)
	}
	write := func(reg int) {
		u := d.use(reg)
		need(u.writer-1, true)
		for _, j := range u.readers {
			need(j, false)
		}
		u.writer, u.readers = i+1, u.readers[:0]
	}
	EachRegister(in.Src, read)
	if in.Guard >= 0 {
		read(in.Guard)
	}
	if in.Op == "addc" || in.Op == "subc" || in.Op == "madc" {
		read(carry)
	}
	EachRegister(in.Dst, write)
	if in.Has("cc") {
		write(carry)
	}
}

func loads(i *ptx.Inst) bool { return i.Op == "ld" || i.Op == "ldu" || i.Op == "ldmatrix" }

// mustFollow reports whether a load or store must stay behind an earlier one,
// because they could be of the same memory and either stores.
func mustFollow(a, before memoryAccess) bool {
	if loads(a.inst) && (loads(before.inst) || a.inst.Has("nc")) {
		return false
	}
	return mayAlias(a.inst, before.inst) && !apart(a, before)
}

// mayAlias reports whether two accesses could be of the same memory, as far as
// their spaces say.
func mayAlias(a, b *ptx.Inst) bool {
	return a.Space == b.Space || a.Space == ptx.Generic || b.Space == ptx.Generic
}

// apart reports whether two accesses have the same base and are of different
// words behind it. If something has written the register of the base in between,
// the later one stays behind that, and that behind the earlier one.
func apart(a, b memoryAccess) bool {
	x, y := &a.inst.Src[0], &b.inst.Src[0]
	if a.inst.Op == "ldmatrix" || b.inst.Op == "ldmatrix" { // which reads what other lanes' addresses say
		return false
	}
	if a.inst.Space != b.inst.Space || x.Reg != y.Reg || x.Var != y.Var {
		return false
	}
	from, to := int64(x.Imm), int64(y.Imm)
	return from+accessBytes(a.inst) <= to || to+accessBytes(b.inst) <= from
}

// accessBytes is how many bytes of each lane a load or store is of.
func accessBytes(in *ptx.Inst) int64 {
	return int64(in.Types[len(in.Types)-1].Size() * max(in.Vec, 1))
}

// fixed tells instructions that nothing is moved across: control flow, and what
// has to do with other threads, with time or with the host.
func fixed(i *ptx.Inst) bool {
	switch i.Op {
	case "bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier", "membar", "fence", "atom", "red", "shfl", "vote", "match",
		"redux", "activemask", "nanosleep", "pmevent", "stmatrix", "cp", "mbarrier", "wgmma", "elect", "setmaxnreg", "griddepcontrol":
		return true
	case "mov":
		return i.Src[0].Kind == ptx.Special && ptx.SpecialRegister(i.Src[0].Imm).IsClock()
	}
	return i.Prints != nil || i.Has("volatile") || i.Has("relaxed") || i.Has("acquire") || i.Has("release") || i.Has("async")
}
