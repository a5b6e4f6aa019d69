package mps_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/mps"
)

func TestContract(t *testing.T) {
	contract.Check(t, "mps", "percent=all", "percent=50/25/25/10", "percent=80/80/60/100", "percent=1/99/50/30")
}
