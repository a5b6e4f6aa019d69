package exec

import (
	"encoding/binary"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// footprint is what can be said of a kernel's accesses to global memory before
// it is launched.
type footprint struct {
	list  []flow.GlobalAccess
	known bool
}

// Idempotent reports whether thread blocks of a launch can be dropped at any
// point and started anew (Chimera): the kernel has no atomic operation on
// global memory, prints nothing, and reads no array that it writes. It is false where that is
// not proved: if the kernel calls functions, or loads pointers from memory. That
// a pointer stays in its array is taken for granted.
func (p *Program) Idempotent(cfg *LaunchConfig) bool {
	f := &p.footprint
	if !f.known || p.prints {
		return false
	}
	read, written := map[int]bool{}, map[int]bool{}
	for i := range f.list {
		into := read
		if f.list[i].Writes {
			into = written
		}
		if !arrays(cfg, &f.list[i], into) {
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
func arrays(cfg *LaunchConfig, a *flow.GlobalAccess, into map[int]bool) (found bool) {
	add := func(addr uint64) {
		if i, ok := cfg.Mem.index(addr); ok {
			into[i], found = true, true
		}
	}
	switch {
	case a.Handle:
		for _, t := range cfg.TextureObjects {
			add(t.Addr)
		}
		for _, t := range cfg.Textures {
			add(t.Addr)
		}
	case a.Texture != nil:
		add(cfg.Textures[a.Texture.Name].Addr)
	}
	for _, o := range a.Origins {
		switch {
		case o.Var == nil && o.Param+8 <= len(cfg.Params):
			// A parameter that points into no array is a number.
			add(binary.LittleEndian.Uint64(cfg.Params[o.Param:]))
		case o.Var == nil:
		case o.Var.Space == ptx.Global || o.Var.Space == ptx.Const:
			add(cfg.Mem.vars[o.Var])
		default:
			found = true // memory of the thread block or the thread
		}
	}
	return found
}
