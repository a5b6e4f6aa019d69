package sm

// Outstanding counts what an SM has begun and not ended. Of an SM whose thread blocks
// have all ended or left, and whose messages have been taken, all is 0.
type Outstanding struct {
	Warps        int // slots that are taken
	Unquiet      int // slots for which an instruction, or the acknowledgement of a store, is in flight
	Queued       int // instructions in the issue queue
	Operations   int // memory instructions in the load-store unit and beyond
	Misses       int // L1 MSHRs
	Translations int // TLB MSHRs
	LogEntries   int // of the operand log that thread blocks have, used or not
	Away         int // thread blocks off the SM that wait for faults to be served
	Packets      int // that wait to leave
}

// Outstanding says what there is now.
func (s *SM) Outstanding() Outstanding {
	o := Outstanding{Operations: s.lsu.InFlight(), Misses: s.l1.Outstanding(), Away: len(s.away), Packets: s.egress.Len()}
	for slot := range s.warps {
		if s.warps[slot].inUse {
			o.Warps++
		}
		if !s.quiet(slot) {
			o.Unquiet++
		}
	}
	if s.tlb != nil {
		o.Translations = s.tlb.Waiting()
	}
	if v := s.window; v != nil {
		for slot := range v.warps {
			waiting, _ := v.queue.Len(slot)
			o.Queued += waiting
		}
		if v.log != nil {
			o.LogEntries = v.log.Given()
		}
	}
	return o
}
