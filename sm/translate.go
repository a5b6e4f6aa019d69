package sm

import (
	"cotenant/protocol"
	"cotenant/sm/tlb"
	"cotenant/tenant"
)

// mmuDepth is what the L2 TLB and the fill unit can send ahead.
const mmuDepth = 4

// makeTLB makes the L1 TLB and its ports.
func (s *SM) makeTLB(b *Builder) {
	if s.spec.TLB.Entries == 0 {
		return
	}
	s.TLB = s.NewPort("TLB", mmuDepth)
	s.Faults = s.NewPort("Faults", mmuDepth)
	s.tlb = tlb.New(s.spec.TLB, tlb.Parts{PageBytes: b.pageBytes, HoldFaults: !s.spec.Faults.Preemptible(), Waiter: waiter{s}, Network: s})
}

// waiter is the SM as the TLB sees it.
type waiter struct{ *SM }

// Translated makes waiter a tlb.Waiter, as the methods below.
func (w waiter) Translated(access uint32) { w.lsu.Translated(access, w.cycle) }

// Faulted hands a fault on.
func (w waiter) Faulted(access uint32, fault protocol.Fault, region uint64) {
	w.lsu.Faulted(access, fault, region)
}

// Held hands on that an access waits for a fault to be served.
func (w waiter) Held(access uint32, on bool) { w.lsu.Held(access, on) }

// Ask makes SM a tlb.Network.
func (s *SM) Ask(page uint64, a tenant.Account, write bool) bool {
	if !s.TLB.CanPush() {
		return false
	}
	m := s.asks.Get()
	*m = protocol.Translation{Page: page, Account: a, SM: uint16(s.id), Write: write}
	s.TLB.Push(m)
	return true
}

// translate takes what comes from the MMU, and asks for what could not be asked for
// before.
func (s *SM) translate(arrived bool) (moved bool) {
	if arrived {
		for {
			m, ok := s.TLB.Front().(*protocol.Translation)
			if !ok {
				s.TLB.Unknown()
				break
			}
			s.TLB.Pop()
			if m.Local && s.window != nil {
				s.handle(m.Region)
			}
			s.tlb.Answer(m)
			s.asks.Put(m)
			moved = true
		}
		for {
			m, ok := s.Faults.Front().(*protocol.RegionServed)
			if !ok {
				s.Faults.Unknown()
				break
			}
			s.Faults.Pop()
			s.served(m)
			moved = true
		}
	}
	if s.window != nil && len(s.window.handlers) > 0 {
		moved = s.endHandlers(s.cycle) || moved
	}
	return s.tlb.Step() || moved
}
