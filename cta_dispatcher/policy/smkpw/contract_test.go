package smkpw_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/smkpw"
)

func TestContractOfPairs(t *testing.T) {
	contract.Check(t, "smk-pw2", "epoch=1k,quota=scheduler,wipc=isolated", "preempt=ideal,epoch=1k")
}

func TestContract(t *testing.T) {
	contract.Check(t, "smk-pw", "epoch=1k", "preempt=ideal,epoch=1k,quota=scheduler", "epoch=1k,wipc=isolated")
}
