package flow

import (
	"slices"

	"cotenant/workload/ptx"
)

// Origin is where a register's value comes from, as far as it may be a pointer:
// the address of Var if it is set, otherwise the parameter at an offset of the
// parameter block, in bytes.
type Origin struct {
	Param int
	Var   *ptx.Var
}

// GlobalAccess is an instruction that accesses global memory, and where its
// address comes from.
type GlobalAccess struct {
	Writes  bool
	Origins []Origin
	Texture *ptx.Var // a texture reference
	Handle  bool     // a texture by its handle, whichever it is
}

// GlobalAccesses lists a kernel's accesses to global memory. offsets are the
// places of its parameters in the parameter block, in bytes. It follows the pointers among
// the parameters, and the addresses of variables, through the registers. It is
// not ok if the kernel calls functions, or has an atomic operation on global
// memory or a bulk copy.
func GlobalAccesses(f *ptx.Func, offsets []int) (list []GlobalAccess, ok bool) {
	from := originsOf(f, offsets)
	for i := range f.Insts {
		in := &f.Insts[i]
		var address ptx.Operand
		switch in.Op {
		case "call":
			return nil, false
		case "atom", "red":
			if in.Space != ptx.Shared {
				return nil, false
			}
			continue
		case "tex":
			x := in.Src[0]
			list = append(list, GlobalAccess{Texture: x.Var, Handle: x.Var == nil})
			continue
		case "ld", "ldu", "st":
			if in.Space != ptx.Global && in.Space != ptx.Generic {
				continue
			}
			address = in.Src[0]
		case "cp":
			switch {
			case !in.Has("global"):
				continue
			case in.Has("bulk"):
				return nil, false
			}
			address = in.Src[1]
		default:
			continue
		}
		a := GlobalAccess{Writes: in.Op == "st"}
		if address.Var != nil {
			a.Origins = append(a.Origins, Origin{Var: address.Var})
		}
		if address.Reg >= 0 {
			a.Origins = append(a.Origins, from[address.Reg]...)
		}
		list = append(list, a)
	}
	return list, true
}

// originSets are the origins of registers, by number.
type originSets [][]Origin

// originsOf has the origins of each of a kernel's registers, wherever it is written.
func originsOf(f *ptx.Func, paramOffsets []int) originSets {
	offsets := map[*ptx.Var]int{}
	for i, v := range f.Params {
		offsets[v] = paramOffsets[i]
	}
	from := make(originSets, len(f.Regs))
	for grew := true; grew; {
		grew = false
		for i := range f.Insts {
			in := &f.Insts[i]
			var list []Origin
			switch in.Op {
			case "ld", "ldu", "tex", "atom", "ldmatrix":
				list = loaded(in, offsets)
			default:
				for _, s := range in.Src {
					list = append(list, from.of(s)...)
				}
			}
			EachRegister(in.Dst, func(reg int) {
				for _, o := range list {
					if f.Regs[reg] != ptx.Pred && !slices.Contains(from[reg], o) {
						from[reg] = append(from[reg], o)
						grew = true
					}
				}
			})
		}
	}
	return from
}

// of is where an operand's value comes from.
func (s originSets) of(o ptx.Operand) (list []Origin) {
	switch o.Kind {
	case ptx.Register:
		return s[o.Reg]
	case ptx.AddressOf:
		return []Origin{{Var: o.Var}}
	}
	for _, e := range o.Elems {
		list = append(list, s.of(e)...)
	}
	return list
}

// loaded is what an instruction loads: pointers only from the parameters, which
// are at the given offsets.
func loaded(in *ptx.Inst, offsets map[*ptx.Var]int) (list []Origin) {
	if in.Op != "ld" || in.Space != ptx.Param || in.Types[len(in.Types)-1].Size() != 8 || in.Src[0].Reg >= 0 {
		return nil
	}
	at, ok := offsets[in.Src[0].Var]
	for i := range max(in.Vec, 1) {
		if ok {
			list = append(list, Origin{Param: at + int(in.Src[0].Imm) + 8*i})
		}
	}
	return list
}
