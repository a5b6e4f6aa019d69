package sm

import (
	"reflect"
	"slices"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/issuequeue"
	"cotenant/sm/tlb"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// queuedSpec is oneScheduler with an issue queue, of a width, and a TLB.
func queuedSpec(scheme string, width int) Spec {
	spec := oneScheduler()
	spec.Queue = issuequeue.Spec{Entries: 96, Width: width, FetchWidth: width, Order: "out-of-order"}
	spec.FrontEnd.BranchLatency = 4
	spec.TLB = tlb.Spec{Entries: 32, Ways: 8, MSHRs: 32}
	spec.Faults.Scheme = scheme
	if !sized(scheme, spec.TBs, 0) {
		spec.Faults.LogBytes = 16 << 10
	}
	return spec
}

// schemes are all registered schemes, preemptible the schemes that stop a warp at a fault.
var schemes, preemptible = registered()

func registered() (all, preempts []string) {
	for _, name := range issuequeue.Schemes() {
		f := FaultsSpec{Scheme: name}
		if f.Preemptible() {
			preempts = append(preempts, name)
		}
		if name != "none" {
			all = append(all, name)
		}
	}
	return all, preempts
}

// sized reports whether a size in bytes does for a scheme's storage; without storage 0 does.
func sized(scheme string, tbs, bytes int) bool {
	f := FaultsSpec{Scheme: scheme, LogBytes: bytes}
	return f.Validate(tbs, true, true) == nil
}

// logSizes are sizes of a scheme's storage: the least, somewhat more, and ample.
func logSizes(scheme string, tbs int) (sizes []int) {
	least := 0
	for !sized(scheme, tbs, least) {
		least++
	}
	for _, bytes := range []int{least, least * 3 / 2, 50 * least} {
		if sized(scheme, tbs, bytes) {
			sizes = append(sizes, bytes)
		}
	}
	return sizes
}

const regionBytes = 1 << 16

// mmu stands for all that is behind an SM's TLB.
type mmu struct {
	components.Module
	tlb, fill *components.Port
	// latency is the time from a request's arrival to the answer, or from one to the
	// next of a list that begins anew; what the answer says is found at the arrival.
	latency []uint64
	// service is the time from a fault to the region being served.
	service uint64
	missing func(region uint64) protocol.Fault // nil: all is there
	// local leaves the regions to handlers on the SM; handled are the cycles at which
	// the MMU hears of their ends, regions the regions that they have served.
	local   bool
	handled []uint64
	regions []uint64
	served  map[uint64]bool
	pending map[uint64]bool
	coming  []event
	asked   []asked
	// at are the cycles at which the SM saw that a region had been served.
	at []uint64
}

// asked is a request.
type asked struct {
	cycle uint64
	page  uint64
	write bool
}

// event is a message of an mmu to come.
type event struct {
	at   uint64
	port *components.Port
	msg  sim.Msg
}

func newMMU(b *bench) *mmu {
	m := &mmu{latency: []uint64{0}, service: 1000, served: map[uint64]bool{}, pending: map[uint64]bool{}}
	m.Init("MMU", b.Clock, m)
	m.tlb, m.fill = m.NewPort("TLB", 4), m.NewPort("Fill", 4)
	b.Join(m.tlb, b.sm.TLB)
	b.Join(m.fill, b.sm.Faults)
	return m
}

func (m *mmu) Tick(cycle uint64) (moved bool) {
	for m.tlb.Front() != nil {
		n := m.tlb.Front().(*protocol.Translation)
		m.tlb.Pop()
		m.answer(cycle, n)
		moved = true
	}
	for m.fill.Front() != nil {
		region := m.fill.Front().(*protocol.RegionHandled).Region
		m.fill.Pop()
		m.handled, m.regions = append(m.handled, cycle), append(m.regions, region)
		if !m.served[region] {
			m.send(cycle, m.fill, &protocol.RegionServed{Region: region})
		}
		moved = true
	}
	for len(m.coming) > 0 && m.coming[0].at <= cycle {
		e := m.coming[0]
		if r, ok := e.msg.(*protocol.RegionServed); ok {
			if !m.served[r.Region] {
				m.served[r.Region], m.pending[r.Region] = true, false
				m.overtake(r.Region)
			}
		}
		if !e.port.Push(e.msg) {
			m.WakeAt(cycle + 1)
			return moved
		}
		if _, ok := e.msg.(*protocol.RegionServed); ok {
			m.at = append(m.at, cycle+1)
		}
		m.coming = m.coming[1:]
		moved = true
	}
	if len(m.coming) > 0 {
		m.WakeAt(max(m.coming[0].at, cycle+1))
	}
	return moved
}

// overtake makes faults of a region that are on their way NoFault, as the L2 TLB does
// before the SM hears that the region is served.
func (m *mmu) overtake(region uint64) {
	for _, e := range m.coming {
		if n, ok := e.msg.(*protocol.Translation); ok && n.Region == region && !n.Fault.Aborts() {
			n.Fault = protocol.NoFault
		}
	}
}

func (m *mmu) send(at uint64, port *components.Port, msg sim.Msg) {
	i := len(m.coming)
	for i > 0 && m.coming[i-1].at > at {
		i--
	}
	m.coming = slices.Insert(m.coming, i, event{at, port, msg})
}

// answer finds the answer to a request.
func (m *mmu) answer(cycle uint64, n *protocol.Translation) {
	m.asked = append(m.asked, asked{cycle, n.Page, n.Write})
	region := n.Page &^ (regionBytes - 1)
	fault := protocol.NoFault
	if m.missing != nil && !m.served[region] {
		fault = m.missing(region)
	}
	n.Fault = fault
	latency := m.latency[0]
	m.latency = append(m.latency[1:], latency)
	if fault != protocol.NoFault {
		n.Region, n.Local = region, m.local
		if !m.local && !m.pending[region] && !fault.Aborts() {
			m.pending[region] = true
			m.send(cycle+latency+m.service, m.fill, &protocol.RegionServed{Region: region})
		}
	}
	m.send(cycle+latency, m.tlb, n)
}

// watch is a gate that holds no warp back and notes what issues, but for replays.
type watch struct {
	sm     *SM
	issued []issue
	live   map[int]bool // slots
	ended  []uint64     // cycles at which warps have
}

// issue is one instruction's.
type issue struct {
	cycle uint64
	slot  int
	inst  workload.Inst
}

func (w *watch) Takes() []reflect.Type         { return nil }
func (w *watch) Control(protocol.Control) bool { return false }
func (w *watch) Active() bool                  { return true }
func (w *watch) Edge() bool                    { return false }

func (w *watch) Masks(int) (all, memory warps.Mask) { return 0, 0 }

func (w *watch) Placed(_, slot int, _ tenant.ID, _ uint64) { w.live[slot] = true }

func (w *watch) Ended(_, slot int) {
	delete(w.live, slot)
	w.ended = append(w.ended, w.sm.residents.Cycle)
}

func (w *watch) Issued(_, slot int, insts []workload.Inst) {
	for _, inst := range insts {
		w.issued = append(w.issued, issue{w.sm.residents.Cycle, slot, inst})
	}
}

// watch has a gate note what issues from now on.
func (b *bench) watch() *watch {
	w := &watch{sm: b.sm, live: map[int]bool{}}
	b.sm.gates.Add(w)
	return w
}

// at are the cycles at which instructions issued that write a register.
func (w *watch) at(dst uint8) (cycles []uint64) {
	for _, i := range w.issued {
		if i.inst.Dst[0] == dst {
			cycles = append(cycles, i.cycle)
		}
	}
	return cycles
}
