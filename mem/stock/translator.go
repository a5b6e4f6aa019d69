package stock

import (
	"fmt"
	"math/bits"

	"cotenant/components"
	"cotenant/components/limits"
	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/mem/mem"
	"github.com/sarchlab/akita/v3/mem/vm"
	"github.com/sarchlab/akita/v3/sim"
)

// Spec holds the parameters of a Translator.
type Spec struct {
	// Outstanding is the number of requests that can be with Akita's memory, 1 to
	// 65536.
	Outstanding int `yaml:"outstanding" range:"1..1<<16"`
	// Queue is the number of messages that each port holds, 1 to 65536.
	Queue int `yaml:"queue" range:"1..1<<16"`
}

// Validate returns an error that names the first field that is out of range.
func (s Spec) Validate() error { return limits.Check(s) }

// TenantStats counts one tenant's requests that have been answered.
type TenantStats struct {
	Reads        uint64 // atomics and loads of contexts included
	Writes       uint64 // saves of contexts included
	ReadBytes    uint64
	WrittenBytes uint64
	// LatencyCycles is the sum of the times from the edge at which a request was
	// taken to the one at which its last answer was.
	LatencyCycles uint64
}

// Stats counts what a Translator has done.
type Stats struct {
	Tenants [tenant.Max]TenantStats
}

// Total is the sum over tenants.
func (s *Stats) Total() TenantStats { return stats.Sum(s.Tenants[:]) }

// Translator stands between this simulator's requests and Akita's memory. It
// takes a request a cycle, sends a message a cycle each way, and takes all
// answers.
type Translator struct {
	components.Module

	// Up takes *protocol.DRAMRequest, and sends reads back, or takes *protocol.Packet.
	Up *components.Port
	// Reply sends packets back, turned round.
	Reply *components.Port
	// Down sends *mem.ReadReq and *mem.WriteReq, and takes *mem.DataReadyRsp and
	// *mem.WriteDoneRsp.
	Down *components.Port

	spec     Spec
	pool     *components.Pool[protocol.DRAMRequest]
	asking   []sim.Msg          // parts of the last request that Down has not taken
	open     map[string]*access // by the identifiers of Akita's messages
	requests int                // of open
	answers  []*access          // to be sent
	stats    Stats
}

// access is a request that is with Akita's memory.
type access struct {
	msg    sim.Msg
	tenant tenant.ID
	write  bool
	bytes  uint64
	parts  int    // that have not been answered
	since  uint64 // cycle
}

