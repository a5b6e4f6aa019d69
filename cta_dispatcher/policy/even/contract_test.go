package even_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/even"
)

func TestContract(t *testing.T) {
	contract.Check(t, "even")
}
