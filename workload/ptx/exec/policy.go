package exec

import (
	"math"
	"math/bits"

	"cotenant/workload"
)

// priorities are the modifiers that say how long the L2 keeps a line.
var priorities = map[string]workload.Priority{"L2::evict_last": workload.EvictLast, "L2::evict_first": workload.EvictFirst}

// buildPolicy makes a cache policy, a workload.Policy. An access property of the runtime is one already.
func buildPolicy(b *builder) {
	var named [2]workload.Priority
	n := 0
	for _, mod := range b.in.Mods {
		if len(mod) > 4 && mod[:4] == "L2::" {
			named[n] = priorities[mod]
			n++
		}
	}
	hit, rest := named[0], named[1]
	switch {
	case b.in.Has("cvt"):
		b.o.run = runMove
	case b.in.Has("range"):
		offset := b.o.imm
		b.lane3(func(base, bytes, total uint64) uint64 {
			return uint64(workload.NewRange(hit, rest, base+offset, bytes&math.MaxUint32, total&math.MaxUint32))
		})
	case len(b.in.Src) == 0:
		code := uint64(workload.NewEviction(hit, rest, 1).Policy())
		b.lane1(func(uint64) uint64 { return code })
	default:
		b.lane1(func(share uint64) uint64 {
			return uint64(workload.NewEviction(hit, rest, float64(math.Float32frombits(uint32(share)))).Policy())
		})
	}
}

// policy sets where a memory instruction finds its policy: in its last operand, or a modifier
// says what it is.
func (b *builder) policy() {
	o := &b.o
	if b.in.Has("L2::cache_hint") {
		o.policy, o.hints = b.value(b.in.Src[len(b.in.Src)-1]), true
		return
	}
	for mod, p := range priorities {
		if b.in.Has(mod) {
			o.policy, o.hints = b.constant(uint64(workload.NewEviction(p, workload.Unchanged, 1).Policy())), true
		}
	}
}

// eviction is what an access says to the L2: what its lowest active lane does.
func (w *Warp) eviction(o *op) workload.Eviction {
	lane := bits.TrailingZeros32(w.active)
	addr := w.access.Base
	if w.access.Lanes != nil {
		addr = w.access.Lanes[lane&(lanes-1)]
	}
	return workload.Policy(w.src(o.policy)[lane&(lanes-1)]).At(addr)
}