// Builder makes Translators.
type Builder struct {
	spec   Spec
	domain *components.Domain
	pool   *components.Pool[protocol.DRAMRequest]
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithPool sets where written *protocol.DRAMRequests go; if it is not called, nowhere.
func (b Builder) WithPool(p *components.Pool[protocol.DRAMRequest]) Builder { b.pool = p; return b }

// Build makes a Translator, or returns what is wrong with its parameters.
func (b Builder) Build(name string) (*Translator, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Translator{spec: b.spec, pool: b.pool, open: map[string]*access{}}
	t.Init(name, b.domain, t)
	t.Up, t.Reply, t.Down = t.NewPort("Up", b.spec.Queue), t.NewPort("Reply", 1), t.NewPort("Down", b.spec.Queue)
	return t, nil
}

// Stats returns the counters, up to date after every edge.
func (t *Translator) Stats() *Stats { return &t.stats }

// Tick is one edge of the clock.
func (t *Translator) Tick(cycle uint64) bool {
	moved := t.reply()
	moved = t.collect(cycle) || moved
	moved = t.ask() || moved
	return t.accept(cycle) || moved
}

// accept takes a request apart.
func (t *Translator) accept(cycle uint64) bool {
	if len(t.asking) > 0 || t.requests+len(t.answers) >= t.spec.Outstanding {
		return false
	}
	a := &access{since: cycle}
	switch m := t.Up.Front().(type) {
	case nil:
		return false
	case *protocol.DRAMRequest:
		a.msg, a.tenant, a.write = m, m.Account.Tenant(), m.Write
		t.split(a, m.Addr, m.Sectors)
	case *protocol.Packet:
		if answerOf[m.Kind] == 0 {
			t.Up.Unknown() // an answer
			return false
		}
		a.msg, a.tenant, a.write = m, m.Tenant(), m.Kind == protocol.Write || m.Kind == protocol.ContextSave
		t.split(a, m.Addr, m.Sectors)
	default:
		t.Up.Unknown()
		return false
	}
	t.Up.Pop()
	t.requests++
	return true
}

// zeros are what is written.
var zeros [protocol.LineBytes]byte

// split makes a message for each run of neighbouring sectors.
func (t *Translator) split(a *access, line uint64, sectors uint8) {
	for sectors &= protocol.AllSectors; sectors != 0; {
		first := bits.TrailingZeros8(sectors)
		length := bits.TrailingZeros8(^(sectors >> first))
		sectors &^= (1<<length - 1) << first
		address, size := line+uint64(first*protocol.SectorBytes), uint64(length*protocol.SectorBytes)
		var part sim.Msg
		if a.write {
			part = mem.WriteReqBuilder{}.WithPID(vm.PID(a.tenant)).WithAddress(address).WithData(zeros[:size]).Build()
		} else {
			part = mem.ReadReqBuilder{}.WithPID(vm.PID(a.tenant)).WithAddress(address).WithByteSize(size).Build()
		}
		t.open[part.Meta().ID] = a
		t.asking = append(t.asking, part)
		a.parts++
		a.bytes += size
	}
}

// ask sends a message to Akita's memory.
func (t *Translator) ask() bool {
	if len(t.asking) == 0 || !t.Down.Push(t.asking[0]) {
		return false
	}
	t.asking = t.asking[1:]
	return true
}

// collect takes the answers of Akita's memory.
func (t *Translator) collect(cycle uint64) (moved bool) {
	for {
		id := ""
		switch m := t.Down.Front().(type) {
		case *mem.DataReadyRsp:
			id = m.RespondTo
		case *mem.WriteDoneRsp:
			id = m.RespondTo
		default:
			t.Down.Unknown()
			return moved
		}
		a := t.open[id]
		if a == nil {
			t.Domain().Engine().Fail(fmt.Errorf("%s: the answer to message %q came, which waits for none", t.Down.Name(), id))
			return moved
		}
		t.Down.Pop()
		moved = true
		delete(t.open, id)
		if a.parts--; a.parts == 0 {
			t.done(a, cycle)
		}
	}
}

// done counts a request and has it answered. A *protocol.DRAMRequest that writes is not.
func (t *Translator) done(a *access, cycle uint64) {
	t.requests--
	k := &t.stats.Tenants[a.tenant]
	k.LatencyCycles += cycle - a.since
	if a.write {
		k.Writes++
		k.WrittenBytes += a.bytes
	} else {
		k.Reads++
		k.ReadBytes += a.bytes
	}
	r, toDRAM := a.msg.(*protocol.DRAMRequest)
	if !toDRAM || !a.write {
		t.answers = append(t.answers, a)
	} else if t.pool != nil {
		t.pool.Put(r)
	}
}

// reply sends a request back.
func (t *Translator) reply() bool {
	if len(t.answers) == 0 {
		return false
	}
	port := t.Up
	p, isPacket := t.answers[0].msg.(*protocol.Packet)
	if isPacket {
		port = t.Reply
	}
	if !port.CanPush() {
		return false
	}
	if isPacket {
		p.Kind = answerOf[p.Kind]
	}
	port.Push(t.answers[0].msg)
	t.answers = t.answers[1:]
	return true
}

// answerOf is what a request is turned into, 0 for what is no request.
var answerOf = [protocol.ContextLoaded + 1]protocol.Kind{protocol.Read: protocol.ReadReply, protocol.Write: protocol.WriteAck, protocol.Atomic: protocol.AtomicReply,
	protocol.ContextSave: protocol.ContextSaved, protocol.ContextLoad: protocol.ContextLoaded}
