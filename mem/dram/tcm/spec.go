package tcm

import "cotenant/components/limits"

// Spec holds the parameters. Times are in command clocks of the DRAM, as all of
// a controller's; the papers count cycles of the cores.
type Spec struct {
	// Quantum is the time after which tenants are ranked anew by what they did in
	// it, 1 to 1<<30 (100,000; Kim et al.: 1M cycles of CPUs).
	Quantum int `yaml:"quantum" range:"1..1<<30"`
	// ClusterPercent is the most that the latency cluster moves of a quantum's data, in
	// per cent, 0 to 100; 0: only tenants without requests are in the cluster (50; Kim
	// et al.: 4/24 for 24 threads).
	ClusterPercent int `yaml:"cluster_percent" range:"0..100"`
	// ShuffleInterval is the time after which the bandwidth cluster is shuffled, 1
	// to Quantum; Quantum: never (800, Kim et al.). It counts from the quantum's
	// begin.
	ShuffleInterval int `yaml:"shuffle_interval"`
	// AlikePercent bounds the differences between tenants of the bandwidth cluster, in
	// per cent of the banks for bank parallelism and of the requests for row locality.
	// Tenants that differ by less in both are shuffled at random, not by niceness; 0 to
	// 100, 0: never (10, Kim et al.).
	AlikePercent int `yaml:"alike_percent" range:"0..100"`
	// Seed of that shuffle, 0 to 1<<30. The controllers of all channels have the
	// same, and so the same ranks where they see the same.
	Seed int `yaml:"seed" range:"0..1<<30"`
}

// Validate returns an error that names the first field that is out of range.
func (s Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	return limits.In("shuffle_interval", s.ShuffleInterval, 1, s.Quantum)
}
