package ccbp

// Kind names a kernel's bottleneck (CCBP 5.4).
type Kind uint8

// The kinds, as the register "type" numbers them.
const (
	Unknown   Kind = iota // it has not been detected yet
	Sensitive             // to latency: it wants less than an even share of either bandwidth
	NoCBound              // bandwidth-intensive, the crossbar's replies run out first
	DRAMBound             // bandwidth-intensive, the DRAM runs out first
)

var kindNames = [...]string{"unknown", "LS", "NBI", "DBI"}

// String is the kind as the paper abbreviates it.
func (k Kind) String() string { return kindNames[k] }

// Factors are the costs of a kernel's requests (CCBP equations 2 and 4).
type Factors struct {
	Reads float64 // rf: reads over requests; a read's reply carries a line
	DRAM  float64 // df: accesses of the DRAM over replies
}

// classify returns the kind of a kernel from its demand and its even rate, in requests of an
// interval: equation 7 for demands at or above the even rate. A kernel without traffic has no
// even rate, and is sensitive.
func classify(f Factors, b Bandwidth, demand, even float64) Kind {
	switch {
	case demand < even:
		return Sensitive
	case f.DRAM*b.Replies < f.Reads*b.Accesses:
		return NoCBound
	}
	return DRAMBound
}
