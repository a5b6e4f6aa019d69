package qos_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/qos"
)

func TestContract(t *testing.T) {
	contract.Check(t, "qos",
		"epoch=1k",
		"scheme=naive,charge=issue,epoch=1k",
		"scheme=elastic,history=off,epoch=1k",
		"scheme=rollover-time,preempt=ideal,epoch=1k",
		"adjust=on,epoch=1k",
		"swaps=gpu,epoch=1k",
		"adjust=off,epoch=1k")
}
