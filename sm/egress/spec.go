package egress

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/tenant"
)

// Spec holds the parameters of an issue-rate controller.
type Spec struct {
	// SubQueues is the number of sub-queues, shared equally by the tenants on the SM (CCBP
	// 6.1: 8); at most 64. With 0 there is no controller: the miss queue is one queue of
	// sm.l1.miss_queue packets, and the other fields have no effect.
	SubQueues int `yaml:"sub_queues" range:"0..64"`
	// Depth is the number of packets in a sub-queue, packets in the L1's lookup included; at
	// most 1024 (CCBP 7.6: 8, 16 or 32; 16 with the 128 entries of its Table 1). All
	// sub-queues hold 16 or more together, one for each possible tenant.
	Depth int `yaml:"depth" range:"1..1024" if:"sub_queues"`
	// Latency is the number of core cycles from a packet's arrival in its queue to the
	// first cycle in which it can leave, 1 to 4 (CCBP 7.6). The L1's lookup comes
	// before it.
	Latency int `yaml:"latency" range:"1..4" if:"sub_queues"`
	// IntervalCycles is the time for which a rate gives a number of requests, in
	// cycles of the crossbars, at most 65536 (CCBP 6.2: 200).
	IntervalCycles int `yaml:"interval_cycles" range:"1..1<<16" if:"sub_queues"`
}

// Entries is the number of packets that all sub-queues hold.
func (s *Spec) Entries() int { return s.SubQueues * s.Depth }

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if s.SubQueues > 0 && s.Entries() < tenant.Max {
		return fmt.Errorf("depth is %d, must be %d or more with %d sub_queues: each of %d tenants needs an entry",
			s.Depth, (tenant.Max+s.SubQueues-1)/s.SubQueues, s.SubQueues, tenant.Max)
	}
	return nil
}
