package interconnect

import (
	"math"
	"math/bits"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
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
	leavesAt   []uint64 // at which an output's first packet may leave, or the last one left

	unknown portSet // inputs with a first packet, if any, that has not been looked at
	filled  portSet // inputs that hold packets; now and then an empty one
	wanted  portSet // outputs that a known first packet wants
	leaving portSet // outputs that hold packets
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
	queue    components.FIFO[transit] // pipeline and output buffer
	stats    OutputStats

	blocked      bool // the receiver is full
	blockedSince uint64
}

// transit is a packet on its way from switch to receiver.
type transit struct {
	msg     sim.Msg
	readyAt uint64
	arrived components.Time
	flits   uint32
	tenant  tenant.ID
}

// Tick is one clock edge. It never asks for the next edge as such, but books
// the first one at which something can move; ports wake it for the rest.
func (x *Crossbar) Tick(cycle uint64) bool {
	x.next = never
	x.passOn(cycle)
	x.look(cycle)
	x.arbitrate(cycle)
	if x.next != never {
		x.WakeAt(x.next)
	}
	return false
}

// passOn lets packets leave that have come through the pipeline.
func (x *Crossbar) passOn(cycle uint64) {
	for w, word := range x.leaving {
		for ; word != 0; word &= word - 1 {
			j := w*64 + bits.TrailingZeros64(word)
			if at := x.leavesAt[j]; cycle < at {
				x.next = min(x.next, at)
				continue
			}
			o := &x.outputs[j]
			if t := o.queue.Front(); x.Outputs[j].Push(t.msg) {
				x.left(j, t, cycle)
			} else if !o.blocked {
				o.blocked, o.blockedSince = true, cycle
			}
		}
	}
}

// left accounts for a packet that has left and prepares the one behind it.
// Packets that a full receiver has held up follow each other no faster than
// their flits.
func (x *Crossbar) left(j int, t *transit, cycle uint64) {
	o := &x.outputs[j]
	if o.blocked {
		o.blocked = false
		o.stats.BlockedCycles += cycle - o.blockedSince
	}
	o.stats.Packets++
	o.stats.Flits += uint64(t.flits)
	k := &x.tenants[t.tenant]
	k.Packets++
	k.Flits += uint64(t.flits)
	x.latency[t.tenant] += x.Domain().Engine().Now() - t.arrived
	x.leavesAt[j] = cycle
	o.queue.Pop()
	if o.queue.Len() > 0 {
		x.first(j, o.queue.Front())
	} else {
		x.leaving.remove(j)
	}
}

// first sets the cycle at which the packet that is now an output's first may
// leave.
func (x *Crossbar) first(j int, t *transit) {
	at := max(t.readyAt, x.leavesAt[j]+uint64(t.flits))
	x.leavesAt[j] = at
	x.next = min(x.next, at)
}

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
			if o := &x.outputs[j]; !o.queue.Full() {
				x.move(o.arbiter.choose(o.requests), j, cycle)
			}
		}
	}
}

// move takes the first packet of an input to an output.
func (x *Crossbar) move(i, j int, cycle uint64) {
	in, o, port := &x.inputs[i], &x.outputs[j], x.Inputs[i]
	end := cycle + uint64(in.flits)
	arrived := port.FrontSince()
	o.queue.Push(transit{port.Pop(), end - 1 + x.pipeline, arrived, in.flits, in.tenant})
	if o.queue.Len() == 1 {
		x.leaving.add(j)
		x.first(j, o.queue.Front())
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
