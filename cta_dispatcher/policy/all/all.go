// Package all registers every sharing policy. Programs that let a user choose
// one import it for its effect.
package all

import (
	_ "cotenant/cta_dispatcher/policy/ccbp"
	_ "cotenant/cta_dispatcher/policy/dss"
	_ "cotenant/cta_dispatcher/policy/even"
	_ "cotenant/cta_dispatcher/policy/fcfs"
	_ "cotenant/cta_dispatcher/policy/fixed"
	_ "cotenant/cta_dispatcher/policy/green"
	_ "cotenant/cta_dispatcher/policy/heterocore"
	_ "cotenant/cta_dispatcher/policy/mps"
	_ "cotenant/cta_dispatcher/policy/npq"
	_ "cotenant/cta_dispatcher/policy/ppq"
	_ "cotenant/cta_dispatcher/policy/qos"
	_ "cotenant/cta_dispatcher/policy/smk"
	_ "cotenant/cta_dispatcher/policy/smkp"
	_ "cotenant/cta_dispatcher/policy/smkpw"
	_ "cotenant/cta_dispatcher/policy/spart"
	_ "cotenant/cta_dispatcher/policy/spartqos"
	_ "cotenant/cta_dispatcher/policy/timeslice"
	_ "cotenant/cta_dispatcher/policy/ws"
)
