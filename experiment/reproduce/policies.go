package reproduce

// named is a policy as a paper calls it, and how it is asked for here.
type named struct{ name, spec string }

// The policies of the SMK paper.
var (
	spart      = named{"Spart", "spart"}
	spartIdeal = named{"Spart-Ideal", "spart:preempt=ideal"}
	smk        = named{"SMK", "smk"}
	smkP       = named{"SMK-P", "smk-p"}
	smkPW      = named{"SMK-(P+W)", "smk-pw"}
	smkPWIdeal = named{"SMK-(P+W)-Ideal", "smk-pw:preempt=ideal"}
	smkPW2     = named{"SMK-(P+W)2", "smk-pw2"}
)

// The policies of the thesis, chapter 5, by preemption mechanism.
var (
	fcfs            = named{"FCFS", "fcfs"}
	npq             = named{"NPQ", "npq"}
	ppqSwitch       = named{"PPQ exclusive, context switch", "ppq:mode=exclusive,preempt=switch"}
	ppqDrain        = named{"PPQ exclusive, draining", "ppq:mode=exclusive,preempt=drain"}
	ppqSharedSwitch = named{"PPQ shared, context switch", "ppq:mode=shared,preempt=switch"}
	ppqSharedDrain  = named{"PPQ shared, draining", "ppq:mode=shared,preempt=drain"}
	dssSwitch       = named{"DSS, context switch", "dss:preempt=switch"}
	dssDrain        = named{"DSS, draining", "dss:preempt=drain"}
)

// The policies of the fine-grained QoS paper. Rollover is what `qos` does by itself,
// spelt out everywhere, so that all figures share its stored runs.
var (
	spartQoS     = named{"Spart", "spart-qos"}
	naive        = named{"Naive", "qos:scheme=naive"}
	elastic      = named{"Elastic", "qos:scheme=elastic"}
	rollover     = named{"Rollover", "qos:scheme=rollover"}
	rolloverTime = named{"Rollover-Time", "qos:scheme=rollover-time"}
	// What 4.8 switches off.
	rolloverIdeal  = named{"Rollover with ideal preemption", "qos:scheme=rollover,preempt=ideal"}
	rolloverPast   = named{"Rollover without history", "qos:scheme=rollover,history=off"}
	rolloverStatic = named{"Rollover without adjustment of thread blocks", "qos:scheme=rollover,adjust=off"}
)
