package ccbp

// Kind is what bounds a kernel (CCBP 5.4).
type Kind uint8

// The kinds, in the order in which the register "type" numbers them.
const (
	Unknown   Kind = iota // it has not been detected yet
	Sensitive             // to latency: it wants less than an even share of either bandwidth
	NoCBound              // bandwidth-intensive, the crossbar's replies run out first
	DRAMBound             // bandwidth-intensive, the DRAM runs out first
)

var kindNames = [...]string{"unknown", "LS", "NBI", "DBI"}

// String is the kind as the paper abbreviates it.
func (k Kind) String() string { return kindNames[k] }

// Factors say what the requests of a kernel cost (CCBP equations 2 and 4).
type Factors struct {
	Reads float64 // rf: reads, whose replies carry a line, over requests
	DRAM  float64 // df: accesses of the DRAM over replies
}

// classify is the kind of a kernel that wanted to issue demand requests in an
// interval and might issue even: equation 7 for those that wanted as many. A kernel
// that has no traffic may issue without end, and is sensitive.
func classify(f Factors, b Bandwidth, demand, even float64) Kind {
	switch {
	case demand < even:
		return Sensitive
	case f.DRAM*b.Replies < f.Reads*b.Accesses:
		return NoCBound
	}
	return DRAMBound
}
