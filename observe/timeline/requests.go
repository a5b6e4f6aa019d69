package timeline

import (
	"fmt"
	"io"

	"cotenant/metrics/journey"
	"cotenant/tenant"
)

// leg is a part of a load's way, up to a stop, and where the load is meanwhile.
type leg struct {
	to    journey.Stop
	place int // index in places
	name  string
}

// legs are the ways between stops, by the stop at which they end. A load can leave stops out: it
// goes from the last stop before them to the next stop behind them.
var legs = []leg{
	{journey.Accessed, 0, "load-store unit"},
	{journey.Left, 1, "miss queue"},
	{journey.Arrived, 2, "request crossbar"},
	{journey.LookedUp, 3, "look-up"},
	{journey.Requested, 3, "to DRAM"},
	{journey.Commanded, 4, "DRAM queue"},
	{journey.Fetched, 4, "DRAM service"},
	{journey.Filled, 4, "DRAM return"},
	{journey.Answered, 3, "L2 answer"},
	{journey.Returned, 5, "reply crossbar"},
	{journey.Performed, 1, "L1 to registers"},
}

// places are tracks of each tenant, in the order of the way.
var places = []string{"load-store unit", "L1", "request crossbar", "L2", "DRAM", "reply crossbar"}

// mostLanes bounds the loads of a tenant that have tracks at one time.
const mostLanes = 64

// Request writes the way of a load that has been performed: a slice for each part of it, and
// a flow through all.
func (w *Writer) Request(j *journey.Journey) {
	from, ok := j.Cycle(journey.Issued)
	if !ok || j.Lane >= mostLanes {
		return
	}
	w.journeys++
	fate, at := fateOf(j), fmt.Sprintf(`,"sm":%d`, j.SM)
	if _, there := j.Cycle(journey.Arrived); there {
		at += fmt.Sprintf(`,"slice":%d`, j.Slice)
	}
	args := fmt.Sprintf(`,"request":%d,"served_by":%s,"address":"%#x","pc":"%#x"%s`, w.journeys, quote(fate), j.Address&(1<<tenant.AddressShift-1), j.PC, at)
	type part struct {
		t    track
		from uint64
	}
	var way []part
	for _, l := range legs {
		to, there := j.Cycle(l.to)
		if !there || to < from {
			continue
		}
		name := l.name
		if l.to == journey.Performed {
			name = last(fate, name)
		}
		if l.to == journey.Answered && fate == "L2, joined a miss" {
			name = "waits for another's miss"
		}
		if to > from {
			t := w.place(int(j.Tenant), j.Lane, l.place)
			w.slice(t, slice{quote(name), "request", colour(int(j.Tenant)), from, to, args})
			if w.nanoseconds(to) > w.nanoseconds(from) { // viewers bind a flow to a slice with a length
				way = append(way, part{t, from})
			}
		}
		from = to
	}
	for i, p := range way {
		phase, more := "t", ""
		switch i {
		case 0:
			phase = "s"
		case len(way) - 1:
			phase, more = "f", `,"bp":"e"`
		}
		w.flow(w.event(), p.t, phase, p.from, more)
	}
}

// flow writes one event of the flow of the load written last. Viewers take it for the slice that
// begins there.
func (w *Writer) flow(out io.Writer, t track, phase string, cycle uint64, more string) {
	fmt.Fprintf(out, `{"ph":"%s","pid":%d,"tid":%d,"ts":%s,"name":"load","cat":"request","id":%d%s}`,
		phase, t.process, t.thread, microseconds(w.nanoseconds(cycle)), w.journeys, more)
}

// place is the track of a place, for a tenant's load with a lane.
func (w *Writer) place(t, lane, place int) track {
	at := track{requestProcess, 1 + (t*mostLanes+lane)*len(places) + place}
	name := fmt.Sprintf("%s · %s", w.options.Tenants[t], places[place])
	if lane > 0 {
		name += fmt.Sprintf(" · %d", lane+1)
	}
	w.name(at, quote(name))
	return at
}

// fateOf says what served a load's first access.
func fateOf(j *journey.Journey) string {
	came := func(s journey.Stop) bool { _, ok := j.Cycle(s); return ok }
	switch {
	case came(journey.Filled):
		return "DRAM"
	case came(journey.Arrived) && j.Joined:
		return "L2, joined a miss"
	case came(journey.Arrived):
		return "L2"
	case j.Missed:
		return "L1, joined a miss"
	}
	return "L1"
}

// last names the last part of a load's way.
func last(fate, usual string) string {
	switch fate {
	case "L1":
		return "L1 hit"
	case "L1, joined a miss":
		return "waits for another's miss"
	}
	return usual
}
