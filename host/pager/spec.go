package pager

import (
	"encoding"
	"fmt"
	"strconv"

	"cotenant/components/limits"
)

// Spec holds the parameters of a Pager.
type Spec struct {
	// Link names the link, in configurations and reports; it must not be empty.
	Link string `yaml:"link"`
	// MigrateNs is the time to serve a region with data in the CPU's memory, AllocateNs the
	// time for a region that only needs memory, the CPU's handler included, each 1 to
	// 1,000,000,000 ns and at least three core cycles (thesis 6.5.3: 12,000 and 10,000 with
	// NVLink, 25,000 and 12,000 with PCIe).
	MigrateNs  int `yaml:"migrate_ns" range:"1..1000000000"`
	AllocateNs int `yaml:"allocate_ns" range:"1..1000000000"`
	// Occupancy is the time from the beginning of a service until the next may begin.
	Occupancy Occupancy `yaml:"occupancy"`
}

// maxNs bounds every time, as the tags do.
const maxNs = 1_000_000_000

// Occupancy is the time that a service holds link and CPU: ns, or Full.
type Occupancy int

// Full is the whole time of the service: faults are served one by one (thesis 6.5.3,
// "resolved (one by one)").
const Full Occupancy = -1

var _ encoding.TextMarshaler = Full

// Takes names the valid values.
func (Occupancy) Takes() string { return fmt.Sprintf("full or 0 to %d ns", maxNs) }

// UnmarshalText reads full, or a number of ns.
func (o *Occupancy) UnmarshalText(text []byte) error {
	if string(text) == "full" {
		*o = Full
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not %s", text, o.Takes())
	}
	*o = Occupancy(n)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (o Occupancy) MarshalText() ([]byte, error) {
	if o == Full {
		return []byte("full"), nil
	}
	return strconv.AppendInt(nil, int64(o), 10), nil
}

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if s.Link == "" {
		return fmt.Errorf("link is empty, must be a name, such as nvlink")
	}
	if err := limits.Check(s); err != nil {
		return err
	}
	if s.Occupancy < Full || s.Occupancy > maxNs {
		return fmt.Errorf("occupancy is %d, must be %s", s.Occupancy, s.Occupancy.Takes())
	}
	return nil
}

// leastCycles is the least time of a service: the way to the pager's answer, and from it
// to the SMs.
const leastCycles = 3

// Check returns an error for the first time that is too short for a core clock of hz.
func (s *Spec) Check(hz uint64) error {
	for _, f := range []struct {
		name  string
		value int
	}{{"migrate_ns", s.MigrateNs}, {"allocate_ns", s.AllocateNs}} {
		if n := cycles(f.value, hz); n < leastCycles {
			return fmt.Errorf("%s is %d, %d cycles of a clock of %d Hz; must be at least %d cycles", f.name, f.value, n, hz, leastCycles)
		}
	}
	return nil
}

// cycles converts ns to cycles of a clock of hz, rounded up.
func cycles(ns int, hz uint64) uint64 {
	const second = 1_000_000_000
	n := uint64(ns)
	return n/second*hz + (n%second*hz+second-1)/second
}
