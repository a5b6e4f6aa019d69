package smkpw2_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/smkpw2"
)

func TestContract(t *testing.T) {
	contract.Check(t, "smk-pw2", "epoch=1k,quota=scheduler,wipc=isolated", "preempt=ideal,epoch=1k")
}
