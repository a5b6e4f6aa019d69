// Package traceg reads SASS instruction traces in Accel-Sim's text format
// (tracer versions 3 to 6), and such traces packed as .tracez files (Accel-Sim 2.0), as a workload.
//
// A trace is a folder with a list, kernelslist.g, of copies and kernel files
// in program order. A kernel file has a header of "-key = value" lines and
// then its thread blocks:
//
//	#BEGIN_TB
//	thread block = x,y,z
//	warp = w
//	insts = n
//	[line] PC mask #dst [R..] opcode #src [R..] width [mode addresses] [immediate]
//	...
//	#END_TB
//
// PC and mask are hexadecimal, the rest decimal; the source line is present
// when the header says "-enable lineinfo = 1", the immediate from version 4
// on, and then at the writer's choice for all lines: a file's first line
// decides. The last instruction of a warp is EXIT, or KILL. Only general
// registers are listed; R255 is the zero register. Addresses follow when width
// is not zero:
//
//	mode 0: one hexadecimal address for each active lane
//	mode 1: base and decimal stride; each active lane is stride bytes after
//	        the active lane before it (tracers use it for adjacent lanes only)
//	mode 2: base, then for each further active lane its signed decimal
//	        distance from the active lane before it
//
// From version 6 on lines list predicates (P0) and uniform registers (UR4, UP0) among the
// registers, have up to two immediates, and end with NoVal, or with Val and the values of all
// registers; products of warpgroups have a commit flag before the width, and bulk copies the
// address of their mbarrier, a multicast flag, byte counts and a list of addresses behind it.
// The model follows general registers only and has no use for values.
//
// # Reading
//
// Open reads the list and the headers. A goroutine for each launch then parses one
// thread block at a time, a few ahead of Launch.Next (ahead.go), so a trace is never
// whole in memory. What stays are the thread blocks in flight and 256 KB of thread
// blocks to come, packed to a few bytes per instruction (package packed), and one table
// of the kernel's distinct instructions (table.go), in which everything that does not
// change from warp to warp is worked out once. The table belongs to the launch, not to
// the file, so that launches share nothing and may run on different goroutines.
//
// # Rules of interpretation
//
// opcodes.go lists each opcode's class with the reasons, registers.go says
// which registers an instruction uses beyond the tracer's list.
//
// Generic loads, stores and atomics are resolved by the address of their
// lowest active lane: the 16 MiB from the header's "shmem base_addr" are the
// shared window, the 16 MiB from "local mem base_addr" the local one, all else
// is global. Addresses in a window become offsets from its base, which is how
// the tracer writes the addresses of LDS and LDL. Without base addresses every
// generic access is global.
//
// A Branch is marked Redirect when the warp's next instruction is not the one
// behind it in memory: 16 bytes on from binary version 70 (Volta), 8 before.
// Older code has one word of scheduling hints in every 64 bytes (Kepler) or
// 32 bytes (Maxwell, Pascal), which falling through steps over.
package traceg
