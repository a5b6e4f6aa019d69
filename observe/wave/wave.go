// Package wave writes a run's signals as a value change dump (IEEE 1364, VCD), which GTKWave
// and other wave viewers open.
//
// Scopes follow the hierarchy of modules. Thread blocks, states, quotas and a policy's
// registers change at the core cycle at which the SM driver acts or learns of it. Sample
// reads the remainders of quotas, queues and other levels inside the blocks. Only changes
// are written.
package wave

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"cotenant/components"
	"cotenant/components/stats"
	"cotenant/observe"

	"github.com/sarchlab/akita/v3/sim"
)

// Options describe the run.
type Options struct {
	CoreMHz int      // core clock, above 0
	Tenants []string // their names
	Version string
	// Registers shows the registers of the policy, which is an Inspected.
	Registers bool
}

// The values of an SM's state.
const (
	idle     uint64 = iota // no thread block
	running                // thread blocks, and none is to leave
	leaving                // at least one has been told to leave
	reserved               // all have, and none comes meanwhile
)

const stateLegend = "state of an SM: 0 idle, 1 running, 2 leaving (some thread blocks), 3 reserved (all); quota x: none; queues, levels and counters are sampled"

// none is the value of a signal without one, x in the file.
const none = ^uint64(0)

// quotaBits is the width of quotas, which saturate, leftBits the width of their
// remainders in two's complement: eight schedulers have up to QuotaLimit each.
const (
	quotaBits = 32
	leftBits  = 48
)

// counterBits is the width of counters.
const counterBits = 64

// Writer writes a wave. Its functions must be called in the order of cycles.
type Writer struct {
	out     *bufio.Writer
	mhz     uint64
	tenants []string
	cycle   uint64
	stamped uint64 // the last cycle with a written time
	dumped  bool
	signals []signal
	changed []int // signals that may differ from the file
	levels  []level
	counted []counted
	sms     []smSignals
	late    *registers // nil without
}

// signal is a variable of the file.
type signal struct {
	code           string // that stands for it
	bits           int
	real           bool // the value is a math.Float64bits
	value, written uint64
	queued         bool // in Writer.changed
}

// level is a signal that is sampled.
type level struct {
	signal int
	read   func() int
}

// Counted is a module with shown counters.
type Counted struct {
	Module string // its full name
	Stats  any    // a pointer to a struct of counters (components/stats), up to date between edges
}

// counted holds the signals of a module's counters: its own, then each tenant's.
type counted struct {
	stats   any
	signals []int
}

// smSignals is the state of an SM by the SM driver's events.
type smSignals struct {
	state    int
	tbs      []int // signals by tenant
	quotas   []int
	left     []int // of quotas
	readLeft func(tenant int) (left int64, ok bool)
	resident int
	leaving  map[observe.TB]bool
	reserved bool
}

// New starts a wave at cycle 0. Errors of out show when it is closed.
func New(out io.Writer, o Options) *Writer {
	w := &Writer{out: bufio.NewWriterSize(out, 1<<16), mhz: uint64(o.CoreMHz), tenants: o.Tenants}
	if o.Registers {
		w.late = &registers{}
	}
	fmt.Fprintf(w.out, "$version cotenant %s $end\n$timescale 1 ps $end\n$comment %s $end\n", strings.ReplaceAll(o.Version, "$", ""), stateLegend)
	return w
}

// SM is an SM that a wave shows.
type SM struct {
	sim.Component
	TBs int // thread-block slots
	// QuotaLeft is the remainder of a tenant's quotas; false if there are none. Nil: not
	// shown.
	QuotaLeft func(tenant int) (left int64, ok bool)
}

// Declare declares the signals: the SMs; all modules, SMs included, by their queues and
// gauges; and the counters of some. It must be called once, before anything happens.
func (w *Writer) Declare(sms []SM, all []sim.Component, counters []Counted) {
	top := &scope{}
	for _, m := range sms {
		w.addSM(top.at(m.Name()), &m)
	}
	for _, m := range all {
		w.addLevels(top.at(m.Name()), m)
	}
	for _, m := range counters {
		w.addCounters(top.at(m.Module), m.Stats)
	}
	if w.late != nil {
		w.late.wait(w, top)
		return
	}
	w.begin(top)
}

// begin writes the list of signals, before the changes.
func (w *Writer) begin(top *scope) {
	top.declare(w)
	fmt.Fprint(w.out, "$enddefinitions $end\n")
}

// dump writes all signals with their values after cycle 0.
func (w *Writer) dump() {
	fmt.Fprint(w.out, "#0\n$dumpvars\n")
	for i := range w.signals {
		s := &w.signals[i]
		s.written = s.value
		w.write(s)
	}
	fmt.Fprint(w.out, "$end\n")
	w.dumped = true
}

func (w *Writer) addSM(s *scope, sm *SM) {
	m := smSignals{leaving: map[observe.TB]bool{}, state: w.add(s, "state", bits.Len64(reserved), idle), readLeft: sm.QuotaLeft}
	for i, t := range w.tenants {
		name := fmt.Sprintf("%d_%s", i, t)
		m.tbs = append(m.tbs, w.add(s, "tbs_"+name, bits.Len(uint(sm.TBs)), 0))
		m.quotas = append(m.quotas, w.add(s, "quota_"+name, quotaBits, none))
		if m.readLeft != nil {
			m.left = append(m.left, w.add(s, "quota_left_"+name, leftBits, none))
		}
	}
	w.sms = append(w.sms, m)
}

