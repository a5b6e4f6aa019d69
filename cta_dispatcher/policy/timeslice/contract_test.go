package timeslice_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/timeslice"
)

func TestContract(t *testing.T) {
	contract.Check(t, "timeslice", "slice=1k", "slice=1k,preempt=drain", "slice=1k,idle=skip", "slice=1k,preempt=ideal")
}
