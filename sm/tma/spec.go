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
}