// sampleLeft samples the remainders of quotas on an SM.
func (w *Writer) sampleLeft(cycle uint64, m *smSignals) {
	for i, signal := range m.left {
		value := none
		if left, ok := m.readLeft(i); ok {
			value = uint64(left) & (1<<leftBits - 1)
		}
		w.update(cycle, signal, value)
	}
}

// addLevels adds a module's queues and gauges.
func (w *Writer) addLevels(s *scope, m sim.Component) {
	var list []components.Gauge
	for _, port := range m.Ports() {
		if p, ok := port.(*components.Port); ok {
			name := strings.TrimPrefix(p.Name(), m.Name()+".")
			list = append(list, components.Gauge{Name: name + ".Incoming", Max: p.Depth(), Level: p.Level})
		}
	}
	if g, ok := m.(components.Gauged); ok {
		list = append(list, g.Gauges()...)
	}
	for _, g := range list {
		w.levels = append(w.levels, level{w.add(s, g.Name, max(1, bits.Len(uint(g.Max))), 0), g.Level})
	}
}

// addCounters adds a module's counters.
func (w *Writer) addCounters(s *scope, of any) {
	c := counted{stats: of}
	for _, n := range stats.List(of) {
		c.signals = append(c.signals, w.add(s, n.Name, counterBits, 0))
	}
	for i, t := range w.tenants {
		for _, n := range stats.Tenant(of, i) {
			c.signals = append(c.signals, w.add(s, fmt.Sprintf("%s_%d_%s", n.Name, i, t), counterBits, 0))
		}
	}
	w.counted = append(w.counted, c)
}

// add declares a signal and returns its number.
func (w *Writer) add(s *scope, name string, width int, value uint64) int {
	n := len(w.signals)
	w.signals = append(w.signals, signal{code: code(n), bits: max(1, width), value: value, written: value})
	s.variables = append(s.variables, variable{identifier(name), n})
	return n
}

// code is a signal's identifier code: printable characters, as short as can be.
func code(n int) string {
	text := ""
	for ; ; n = n/94 - 1 {
		text += string(rune('!' + n%94))
		if n < 94 {
			return text
		}
	}
}

var foreign = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// identifier turns a name into a variable's.
func identifier(name string) string { return strings.Trim(foreign.ReplaceAllString(name, "_"), "_") }

// set gives a signal its value at a cycle.
func (w *Writer) set(cycle uint64, n int, value uint64) {
	w.reach(cycle)
	s := &w.signals[n]
	s.value = value
	if !s.queued {
		s.queued = true
		w.changed = append(w.changed, n)
	}
}

// update sets a sampled signal if its value has changed.
func (w *Writer) update(cycle uint64, n int, value uint64) {
	if value != w.signals[n].value {
		w.set(cycle, n, value)
	}
}

// reach writes the changes of the last cycle, if a later cycle has begun.
func (w *Writer) reach(cycle uint64) {
	if cycle <= w.cycle {
		return
	}
	w.flush()
	w.cycle = cycle
}

func (w *Writer) flush() {
	if !w.dumped {
		w.dump()
	}
	for _, n := range w.changed {
		s := &w.signals[n]
		s.queued = false
		if s.value == s.written {
			continue
		}
		w.stamp()
		s.written = s.value
		w.write(s)
	}
	w.changed = w.changed[:0]
}

// stamp writes the present cycle's time, in picoseconds, unless it is written.
func (w *Writer) stamp() {
	if w.stamped != w.cycle {
		w.stamped = w.cycle
		fmt.Fprintf(w.out, "#%d\n", w.cycle*1_000_000/w.mhz)
	}
}

func (w *Writer) write(s *signal) {
	switch {
	case s.real:
		fmt.Fprintf(w.out, "r%s %s\n", strconv.FormatFloat(math.Float64frombits(s.value), 'g', -1, 64), s.code)
	case s.value == none && s.bits == 1:
		fmt.Fprintf(w.out, "x%s\n", s.code)
	case s.value == none:
		fmt.Fprintf(w.out, "bx %s\n", s.code)
	case s.bits == 1:
		fmt.Fprintf(w.out, "%b%s\n", s.value, s.code)
	default:
		fmt.Fprintf(w.out, "b%b %s\n", s.value, s.code)
	}
}

// Sample samples levels and counters after a number of core cycles.
func (w *Writer) Sample(cycle uint64) {
	for _, l := range w.levels {
		w.update(cycle, l.signal, uint64(l.read()))
	}
	for i := range w.sms {
		w.sampleLeft(cycle, &w.sms[i])
	}
	for _, c := range w.counted {
		now := stats.List(c.stats)
		for i := range w.tenants {
			now = append(now, stats.Tenant(c.stats, i)...)
		}
		for i, signal := range c.signals {
			w.update(cycle, signal, now[i].Value)
		}
	}
}

// Close ends the wave at a cycle. It returns the first error of writing.
func (w *Writer) Close(cycle uint64) error {
	w.Sample(cycle)
	if w.late != nil {
		w.late.known(w)
	}
	w.flush()
	w.cycle = max(cycle, w.cycle)
	w.stamp()
	return w.out.Flush()
}
