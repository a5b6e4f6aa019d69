package dram

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/mem/dram/tcm"
	"cotenant/protocol"
)

// Spec holds the parameters of a Controller. Its ports and banks follow from
// the AddressMap.
type Spec struct {
	// PortDepth is the number of requests that can wait at each slice's port,
	// before the queues; at least 1 (usual: 8).
	PortDepth int `yaml:"port_depth" range:"1..1<<16"`
	// ReadQueue is the number of reads among which the scheduler chooses, at
	// least 1 (gtx980: 64; CCBP Table 1: 128); with UnifiedQueue, of requests.
	ReadQueue int `yaml:"read_queue" range:"1..1<<16"`
	// UnifiedQueue says that reads and writes wait in one queue of ReadQueue
	// entries, where the scheduler treats them alike, and that no drain holds
	// either back (GPGPU-Sim 3.2.2: one queue of 16). WriteQueue, WriteHigh and
	// WriteLow then have no effect, but must still be valid.
	UnifiedQueue bool `yaml:"unified_queue"`
	// WriteQueue is the number of writes that can wait, at least 1 (64).
	WriteQueue int `yaml:"write_queue" range:"1..1<<16"`
	// WriteHigh is the number of waiting writes at which a drain begins, at
	// most WriteQueue (56).
	WriteHigh int `yaml:"write_high"`
	// WriteLow is the number of waiting writes at which a drain ends while
	// reads wait; below WriteHigh (32).
	WriteLow int `yaml:"write_low"`
	// EntryPerBurst says that a request takes an entry of its queue for each of
	// its bursts, and gives it back with that burst's column command. GPGPU-Sim 4
	// does so: it cuts a line into sectors before an L2 of sectors, and 64
	// entries look 16 lines ahead. False: an entry holds a request of up to a
	// line, as in GPGPU-Sim 3.2.2, where the L2 has no sectors. The queues must have
	// room for a line, the write queue also when WriteHigh - 1 writes wait.
	EntryPerBurst bool `yaml:"entry_per_burst"`
	// Scheduler is the name of the rule that picks commands, such as frfcfs,
	// fcfs or tcm.
	Scheduler string `yaml:"scheduler"`
	// MaxHitStreak is the number of younger row hits that frfcfs lets overtake
	// the oldest request of their bank; 0: no limit.
	MaxHitStreak int `yaml:"max_hit_streak" range:"0..1<<16"`
	// BankGroups is the number of groups that the banks form, 1 for none. Bank
	// b is in group b mod BankGroups.
	BankGroups int `yaml:"bank_groups" range:"1..64"`
	// InterleaveBursts lets bursts of requests to other bank groups go between the
	// bursts of a request. Without it a request's bursts stay together, t_ccdl apart
	// if the banks form groups, and the data bus idles between them.
	InterleaveBursts bool `yaml:"interleave_bursts"`
	// BusBytes is the width of the channel's data bus in bytes (a 32-bit GDDR5
	// device: 4; Fermi pairs two: 8).
	BusBytes int `yaml:"bus_bytes" range:"1..128"`
	// BurstLength is the number of beats of a burst (GDDR5: 8).
	// BurstLength x BusBytes must be 32, 64 or 128.
	BurstLength int `yaml:"burst_length" range:"1..128"`
	// DataRate is the number of beats in a command clock (GDDR5: 4). It must
	// divide BurstLength.
	DataRate int `yaml:"data_rate" range:"1..128"`
	// ReturnLatency is the time from the last beat of a read's data to its
	// reply, in command clocks: the way back to the slice.
	ReturnLatency int `yaml:"return_latency" range:"0..1<<16"`
	// TCM holds the parameters of the scheduler tcm. With another scheduler they have
	// no effect, but must be valid or all 0.
	TCM tcm.Spec `yaml:"tcm" range:"-"`
	// Timing of the DRAM devices.
	Timing Timing `yaml:"timing"`
}

// Validate returns an error that names the first field that is out of range,
// or contradicts another.
func (s Spec) Validate() error {
	for _, err := range []error{limits.Check(s),
		limits.In("write_high", s.WriteHigh, 1, s.WriteQueue), limits.In("write_low", s.WriteLow, 0, s.WriteHigh-1)} {
		if err != nil {
			return err
		}
	}
	if s.Scheduler == "tcm" || s.TCM != (tcm.Spec{}) {
		if err := s.TCM.Validate(); err != nil {
			return fmt.Errorf("tcm.%w", err)
		}
	}
	if s.BurstLength%s.DataRate != 0 {
		return fmt.Errorf("data_rate is %d, must divide burst_length, which is %d", s.DataRate, s.BurstLength)
	}
	switch bytes := s.burstBytes(); bytes {
	case protocol.SectorBytes, 2 * protocol.SectorBytes, protocol.LineBytes:
	default:
		return fmt.Errorf("burst_length is %d: a burst of %d bytes a beat must move 32, 64 or 128 bytes, not %d",
			s.BurstLength, s.BusBytes, bytes)
	}
	if err := schedulers.Check("scheduler", s.Scheduler); err != nil {
		return err
	}
	if s.EntryPerBurst {
		line := s.lineBursts()
		for _, f := range []struct {
			name  string
			value int
		}{{"read_queue", s.ReadQueue}, {"write_queue", s.WriteQueue}} {
			if f.value < line {
				return fmt.Errorf("%s is %d, must be at least the bursts of a line, which are %d, with entry_per_burst", f.name, f.value, line)
			}
		}
		// A write that lacks room waits at its port and does not count towards
		// WriteHigh: the drain that makes room must begin without it.
		if most := s.WriteQueue - line + 1; !s.UnifiedQueue && s.WriteHigh > most {
			return fmt.Errorf("write_high is %d, must be at most %d with entry_per_burst, so that a drain begins where a line has no room", s.WriteHigh, most)
		}
	}
	return s.Timing.validate(s.burstClocks(), s.lineBursts(), s.BankGroups)
}

func (s Spec) burstBytes() int  { return s.BurstLength * s.BusBytes }
func (s Spec) burstClocks() int { return s.BurstLength / s.DataRate }
func (s Spec) lineBursts() int  { return protocol.LineBytes / s.burstBytes() }

// PeakBytesPerSecond is the bandwidth of a channel at a command clock of hz.
func (s Spec) PeakBytesPerSecond(hz uint64) uint64 {
	return hz * uint64(s.BusBytes) * uint64(s.DataRate)
}

// burstTable is the number of bursts that each mask of sectors takes: a burst for each
// part of the line with a sector in the mask, and one for an empty mask.
func (s Spec) burstTable() (bursts [1 << protocol.SectorsPerLine]uint8) {
	perBurst := s.burstBytes() / protocol.SectorBytes
	for mask := range bursts {
		for first := 0; first < protocol.SectorsPerLine; first += perBurst {
			if mask>>first&(1<<perBurst-1) != 0 {
				bursts[mask]++
			}
		}
		bursts[mask] = max(bursts[mask], 1)
	}
	return bursts
}
