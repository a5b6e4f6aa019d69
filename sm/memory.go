package sm

import (
	"cotenant/protocol"
	"cotenant/sm/egress"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/rocache"
	"cotenant/sm/warps"
	"cotenant/tenant"
)

// sendRequests lets at most one packet leave for the request crossbar.
func (s *SM) sendRequests(cycle uint64) bool {
	p := s.egress.Send(cycle)
	if p == nil {
		return false
	}
	if k := &s.stats.Accounts[p.Account]; p.Kind >= protocol.ContextSave {
		k.ContextRequests++
	} else {
		k.MemoryRequests++
	}
	return true
}

// receive hands the replies that have arrived to whom they are for: the L1 or the
// preemption engine.
func (s *SM) receive() (moved bool) {
	for {
		p, ok := s.Reply.Front().(*protocol.Packet)
		if !ok {
			s.Reply.Unknown()
			return moved
		}
		if p.Kind >= protocol.ContextSaved {
			if !s.PreEng.Push(p) {
				return moved
			}
			s.Reply.Pop()
		} else {
			s.Reply.Pop()
			s.reply(p)
		}
		moved = true
	}
}

// Tags of the read-only caches' packets. The L1's have others: 0, or the highest
// bit.
const (
	constantTag = 1 + iota
	textureTag
)

// makeEgress makes the way out to the request crossbar.
func (s *SM) makeEgress(b *Builder) (err error) {
	s.egress, err = egress.New(s.Name()+".IRC", b.id, s.spec.L1.MissQueue, b.slice, egress.Parts{Spec: s.spec.IRC, Domain: b.domain,
		CoreMHz: b.mhz[0], NoCMHz: b.mhz[1], StoreBuffer: s.spec.L1.StoreBuffer})
	if err == nil {
		s.egress.Join(egress.Ports{Request: s.Request, PreEng: s.PreEng})
	}
	return err
}

// RateController is the SM's issue-rate controller, nil if it has none.
func (s *SM) RateController() egress.Controller { return s.egress.Controller() }

// makeMemory makes the load-store unit and its caches.
func (s *SM) makeMemory(b *Builder) {
	spec := &s.spec
	victim, _ := l1.NewVictim(&spec.L1) // validated before
	prefetcher, _ := l1.NewPrefetcher(spec.L1.Prefetch)
	s.l1 = *l1.New(spec.L1, l1.Parts{SM: b.id, Slice: b.slice, Packets: b.packets, Waiter: &s.lsu, Queue: s.egress.Queue, Victim: victim, Prefetcher: prefetcher})
	readOnly := rocache.Parts{SM: b.id, Slice: b.slice, Packets: b.packets, Waiter: &s.lsu, Queue: s.egress.Queue, Tag: constantTag}
	s.constants = rocache.New(spec.LSU.ConstantCache, readOnly)
	readOnly.Tag = textureTag
	s.textures = rocache.New(spec.LSU.TextureCache, readOnly)

	parts := lsu.Parts{Cache: &s.l1, Parent: s, HitLatency: spec.L1.HitLatency, FirstWarp: b.firstWarp,
		Banks: l1.Banks{Count: spec.L1.Banks, Bytes: spec.L1.BankBytes}, AccessBytes: spec.L1.AccessBytes}
	if s.constants != nil {
		parts.Constants = s.constants
	}
	if s.textures != nil {
		parts.Textures = s.textures
	}
	if s.memory != nil {
		parts.Meter = s.memory
	}
	if s.window != nil {
		parts.Taker = s
	}
	if s.tlb != nil {
		parts.Translator, parts.Faults = s.tlb, s
	}
	s.lsu = *lsu.New(spec.LSU, parts)
}

// reply hands a packet that has come back to the cache that it is for.
func (s *SM) reply(p *protocol.Packet) {
	s.egress.Replied(p)
	switch p.Tag {
	case constantTag:
		s.constants.Reply(p)
	case textureTag:
		s.textures.Reply(p)
	default:
		s.l1.Reply(p, s.cycle)
		s.returning = s.l1.Returning()
	}
}

// invalidate drops a tenant's lines from all caches.
func (s *SM) invalidate(id tenant.ID) {
	s.l1.Invalidate(id)
	if s.constants != nil {
		s.constants.Invalidate(id)
	}
	if s.textures != nil {
		s.textures.Invalidate(id)
	}
}

// readOnlyStats brings an account's counters of the read-only caches up to date.
func (s *SM) readOnlyStats(a tenant.Account) {
	if s.constants != nil {
		s.stats.Accounts[a].ConstantCache = *s.constants.Stats(a)
	}
	if s.textures != nil {
		s.stats.Accounts[a].TextureCache = *s.textures.Stats(a)
	}
}

// lsuFull are a scheduler's slots whose next instruction the load-store unit does not
// take now because its queue is full, or full for their tenants.
func (s *SM) lsuFull(p *scheduler) warps.Mask {
	if s.lsu.Full() {
		return p.signals.Needs[warps.LSU]
	}
	if full := s.lsu.FullFor(); full != 0 {
		return s.slotsOf(p, full) & p.signals.Needs[warps.LSU]
	}
	return 0
}

// slotsOf are a scheduler's slots with warps of a set of tenants.
func (s *SM) slotsOf(p *scheduler, tenants uint16) (mask warps.Mask) {
	for _, a := range s.present {
		if id := a.Tenant(); tenants>>id&1 != 0 {
			mask |= p.slots[id]
		}
	}
	return mask
}
