// Package timeline writes a run's events as a trace-event file, the JSON that Perfetto and
// Chrome's tracing page open.
//
// The file's processes group its tracks:
//
//	GPU           for each SM one track for each concurrent thread block, its slots
//	Applications  a track of kernel launches for each tenant, and further tracks for
//	              launches that were active at once
//	Host          a track of copies for each tenant
//	Policy        a policy's registers, as counters
//	Page faults   the pager's services, the regions in flight and their number
//	Requests      single loads on their way from the SM to DRAM and back
//
// A slice of a thread block or a launch is named after the kernel, so that viewers colour
// it by kernel and add up by kernel.
//
// Events are written as they end, so memory holds only events in progress. Times are
// microseconds, cut to whole nanoseconds on both ends of a slice so that a part of a slice
// never sticks out of it; the exact core cycles are among the arguments.
package timeline

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/observe"
)

// Options describe the run.
type Options struct {
	CoreMHz int      // core clock, above 0
	Tenants []string // their names, all different
	GPU     string   // for the file's description, as the next two
	Policy  string
	Version string
}

// Processes of the file.
const (
	gpuProcess = 1 + iota
	appProcess
	hostProcess
	policyProcess
	faultProcess
	requestProcess
)

var processes = map[int]string{gpuProcess: "GPU", appProcess: "Applications", hostProcess: "Host", policyProcess: "Policy", faultProcess: "Page faults", requestProcess: "Requests"}

// Writer writes a timeline. Its functions must be called in the order of cycles.
type Writer struct {
	out     *bufio.Writer
	options Options
	names   []string // of the tenants, as JSON
	first   bool     // nothing written yet
	named   map[track]bool

	resident map[observe.TB]*residency
	slots    []lanes // by SM
	kernels  map[observe.Launch]dispatcher.KernelEvent
	quoted   map[string]string // kernel names as JSON
	reserved map[int]dispatcher.SMEvent
	counts   counts // resident thread blocks
	pending  counts // regions in flight
	faults   faults
	// registers are the last written values of each of a policy's registers.
	registers map[string]string
	journeys  int // followed so far
}

// track is a thread of the file.
type track struct{ process, thread int }

// New starts a timeline. Errors of out show when it is closed.
func New(out io.Writer, o Options) *Writer {
	w := &Writer{out: bufio.NewWriterSize(out, 1<<16), options: o, first: true, named: map[track]bool{},
		resident: map[observe.TB]*residency{}, kernels: map[observe.Launch]dispatcher.KernelEvent{},
		quoted: map[string]string{}, reserved: map[int]dispatcher.SMEvent{}, registers: map[string]string{},
		counts:  counts{process: gpuProcess, name: "resident TBs", values: make([]int, len(o.Tenants))},
		pending: counts{process: faultProcess, name: "regions in flight", values: make([]int, len(o.Tenants))}}
	for _, t := range o.Tenants {
		w.names = append(w.names, quote(t))
	}
	fmt.Fprintf(w.out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"cotenant\",\"version\":%s,\"gpu\":%s,\"policy\":%s,\"core_mhz\":%d,\"tenants\":[%s]},\n\"traceEvents\":[",
		quote(o.Version), quote(o.GPU), quote(o.Policy), o.CoreMHz, strings.Join(w.names, ","))
	return w
}

// Listener feeds the timeline.
func (w *Writer) Listener() dispatcher.Listener {
	return dispatcher.Listener{
		KernelStarted: w.kernelStarted, KernelFinished: w.kernelFinished,
		TBPlaced: w.arrived, TBReturning: w.returning, TBRestored: w.restored,
		TBLeaving: w.leaving, TBPreempted: w.left, TBFinished: w.left,
		SMReserved: w.smReserved, SMFreed: w.smFreed, Registers: w.policyRegisters,
	}
}

// Close ends what has not ended at the last cycle, and the file. It returns the
// first error of writing.
func (w *Writer) Close(cycle uint64) error {
	w.closeBlocks(cycle)
	w.closeKernels(cycle)
	w.closeSMs(cycle)
	w.closeFaults(cycle)
	for _, c := range []*counts{&w.counts, &w.pending} {
		w.count(c, max(cycle, c.cycle)+1) // writes the last counts
	}
	fmt.Fprint(w.out, "\n]}\n")
	return w.out.Flush()
}

// quote makes a JSON string.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(b)
}

// nanoseconds is the time of a core cycle, cut to a whole number.
func (w *Writer) nanoseconds(cycle uint64) uint64 { return cycle * 1000 / uint64(w.options.CoreMHz) }

// microseconds is a time in the file's form.
func microseconds(ns uint64) string { return fmt.Sprintf("%d.%03d", ns/1000, ns%1000) }

// event starts an event and returns the writer for its members; the caller ends it.
func (w *Writer) event() io.Writer {
	separator := ",\n"
	if w.first {
		separator = "\n"
	}
	w.first = false
	fmt.Fprint(w.out, separator)
	return w.out
}

// slice is an event with a duration, on a track.
type slice struct {
	name       string // as JSON
	category   string
	colour     string // a name that Chrome's tracing page knows
	start, end uint64 // core cycles
	args       string // more members of the arguments, each with a comma before it
}

func (w *Writer) slice(t track, s slice) {
	ns := w.nanoseconds(s.start)
	fmt.Fprintf(w.event(), `{"ph":"X","pid":%d,"tid":%d,"ts":%s,"dur":%s,"name":%s,"cat":"%s","cname":"%s","args":{"cycle":%d,"cycles":%d%s}}`,
		t.process, t.thread, microseconds(ns), microseconds(w.nanoseconds(s.end)-ns), s.name, s.category, s.colour, s.start, s.end-s.start, s.args)
}

func (w *Writer) metadata(t track, kind, args string) {
	fmt.Fprintf(w.event(), `{"ph":"M","pid":%d,"tid":%d,"name":"%s","args":{%s}}`, t.process, t.thread, kind, args)
}

// name names a track, and its process, before its first slice. Tracks are shown in the order of
// their threads' numbers.
func (w *Writer) name(t track, name string) {
	if w.named[t] {
		return
	}
	w.named[t] = true
	w.nameProcess(t.process)
	w.metadata(t, "thread_name", `"name":`+name)
	w.metadata(t, "thread_sort_index", fmt.Sprintf(`"sort_index":%d`, t.thread))
}

// nameProcess names a process, once.
func (w *Writer) nameProcess(number int) {
	process := track{number, 0} // no thread is 0
	if w.named[process] {
		return
	}
	w.named[process] = true
	w.metadata(process, "process_name", `"name":`+quote(processes[number]))
	w.metadata(process, "process_sort_index", fmt.Sprintf(`"sort_index":%d`, number))
}
