package spart_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/spart"
)

func TestContract(t *testing.T) {
	contract.Check(t, "spart",
		"epoch=1k",
		"preempt=drain,epoch=1k",
		"preempt=ideal,epoch=1k",
		"preempt=none,epoch=1k")
}
