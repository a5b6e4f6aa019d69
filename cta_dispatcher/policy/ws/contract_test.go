package ws_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/ws"
)

func TestContract(t *testing.T) {
	contract.Check(t, "ws",
		"epoch=1k,warmup=1k,sample=500",
		"epoch=1k,warmup=200,sample=100,preempt=ideal,clip=1/1",
		"epoch=2k,warmup=3k,sample=500,preempt=none",
		"epoch=1k,warmup=1k,sample=500,loss=30")
}
