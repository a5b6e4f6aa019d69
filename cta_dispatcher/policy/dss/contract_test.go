package dss_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/dss"
)

func TestContract(t *testing.T) {
	contract.Check(t, "dss",
		"preempt=drain",
		"preempt=ideal",
		"preempt=flush",
		"tokens=1/5/2",
		"tokens=4/1,preempt=drain")
}
