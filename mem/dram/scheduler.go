package dram

import (
	"cotenant/components/parts"
	"cotenant/tenant"
)

// scheduler is the rule by which requests compete. Its methods change nothing and depend
// on their arguments alone, because the controller calls them when a bank's state
// changes, not every cycle. A ranker's can depend on its ranks too.
type scheduler interface {
	// target returns the request that a bank works towards, among the requests, one or
	// more, that wait for the bank in the present direction. Overtaken is the number of requests to
	// the open row that were served before an older one to another row. The controller
	// does not ask while a row has not served the request that opened it.
	target(w *waiting, overtaken int) *entry
	// priority orders requests when the next commands of several could be sent at one
	// cycle: the lowest goes first. It is below 1<<38. Hit says that the command is a column
	// command. A request's order, the number of its acceptance, is below 1<<37 in every
	// run that ends.
	priority(e *entry, hit bool) uint64
}

// ranker is a scheduler that changes its tenants' ranks by the requests that it hears of.
type ranker interface {
	scheduler
	// rank sets the ranks that count from a cycle on, and reports whether one has
	// changed. Commands sent at the cycle itself have been chosen before.
	rank(now uint64) (changed bool)
	// rankedUntil is the first cycle after now, that of the last rank, at which ranks can
	// change. While requests wait, the controller calls rank at that very cycle; else
	// later, before it accepts the next request.
	rankedUntil(now uint64) uint64
	// accepted tells of a request that begins to wait for a bank, and served of the last
	// column command of a request that has waited.
	accepted(e *entry, bank uint8, now uint64)
	served(e *entry, bank uint8, now uint64)
}

// site is the controller that a scheduler is made for.
type site struct {
	Spec
	banks   int
	tenants [tenant.Max]tenant.Attributes
}

// schedulers holds the rules. The file of a rule adds it.
var schedulers parts.Set[*site, scheduler]

// Schedulers lists the names of the schedulers in alphabetical order.
func Schedulers() []string { return schedulers.Names() }

// ranks orders tenants: 0 is the best rank.
type ranks = [tenant.Max]uint8

// first is the oldest waiting request of the tenants with the best rank, or with hits
// their oldest to the open row if there is one.
func (w *waiting) first(r *ranks, hits bool) (best *entry) {
	least := ^uint8(0)
	for e := w.oldest; e != nil; e = e.next {
		key := r[e.account.Tenant()] << 1
		if !hits || w.hit == nil || e.row != w.hit.row {
			key |= 1
		}
		if key < least {
			best, least = e, key
		}
	}
	return best
}

// orderBits is the part of a request's order that byRank compares. Where the count wraps
// round, requests from before and after swap ages, once in 1<<33 requests.
const orderBits = 33

// byRank is a priority by a rank below tenant.Max, then by column commands, then by age.
func byRank(rank uint8, e *entry, hit bool) uint64 {
	p := uint64(rank)<<1 | 1
	if hit {
		p--
	}
	return p<<orderBits | e.order&(1<<orderBits-1)
}
