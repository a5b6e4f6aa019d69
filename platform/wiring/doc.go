// Package wiring wires a GPU from its blocks, as its Config says, and runs it.
//
//	applications -> host <-> SM driver <-> SMs -> request crossbar -> L2 slices <-> DRAM channels
//	                host <-> copy engine   SMs <- reply crossbar   <- L2 slices
package wiring
