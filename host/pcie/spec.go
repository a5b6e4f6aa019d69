package pcie

import (
	"fmt"
	"strings"

	"cotenant/components/limits"
	"cotenant/protocol"
)

// Spec holds the parameters of the Engines and their bus.
type Spec struct {
	// Engines is the number of copies under way at a time, no two of one direction, 0 to 64; 0 is
	// one (thesis 2.2). Instances of a GPU have numbers of their own.
	Engines int `yaml:"engines" range:"0..64" json:",omitempty"`
	// Duplex lets the bus carry both directions at a time, as PCIe does. Without it they
	// share the bus (thesis 2.2).
	Duplex bool `yaml:"duplex" json:",omitempty"`
	// ClockMHz is the frequency of the bus in MHz, 1 to 100,000 (thesis Table
	// 5.1: 500).
	ClockMHz int `yaml:"clock_mhz" range:"1..100000"`
	// Lanes is the width of the bus, 1 to 64 (thesis Table 5.1: 32).
	Lanes int `yaml:"lanes" range:"1..64"`
	// LaneBits is the width of a lane in bits per cycle, 1 to 64 (8: 500 MB/s for each lane,
	// PCIe 2.0's rate of 5 GT/s after its line code).
	LaneBits int `yaml:"lane_bits" range:"1..64"`
	// BurstBytes is the largest transfer without a pause, 1 to 1 GiB (thesis Table 5.1:
	// 4096).
	BurstBytes int `yaml:"burst_bytes" range:"1..1<<30"`
	// BurstGap is the time of each burst beside its data, in cycles of the bus, 0 to
	// 1,000,000 (not published: 0).
	BurstGap int `yaml:"burst_gap" range:"0..1000000"`
	// Queue is the number of copies among which the scheduler chooses, at least
	// 1. A full queue holds back the command dispatcher.
	Queue int `yaml:"queue" range:"1..1<<16"`
	// Scheduler is the rule that picks the next copy: fcfs, the first to arrive, or npq,
	// non-preemptive priority queues: the highest priority of a process, then the first to
	// arrive (thesis 5.3.1 and 5.3.2).
	Scheduler string `yaml:"scheduler"`
}

// Validate returns an error that names the first field that is out of range.
func (s Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	_, err := s.before()
	return err
}

// Bursts is the number of bursts of a copy; an empty copy is one empty burst.
func (s Spec) Bursts(bytes uint64) uint64 { return max(1, ceilDivide(bytes, uint64(s.BurstBytes))) }

// Cycles is the time of a copy that has the bus to itself, at least 1 cycle.
func (s Spec) Cycles(bytes uint64) uint64 {
	bursts, burst := s.Bursts(bytes), uint64(s.BurstBytes)
	return (bursts-1)*s.burstCycles(burst) + s.burstCycles(bytes-(bursts-1)*burst)
}

// burstCycles is the time of one burst, at least 1 cycle.
func (s Spec) burstCycles(bytes uint64) uint64 {
	return max(1, ceilDivide(8*bytes, uint64(s.Lanes*s.LaneBits))+uint64(s.BurstGap))
}

func ceilDivide(a, b uint64) uint64 {
	if a == 0 {
		return 0
	}
	return (a-1)/b + 1
}

// schedulers are the rules by which copies compete for the bus: each reports whether copy a
// goes before b, which arrived after it.
var schedulers = []struct {
	name   string
	before func(a, b *protocol.Copy) bool
}{
	{"fcfs", func(_, _ *protocol.Copy) bool { return true }},
	{"npq", func(a, b *protocol.Copy) bool { return a.Priority >= b.Priority }},
}

// before returns the rule of Scheduler.
func (s Spec) before() (func(a, b *protocol.Copy) bool, error) {
	var names []string
	for _, rule := range schedulers {
		if rule.name == s.Scheduler {
			return rule.before, nil
		}
		names = append(names, rule.name)
	}
	return nil, fmt.Errorf("scheduler is %q, must be one of %s", s.Scheduler, strings.Join(names, ", "))
}
