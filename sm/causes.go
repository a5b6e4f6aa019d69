package sm

import "cotenant/sm/tally"

// The counters of an SM and the causes of stalls, as other packages know them.
type (
	Stats       = tally.Stats
	TenantStats = tally.TenantStats
	Cause       = tally.Cause
	Blame       = tally.Blame
)

// The causes and grounds that other packages name.
const (
	Issued      = tally.Issued
	Idle        = tally.Idle
	Bubble      = tally.Bubble
	GroupSwitch = tally.GroupSwitch
	Faulted     = tally.Faulted
	NumCauses   = tally.NumCauses

	Working = tally.Working
	Vacant  = tally.Vacant
	Program = tally.Program
	Memory  = tally.Memory
	Sharing = tally.Sharing
	Paging  = tally.Paging
)

// Causes lists the causes in the order in which a cycle is charged to them.
func Causes() []tally.CauseInfo { return tally.Causes() }
