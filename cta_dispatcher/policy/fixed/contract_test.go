package fixed_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/fixed"
)

func TestContract(t *testing.T) {
	contract.Check(t, "fixed",
		"tbs=3/1/2/4",
		"tbs=3/1/2/4,preempt=ideal",
		"sms=1/1/1/1,preempt=none",
		"tbs=2/9/1/99,sms=1/2/1/1",
		"rates=15.5/-/1/200,first=1/0/0/1")
}
