package ptx

import (
	"encoding/binary"
	"slices"
)

// origin is where a register's value comes from, as far as it may be a pointer:
// the parameter at an offset of the parameter block, or the address of a
// variable.
type origin struct {
	param int
	v     *Var
}

// originSets are the origins of registers, by number.
type originSets [][]origin

// reached is an instruction that accesses global memory, and where its address
// comes from.
type reached struct {
	writes  bool
	origins []origin
	texture *Var // a texture reference
	handle  bool // a texture object, whichever it is
}

// footprint is what can be said of a kernel's accesses to global memory before
// it is launched.
type footprint struct {
	list  []reached
	known bool
}

// findFootprint follows the pointers among the parameters, and the addresses of
// variables, through the kernel's registers.
func (p *Program) findFootprint() {
	list, ok := p.reached()
	p.footprint = footprint{list, ok}
}

// Idempotent reports whether thread blocks of a launch can be dropped at any
// point and started anew (Chimera): the kernel has no atomic operation on
// global memory, and reads no array that it writes. It is false where that is
// not proved: if the kernel calls functions, or loads pointers from memory. That
// a pointer stays in its array is taken for granted.
func (p *Program) Idempotent(cfg *LaunchConfig) bool {
	f := &p.footprint
	if !f.known {
		return false
	}
	read, written := map[int]bool{}, map[int]bool{}
	for i := range f.list {
		into := read
		if f.list[i].writes {
			into = written
		}
		if !f.list[i].arrays(cfg, into) {
			return false
		}
	}
	for array := range written {
		if read[array] {
			return false
		}
	}
	return true
}

// arrays adds the arrays that an access may be to; false if there is none.
func (a *reached) arrays(cfg *LaunchConfig, into map[int]bool) (found bool) {
	add := func(addr uint64) {
		if i, ok := cfg.Mem.index(addr); ok {
			into[i], found = true, true
		}
	}
	switch {
	case a.handle:
		for _, t := range cfg.TextureObjects {
			add(t.Addr)
		}
	case a.texture != nil:
		add(cfg.Textures[a.texture.Name].Addr)
	}
	for _, o := range a.origins {
		switch {
		case o.v == nil && o.param+8 <= len(cfg.Params):
			// One that points into no array is a number.
			add(binary.LittleEndian.Uint64(cfg.Params[o.param:]))
		case o.v == nil:
		case o.v.Space == Global || o.v.Space == Const:
			add(cfg.Mem.vars[o.v])
		default:
			found = true // memory of the thread block or the thread
		}
	}
	return found
}

// reached lists the kernel's accesses to global memory; false if it calls
// functions or has an atomic operation on it.
func (p *Program) reached() (list []reached, ok bool) {
	f := p.kernel
	from := p.origins()
	for i := range f.Insts {
		in := &f.Insts[i]
		var address Operand
		switch in.Op {
		case "call":
			return nil, false
		case "atom", "red":
			if in.Space != Shared {
				return nil, false
			}
			continue
		case "tex":
			x := in.Src[0]
			list = append(list, reached{texture: x.Var, handle: x.Var == nil})
			continue
		case "ld", "ldu", "st":
			if in.Space != Global && in.Space != Generic {
				continue
			}
			address = in.Src[0]
		default:
			continue
		}
		a := reached{writes: in.Op == "st"}
		if address.Var != nil {
			a.origins = append(a.origins, origin{v: address.Var})
		}
		if address.Reg >= 0 {
			a.origins = append(a.origins, from[address.Reg]...)
		}
		list = append(list, a)
	}
	return list, true
}

// origins are those of each of the kernel's registers, wherever it is written.
func (p *Program) origins() originSets {
	f := p.kernel
	offsets := map[*Var]int{}
	for i, v := range f.Params {
		offsets[v] = p.params[i]
	}
	from := make(originSets, len(f.Regs))
	for grew := true; grew; {
		grew = false
		for i := range f.Insts {
			in := &f.Insts[i]
			var list []origin
			switch in.Op {
			case "ld", "ldu", "tex", "atom":
				list = loaded(in, offsets)
			default:
				for _, s := range in.Src {
					list = append(list, from.of(s)...)
				}
			}
			for _, d := range in.Dst {
				eachRegister([]Operand{d}, func(reg int) {
					for _, o := range list {
						if f.Regs[reg] != Pred && !slices.Contains(from[reg], o) {
							from[reg] = append(from[reg], o)
							grew = true
						}
					}
				})
			}
		}
	}
	return from
}

// of is where an operand's value comes from.
func (s originSets) of(o Operand) (list []origin) {
	switch o.Kind {
	case Register:
		return s[o.Reg]
	case AddressOf:
		return []origin{{v: o.Var}}
	}
	for _, e := range o.Elems {
		list = append(list, s.of(e)...)
	}
	return list
}

// loaded is what an instruction loads: pointers only from the parameters, which
// are at the given offsets.
func loaded(in *Inst, offsets map[*Var]int) (list []origin) {
	if in.Op != "ld" || in.Space != Param || in.Types[len(in.Types)-1].Size() != 8 || in.Src[0].Reg >= 0 {
		return nil
	}
	at, ok := offsets[in.Src[0].Var]
	for i := range max(in.Vec, 1) {
		if ok {
			list = append(list, origin{param: at + int(in.Src[0].Imm) + 8*i})
		}
	}
	return list
}
