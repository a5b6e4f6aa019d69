// Package all registers every sharing policy. Programs that let a user choose
// one import it for its effect.
package all

import (
	_ "cotenant/cta_dispatcher/policy/even"
	_ "cotenant/cta_dispatcher/policy/fcfs"
	_ "cotenant/cta_dispatcher/policy/spart"
)
