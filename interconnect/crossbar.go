package interconnect

import (
	"math"
	"math/bits"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Crossbar moves packets from its inputs to its outputs, in order between any two ports.
// It drops none: while a receiver is full, its output holds packets, and then the inputs
// hold the packets that want to go there.
type Crossbar struct {
	components.Module

	// Inputs receive messages that implement Packet.
	Inputs []*components.Port
	// Outputs pass packets on.
	Outputs []*components.Port

	flitBytes uint32
	header    uint32 // roundedHeader of the Spec
	pipeline  uint64 // cycles
	inputs    []input
	outputs   []output
	// The cycles that are asked for at every edge lie close together.
	inputFree  []uint64 // at which an input has sent its last packet
	outputFree []uint64 // at which an output has got its last packet

	// Of a hierarchical crossbar: the links before the switch and behind it. Without them each
	// input has a way of its own to each output.
	before, behind []*links
	bookings       []booking // by input; none without links before the switch
	arrivals       []int     // inputs with a first packet that has no turn yet on its links
	turns          uint64    // that packets have got

	unknown portSet // inputs with a first packet, if any, that has not been looked at
	queued  portSet // inputs with a first packet that waits for a link
	filled  portSet // inputs that hold packets; now and then an empty one
	wanted  portSet // outputs that a known first packet wants
	manual  portSet // outputs with an Outlet that the crossbar has to help
	next    uint64  // earliest cycle at which something that waits can go on

	tenants [tenant.Max]TenantStats
	latency [tenant.Max]components.Time // sums over packets
}

// never is later than every cycle.
const never = math.MaxUint64

// input is what is known of the first packet of an input's buffer.
type input struct {
	stats  InputStats
	since  uint64 // cycle at which it became the first
	flits  uint32
	tenant tenant.ID
}

type output struct {
	requests portSet // inputs with a first packet for this output
	arbiter  arbiter
	out      *components.Outlet       // pipeline and output buffer
	queue    components.FIFO[transit] // of what is in out
	left     uint64                   // cycle at which the last packet of stats left
	stats    OutputStats
}

// transit is a packet on its way from switch to receiver.
type transit struct {
	readyAt uint64
	arrived components.Time
	flits   uint32
	tenant  tenant.ID
}

// Tick is one clock edge. It never asks for the next edge as such, but books
// the first one at which something can move; ports wake it for the rest. A packet leaves
// by itself when it has come through the pipeline.
func (x *Crossbar) Tick(cycle uint64) bool {
	x.next = never
	x.help(cycle)
	x.look(cycle)
	if x.before != nil {
		x.book(cycle)
		x.release(cycle)
	}
	x.arbitrate(cycle)
	if x.next != never {
		x.WakeAt(x.next)
	}
	return false
}

// help sends packets that an Outlet cannot send itself.
func (x *Crossbar) help(cycle uint64) {
	for w, word := range x.manual {
		for ; word != 0; word &= word - 1 {
			j := w*64 + bits.TrailingZeros64(word)
			out := x.outputs[j].out
			moved := out.Send(cycle)
			if at, ok := out.Next(); !ok {
				x.manual.remove(j)
			} else if at > cycle || moved {
				x.next = min(x.next, max(at, cycle+1))
			}
		}
	}
}

// account counts the packets of an output that have left before a cycle. Packets that a
// full receiver has held up follow each other no faster than their flits.
func (x *Crossbar) account(o *output, before uint64) {
	for {
		at, ok := o.out.Departed(before)
		if !ok {
			return
		}
		t := o.queue.Front()
		o.stats.BlockedCycles += at - o.ready(t)
		o.stats.Packets++
		o.stats.Flits += uint64(t.flits)
		k := &x.tenants[t.tenant]
		k.Packets++
		k.Flits += uint64(t.flits)
		x.latency[t.tenant] += x.Domain().At(at) - t.arrived
		o.left = at
		o.queue.Pop()
	}
}

// ready is the cycle at which an output's first packet leaves if its receiver has room.
func (o *output) ready(t *transit) uint64 { return max(t.readyAt, o.left+uint64(t.flits)) }

// look finds out where the first packets of the inputs want to go.
func (x *Crossbar) look(cycle uint64) {
	for w, word := range x.unknown {
		for word &= x.filled[w]; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			port := x.Inputs[i]
			if port.Len() == 0 {
				x.filled.remove(i)
				continue
			}
			if free := x.inputFree[i]; cycle < free {
				x.next = min(x.next, free)
				continue
			}
			msg := port.Front()
			if msg == nil {
				continue
			}
			var j, bytes int
			in := &x.inputs[i]
			switch p := msg.(type) {
			case *protocol.Packet: // spares the interface's way
				j, bytes = p.Route()
				in.tenant = p.Tenant()
			case Packet:
				j, bytes = p.Route()
				in.tenant = p.Tenant()
			default:
				port.Unknown()
				continue
			}
			in.since = cycle
			in.flits = (uint32(bytes) + x.header) / x.flitBytes
			x.unknown.remove(i)
			if x.before != nil {
				x.bookings[i].output = j
				x.arrivals = append(x.arrivals, i)
				continue
			}
			x.outputs[j].requests.add(i)
			x.wanted.add(j)
		}
	}
}

// arbitrate gives every output that is free and has room to an input that wants it.
func (x *Crossbar) arbitrate(cycle uint64) {
	for w, word := range x.wanted {
		for ; word != 0; word &= word - 1 {
			j := w*64 + bits.TrailingZeros64(word)
			if free := x.outputFree[j]; cycle < free {
				x.next = min(x.next, free)
				continue
			}
			o := &x.outputs[j]
			if o.queue.Full() {
				if x.account(o, cycle+1); o.queue.Full() {
					o.out.WakeAfterNext(0)
					continue
				}
			}
			x.move(o.arbiter.choose(o.requests), j, cycle)
		}
	}
}

// move takes the first packet of an input to an output.
func (x *Crossbar) move(i, j int, cycle uint64) {
	in, o, port := &x.inputs[i], &x.outputs[j], x.Inputs[i]
	end := cycle + uint64(in.flits)
	readyAt := end - 1 + x.pipeline
	if x.behind != nil {
		readyAt = x.delay(readyAt, i, j)
	}
	o.queue.Push(transit{readyAt, port.FrontSince(), in.flits, in.tenant})
	o.out.Push(port.Pop(), readyAt, uint64(in.flits))
	if at, ok := o.out.Next(); ok {
		x.manual.add(j)
		x.next = min(x.next, at)
	}

	in.stats.Packets++
	in.stats.Flits += uint64(in.flits)
	in.stats.WaitCycles += cycle - in.since

	x.inputFree[i], x.outputFree[j] = end, end
	x.unknown.add(i)
	o.requests.remove(i)
	if o.requests.empty() {
		x.wanted.remove(j)
	}
	if port.Len() > 0 || !o.requests.empty() {
		x.next = min(x.next, end)
	}
}
