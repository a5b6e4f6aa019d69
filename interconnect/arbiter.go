package interconnect

import (
	"cmp"

	"cotenant/components/parts"
)

// arbiter chooses which input an output serves next. Each output has its own.
type arbiter interface {
	// choose returns a member of requests, which is not empty. The choice is
	// always carried out.
	choose(requests portSet) int
}

// arbiters holds the rules. The file of a rule adds it.
var arbiters parts.Set[Spec, arbiter]

func (s Spec) newArbiter() (arbiter, error) {
	return arbiters.New("arbiter", cmp.Or(s.Arbiter, "roundrobin"), s)
}
