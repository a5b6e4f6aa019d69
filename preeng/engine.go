package preeng

import (
	"slices"

	"cotenant/components"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
)

// Engine is the preemption engine of one SM.
type Engine struct {
	components.Module

	// Driver takes protocol.SaveTB and protocol.LoadTB from the SM driver and sends it
	// protocol.TBPreempted, protocol.TBSaved and protocol.TBRestored.
	Driver *components.Port
	// SM takes protocol.TBEvicted and the answers to context packets from the SM, and
	// sends it protocol.EvictTB, protocol.PlaceTB, protocol.Halt and protocol.Packet.
	SM *components.Port

	spec      Spec
	id        int
	coreMHz   int
	packets   *components.Pool[protocol.Packet]
	draining  []*protocol.SaveTB // orders for thread blocks that are still on the SM
	transfers []*transfer        // in order, so the wholly sent transfers come first
	waiting   []*protocol.SaveTB // orders for thread blocks that are being loaded
	outbox    []message          // for the two ports
	nextTag   uint32
	sending   int    // index of the transfer in progress
	inFlight  int    // packets
	credit    int    // bandwidth not used yet, in MB/s x cycles
	credited  uint64 // cycle up to which credit counts
	halts     int    // orders that halt the SM
	stats     Stats
}

// message waits for a port to take it.
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
		case *protocol.SaveTB:
			e.halt(o.Halt)
			if e.loads(o.Serial) {
				e.waiting = append(e.waiting, o)
			} else {
				e.evict(o)
			}
		case *protocol.LoadTB:
			e.halt(o.Halt)
			t := &transfer{load: o, account: o.Account, addr: o.Addr}
			if !o.Free {
				t.bytes = e.spec.ContextBytes(o.Demand) + o.Context.Extra
			}
			e.start(t, cycle)
		default:
			e.Driver.Unknown()
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

func (e *Engine) evict(o *protocol.SaveTB) {
	e.draining = append(e.draining, o)
	e.post(e.SM, &protocol.EvictTB{Serial: o.Serial})
}

// halt counts an order that halts the SM, and halts it with the first.
func (e *Engine) halt(on bool) {
	if !on {
		return
	}
	if e.halts++; e.halts == 1 {
		e.post(e.SM, &protocol.Halt{On: true})
	}
}

// goOn ends an order that halted the SM. After the last such order the SM goes on.
func (e *Engine) goOn(halted bool) {
	if !halted {
		return
	}
	if e.halts--; e.halts == 0 {
		e.post(e.SM, &protocol.Halt{On: false})
	}
}

// receive takes messages from the SM.
func (e *Engine) receive(cycle uint64) (moved bool) {
	for {
		switch m := e.SM.Front().(type) {
		case *protocol.TBEvicted:
			e.evicted(m, cycle)
		case *protocol.Packet:
			e.arrived(m, cycle)
		default:
			e.SM.Unknown()
			return moved
		}
		e.SM.Pop()
		moved = true
	}
}

// evicted starts to save a thread block that has drained.
func (e *Engine) evicted(m *protocol.TBEvicted, cycle uint64) {
	i := slices.IndexFunc(e.draining, func(o *protocol.SaveTB) bool { return o.Serial == m.Serial })
	o := e.draining[i]
	e.draining = slices.Delete(e.draining, i, i+1)
	if m.Context == nil { // the SM reports that it has finished
		e.stats.Finished++
		e.goOn(o.Halt)
		return
	}
	if o.Drop {
		e.stats.Dropped++
		e.post(e.Driver, &protocol.TBPreempted{SM: e.id, Serial: o.Serial, Dropped: true})
		e.goOn(o.Halt)
		return
	}
	t := &transfer{save: o, context: m.Context, account: o.Account, addr: o.Addr}
	if !o.Free {
		t.bytes = e.spec.ContextBytes(o.Demand) + m.Context.Extra
	}
	e.start(t, cycle)
}

// post queues a message for a port.
func (e *Engine) post(port *components.Port, msg sim.Msg) {
	e.outbox = append(e.outbox, message{port, msg})
}

// send passes on messages until a port is full.
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

// Stats returns the engine's counters.
func (e *Engine) Stats() *Stats { return &e.stats }
