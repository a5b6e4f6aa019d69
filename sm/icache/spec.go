package icache

// Spec holds the parameters of an instruction cache (GPGPU-Sim 3.2.2,
// configs/GTX480, gpgpu_cache:il1: 4 sets, 4 ways, lines of 128 bytes, 2 MSHRs).
type Spec struct {
	// Sets is the number of sets, 0 to 4096. 0: every fetch hits, and the other
	// fields count for nothing.
	Sets int `yaml:"sets" range:"0..4096"`
	// Ways is the number of lines of a set, 1 to 256; the least recently used one
	// makes room.
	Ways int `yaml:"ways" range:"1..256" if:"sets"`
	// LineBytes is the size of a line, a power of two from 16 to 1024. Where an
	// instruction lies is its source's: PTX is lowered to instructions of 16 bytes,
	// traces say it themselves, profiles have 8 bytes.
	LineBytes int `yaml:"line_bytes" range:"pow2 16..1024" if:"sets"`
	// MSHRs is the number of lines that can be on their way, 1 to 256. All warps
	// can wait for one.
	MSHRs int `yaml:"mshrs" range:"1..256" if:"sets"`
	// MissLatency is the number of cycles from the fetch that misses until the
	// line is there and the warp can be fetched for again. It is fixed: the line
	// does not pass the crossbar, the L2 or the DRAM.
	MissLatency int `yaml:"miss_latency" range:"1..1023" if:"sets"`
}
