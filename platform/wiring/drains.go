package wiring

import (
	"fmt"

	"cotenant/sm"
)

// undrainedCycles is the time in core cycles after which an evicted thread block counts
// as lost if nothing of it moves. Thread blocks that wait for page faults are exempt:
// their service takes as long as it takes.
const undrainedCycles = 1_000_000

// drains watches the thread blocks that are leaving their SMs. While other tenants issue,
// no other check would notice them.
type drains struct {
	since map[placement]drain // of the thread blocks that were leaving at the last look
}

// placement names a thread block on an SM.
type placement struct {
	sm     int
	serial uint64
}

// drain is how far a thread block had drained at a core cycle.
type drain struct {
	pending int
	cycle   uint64
}

// look returns an error if nothing of a thread block has moved for too long. leaving
// lists the thread blocks that leave an SM, and app names a tenant's application.
func (d *drains) look(cycle uint64, sms int, leaving func(sm int) []sm.Leaving, app func(tenant int) string) error {
	now := map[placement]drain{}
	for i := range sms {
		for _, l := range leaving(i) {
			at := placement{i, l.Serial}
			was, known := d.since[at]
			if !known || was.pending != l.Pending || l.Faulted {
				was = drain{l.Pending, cycle}
			}
			if cycle-was.cycle >= undrainedCycles {
				return fmt.Errorf("SM %d: thread block %d of tenant %d (%s) is to leave, and nothing of it has moved since cycle %d: %d of its instructions have not completed",
					i, l.TB, l.Account.Tenant(), app(int(l.Account.Tenant())), was.cycle, l.Pending)
			}
			now[at] = was
		}
	}
	d.since = now
	return nil
}
