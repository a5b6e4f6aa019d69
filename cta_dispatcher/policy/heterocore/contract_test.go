package heterocore_test

import (
	"testing"

	"cotenant/cta_dispatcher/policy/contract"
	_ "cotenant/cta_dispatcher/policy/heterocore"
)

func TestContract(t *testing.T) {
	contract.Check(t, "heterocore",
		"epoch=1k,warmup=1k,measure=1k",
		"epoch=1k,warmup=2k,measure=1k,profile=launch,preempt=drain",
		"epoch=2k,warmup=1k,measure=2k,profile=app,preempt=switch,margin=0.1")
}

func TestAgnosticContract(t *testing.T) {
	contract.Check(t, "heterocore-agnostic",
		"epoch=1k,preempt=switch",
		"epoch=1k,preempt=drain",
		"epoch=1k,preempt=ideal")
}

func TestStaticContract(t *testing.T) {
	contract.Check(t, "heterocore-static",
		"epoch=1k,ipc=testdata/offline.yaml",
		"epoch=1k,ipc=testdata/offline.yaml,goal=stp,preempt=switch",
		"epoch=1k,ipc=testdata/offline.yaml,goal=classification,margin=0.1",
		"epoch=1k,goal=stp,ipcs=400+210+330+150/200+120+118+121/300+160+190+0/100+60+40+80")
}
