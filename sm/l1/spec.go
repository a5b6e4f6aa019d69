package l1

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/mem/cache"
	"cotenant/protocol"
)

// Spec holds the parameters of the L1 data cache: write-through, no write
// allocation, lines of 128 bytes.
type Spec struct {
	// Sets and Ways give the size: Sets x Ways x 128 bytes.
	Sets int `yaml:"sets" range:"1..1<<12"`
	Ways int `yaml:"ways" range:"1..256"`
	// SetIndex says which set holds a line: hash, linear or fermi (cache.Function); "" is hash.
	SetIndex cache.SetIndex `yaml:"set_index" json:",omitzero"`
	// Victim is the rule by which a miss displaces a line: lru; ucp, which divides
	// sets between tenants by what their loads would hit with more ways (UCP).
	Victim string `yaml:"victim"`
	// UCPPeriod is the number of cycles between two divisions by ucp, at least 1;
	// with another rule it counts for nothing. The paper's 5 million are for a
	// processor's L2 (Qureshi and Patt, MICRO 2006).
	UCPPeriod int `yaml:"ucp_period" range:"1..1<<30" if:"victim=ucp"`
	// Prefetch is what fetches lines before loads ask for them.
	Prefetch PrefetchSpec `yaml:"prefetch"`
	// Globals says which loads of global memory the L1 caches: cached, all; read_only,
	// loads that the program marks read-only, as the GTX 980 does unless compiled
	// otherwise (Maxwell Tuning Guide, Unified L1/Texture Cache); bypass, none, as the
	// K20c does (Kepler Tuning Guide, L1 Cache). Other loads go to the L2. Local memory
	// and textures are cached in any case.
	Globals string `yaml:"globals"`
	// WriteEvict says that a store to global memory drops the line that it hits,
	// as an atomic does, unless the line is on its way (GPGPU-Sim 3.2.2,
	// gpu-cache.cc, wr_hit_we). False: the line stays, and is written too.
	WriteEvict bool `yaml:"write_evict"`
	// Sectored says that a miss fetches the missing 32 B sectors instead of
	// the line.
	Sectored bool `yaml:"sectored"`
	// AllocateOnFill says that a miss takes a line when its data arrive, not
	// when it is sent; then no line can be lacking.
	AllocateOnFill bool `yaml:"allocate_on_fill"`
	// HitLatency is the load-to-use latency of a hit, in cycles.
	HitLatency int `yaml:"hit_latency" range:"2..1023"`
	// MissLatency is the time from the access until its miss can leave the SM,
	// in cycles.
	MissLatency int `yaml:"miss_latency" range:"1..1023"`
	// MSHRs is the number of lines that can be outstanding.
	MSHRs int `yaml:"mshrs" range:"1..1<<12"`
	// MSHRPerSector says that every sector on its way takes an MSHR, as in Accel-Sim's
	// caches of sectors, not every line; MSHRs must then be at least the 4 sectors of a
	// line.
	MSHRPerSector bool `yaml:"mshr_per_sector"`
	// MSHRMerge is the number of accesses that can wait for one line.
	MSHRMerge int `yaml:"mshr_merge" range:"1..1<<8"`
	// MissQueue is the number of packets that can wait to leave the SM.
	MissQueue int `yaml:"miss_queue" range:"1..1<<16"`
	// StoreBuffer is the number of these packets that can be writes or atomics. With an
	// issue-rate controller (sm.irc) the tenants on the SM have equal parts, of one
	// entry or more.
	StoreBuffer int `yaml:"store_buffer" range:"1..1<<16"`
	// ReplyQueue is the number of replies that the SM's port holds.
	ReplyQueue int `yaml:"reply_queue" range:"1..1<<16"`
	// ReturnsPerCycle is the number of accesses that a fill sends back to the
	// load-store unit in a cycle: the rest wait, and so do later fills' accesses. 0: all
	// accesses of a fill go at once. GPGPU-Sim and Accel-Sim release one (shader.cc,
	// ldst_unit::writeback).
	ReturnsPerCycle int `yaml:"returns_per_cycle" range:"0..1<<8"`
	// MissesTakeHitLatency says that no load is done sooner than if it had hit: a load
	// that joins a miss just before the data come is a hit by the end of its lookup.
	// False: it is done with the data.
	MissesTakeHitLatency bool `yaml:"misses_take_hit_latency"`
	// Banks is the number of banks, at most 32. In a cycle the load-store unit looks up
	// accesses of one memory instruction, in their order, until an access needs a bank
	// that an earlier access has; an access needs the banks of all sectors that it
	// touches. With 1 it is one access a cycle. Textures go by
	// sm.lsu.texture_lines_per_cycle instead.
	Banks int `yaml:"banks" range:"1..32"`
	// BankBytes is the interleaving: consecutive bytes that are in one bank; 32,
	// 64 or 128. It has no meaning with one bank.
	BankBytes int `yaml:"bank_bytes" range:"32,64,128"`
	// AccessBytes is the most that an access of a global or local load or store spans.
	// With 128 several sectors of a line are one access. With 32 each sector is an
	// access of its own, with its own lookup, place in an MSHR entry, and packet, as in
	// Accel-Sim. Atomics are accesses of a line.
	AccessBytes int `yaml:"access_bytes" range:"32,128"`
}

// Validate reports the first field that is out of range, by its name.
func (s *Spec) Validate() error {
	if err := limits.Check(s); err != nil {
		return err
	}
	if s.MSHRPerSector && s.MSHRs < protocol.SectorsPerLine {
		return fmt.Errorf("mshrs is %d, must be at least %d with mshr_per_sector", s.MSHRs, protocol.SectorsPerLine)
	}
	if _, err := parseGlobals(s.Globals); err != nil {
		return err
	}
	if _, err := cache.ParseFunction(s.SetIndex, s.Sets); err != nil {
		return err
	}
	_, err := NewVictim(s)
	return err
}
