package preeng

import (
	"slices"

	"cotenant/protocol"
	"cotenant/tenant"
)

// transfer is a context on its way to or from memory.
type transfer struct {
	save     *protocol.SaveTB
	load     *protocol.LoadTB
	context  *protocol.Context // that is saved
	addr     uint64            // of the next packet
	left     int               // bytes not yet sent or requested
	bytes    int               // in all, 0 if no context moves
	inFlight int               // packets
	begun    uint64            // cycle at which the transfer became the one in progress
	tag      uint32            // of its packets
	account  tenant.Account
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

// transfer sends at most one packet.
func (e *Engine) transfer(cycle uint64) bool {
	if e.sending == len(e.transfers) || e.inFlight == e.spec.Outstanding {
		return false
	}
	t := e.transfers[e.sending]
	bytes := min(t.left, protocol.LineBytes)
	if !e.afford(bytes, cycle) || len(e.outbox) > 0 || !e.SM.CanPush() {
		return false
	}
	e.credit -= bytes * e.coreMHz
	p := e.packets.Get()
	*p = protocol.Packet{Kind: protocol.ContextLoad, Addr: t.addr, Account: t.account, Tag: t.tag}
	p.Sectors = uint8(1<<((bytes+protocol.SectorBytes-1)/protocol.SectorBytes) - 1)
	moved := protocol.SectorBytes * protocol.SectorCount(p.Sectors)
	k := &e.stats.Tenants[t.account.Tenant()]
	if t.save != nil {
		p.Kind, p.WrittenBytes = protocol.ContextSave, uint8(moved)
		k.SavedBytes += uint64(moved)
	} else {
		k.LoadedBytes += uint64(moved)
	}
	e.SM.Push(p)
	t.addr += protocol.LineBytes
	t.left -= bytes
	t.inFlight++
	e.inFlight++
	e.advance(cycle)
	return true
}

// afford reports whether the bandwidth admits a packet at a cycle.
func (e *Engine) afford(bytes int, cycle uint64) bool {
	if e.spec.Bandwidth == 0 {
		return true
	}
	e.credit += e.spec.Bandwidth * int(cycle-e.credited)
	e.credited = cycle
	// Bandwidth that a full port left unused is lost.
	e.credit = min(e.credit, protocol.LineBytes*e.coreMHz+e.spec.Bandwidth)
	return e.credit >= bytes*e.coreMHz
}

// advance goes on to the next transfer when the last packet of a transfer has been sent,
// and ends complete transfers.
func (e *Engine) advance(cycle uint64) {
	for e.sending < len(e.transfers) && e.transfers[e.sending].left == 0 {
		if t := e.transfers[e.sending]; t.save != nil {
			k := &e.stats.Tenants[t.account.Tenant()]
			k.Saves++
			k.SaveCycles += cycle - t.begun
			e.post(e.Driver, &protocol.TBPreempted{SM: e.id, Serial: t.save.Serial, Context: t.context, Bytes: sectorBytes(t.bytes)})
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
func (e *Engine) arrived(p *protocol.Packet, cycle uint64) {
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

// complete ends a transfer after the last answer.
func (e *Engine) complete(t *transfer, cycle uint64) {
	if t.save != nil {
		e.post(e.Driver, &protocol.TBSaved{SM: e.id, Serial: t.save.Serial})
		return
	}
	o := t.load
	k := &e.stats.Tenants[t.account.Tenant()]
	k.Loads++
	k.LoadCycles += cycle - t.begun
	e.post(e.SM, &protocol.PlaceTB{TB: o.TB, Demand: o.Demand, Account: o.Account, Launch: o.Launch, Code: o.Code, Serial: o.Serial, Context: o.Context})
	e.post(e.Driver, &protocol.TBRestored{SM: e.id, Serial: o.Serial, Bytes: sectorBytes(t.bytes)})
	e.goOn(o.Halt)
	if i := slices.IndexFunc(e.waiting, func(s *protocol.SaveTB) bool { return s.Serial == o.Serial }); i >= 0 {
		e.evict(e.waiting[i])
		e.waiting = slices.Delete(e.waiting, i, i+1)
	}
}

// sectorBytes rounds bytes of context up to whole sectors, which move to and from memory.
func sectorBytes(bytes int) int {
	return (bytes + protocol.SectorBytes - 1) / protocol.SectorBytes * protocol.SectorBytes
}
