package npq_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/npq"
)

func TestContract(t *testing.T) {
	contract.Check(t, "npq")
}
