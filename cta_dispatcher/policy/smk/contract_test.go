package smk_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/smk"
)

func TestContract(t *testing.T) {
	contract.Check(t, "smk", "preempt=ideal")
}
