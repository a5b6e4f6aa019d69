package rocache

import (
	"cotenant/components/limits"
	"cotenant/mem/cache"
)

// Spec holds the parameters of a read-only cache with lines of 128 bytes.
type Spec struct {
	// Sets and Ways give the size of the first level: Sets x Ways x 128 bytes. 0
	// sets: there is no such cache, and the other fields have no meaning.
	Sets int `yaml:"sets" range:"0..1<<12"`
	Ways int `yaml:"ways" range:"1..256" if:"sets"`
	// SetIndex says which set holds a line, in both levels: hash, linear or fermi
	// (cache.Function); "" is hash.
	SetIndex cache.SetIndex `yaml:"set_index" json:",omitzero"`
	// Sectored says that a miss fetches the missing 32 B sectors instead of the
	// line.
	Sectored bool `yaml:"sectored"`
	// HitLatency is the load-to-use latency of a hit, in cycles.
	HitLatency int `yaml:"hit_latency" range:"2..1023" if:"sets"`
	// SecondSets and SecondWays give the size of a second level behind the first;
	// 0 sets: there is none, and the two fields beside it have no meaning.
	SecondSets int `yaml:"second_sets" range:"0..1<<12" if:"sets"`
	SecondWays int `yaml:"second_ways" range:"1..256" if:"second_sets"`
	// SecondLatency is the load-to-use latency of a load that misses the first
	// level and hits the second, in cycles. The first level has the line at once.
	SecondLatency int `yaml:"second_latency" range:"2..1023" if:"second_sets"`
	// MissLatency is the time from the access until its miss can leave the SM, in
	// cycles.
	MissLatency int `yaml:"miss_latency" range:"1..1023" if:"sets"`
	// MSHRs is the number of lines that can be outstanding.
	MSHRs int `yaml:"mshrs" range:"1..1<<12" if:"sets"`
	// MSHRMerge is the number of accesses that can wait for one line.
	MSHRMerge int `yaml:"mshr_merge" range:"1..1<<8" if:"sets"`
}

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil || s.Sets == 0 {
		return err
	}
	for _, sets := range []int{s.Sets, s.SecondSets} {
		if _, err := cache.ParseFunction(s.SetIndex, sets); err != nil && sets > 0 {
			return err
		}
	}
	return nil
}
