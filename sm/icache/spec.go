package icache

import "fmt"

// Limits of a Spec's fields.
const (
	maxSets  = 4096
	maxWays  = 256
	maxMSHRs = 256
	minLine  = 16
	maxLine  = 1024
)

// Spec holds the parameters of an instruction cache (GPGPU-Sim 3.2.2,
// configs/GTX480, gpgpu_cache:il1: 4 sets, 4 ways, lines of 128 bytes, 2 MSHRs).
type Spec struct {
	// Sets is the number of sets, 0 to 4096. 0: every fetch hits, and the other
	// fields count for nothing.
	Sets int `yaml:"sets"`
	// Ways is the number of lines of a set, 1 to 256; the least recently used one
	// makes room.
	Ways int `yaml:"ways"`
	// LineBytes is the size of a line, a power of two from 16 to 1024. Where an
	// instruction lies is its source's: PTX is lowered to instructions of 16 bytes,
	// traces say it themselves, profiles have 8 bytes.
	LineBytes int `yaml:"line_bytes"`
	// MSHRs is the number of lines that can be on their way, 1 to 256. All warps
	// can wait for one.
	MSHRs int `yaml:"mshrs"`
	// MissLatency is the number of cycles from the fetch that misses until the
	// line is there and the warp can be fetched for again. It is fixed: the line
	// does not pass the crossbar, the L2 or the DRAM.
	MissLatency int `yaml:"miss_latency"`
}

// Validate reports the first field that is out of range, by its name; no latency
// may be above maxLatency cycles.
func (s *Spec) Validate(maxLatency int) error {
	if s.Sets == 0 {
		return nil
	}
	for _, f := range []struct {
		name            string
		value, min, max int
	}{
		{"sets", s.Sets, 0, maxSets},
		{"ways", s.Ways, 1, maxWays},
		{"mshrs", s.MSHRs, 1, maxMSHRs},
		{"miss_latency", s.MissLatency, 1, maxLatency},
	} {
		if f.value < f.min || f.value > f.max {
			return fmt.Errorf("%s is %d, must be %d to %d", f.name, f.value, f.min, f.max)
		}
	}
	if n := s.LineBytes; n < minLine || n > maxLine || n&(n-1) != 0 {
		return fmt.Errorf("line_bytes is %d, must be a power of two from %d to %d", n, minLine, maxLine)
	}
	return nil
}
