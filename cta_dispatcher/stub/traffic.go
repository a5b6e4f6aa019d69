package stub

import (
	"cotenant/protocol"
	"cotenant/tenant"
)

// RateInterval is the interval of the SMs' issue-rate controllers, in core cycles
// (CCBP 5.1).
const RateInterval = 200

// Traffic is a running thread block's use of the memory.
type Traffic struct {
	Requests uint64 // in 1,000 cycles, without a rate
	Reads    uint64 // of 100 requests
	DRAM     uint64 // accesses for 100 requests
}

// controller is an SM's issue-rate controller without queues or bursts: in any time a
// tenant issues the requests of its thread blocks, up to its rate.
type controller struct {
	at      uint64 // cycle up to which it has counted
	rates   protocol.Rates
	active  protocol.ActiveTBs
	tenants [tenant.Max]traffic
}

// traffic counts a tenant's requests: wanted in 1/1,000 of a request, the other counts in
// 1/whole.
type traffic struct{ wanted, issued, reads, dram uint64 }

// whole is the number of the smallest parts of a request in a request.
const whole = 1000 * RateInterval * protocol.RateOne

// steer takes a control of the issue-rate controller.
func (s *SM) steer(c protocol.Control, cycle uint64) {
	s.issue(cycle)
	switch c := c.(type) {
	case *protocol.Rates:
		if !c.On {
			s.controller.rates = protocol.Rates{}
			return
		}
		s.controller.rates.On = true
		for i, r := range c.Of {
			if r.Given {
				s.controller.rates.Of[i] = r
			}
		}
	case *protocol.ActiveTBs:
		s.controller.active = *c
	}
}

// issue brings the controller up to date with the present thread blocks.
func (s *SM) issue(cycle uint64) {
	c := &s.controller
	time := cycle - c.at
	c.at = cycle
	if time == 0 {
		return
	}
	var running [tenant.Max]uint8
	var want, reads, dram [tenant.Max]uint64 // in 1,000 cycles; of 100 requests
	for i := range s.blocks {
		b := &s.blocks[i]
		if most := c.active.Most[b.tenant]; c.active.On && most > 0 && running[b.tenant] == most {
			continue
		}
		running[b.tenant]++
		t := &b.kernel.Traffic
		want[b.tenant] += t.Requests
		reads[b.tenant], dram[b.tenant] = t.Reads, t.DRAM
	}
	for i, w := range want {
		t := &c.tenants[i]
		issued := w * RateInterval * protocol.RateOne
		if r := c.rates.Of[i]; c.rates.On && r.Limited {
			issued = min(issued, uint64(r.Requests)*1000)
		}
		t.wanted += time * w
		t.issued += time * issued
		t.reads += time * issued * reads[i] / 100
		t.dram += time * issued * dram[i] / 100
	}
}

// requests fills in the counts of the controller.
func (s *SM) requests(cycle uint64, c *protocol.SMCounters) {
	s.issue(cycle)
	c.RateIntervals = cycle / RateInterval
	for i := range s.controller.tenants {
		t, o := &s.controller.tenants[i], &c.Tenants[i]
		o.MemoryRequests = t.issued / whole
		o.Replies = o.MemoryRequests
		o.Reads, o.DRAMAccesses = t.reads/whole, t.dram/whole
		o.Demand = t.wanted / 1000
	}
}
