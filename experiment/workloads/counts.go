package workloads

import (
	"cotenant/components/stats"
	"cotenant/platform/wiring"
	"cotenant/sm"
)

// Counts are what a kernel, or an application, did while it had the GPU. All
// are sums over its launches and over the GPU.
type Counts struct {
	Cycles             uint64            `json:"cycles"` // of the core clock
	WarpInstructions   uint64            `json:"warp_instructions"`
	ThreadInstructions uint64            `json:"thread_instructions"`
	TBs                uint64            `json:"tbs" from:"TBsFinished"`
	Stalls             map[string]uint64 `json:"stalls"`        // scheduler-cycles by cause, issued and idle ones included
	ThreadCycles       uint64            `json:"thread_cycles"` // sum over cycles of resident threads
	L1Accesses         uint64            `json:"l1_accesses" from:"L1.Accesses"`
	L1Hits             uint64            `json:"l1_hits" from:"L1.Hits"`
	L2Accesses         uint64            `json:"l2_accesses" from:"L2.Reads+L2.Writes+L2.Atomics"`
	L2Hits             uint64            `json:"l2_hits" from:"L2.Hits"`
	RequestFlits       uint64            `json:"request_flits" from:"NoC.Request.Flits"`
	ReplyFlits         uint64            `json:"reply_flits" from:"NoC.Reply.Flits"`
	NoCCycles          uint64            `json:"noc_cycles"`                                // of the crossbars' clock
	DRAMBusCycles      uint64            `json:"dram_bus_cycles" from:"DRAM.DataBusCycles"` // in which a channel's data bus was busy
	DRAMCycles         uint64            `json:"dram_cycles"`                               // of the command clock
}

// CountsOf are the counts of a GPU's only tenant after a number of core cycles.
func CountsOf(gpu *wiring.Platform, cycles uint64) Counts {
	c := gpu.Counters(cycles)
	w, total := c.Tenant(0), c.SM.Total()
	n := Counts{Cycles: cycles, Stalls: total.Stalls.ByName()}
	stats.Fill(&n, &w, &w.SM, c)
	return n
}

// Since is what happened since an earlier moment.
func (c *Counts) Since(from *Counts) (part Counts) {
	part.add(from, c)
	return part
}

// add adds what happened between two moments.
func (c *Counts) add(from, to *Counts) {
	if c.Stalls == nil {
		c.Stalls = map[string]uint64{}
	}
	for cause := range to.Stalls {
		c.Stalls[cause] += to.Stalls[cause] - from.Stalls[cause]
	}
	part := *to
	stats.Subtract(&part, from)
	stats.Add(c, &part)
}

// IPC is thread instructions per core cycle.
func (c *Counts) IPC() float64 { return stats.Ratio(c.ThreadInstructions, c.Cycles) }

// Share is the part of the schedulers' cycles that had a cause.
func (c *Counts) Share(cause string) float64 {
	sum := uint64(0)
	for _, n := range c.Stalls {
		sum += n
	}
	return stats.Ratio(c.Stalls[cause], sum)
}

// Stalled is the part of the schedulers' cycles in which nothing issued.
func (c *Counts) Stalled() float64 { return 1 - c.Share(sm.Issued.String()) }

// Class is "C" for what computes and "M" for what waits for memory.
func (c *Counts) Class() string {
	if c.Stalled() > memoryStall {
		return "M"
	}
	return "C"
}

// memoryStall is the part of cycles without issue above which a kernel is
// memory-intensive. Table 2 of the SMK paper has 60.2 % at most for compute-intensive
// kernels and 89.9 % at least for memory-intensive ones; this is the middle.
const memoryStall = (0.602 + 0.899) / 2
