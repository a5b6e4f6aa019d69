package smkpw

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/partition"
)

func init() {
	policy.Register(describe("smk-pw", "smk-p with quotas of instructions, from a profiling SM for each kernel", 0))
	policy.Register(describe("smk-pw2", "smk-pw with at most two kernels on an SM", 2))
}

// describe makes the entry of a policy with quotas and a limit on the kernels of an SM; 0: no
// limit.
func describe(name, about string, kernelLimit int) policy.Descriptor {
	return policy.Descriptor{
		Name: name, About: about,
		Options: []policy.Option{
			partition.Option,
			claim.Option(", between new quotas"),
			{Name: "quota", About: "sm: kernels divide an epoch of instructions on each SM, in equal parts for its schedulers; scheduler: an epoch of instructions at each scheduler", Default: "sm"},
			{Name: "wipc", About: "source of a kernel's rate alone: profiled, on an SM of its own, or isolated, the tenant's run alone on the GPU", Default: "profiled"},
		},
		New: func(o *policy.Options) policy.Policy {
			return &smkpw{
				Partitions: partition.Partitions{Mechanism: o.Mechanism("preempt", policy.Switch, policy.Ideal), KernelLimit: kernelLimit},
				epoch:      claim.Epoch(o),
				divided:    o.Choice("quota", "sm", "scheduler") == "sm",
				informed:   o.Choice("wipc", "profiled", "isolated") == "isolated",
			}
		},
	}
}
