package dram

import (
	"cotenant/components/stats"
	"cotenant/protocol"
	"cotenant/tenant"
)

// TenantStats counts what one kernel has had of a channel. A request counts
// from its first column command on, a read without one from its acceptance.
type TenantStats struct {
	Reads  uint64 // read requests, forwarded ones included
	Writes uint64 // write requests
	// ForwardedReads found all their sectors in the write queue and took no
	// time on the data bus.
	ForwardedReads uint64
	ReadBytes      uint64 // sectors read from DRAM, in bytes
	WrittenBytes   uint64 // sectors written to DRAM, in bytes
	// RowHits found their row open, RowMisses found the bank closed and
	// RowConflicts found another row open. The sum of the three and
	// ForwardedReads is that of Reads and Writes.
	RowHits, RowMisses, RowConflicts uint64
	Activates                        uint64 // rows opened for its requests
	Precharges                       uint64 // rows closed for its requests, not those closed for a refresh
	DataBusCycles                    uint64 `percycle:"1"` // command clocks in which the data bus carried its data
	// SavedBytes and LoadedBytes are the sectors, in bytes, of requests for the
	// contexts of preempted thread blocks, counted when they are accepted; those
	// that found their sectors in the write queue are among them.
	SavedBytes, LoadedBytes uint64
	// ReadLatencyCycles is the sum over reads of the command clocks from
	// acceptance into the read queue to the last beat of data.
	ReadLatencyCycles uint64
}

func (k *TenantStats) countContext(r *protocol.DRAMRequest) {
	bytes := uint64(protocol.SectorBytes * protocol.SectorCount(r.Sectors))
	if r.Write {
		k.SavedBytes += bytes
	} else {
		k.LoadedBytes += bytes
	}
}

// Stats counts what one channel has done.
type Stats struct {
	Accounts  tenant.PerAccount[TenantStats]
	Refreshes uint64 // of all banks, or of one each with a Timing.RFCBank
	// BusyCycles is the number of command clocks in which a request waited or
	// moved its data.
	BusyCycles uint64 `percycle:"1"`
	// Drains is the number of times that the channel turned from reads to
	// writes: of drains, or with UnifiedQueue of writes sent right after a read.
	Drains uint64
}

// Total is the sum over accounts.
func (s *Stats) Total() TenantStats { return stats.Sum(s.Accounts) }

// Tenant is the sum over a tenant's accounts.
func (s *Stats) Tenant(number int) TenantStats {
	return stats.Each(s.Accounts.From(number), tenant.Max)
}
