package ccbp_test

import (
	"testing"

	_ "cotenant/cta_dispatcher/policy/ccbp"
	"cotenant/cta_dispatcher/policy/contract"
)

func TestContract(t *testing.T) {
	contract.Check(t, "ccbp",
		"epoch=1k",
		"epoch=1k,preempt=switch,metric=wspeedup,ls_unlimited=off",
		"epoch=1k,variant=drf,sustain=0.85,refusal=end",
		"epoch=1k,climb=on,preempt=switch",
		"epoch=1k,variant=offline")
}
