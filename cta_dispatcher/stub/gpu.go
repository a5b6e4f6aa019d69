// Package stub stands for the SMs and preemption engines of a GPU in tests of
// the SM driver and of sharing policies. A stub SM knows thread blocks and how
// long they run, and how long a context takes to be moved, and nothing else; but
// it notices when the driver sends more than an SM holds, more than one message
// a cycle, or a context to where another one is.
package stub

import (
	"fmt"
	"slices"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Times say how long things take, in core cycles. The functions are asked in
// the order in which thread blocks and orders reach the SMs.
type Times struct {
	// Run is how long a thread block runs, 1 at least.
	Run func(id tenant.ID, launch uint64, tb int) uint64
	// Save is how long it takes until a thread block that was told to leave has
	// left; one that would end in a quarter of it ends instead. Acknowledge is
	// how long it takes from then until all of its context is in memory, and
	// Load until a context is back. Where no context is moved, it takes no time.
	Save, Acknowledge, Load func() uint64
}

// GPU is the SMs, and what they have in common.
type GPU struct {
	SMs []*SM

	Times Times
	// Rate is how many warp instructions a running thread block issues in 1,000
	// cycles; nil: none.
	Rate func(id tenant.ID, launch uint64) uint64
	// Flat has an SM issue as many for one of a kernel's running thread blocks as for
	// several; nil: none has.
	Flat func(id tenant.ID, launch uint64) bool
	// Idle is how many of a thread block's warps are idle whenever they are counted;
	// nil: none.
	Idle func(id tenant.ID, launch uint64) int
	// Traffic is what a running thread block asks of the memory; nil: SMs without
	// issue-rate controllers.
	Traffic func(id tenant.ID, launch uint64) Traffic
	// Faults is the next fault of a thread block, whenever it comes, comes back, or goes
	// on after one; nil: none.
	Faults func(id tenant.ID, launch uint64, tb int) Fault
	// ContextBytes is the size of a context.
	ContextBytes func(occupancy.Demand) int
	// Placed, if it is not nil, is told of each new thread block that reaches an
	// SM; Saving of each order to take one off, which may have ended by then; and
	// Loading of each that comes back.
	Placed  func(cycle uint64, sm int, p *protocol.PlaceTB)
	Saving  func(cycle uint64, sm int, o *protocol.SaveTB, there bool)
	Loading func(cycle uint64, sm int, o *protocol.LoadTB)

	// SavedBytes and LoadedBytes are the contexts that have been moved, by tenant.
	SavedBytes, LoadedBytes [tenant.Max]uint64

	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	left       map[*protocol.Context]uint64 // cycles that a preempted thread block has to run yet
	memory     map[uint64]bool              // addresses of contexts
	fault      error
}

// Build makes an SM for each pair of the driver's ports to SMs and preemption
// engines, and connects them. placements and reports are the pools that the
// driver has.
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

// Err is the first thing that the driver has done wrong, nil if there is none.
func (g *GPU) Err() error { return g.fault }

func (g *GPU) fail(cycle uint64, format string, args ...any) {
	if g.fault == nil {
		g.fault = fmt.Errorf("at %d %s", cycle, fmt.Sprintf(format, args...))
	}
}

// Busy reports whether anything will happen without the driver: a thread block
// runs, or a context is on its way. That one off the chip hears of a fault is for
// Waiting.
func (g *GPU) Busy() bool {
	for _, s := range g.SMs {
		if len(s.blocks) > 0 || slices.ContainsFunc(s.toDriver, ends) || len(s.toPreEng) > 0 {
			return true
		}
	}
	return false
}
