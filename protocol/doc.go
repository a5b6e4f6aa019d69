// Package protocol holds the messages between blocks, like SystemVerilog's interfaces.
// Blocks import it and never each other.
//
//	host_driver.go    host <-> SM driver
//	host_pcie.go      host <-> copy engine
//	driver_sm.go      SM driver <-> SM
//	driver_preeng.go  SM driver <-> preemption engine
//	preeng_sm.go      preemption engine <-> SM
//	memory.go         SM <-> crossbars <-> L2 slice
//	dram.go           L2 slice <-> DRAM channel
//	mmu.go            SM <-> L2 TLB and fill unit
//	walk.go           L2 TLB <-> fill unit <-> pager
//	control.go        SM driver <-> units that count and can be steered
//
// counters.go holds an SM's counters, quotas.go and rates.go the orders that steer it.
package protocol
