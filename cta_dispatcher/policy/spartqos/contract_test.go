package spartqos_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/spartqos"
)

func TestContract(t *testing.T) {
	contract.Check(t, "spart-qos",
		"window=2k,epoch=1k",
		"preempt=drain,window=3k,epoch=1k",
		"preempt=ideal,window=10k,epoch=1k")
}
