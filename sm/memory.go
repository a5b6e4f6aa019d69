package sm

import (
	"cotenant/components"
	"cotenant/metrics/journey"
	times "cotenant/metrics/latency"
	"cotenant/protocol"
	"cotenant/sm/egress"
	"cotenant/sm/hot"
	"cotenant/sm/icache"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/rocache"
	"cotenant/tenant"
)

// sendRequests lets at most one packet leave for the request crossbar.
func (s *SM) sendRequests(cycle uint64) bool {
	p := s.egress.Send(cycle)
	if p == nil {
		return false
	}
	if p.Trace != 0 {
		s.journeys.Mark(p.Trace, journey.Left, s.Domain().At(cycle))
	}
	if k := s.residents.Stats.Accounts.Of(p.Account); p.Kind >= protocol.ContextSave {
		k.ContextRequests++
	} else {
		k.MemoryRequests++
	}
	return true
}

// receive hands the replies that have arrived to the caches or to the preemption engine.
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
			if s.latencies != nil {
				s.latencies.Add(times.Reply, p.Tenant(), s.Domain().At(s.residents.Cycle)-components.Time(p.Sent)*s.latencies.L2)
			}
			if p.Trace != 0 {
				s.journeys.Mark(p.Trace, journey.Returned, s.Domain().At(s.residents.Cycle))
			}
			s.reply(p)
		}
		moved = true
	}
}

// Tags of the read-only caches' packets, one more than their numbers in SM.readOnly. The
// L1's packets have other tags: 0, or the highest bit.
const (
	constantTag = 1 + iota
	textureTag
	// codeTag and the numbers behind it mark a read of code and the instruction cache's
	// MSHR, of which there are at most 256.
	codeTag
	noCode = codeTag + 256
)

// FetchLine makes SM an icache.Memory: it reads a line of code from the L2.
func (s *SM) FetchLine(line uint64, mshr int, account tenant.Account, from uint64) {
	p := s.packets.Get()
	*p = protocol.Packet{Kind: protocol.Read, Addr: icache.LineAddress(line, account), Sectors: protocol.AllSectors,
		Account: account, Tag: uint32(codeTag + mshr), Line: hot.Code(account.Tenant()), Sent: s.residents.Cycle}
	s.egress.PushCode(p, from)
}

// reply hands a packet that has come back to the cache that it is for.
func (s *SM) reply(p *protocol.Packet) {
	if p.Tag >= codeTag && p.Tag < noCode {
		s.code.CodeArrived(int(p.Tag - codeTag))
		s.packets.Put(p)
		return
	}
	s.egress.Replied(p)
	switch p.Tag {
	case constantTag, textureTag:
		s.readOnly[p.Tag-constantTag].Reply(p)
	default:
		s.l1.Reply(p, s.residents.Cycle)
		s.returning = s.l1.Returning()
	}
}

// makeEgress makes the way out to the request crossbar.
func (s *SM) makeEgress(b *Builder) (err error) {
	s.egress, err = egress.New(s.Name()+".IRC", b.id, s.spec.L1.MissQueue, b.slice, egress.Parts{Spec: s.spec.IRC, Domain: b.domain,
		CoreMHz: b.mhz[0], NoCMHz: b.mhz[1], StoreBuffer: s.spec.L1.StoreBuffer})
	if err == nil {
		s.egress.Join(egress.Ports{Request: s.Request, PreEng: s.PreEng})
		s.paced = s.egress.Controller() != nil
		if code := &s.spec.FrontEnd.ICache; code.Sets > 0 && code.Misses == icache.FromMemory {
			s.egress.AddCode(code.MSHRs)
		}
	}
	return err
}

// RateController is the SM's issue-rate controller, nil if it has none.
func (s *SM) RateController() egress.Controller { return s.egress.Controller() }

// makeMemory makes the caches, and the load-store unit of a pipeline.
func (s *SM) makeMemory(b *Builder, parent lsu.Parent, taker lsu.Taker, copies lsu.Copies) {
	spec := &s.spec
	victim, _ := l1.NewVictim(&spec.L1) // validated before
	prefetcher, _ := l1.NewPrefetcher(spec.L1.Prefetch)
	s.l1 = *l1.New(spec.L1, l1.Parts{SM: b.id, Slice: b.slice, Packets: b.packets, Waiter: &s.lsu, Queue: s.egress.Queue, Victim: victim, Prefetcher: prefetcher})
	parts := lsu.Parts{Cache: &s.l1, Parent: parent, Taker: taker, Copies: copies, HitLatency: spec.L1.HitLatency, FirstWarp: b.firstWarp,
		Banks: l1.Banks{Count: spec.L1.Banks, Bytes: spec.L1.BankBytes}, AccessBytes: spec.L1.AccessBytes}
	to := [2]*lsu.Cache{&parts.Constants, &parts.Textures}
	for i, of := range [2]rocache.Spec{spec.LSU.ConstantCache, spec.LSU.TextureCache} {
		s.readOnly[i] = rocache.New(of, rocache.Parts{SM: b.id, Slice: b.slice, Packets: b.packets, Waiter: &s.lsu, Queue: s.egress.Queue, Tag: uint32(constantTag + i)})
		if s.readOnly[i] != nil {
			*to[i] = s.readOnly[i]
		}
	}
	if memory := s.gates.Memory(); memory != nil {
		parts.Meter = memory
	}
	if s.mmu != nil {
		parts.Translator, parts.Faults = s.mmu, s.mmu.Handler
	}
	s.lsu = *lsu.New(spec.LSU, parts)
}

// tenants is the SM as its residents see it.
type tenants struct{ *SM }

// Launched makes tenants a residency.SM, as Present: it drops a tenant's lines from all
// caches, and its state from the registered unit.
func (s tenants) Launched(id tenant.ID) {
	s.pipes.Flush(id)
	s.l1.Invalidate(id)
	for _, c := range s.readOnly {
		if c != nil {
			c.Invalidate(id)
		}
	}
}

// Present tells the parts that tenants share evenly.
func (s tenants) Present(id tenant.ID, here bool) {
	if here {
		s.lsu.Arrive(id)
	} else {
		s.lsu.Leave(id)
	}
	s.egress.Present(id, here)
}
