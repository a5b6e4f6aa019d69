// Package stub replaces the SMs and preemption engines of a GPU in tests of the SM
// driver and of sharing policies. A stub SM only counts the cycles that thread blocks run
// and that contexts take to move. It reports an SM driver that overfills an SM, sends it
// two messages in one cycle, or saves a context over another.
package stub

import (
	"fmt"
	"slices"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Times gives durations in core cycles. The SMs call the functions in the order in which
// thread blocks and orders reach them.
type Times struct {
	// Run is the run time of a thread block, at least 1.
	Run func(id tenant.ID, launch uint64, tb int) uint64
	// Save is the time from the order to leave until a thread block has left; if the
	// thread block would finish in a quarter of this time, it finishes instead. Acknowledge
	// is the time from then until its context is in memory, and Load the time to bring a
	// context back. If no context moves, both ways take no time.
	Save, Acknowledge, Load func() uint64
}

// Kernel describes a running thread block of a kernel.
type Kernel struct {
	Rate uint64 // warp instructions that it issues in 1,000 cycles
	// Flat: several of the kernel issue no more on an SM than a single one.
	Flat    bool
	Idle    uint64 // idle warps in every sample
	Traffic Traffic
}

// GPU holds the SMs and their common parameters.
type GPU struct {
	SMs []*SM

	Times Times
	// Kernel is the work of a launch's thread blocks.
	Kernel func(id tenant.ID, launch uint64) Kernel
	// Faults is the next fault of a thread block that starts or goes on; nil: none.
	Faults func(id tenant.ID, launch uint64, tb int) Fault
	// ContextBytes is the size of a context.
	ContextBytes func(occupancy.Demand) int
	// Placed is called for each new thread block that reaches an SM, Saving for each order
	// to take a thread block off, which may have finished before, and Loading for each
	// thread block that comes back. Each may be nil.
	Placed  func(cycle uint64, sm int, p *protocol.PlaceTB)
	Saving  func(cycle uint64, sm int, o *protocol.SaveTB, there bool)
	Loading func(cycle uint64, sm int, o *protocol.LoadTB)

	// SavedBytes and LoadedBytes count the bytes of moved contexts, by tenant.
	SavedBytes, LoadedBytes [tenant.Max]uint64

	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	left       map[*protocol.Context]uint64 // remaining run time of a preempted thread block in cycles
	memory     map[uint64]bool              // addresses of contexts
	fault      error
}

// Build makes an SM for each pair of the driver's ports to SMs and preemption engines and
// connects them. placements and reports are the driver's pools.
func (g *GPU) Build(domain *components.Domain, sms, engines []*components.Port, capacities []occupancy.Capacity,
	placements *components.Pool[protocol.PlaceTB], reports *components.Pool[protocol.TBFinished]) error {
	g.placements, g.reports = placements, reports
	g.left, g.memory = map[*protocol.Context]uint64{}, map[uint64]bool{}
	for i := range sms {
		s := &SM{gpu: g, number: i, limit: &capacities[i]}
		s.Init(fmt.Sprintf("SM[%d]", i), domain, s)
		s.driver, s.engine = s.NewPort("Driver", 4), s.NewPort("PreEng", 4)
		if _, err := components.Connect(sms[i], s.driver, 1); err != nil {
			return err
		}
		if _, err := components.Connect(engines[i], s.engine, 1); err != nil {
			return err
		}
		g.SMs = append(g.SMs, s)
	}
	return nil
}

// Err is the driver's first mistake, nil without one.
func (g *GPU) Err() error { return g.fault }

func (g *GPU) fail(cycle uint64, format string, args ...any) {
	if g.fault == nil {
		g.fault = fmt.Errorf("at %d %s", cycle, fmt.Sprintf(format, args...))
	}
}

// Busy reports whether a thread block runs or a context is on its way. Waiting covers
// the faults of thread blocks off the chip.
func (g *GPU) Busy() bool {
	for _, s := range g.SMs {
		if len(s.blocks) > 0 || slices.ContainsFunc(s.toDriver, ends) || len(s.toPreEng) > 0 {
			return true
		}
	}
	return false
}
