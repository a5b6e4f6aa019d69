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
}

// atomic is the value that an atomic operation leaves, from the old one and
// its operands.
func (b *builder) atomic() func(old, x, y uint64) uint64 {
	t := b.kind()
	shift, signed := cut(t), t.IsSigned()
	bySize := func(f func(old, x uint64) uint64) func(old, x, y uint64) uint64 {
		return func(old, x, _ uint64) uint64 { return f(extend(old, shift, signed), extend(x, shift, signed)) }
	}
	for _, m := range b.in.Mods {
		switch {
		case m == "exch":
			return func(_, x, _ uint64) uint64 { return x }
		case m == "cas":
			return func(old, x, y uint64) uint64 {
				if extend(old, shift, false) == extend(x, shift, false) {
					return y
				}
				return old
			}
		case m == "add" && t.IsFloat():
			b.o.ftz = t == ptx.F32
			return lane(t, realAddOf(t), style{})
		case m == "add":
			return bySize(func(old, x uint64) uint64 { return old + x })
		case t.IsFloat():
			continue
		case m == "and":
			return bySize(func(old, x uint64) uint64 { return old & x })
		case m == "or":
			return bySize(func(old, x uint64) uint64 { return old | x })
		case m == "xor":
			return bySize(func(old, x uint64) uint64 { return old ^ x })
		case m == "inc":
			return bySize(func(old, x uint64) uint64 {
				if old >= x {
					return 0
				}
				return old + 1
			})
		case m == "dec":
			return bySize(func(old, x uint64) uint64 {
				if old == 0 || old > x {
					return x
				}
				return old - 1
			})
		case (m == "min" || m == "max") && signed:
			return bySize(func(old, x uint64) uint64 {
				if (int64(x) < int64(old)) == (m == "min") {
					return x
				}
				return old
			})
		case m == "min" || m == "max":
			return bySize(func(old, x uint64) uint64 {
				if (x < old) == (m == "min") {
					return x
				}
				return old
			})
		}
	}
	return nil
}

// realAddOf is an addition that lane can round to the type.
func realAddOf(t ptx.Type) real {
	if t == ptx.F64 {
		return nearestAdd
	}
	return realAdd
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
