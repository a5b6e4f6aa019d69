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
	target(w *waiting, overtaken int) *entry
	// priority orders requests whose next commands could be sent at the same
	// cycle: the lowest goes first. It is below 1<<38. Hit says that it is a
	// column command. A request's order, the number of its acceptance, is below
	// 1<<37 in every run that ends.
	priority(e *entry, hit bool) uint64
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
