package wiring

import (
	"fmt"

	"cotenant/components"
	"cotenant/platform/blocks"

	"github.com/sarchlab/akita/v3/sim"
)

// through joins two ports at a joint, by way of the blocks that the configuration has
// there. Link is the number of the link at the joint, clock the clock of the module at the
// joint's first side.
func (w *wiring) through(j blocks.Joint, link int, clock *components.Domain, from, to sim.Port) {
	chosen := w.Config.Blocks.At(j)
	for i, k := range chosen {
		b, err := k.Make(blocks.Place{Name: fmt.Sprintf("GPU.%s[%d]", k.Type(), link), Index: link, Clock: clock})
		if err != nil {
			w.check(err)
			return
		}
		w.add(module{b.Module, k.Type(), k.Key, k.Spec(), func(uint64) any { return b.Stats }}, nil)
		w.blocks = append(w.blocks, w.modules[len(w.modules)-1])
		w.parts = append(w.parts, b.Parts...)
		w.join(from, b.Up)
		if b.Down == nil {
			if behind := chosen[i+1:]; len(behind) > 0 {
				w.check(fmt.Errorf("blocks.%s replaces the modules beyond %s, so blocks.%s cannot stand behind it", k.Key, j, behind[0].Key))
			}
			return
		}
		from = b.Down
	}
	w.join(from, to)
}

// Counted is a block at a joint, and what it counts.
type Counted struct {
	Name  string // of the module
	Stats any    // a pointer to a struct, up to date after every edge
}

// Blocks lists the blocks at the joints.
func (p *Platform) Blocks() (list []Counted) {
	for _, m := range p.blocks {
		list = append(list, Counted{m.Name(), m.stats(0)})
	}
	return list
}
