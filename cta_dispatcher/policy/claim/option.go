package claim

import "cotenant/cta_dispatcher/policy"

// Option sets the window of a policy with Claims.
var Option = policy.Option{Name: "epoch",
	About: "cycles, 1k to 1000M; a tenant without a kernel for a whole epoch lends its part", Default: "10k"}

// Epoch is the option's value in cycles.
func Epoch(o *policy.Options) uint64 { return o.Cycles(Option.Name, 1000) }
