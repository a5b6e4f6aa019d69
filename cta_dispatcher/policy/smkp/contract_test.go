package smkp_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/smkp"
)

func TestContract(t *testing.T) {
	contract.Check(t, "smk-p", "epoch=1k", "preempt=ideal,epoch=1k")
}
