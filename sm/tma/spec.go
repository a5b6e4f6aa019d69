// Package tma makes the bulk copies of an SM (NVIDIA's Tensor Memory Accelerator). It takes one
// instruction for a box of an array and makes the accesses itself, 128 bytes a cycle, as copies that no L1
// serves. The load-store unit performs them as it does those of cp.async.
package tma

// Spec holds the parameters of the unit.
type Spec struct {
	// Latency is the number of cycles from a bulk copy's issue to its first access: what it
	// takes longer than a load.
	Latency int `yaml:"latency" range:"0..1023"`
	// Copies is the number of bulk copies whose data can be under way, 1 to 255. Zero stands for
	// as many as there are numbers, 255.
	Copies int `yaml:"copies" range:"0..255"`
	// Suspend is the number of cycles after which a warp looks again that has found the phase of
	// an mbarrier going on (mbarrier.try_wait), if nothing arrives before. The PTX ISA leaves it to
	// the machine. Zero stands for 10,000.
	Suspend int `yaml:"suspend" range:"0..1048576"`
}

// Limit is Suspend, or what it stands for.
func (s *Spec) Limit() uint64 {
	if s.Suspend == 0 {
		return 10_000
	}
	return uint64(s.Suspend)
}
