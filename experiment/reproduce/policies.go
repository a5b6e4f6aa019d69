package reproduce

// named is a policy as a paper calls it, and how it is asked for here.
type named struct{ name, spec string }

var smkPW = named{"SMK-(P+W)", "smk-pw"}

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
