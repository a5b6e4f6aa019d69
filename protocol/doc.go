// Package protocol is what blocks say to each other: one file for each link, as
// SystemVerilog's interfaces. Blocks import it and never each other.
//
//	host_driver.go    host <-> SM driver
//	host_pcie.go      host <-> copy engine
//	driver_sm.go      SM driver <-> SM
//	driver_preeng.go  SM driver <-> preemption engine
//	preeng_sm.go      preemption engine <-> SM
//	memory.go         SM <-> crossbars <-> L2 slice
//	dram.go           L2 slice <-> DRAM channel
//	control.go        SM driver <-> whatever counts and can be steered
package protocol
