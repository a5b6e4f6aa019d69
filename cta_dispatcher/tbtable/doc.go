// Package tbtable is the thread block table of the SM driver. It holds an entry with one
// state for each thread block from its first placement until it has finished. Move is
// the only way to change a state. It refuses an event that the state does not allow,
// keeps the entry in the list that belongs to the state, and counts the thread block in
// the policy's View.
//
// The common life of a thread block is New, Running, Done. The policy can preempt it:
//
//	Running -> Leaving -> Saving -> Preempted -> Restoring -> Running
//
// The policy can relocate it, which keeps its room on the SM:
//
//	Running -> Relocating -> Moving -> Restoring -> Running
//
// A thread block that waits for page faults can give its slot to another one and come
// back to the same SM (thesis 6.4.1):
//
//	Running -> Blocked -> Switching -> OffSaving -> OffChip -> Ready -> Restoring -> Running
//
// If the policy takes the SM from such a thread block, the event Recall ends its stay off
// the chip: it waits in its kernel's queue like any preempted thread block.
package tbtable
