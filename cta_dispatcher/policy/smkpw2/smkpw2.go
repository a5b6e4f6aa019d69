// Package smkpw2 is SMK-(P+W)2 of the paper (5.5): smk-pw with at most two kernels on an SM,
// so that more than two take different pairs of SMs. A kernel's number of SMs with a partition
// joins its share: these numbers are kept equal.
package smkpw2

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/smkpw"
)

func init() {
	policy.Register(smkpw.Describe("smk-pw2", "smk-pw with at most two kernels on an SM", 2))
}
