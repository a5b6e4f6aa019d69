package partition

import "cotenant/cta_dispatcher/policy"

// Option chooses the mechanism of a policy with partitions.
var Option = policy.Option{Name: "preempt",
	About: "how thread blocks are taken off an SM or moved on it: switch or ideal", Default: "switch"}
