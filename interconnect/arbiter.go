package interconnect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// arbiter chooses which input one output serves next. Each output has its own.
type arbiter interface {
	// choose returns a member of requests, which is not empty. The choice is
	// always carried out.
	choose(requests portSet) int
}

const defaultArbiter = "roundrobin"

var arbiters = map[string]func() arbiter{
	defaultArbiter: func() arbiter { return &roundRobin{} },
}

func (s Spec) newArbiter() (arbiter, error) {
	name := s.Arbiter
	if name == "" {
		name = defaultArbiter
	}
	make, ok := arbiters[name]
	if !ok {
		valid := strings.Join(slices.Sorted(maps.Keys(arbiters)), ", ")
		return nil, fmt.Errorf("arbiter is %q, must be one of: %s", s.Arbiter, valid)
	}
	return make(), nil
}
