package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/observe"
)

// Each SM has threadsPerSM numbers of threads, from 1: the first for the time in which it
// is reserved, the rest for its slots. No SM holds as many TBs.
const (
	threadsPerSM   = 1024
	reservedThread = 1
	slotThread     = 2
)

// residency is a thread block's stay on an SM.
type residency struct {
	dispatcher.TBEvent        // of its arrival
	kernel             string // its name as JSON
	slot               int
	// For a loaded context: the event, and whether the TB runs again.
	restored *dispatcher.TBEvent
	loading  bool
	leaving  *dispatcher.TBEvent // the order to leave
}

// arrived puts a thread block into the first free slot of its SM.
func (w *Writer) arrived(e dispatcher.TBEvent) { w.arrive(e, false) }

func (w *Writer) returning(e dispatcher.TBEvent) { w.arrive(e, true) }

func (w *Writer) arrive(e dispatcher.TBEvent, loading bool) {
	for e.SM >= len(w.slots) {
		w.slots = append(w.slots, lanes{})
	}
	slot := w.slots[e.SM].take()
	w.resident[observe.TBOf(e)] = &residency{TBEvent: e, kernel: w.kernelName(observe.TBOf(e).Launch), slot: slot, loading: loading}
	w.count(&w.counts, e.Cycle)
	w.counts.add(e.Tenant, 1)
}

func (w *Writer) restored(e dispatcher.TBEvent) {
	if r := w.resident[observe.TBOf(e)]; r != nil {
		r.restored = &e
	}
}

func (w *Writer) leaving(e dispatcher.TBEvent) {
	if r := w.resident[observe.TBOf(e)]; r != nil {
		r.leaving = &e
	}
}

// left ends a stay: the thread block has finished or has been preempted.
func (w *Writer) left(e dispatcher.TBEvent) {
	r := w.resident[observe.TBOf(e)]
	if r == nil {
		return
	}
	delete(w.resident, observe.TBOf(e))
	w.slots[r.SM].free(r.slot)
	w.stay(r, e.Cycle, e.ContextBytes, "")
	w.count(&w.counts, e.Cycle)
	w.counts.add(e.Tenant, -1)
}

// closeBlocks ends the stays of thread blocks that are still there.
func (w *Writer) closeBlocks(cycle uint64) {
	left := slices.SortedFunc(maps.Values(w.resident), func(a, b *residency) int {
		return cmp.Or(cmp.Compare(a.SM, b.SM), cmp.Compare(a.slot, b.slot))
	})
	for _, r := range left {
		w.stay(r, cycle, 0, `,"unfinished":true`)
	}
}

// stay writes the slice of a stay, and then the slices of loading and leaving within it:
// viewers nest slices that begin together in this order.
func (w *Writer) stay(r *residency, end uint64, savedBytes int, more string) {
	t := track{gpuProcess, r.SM*threadsPerSM + slotThread + r.slot}
	w.name(t, fmt.Sprintf(`"SM %d · slot %d"`, r.SM, r.slot))
	w.slice(t, slice{r.kernel, "tb", colour(r.Tenant), r.Cycle, end,
		fmt.Sprintf(`,"tenant":%s,"launch":%d,"tb":%d%s`, w.names[r.Tenant], r.Launch, r.TB, more)})
	from := r.Cycle
	if r.loading {
		runs := end
		if r.restored != nil {
			runs = min(r.restored.Cycle, end)
		}
		w.phase(t, "loading", r.TBEvent, from, runs, r.ContextBytes)
		from = runs
	}
	if r.leaving != nil {
		w.phase(t, "leaving", *r.leaving, max(from, r.leaving.Cycle), end, savedBytes)
	}
}

// phase writes a part of a preemption. Under policy.Switch a leaving TB first drains its
// pipeline and then saves its context.
func (w *Writer) phase(t track, what string, e dispatcher.TBEvent, start, end uint64, bytes int) {
	shade := "terrible"
	if what == "loading" {
		shade = "grey"
	} else if e.Fault {
		shade = "bad"
	}
	w.slice(t, slice{fmt.Sprintf(`"%s (%s)"`, what, observe.PreemptionName(e.Mechanism, e.Fault)), "preemption", shade, start, end,
		fmt.Sprintf(`,"context_bytes":%d`, bytes)})
}

func (w *Writer) smReserved(e dispatcher.SMEvent) { w.reserved[e.SM] = e }

func (w *Writer) smFreed(e dispatcher.SMEvent) {
	if start, ok := w.reserved[e.SM]; ok {
		delete(w.reserved, e.SM)
		w.reservation(start, e.Cycle, "")
	}
}

func (w *Writer) closeSMs(cycle uint64) {
	for _, sm := range slices.Sorted(maps.Keys(w.reserved)) {
		w.reservation(w.reserved[sm], cycle, `,"unfinished":true`)
	}
}

func (w *Writer) reservation(e dispatcher.SMEvent, end uint64, more string) {
	t := track{gpuProcess, e.SM*threadsPerSM + reservedThread}
	w.name(t, fmt.Sprintf(`"SM %d · reserved"`, e.SM))
	w.slice(t, slice{fmt.Sprintf(`"reserved (%s)"`, observe.MechanismName(e.Mechanism)), "sm", "black", e.Cycle, end, more})
}
