// Package profile makes instruction streams from statistics: a YAML file says
// how many thread blocks a kernel has, what each needs, and what its warps'
// instructions look like on average, and every warp gets a seeded stream that
// follows those averages.
//
// A smallest profile, with every key left out at its default:
//
//	name: triad
//	kernels:
//	  - name: triad
//	    tbs: 4096
//	    demands: [{threads: 256, registers_per_thread: 16}]
//	    instructions: 400
//	    phases:
//	      - mix: {int: 0.3, fp32: 0.3, branch: 0.1, global_load: 0.2, global_store: 0.1}
//	        load: {footprint: 256MiB}
//
// The keys are the fields of Spec and of the types inside it, which say what
// each means, its unit, its limits and its default.
//
// A phase is compiled once into a loop body: as many instructions of each
// class as the mix asks for, in a seeded order, with registers that give the
// dependence distances asked for. A warp walks the bodies of its phases and
// draws only what differs from one execution to the next, the addresses and
// the lanes. What it draws depends on the seed, the kernel's name, the TB and
// the warp, never on the order in which TBs run, so every launch of a kernel
// and every policy sees the same streams.
package profile
