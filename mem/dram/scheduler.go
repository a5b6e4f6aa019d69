package dram

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scheduler is the rule by which requests compete. Its methods must not change
// anything, and must depend on their arguments alone: the controller calls
// them when a bank's state changes, not every cycle. A ranker's may depend on
// more.
type scheduler interface {
	// target returns the request that a bank is to work towards, among those
	// that wait for it in the present direction, of which there is at least
	// one. Overtaken is the number of requests to the open row that were
	// served before an older one to another row. It is not asked while a row has
	// not served the request for which it was opened.
	target(w *waiting, overtaken int) *entry
	// priority orders requests whose next commands could be sent at the same
	// cycle: the lowest goes first. It is below 1<<38. Hit says that it is a
	// column command. A request's order, the number of its acceptance, is below
	// 1<<37 in every run that ends.
	priority(e *entry, hit bool) uint64
}

// ranker is a scheduler that ranks tenants by what it is told of their requests.
// What target and priority return may depend on the ranks too, which change in
// rank alone.
type ranker interface {
	scheduler
	// begin is called once, before all else, with the number of banks.
	begin(banks int)
	// rank has the ranks be those from a cycle on, and reports whether one has
	// changed. Commands sent at the cycle itself have been chosen before.
	rank(now uint64) (changed bool)
	// rankedUntil is the first cycle after now, that of the last rank, at which
	// ranks may change. While requests wait, rank is called at that very cycle;
	// else, with a later one, before the next is accepted.
	rankedUntil(now uint64) uint64
	// accepted tells of a request that begins to wait for a bank, and served of
	// the last column command of one that has waited.
	accepted(e *entry, bank uint8, now uint64)
	served(e *entry, bank uint8, now uint64)
}

// schedulers are ways to make a scheduler, by name. The file of a scheduler
// registers it.
var schedulers = map[string]func(Spec) scheduler{}

// register makes a scheduler known.
func register(name string, make func(Spec) scheduler) {
	if schedulers[name] != nil {
		panic("two DRAM schedulers are called " + name)
	}
	schedulers[name] = make
}

func newScheduler(s Spec) (scheduler, error) {
	if make := schedulers[s.Scheduler]; make != nil {
		return make(s), nil
	}
	return nil, fmt.Errorf("scheduler is %q: must be one of %s", s.Scheduler, strings.Join(Schedulers(), ", "))
}

// Schedulers lists the names of the schedulers in alphabetical order.
func Schedulers() []string { return slices.Sorted(maps.Keys(schedulers)) }
