package preeng

import (
	"slices"

	"cotenant/components"
	"cotenant/cta_dispatcher/report"
	"cotenant/mem"
	"cotenant/preeng/order"
	"cotenant/sm/command"

	"github.com/sarchlab/akita/v3/sim"
)

// Engine is the preemption engine of one SM.
type Engine struct {
	components.Module

	// Driver takes order.Save and order.Load from the SM driver and sends it
	// report.TBPreempted, report.ContextSaved and report.TBRestored.
	Driver *components.Port
	// SM takes order.Evicted and the answers to context packets from the SM, and
	// sends it command.EvictTB, command.PlaceTB, command.Halt and mem.Packet.
	SM *components.Port

	spec      Spec
	id        int
	coreMHz   int
	packets   *components.Pool[mem.Packet]
	draining  []*order.Save // whose thread block is still on the SM
	transfers []*transfer   // in order; those that are wholly sent come first
	waiting   []*order.Save // for a thread block that is being loaded
	outbox    []message     // for the two ports
	nextTag   uint32
	sending   int    // index in transfers of the one whose packets go out
	inFlight  int    // packets
	credit    int    // MB/s x cycles, for the bandwidth's sake
	credited  uint64 // cycle up to which credit counts
	halts     int    // orders that halt the SM
	stats     Stats
}

// transfer is a context on its way to or from memory.
type transfer struct {
	save     *order.Save
	load     *order.Load
	context  *command.Context // that is saved
	addr     uint64           // of what comes next
	left     int              // bytes not sent or asked for yet
	bytes    int              // in all, 0 if the transfer is left out
	inFlight int              // packets
	begun    uint64           // cycle at which its packets were the next to go out
	tag      uint32           // of its packets
	kernel   uint8
}

// message is one that a port has not taken yet.
type message struct {
	port *components.Port
	msg  sim.Msg
}

// Tick is one edge of the core clock.
func (e *Engine) Tick(cycle uint64) bool {
	moved := e.receive(cycle)
	moved = e.accept(cycle) || moved
	moved = e.transfer(cycle) || moved
	moved = e.send() || moved
	return moved || e.sending < len(e.transfers) && e.inFlight < e.spec.Outstanding && e.spec.Bandwidth > 0
}

// accept takes orders.
func (e *Engine) accept(cycle uint64) (moved bool) {
	for {
		switch o := e.Driver.Front().(type) {
		case *order.Save:
			e.halt(o.Halt)
			if e.loads(o.Serial) {
				e.waiting = append(e.waiting, o)
			} else {
				e.evict(o)
			}
		case *order.Load:
			e.halt(o.Halt)
			t := &transfer{load: o, kernel: o.Kernel, addr: o.Addr}
			if !o.Free {
				t.bytes = e.spec.ContextBytes(o.Demand)
			}
			e.start(t, cycle)
		default:
			return moved
		}
		e.Driver.Pop()
		moved = true
	}
}

// loads reports whether a placement's context is being loaded.
func (e *Engine) loads(serial uint64) bool {
	return slices.ContainsFunc(e.transfers, func(t *transfer) bool { return t.load != nil && t.load.Serial == serial })
}

func (e *Engine) evict(o *order.Save) {
	e.draining = append(e.draining, o)
	e.post(e.SM, &command.EvictTB{Serial: o.Serial})
}

// halt counts an order that halts the SM, and halts it with the first.
func (e *Engine) halt(on bool) {
	if !on {
		return
	}
	if e.halts++; e.halts == 1 {
		e.post(e.SM, &command.Halt{On: true})
	}
}

// goOn ends an order that halted the SM, which goes on after the last.
func (e *Engine) goOn(halted bool) {
	if !halted {
		return
	}
	if e.halts--; e.halts == 0 {
		e.post(e.SM, &command.Halt{On: false})
	}
}

// start queues a transfer.
func (e *Engine) start(t *transfer, cycle uint64) {
	t.left, t.tag = t.bytes, e.nextTag
	e.nextTag++
	if e.sending == len(e.transfers) {
		e.credit, e.credited, t.begun = 0, cycle, cycle
	}
	e.transfers = append(e.transfers, t)
	e.advance(cycle)
}

// receive takes what comes from the SM.
func (e *Engine) receive(cycle uint64) (moved bool) {
	for {
		switch m := e.SM.Front().(type) {
		case *order.Evicted:
			e.evicted(m, cycle)
		case *mem.Packet:
			e.arrived(m, cycle)
		default:
			return moved
		}
		e.SM.Pop()
		moved = true
	}
}

// evicted begins to save a thread block that has left the SM.
func (e *Engine) evicted(m *order.Evicted, cycle uint64) {
	i := slices.IndexFunc(e.draining, func(o *order.Save) bool { return o.Serial == m.Serial })
	o := e.draining[i]
	e.draining = slices.Delete(e.draining, i, i+1)
	if m.Context == nil { // the SM reports that it has finished
		e.stats.Finished++
		e.goOn(o.Halt)
		return
	}
	if o.Drop {
		e.stats.Dropped++
		e.post(e.Driver, &report.TBPreempted{SM: e.id, Serial: o.Serial, Dropped: true})
		e.goOn(o.Halt)
		return
	}
	t := &transfer{save: o, context: m.Context, kernel: o.Kernel, addr: o.Addr}
	if !o.Free {
		t.bytes = e.spec.ContextBytes(o.Demand)
	}
	e.start(t, cycle)
}

