package protocol

import "cotenant/tenant"

// Copy asks the copy engine to move data between host and device. CopyDone
// answers it. From host to copy engine.
type Copy struct {
	Msg
	Tenant   tenant.ID
	Priority int // of the process; the larger goes first under npq
	Bytes    uint64
	ToHost   bool   // from device to host, else from host to device
	Tag      uint32 // the command dispatcher's own; comes back unchanged
}

// CopyDone says that a copy has been carried out. From copy engine to host.
type CopyDone struct {
	Msg
	Tenant tenant.ID
	// Tag is the command's own.
	Tag uint32
}
