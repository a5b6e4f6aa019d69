package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/host"
	"cotenant/observe"
	"cotenant/tenant"
)

// colours are names of Chrome's tracing page, in an order in which neighbours differ for
// the colour-blind too: blue, orange, green, light blue, red, brown, dark blue, yellow.
// Perfetto chooses its own colours, by name.
var colours = []string{"rail_response", "rail_idle", "rail_load", "thread_state_runnable",
	"rail_animation", "thread_state_unknown", "vsync_highlight_color", "yellow"}

func colour(tenant int) string { return colours[tenant%len(colours)] }

func (w *Writer) kernelStarted(e dispatcher.KernelEvent) {
	w.kernels[observe.Launch{Tenant: e.Tenant, Number: e.Launch}] = e
}

func (w *Writer) kernelFinished(e dispatcher.KernelEvent) {
	key := observe.Launch{Tenant: e.Tenant, Number: e.Launch}
	if start, ok := w.kernels[key]; ok {
		delete(w.kernels, key)
		w.launch(start, e.Cycle, "")
	}
}

func (w *Writer) closeKernels(cycle uint64) {
	left := slices.SortedFunc(maps.Values(w.kernels), func(a, b dispatcher.KernelEvent) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Launch, b.Launch))
	})
	for _, e := range left {
		w.launch(e, cycle, `,"unfinished":true`)
	}
}

func (w *Writer) launch(e dispatcher.KernelEvent, end uint64, more string) {
	entry := e.Account.Entry()
	t := track{appProcess, e.Tenant*tenant.Kernels + entry + 1}
	name := w.names[e.Tenant]
	if entry > 0 {
		name = quote(fmt.Sprintf("%s · kernel %d at once", w.options.Tenants[e.Tenant], entry+1))
	}
	w.name(t, name)
	w.slice(t, slice{w.quotedKernel(e), "kernel", colour(e.Tenant), e.Cycle, end,
		fmt.Sprintf(`,"launch":%d,"tbs":%d%s`, e.Launch, e.TBs, more)})
}

// kernelName is the name of an active kernel as JSON.
func (w *Writer) kernelName(l observe.Launch) string {
	if e, ok := w.kernels[l]; ok {
		return w.quotedKernel(e)
	}
	return w.names[l.Tenant]
}

// quotedKernel is a kernel's name as JSON. It includes the tenant's, so that two tenants
// with one kernel have different colours.
func (w *Writer) quotedKernel(e dispatcher.KernelEvent) string {
	name := w.options.Tenants[e.Tenant]
	if e.Kernel != name {
		name += ": " + e.Kernel
	}
	q, ok := w.quoted[name]
	if !ok {
		q = quote(name)
		w.quoted[name] = q
	}
	return q
}

// copied writes a completed copy, the tenant's lane-th of those under way at its time.
func (w *Writer) copied(number, lane int, toHost bool, bytes, start, end uint64) {
	direction := `"copy to device"`
	if toHost {
		direction = `"copy to host"`
	}
	t, name := track{hostProcess, 1 + number + lane*tenant.Max}, w.names[number]
	if lane > 0 {
		name = quote(fmt.Sprintf("%s · %d", w.options.Tenants[number], lane+1))
	}
	w.name(t, name)
	w.slice(t, slice{direction, "copy", colour(number), start, end, fmt.Sprintf(`,"bytes":%d`, bytes)})
}

// HostListener tells the timeline about copies: from the cycle at which the command
// dispatcher issued a copy to the cycle at which it learned of its end.
func (w *Writer) HostListener() host.Listener {
	type place struct{ process, queue int }
	type start struct {
		cycle uint64
		lane  int
	}
	started, underWay := map[place]start{}, make([]lanes, len(w.names))
	return host.Listener{
		Issued: func(e host.CommandEvent) {
			if e.Op.Kernel == nil {
				started[place{e.Process, e.Queue}] = start{e.Cycle, underWay[e.Process].take()}
			}
		},
		Completed: func(e host.CommandEvent) {
			if e.Op.Kernel == nil {
				s := started[place{e.Process, e.Queue}]
				underWay[e.Process].free(s.lane)
				w.copied(e.Process, s.lane, e.Op.ToHost, e.Op.Bytes, s.cycle, e.Cycle)
			}
		},
	}
}

// counts hold a number for each tenant, such as its thread blocks on SMs. They are written
// once for each cycle in which they have changed.
type counts struct {
	process int
	name    string
	values  []int
	cycle   uint64
	changed bool
}

func (c *counts) add(tenant, n int) {
	c.values[tenant] += n
	c.changed = true
}

// count writes the counts of the last cycle, if a new cycle has begun.
func (w *Writer) count(c *counts, cycle uint64) {
	if c.changed && c.cycle != cycle {
		c.changed = false
		out := w.event()
		fmt.Fprintf(out, `{"ph":"C","pid":%d,"ts":%s,"name":"%s","args":{`, c.process, microseconds(w.nanoseconds(c.cycle)), c.name)
		for i, n := range c.values {
			if i > 0 {
				fmt.Fprint(out, ",")
			}
			fmt.Fprintf(out, `%s:%d`, w.names[i], n)
		}
		fmt.Fprint(out, "}}")
	}
	c.cycle = cycle
}