// transfer sends at most one packet.
func (e *Engine) transfer(cycle uint64) bool {
	if e.sending == len(e.transfers) || e.inFlight == e.spec.Outstanding {
		return false
	}
	t := e.transfers[e.sending]
	bytes := min(t.left, mem.LineBytes)
	if !e.afford(bytes, cycle) || len(e.outbox) > 0 || !e.SM.CanPush() {
		return false
	}
	e.credit -= bytes * e.coreMHz
	p := e.packets.Get()
	*p = mem.Packet{Kind: mem.ContextLoad, Addr: t.addr, Kernel: t.kernel, Tag: t.tag}
	p.Sectors = uint8(1<<((bytes+mem.SectorBytes-1)/mem.SectorBytes) - 1)
	moved := mem.SectorBytes * mem.SectorCount(p.Sectors)
	k := &e.stats.Kernels[t.kernel]
	if t.save != nil {
		p.Kind, p.WrittenBytes = mem.ContextSave, uint8(moved)
		k.SavedBytes += uint64(moved)
	} else {
		k.LoadedBytes += uint64(moved)
	}
	e.SM.Push(p)
	t.addr += mem.LineBytes
	t.left -= bytes
	t.inFlight++
	e.inFlight++
	e.advance(cycle)
	return true
}

// afford reports whether the bandwidth admits so many bytes at a cycle.
func (e *Engine) afford(bytes int, cycle uint64) bool {
	if e.spec.Bandwidth == 0 {
		return true
	}
	e.credit += e.spec.Bandwidth * int(cycle-e.credited)
	e.credited = cycle
	// What was not used because the way was barred is not made up for.
	e.credit = min(e.credit, mem.LineBytes*e.coreMHz+e.spec.Bandwidth)
	return e.credit >= bytes*e.coreMHz
}

// advance goes on to the next transfer when all of one has been sent, and ends
// those that are complete.
func (e *Engine) advance(cycle uint64) {
	for e.sending < len(e.transfers) && e.transfers[e.sending].left == 0 {
		if t := e.transfers[e.sending]; t.save != nil {
			k := &e.stats.Kernels[t.kernel]
			k.Saves++
			k.SaveCycles += cycle - t.begun
			e.post(e.Driver, &report.TBPreempted{SM: e.id, Serial: t.save.Serial, Context: t.context, Bytes: sectorBytes(t.bytes)})
			e.goOn(t.save.Halt)
		}
		if e.sending++; e.sending < len(e.transfers) {
			e.transfers[e.sending].begun = cycle
		}
	}
	for i := 0; i < e.sending; {
		if t := e.transfers[i]; t.inFlight > 0 {
			i++
			continue
		}
		e.complete(e.transfers[i], cycle)
		e.transfers = slices.Delete(e.transfers, i, i+1)
		e.sending--
	}
}

// arrived takes the answer to a packet.
func (e *Engine) arrived(p *mem.Packet, cycle uint64) {
	e.inFlight--
	for _, t := range e.transfers[:min(e.sending+1, len(e.transfers))] {
		if t.tag == p.Tag {
			t.inFlight--
			break
		}
	}
	e.packets.Put(p)
	e.advance(cycle)
}

// complete ends a transfer all of whose packets have been answered.
func (e *Engine) complete(t *transfer, cycle uint64) {
	if t.save != nil {
		e.post(e.Driver, &report.ContextSaved{SM: e.id, Serial: t.save.Serial})
		return
	}
	o := t.load
	k := &e.stats.Kernels[t.kernel]
	k.Loads++
	k.LoadCycles += cycle - t.begun
	e.post(e.SM, &command.PlaceTB{TB: o.TB, Demand: o.Demand, Kernel: o.Kernel, Launch: o.Launch, Serial: o.Serial, Context: o.Context})
	e.post(e.Driver, &report.TBRestored{SM: e.id, Serial: o.Serial, Bytes: sectorBytes(t.bytes)})
	e.goOn(o.Halt)
	if i := slices.IndexFunc(e.waiting, func(s *order.Save) bool { return s.Serial == o.Serial }); i >= 0 {
		e.evict(e.waiting[i])
		e.waiting = slices.Delete(e.waiting, i, i+1)
	}
}

// post queues a message for a port.
func (e *Engine) post(port *components.Port, msg sim.Msg) {
	e.outbox = append(e.outbox, message{port, msg})
}

// send passes on what the ports take.
func (e *Engine) send() (moved bool) {
	sent := 0
	for _, m := range e.outbox {
		if !m.port.Push(m.msg) {
			break
		}
		sent++
	}
	e.outbox = slices.Delete(e.outbox, 0, sent)
	return sent > 0
}

// sectorBytes is what moves to or from memory for so many bytes of context.
func sectorBytes(bytes int) int {
	return (bytes + mem.SectorBytes - 1) / mem.SectorBytes * mem.SectorBytes
}

// Stats returns the engine's counters.
func (e *Engine) Stats() *Stats { return &e.stats }
