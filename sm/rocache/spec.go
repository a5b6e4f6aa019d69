package rocache

import "fmt"

// Spec holds the parameters of a read-only cache, whose lines have 128 bytes.
type Spec struct {
	// Sets and Ways give the size of the first level: Sets x Ways x 128 bytes. 0
	// sets: there is no such cache, and the other fields have no meaning.
	Sets int `yaml:"sets"`
	Ways int `yaml:"ways"`
	// Sectored says that a miss fetches the missing 32 B sectors instead of the
	// line.
	Sectored bool `yaml:"sectored"`
	// HitLatency is the load-to-use latency of a hit, in cycles.
	HitLatency int `yaml:"hit_latency"`
	// SecondSets and SecondWays give the size of a second level behind the first;
	// 0 sets: there is none, and the two fields beside it have no meaning.
	SecondSets int `yaml:"second_sets"`
	SecondWays int `yaml:"second_ways"`
	// SecondLatency is the load-to-use latency of a load that misses the first
	// level and hits the second, in cycles. The first level has the line at once.
	SecondLatency int `yaml:"second_latency"`
	// MissLatency is the time from the access until its miss can leave the SM, in
	// cycles.
	MissLatency int `yaml:"miss_latency"`
	// MSHRs is the number of lines that can be outstanding.
	MSHRs int `yaml:"mshrs"`
	// MSHRMerge is the number of accesses that can wait for one line.
	MSHRMerge int `yaml:"mshr_merge"`
}

// Validate reports the first field that is out of range, by its name; no latency
// may be above maxLatency cycles.
func (s *Spec) Validate(maxLatency int) error {
	type field struct {
		name            string
		value, min, max int
	}
	fields := []field{{"sets", s.Sets, 0, 1 << 12}}
	if s.Sets != 0 {
		fields = append(fields, field{"ways", s.Ways, 1, 256}, field{"hit_latency", s.HitLatency, 2, maxLatency},
			field{"miss_latency", s.MissLatency, 1, maxLatency}, field{"mshrs", s.MSHRs, 1, 1 << 12},
			field{"mshr_merge", s.MSHRMerge, 1, 1 << 8}, field{"second_sets", s.SecondSets, 0, 1 << 12})
		if s.SecondSets != 0 {
			fields = append(fields, field{"second_ways", s.SecondWays, 1, 256}, field{"second_latency", s.SecondLatency, 2, maxLatency})
		}
	}
	for _, f := range fields {
		if f.value < f.min || f.value > f.max {
			return fmt.Errorf("%s is %d, must be %d to %d", f.name, f.value, f.min, f.max)
		}
	}
	return nil
}
