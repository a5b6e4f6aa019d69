// Package tbtable models the thread block table of the SM driver. It holds an entry with one
// state for each thread block from its first placement until it has finished. Only
// events change a state: Place sends the placement events and Move all further ones. Both
// panic if the state does not allow the event. They keep the entry in the list that
// belongs to the state, and count the thread block in the policy's View.
//
// The common life of a thread block is New, Running, Done. The policy can preempt it:
//
//	Running -> Leaving -> Saving -> Preempted -> Restoring -> Running
//
// The policy can relocate it: its context goes to memory and comes back, while the SM
// keeps its room free:
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
