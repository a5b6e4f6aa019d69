package sm

import (
	"fmt"
	"slices"

	"cotenant/protocol"
	"cotenant/sm/paging"
	"cotenant/tenant"
	"cotenant/workload"
)

// mmuDepth is the number of messages that the L2 TLB and the fill unit can send ahead.
const mmuDepth = 4

// makeMMU makes the L1 TLB and its ports.
func (s *SM) makeMMU(b *Builder) {
	if s.spec.TLB.Entries == 0 {
		return
	}
	s.TLB = s.NewPort("TLB", mmuDepth)
	s.Faults = s.NewPort("Faults", mmuDepth)
	s.mmu = paging.New(s.spec.TLB, !s.spec.Faults.Preemptible(), paging.Parts{TLB: s.TLB, Faults: s.Faults, PageBytes: b.pageBytes,
		Asks: b.pools.asks, LSU: &s.lsu, Residents: &s.residents})
}

// Handling reports whether a page-fault handler runs on the SM. Its warps may wait for
// it for long.
func (s *SM) Handling() bool { return s.mmu != nil && s.mmu.Handler.Handling() }

// PageFault is the error of an access that no service can make good.
type PageFault struct {
	Account tenant.Account
	Kernel  string // "" until wiring.Platform.Run has filled it in
	TB      int
	Warp    int // of the thread block
	PC      string
	Addr    uint64 // of the line, without the tenant
	Fault   protocol.Fault
}

// Error names the access and its warp.
func (f *PageFault) Error() string {
	return fmt.Sprintf("%v: line %#x, by thread block %d, warp %d, %s", f.Fault, f.Addr, f.TB, f.Warp, f.PC)
}

// abort ends the simulation over an access that cannot be served.
func (s *SM) abort(op uint32, fault protocol.Fault, line uint64) {
	slot, pc := s.lsu.Issuer(op)
	w := &s.residents.Warps[slot]
	at := slices.Index(w.TB.Warps, int32(slot))
	s.Fail(&PageFault{Account: w.Account, TB: w.TB.TB.ID, Warp: at, PC: workload.Where(w.Stream, pc),
		Addr: line &^ w.Account.Base(), Fault: fault})
}
