package ppq_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/ppq"
)

func TestContract(t *testing.T) {
	contract.Check(t, "ppq", "mode=shared", "preempt=drain", "mode=shared,preempt=drain", "preempt=ideal")
}
