package dram

import (
	"fmt"
	"strings"
)

// scheduler is the rule by which requests compete. Its methods must not change
// anything, and must depend on their arguments alone: the controller calls
// them when a bank's state changes, not every cycle.
type scheduler interface {
	// target returns the request that a bank is to work towards, among those
	// that wait for it in the present direction, of which there is at least
	// one. Overtaken is the number of requests to the open row that were
	// served before an older one to another row.
	target(w *waiting, overtaken int) *Request
	// before reports whether the next command for request a goes before that
	// for b when both could be sent at the same cycle. aHit and bHit say that
	// it is a column command.
	before(a, b *Request, aHit, bHit bool) bool
}

var schedulers = []struct {
	name string
	make func(Spec) scheduler
}{
	{"frfcfs", func(s Spec) scheduler { return frfcfs{maxHitStreak: s.MaxHitStreak} }},
	{"fcfs", func(Spec) scheduler { return fcfs{} }},
}

func newScheduler(s Spec) (scheduler, error) {
	var names []string
	for _, entry := range schedulers {
		if entry.name == s.Scheduler {
			return entry.make(s), nil
		}
		names = append(names, entry.name)
	}
	return nil, fmt.Errorf("scheduler is %q: must be one of %s", s.Scheduler, strings.Join(names, ", "))
}
