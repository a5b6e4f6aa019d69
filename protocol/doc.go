// Package protocol holds the messages between blocks: one file for each link, like
// SystemVerilog's interfaces. Blocks import it and never each other.
//
//	host_driver.go    host <-> SM driver
//	host_pcie.go      host <-> copy engine
//	driver_sm.go      SM driver <-> SM
//	driver_preeng.go  SM driver <-> preemption engine
//	preeng_sm.go      preemption engine <-> SM
//	memory.go         SM <-> crossbars <-> L2 slice
//	dram.go           L2 slice <-> DRAM channel
//	control.go        SM driver <-> units that count and can be steered
package protocol
