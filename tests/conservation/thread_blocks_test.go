package conservation

import (
	"fmt"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/platform/wiring"
	"cotenant/tenant"
)

// place is where a thread block is, as the SM driver says.
type place uint8

const (
	nowhere  place = iota // it has not begun
	onSM                  // or on its way there
	off                   // preempted, its context saved or given up
	finished              // for good
)

// block is a thread block of a launch.
type block struct {
	tenant int
	launch uint64
	number int
}

// census follows every thread block through the events of the SM driver.
type census struct {
	at     map[block]place
	counts [tenant.Max]map[place]int
	// placed counts thread blocks again when they come back; ordered counts thread blocks told
	// to leave.
	placed, ordered [tenant.Max]int
	// due are the thread blocks of the launches that have finished, by tenant.
	due   [tenant.Max]int
	fault error // the first event that cannot be
}

func newCensus() *census {
	c := &census{at: map[block]place{}}
	for i := range c.counts {
		c.counts[i] = map[place]int{}
	}
	return c
}

// move notes that a thread block goes from one place to another.
func (c *census) move(event string, e dispatcher.TBEvent, to place, from ...place) {
	b := block{e.Tenant, e.Launch, e.TB}
	was := c.at[b]
	for _, f := range from {
		if was == f {
			if was != nowhere {
				c.counts[e.Tenant][was]--
			}
			c.counts[e.Tenant][to]++
			c.at[b] = to
			return
		}
	}
	if c.fault == nil {
		c.fault = fmt.Errorf("cycle %d: thread block %d of launch %d of tenant %d is %s on SM %d, and was in place %d", e.Cycle, e.TB, e.Launch, e.Tenant, event, e.SM, was)
	}
}

// listener tells the census of events.
func (c *census) listener() dispatcher.Listener {
	return dispatcher.Listener{
		TBPlaced: func(e dispatcher.TBEvent) {
			c.placed[e.Tenant]++
			c.move("placed", e, onSM, nowhere, off) // off: it was flushed, and begins anew
		},
		TBReturning: func(e dispatcher.TBEvent) {
			c.placed[e.Tenant]++
			c.move("placed again", e, onSM, off)
		},
		TBLeaving:      func(e dispatcher.TBEvent) { c.ordered[e.Tenant]++ },
		TBPreempted:    func(e dispatcher.TBEvent) { c.move("preempted", e, off, onSM) },
		TBFinished:     func(e dispatcher.TBEvent) { c.move("finished", e, finished, onSM) },
		KernelFinished: func(e dispatcher.KernelEvent) { c.due[e.Tenant] += e.TBs },
	}
}

// check compares the census with what the SM driver and the SMs have counted, at the end
// of a run.
func (c *census) check(o *outcome, gpu *wiring.Platform) {
	if c.fault != nil {
		o.fail("%v", c.fault)
	}
	resident := 0
	for i := range o.result.Kernels {
		d, k := &gpu.Driver.Stats().Tenants[i], &o.result.Kernels[i]
		begun := 0
		for b := range c.at {
			if b.tenant == i {
				begun++
			}
		}
		here := c.counts[i]
		o.equal(begun, here[finished]+here[onSM]+here[off], "thread blocks that tenant %d began, and finished, on SMs or saved", i)
		o.equal(int(d.TBsCompleted), here[finished], "thread blocks of tenant %d finished", i)
		o.equal(int(d.TBsPlaced), c.placed[i], "thread blocks of tenant %d placed", i)
		o.equal(int(d.Preemptions+d.Relocations+d.BlockSwitches), c.ordered[i], "thread blocks of tenant %d told to leave", i)
		if c.due[i] > here[finished] {
			o.fail("tenant %d has finished launches of %d thread blocks, and %d thread blocks", i, c.due[i], here[finished])
		}
		resident += here[onSM]
		if o.ended {
			o.equal(c.due[i], here[finished], "thread blocks of tenant %d's launches, and finished", i)
			o.equal(0, here[onSM]+here[off], "thread blocks of tenant %d left over", i)
			o.equal(int(k.TBsCompleted), here[finished], "thread blocks of tenant %d in the result", i)
		}
	}
	there := 0
	for _, m := range gpu.SMs {
		s := m.Stats(o.cycles).Total()
		on := int(s.TBsPlaced) - int(s.TBsFinished) - int(s.TBsEvicted)
		if most := m.Spec().TBs; on < 0 || on > most {
			o.fail("%s has %d thread blocks, and room for %d", m.Name(), on, most)
		}
		there += on
	}
	// Some are on their way to an SM, or have left it and the driver has not heard so.
	if there > resident || o.ended && there != 0 {
		o.fail("SMs have %d thread blocks, and the SM driver has %d on SMs", there, resident)
	}
}
