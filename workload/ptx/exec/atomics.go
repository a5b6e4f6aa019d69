package exec

import (
	"math/bits"

	"cotenant/workload/ptx"
)

// buildAtom builds atom and red. Lanes act one after the other from the lowest.
func buildAtom(b *builder) {
	b.element()
	b.o.writes = true
	b.o.f3, b.o.run = b.atomic(), runAtom
	if b.o.vec > 1 {
		b.o.run = runAtomVector
	}
	if b.in.Has("async") {
		b.asyncStore(runAtom)
	}
}

// atomics are the operations on integers, without sign.
var atomics = map[string]func(old, x uint64) uint64{
	"add": func(old, x uint64) uint64 { return old + x },
	"and": func(old, x uint64) uint64 { return old & x },
	"or":  func(old, x uint64) uint64 { return old | x },
	"xor": func(old, x uint64) uint64 { return old ^ x },
	"min": func(old, x uint64) uint64 { return min(old, x) },
	"max": func(old, x uint64) uint64 { return max(old, x) },
	"inc": func(old, x uint64) uint64 {
		if old >= x {
			return 0
		}
		return old + 1
	},
	"dec": func(old, x uint64) uint64 {
		if old == 0 || old > x {
			return x
		}
		return old - 1
	},
}

// atomic is the value that an atomic operation leaves, from the old one and
// its operands.
func (b *builder) atomic() func(old, x, y uint64) uint64 {
	t := b.kind()
	shift := cut(t)
	switch {
	case b.in.Has("exch"):
		return func(_, x, _ uint64) uint64 { return x }
	case b.in.Has("cas"):
		return func(old, x, y uint64) uint64 {
			if extend(old, shift, false) == extend(x, shift, false) {
				return y
			}
			return old
		}
	case smallTypes[t] != nil || b.in.Op == "redux" && t == ptx.F32:
		return lane(t, b.limit(realAdd), style{})
	case t == ptx.F64:
		return lane(t, realOps["add"].nearest64, style{})
	case t == ptx.F32:
		b.o.ftz = true
		return lane(t, realAdd, style{})
	}
	for _, mod := range b.in.Mods {
		if atomics[mod] != nil {
			return integerAtomic(mod, t)
		}
	}
	return nil
}

// integerAtomic is the value that an operation of atomics leaves.
func integerAtomic(name string, t ptx.Type) func(old, x, y uint64) uint64 {
	change, shift, signed := atomics[name], cut(t), t.IsSigned()
	bias := uint64(0) // that puts signed numbers into the order of unsigned ones
	if signed && name != "add" {
		bias = 1 << 63
	}
	return func(old, x, _ uint64) uint64 {
		return change(extend(old, shift, signed)^bias, extend(x, shift, signed)^bias) ^ bias
	}
}

// combination is the value that an operation leaves in an element of an array, nil if such elements do not
// have the operation.
func combination(name string, t ptx.Type) func(old, x, y uint64) uint64 {
	if !t.IsFloat() {
		return integerAtomic(name, t)
	}
	f := map[string]real{"add": realAdd, "min": realMin, "max": realMax}[name]
	if f == nil {
		return nil
	}
	return lane(t, f, style{})
}

// addFlushed32 adds as atomics outside shared memory do: they flush subnormal
// numbers, and atomics in shared memory do not.
var addFlushed32 = lane(ptx.F32, realAdd, style{ftz: true})

func runAtom(w *Warp, o *op) {
	w.locate(o)
	b, c, d := w.src(o.b), w.src(o.c), &w.regs[o.dst]
	change := o.f3
	if o.ftz && w.space != ptx.Shared {
		change = addFlushed32
	}
	n := uint64(o.bytes)
	var v view
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		addr := w.addrs[i]
		if !v.has(addr, n) {
			if v = w.reach(o, i, addr, n); v.data == nil {
				return
			}
		}
		at := v.at(addr)
		old := get(at, o.bytes)
		put(at, o.bytes, change(old, b[i], c[i]))
		d[i] = extend(old, o.shift, o.signed)
	}
}
