package dram

import "cotenant/protocol"

// Kind is a command to the DRAM devices.
type Kind uint8

// The commands. PrechargeAll and Refresh go to all banks, the rest to one of them.
const (
	Activate Kind = iota
	Precharge
	Read
	Write
	PrechargeAll
	Refresh
	RefreshBank
)

var kindNames = [...]string{"activate", "precharge", "read", "write", "precharge-all", "refresh", "refresh-bank"}

// String returns the command's name.
func (k Kind) String() string { return kindNames[k] }

// Command is what the command bus carries in one clock.
type Command struct {
	Cycle uint64 // command clock
	Kind  Kind
	Bank  int    // not set for PrechargeAll and Refresh
	Row   uint64 // row that is opened, closed or accessed
	// Request for which the command is sent, nil if it is sent for a refresh.
	// It is only valid during the call.
	Request *protocol.DRAMRequest
}

// Listener observes a controller. A nil function is not called.
type Listener struct {
	// Command is called for each command. The bursts of a request are told
	// together, when the first is sent, and the refreshes of an idle channel
	// when the next request comes, each with its own cycle: cycles of
	// successive calls may go backwards.
	Command func(Command)
}
