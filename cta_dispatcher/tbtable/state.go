package tbtable

// State says where a thread block is, and where it goes next.
type State uint8

// The states.
const (
	New                 State = iota // has never been placed
	Running                          // on its SM, or on the way there with nothing to load
	Restoring                        // has room on its SM; its context is on the way there
	Blocked                          // on its SM; all its warps wait for faults or at barriers
	Leaving                          // told to leave for good; holds its room
	LeavingRestoring                 // Leaving, once its context has arrived
	Relocating                       // told to leave and to come back to its room
	RelocatingRestoring              // Relocating, once its context has arrived
	Switching                        // told to leave because it waits for faults; holds its room
	SwitchingServed                  // Switching; its faults have been served meanwhile
	Moving                           // off its SM with its room kept; its context is on the way to memory
	Saving                           // off its SM; its context is on the way to memory
	OffSaving                        // Saving because of faults, which are not served
	OffSavingServed                  // Saving because of faults, which are served
	OffChip                          // in memory because of faults, which are not served
	Ready                            // in memory, its faults served; waits for a slot on its SM
	Recalled                         // in memory; joins its kernel's queue at the next edge
	Preempted                        // waits in its kernel's queue
	Done                             // finished
	numStates
)

var stateNames = [numStates]string{"new", "running", "restoring", "blocked", "leaving", "leaving once restored", "relocating",
	"relocating once restored", "switching", "switching and served", "moving", "saving", "saving off chip", "saving off chip and served",
	"off chip", "ready", "recalled", "preempted", "done"}

// String names the state.
func (s State) String() string { return stateNames[s] }

// Event is something that happens to a thread block.
type Event uint8

// The events.
const (
	Place    Event = iota // the driver sends it to an SM with nothing to load
	Load                  // the driver sends it to an SM and has its context loaded
	Restored              // its context has arrived
	Block                 // the SM says that it waits for faults
	Served                // the SM says that its faults are served
	Evict                 // the policy tells it to leave for good
	Relocate              // the policy tells it to leave and to come back
	Switch                // the driver tells it to leave because of faults
	Left                  // it has left its SM
	Saved                 // all of its context is in memory
	Recall                // it is not to come back to its SM by itself
	Requeue               // the edge after Recalled has come
	Finish                // it has finished
	numEvents
)

var eventNames = [numEvents]string{"place", "load", "restored", "block", "served", "evict", "relocate", "switch", "left", "saved",
	"recall", "requeue", "finish"}

// String names the event.
func (e Event) String() string { return eventNames[e] }

// transitions gives the next state of each state by event. No event leads to New, so
// New marks an event that the state refuses.
//
// An SM and its preemption engine report on two links, so a report can come late. The
// SM's word about faults changes nothing for a thread block that leaves for another
// reason, and a thread block can finish before the engine says that it was restored.
var transitions = [numStates][numEvents]State{
	New:       {Place: Running},
	Preempted: {Place: Running, Load: Restoring},
	Running:   {Block: Blocked, Served: Running, Evict: Leaving, Relocate: Relocating, Finish: Done},
	Restoring: {Restored: Running, Evict: LeavingRestoring, Relocate: RelocatingRestoring, Finish: Done},
	Blocked:   {Served: Running, Evict: Leaving, Relocate: Relocating, Switch: Switching, Finish: Done},

	Leaving:             {Block: Leaving, Served: Leaving, Left: Saving, Finish: Done},
	LeavingRestoring:    {Restored: Leaving, Finish: Done},
	Relocating:          {Block: Relocating, Served: Relocating, Evict: Leaving, Left: Moving, Finish: Done},
	RelocatingRestoring: {Restored: Relocating, Evict: LeavingRestoring, Finish: Done},
	Moving:              {Place: Running, Load: Restoring, Block: Moving, Served: Moving, Evict: Saving},
	Saving:              {Block: Saving, Served: Saving, Saved: Preempted},

	Switching:       {Block: Switching, Served: SwitchingServed, Left: OffSaving, Recall: Leaving, Finish: Done},
	SwitchingServed: {Block: Switching, Served: SwitchingServed, Left: OffSavingServed, Recall: Leaving, Finish: Done},
	OffSaving:       {Block: OffSaving, Served: OffSavingServed, Saved: OffChip, Recall: Saving},
	OffSavingServed: {Block: OffSavingServed, Served: OffSavingServed, Saved: Ready, Recall: Saving},
	OffChip:         {Block: OffChip, Served: Ready, Recall: Recalled},
	Ready:           {Place: Running, Load: Restoring, Block: Ready, Served: Ready, Recall: Recalled},
	Recalled:        {Requeue: Preempted},
}

// After gives the state that follows on an event; ok is false if the state refuses the
// event.
func (s State) After(e Event) (next State, ok bool) {
	next = transitions[s][e]
	return next, next != New
}

// list names the lists that a thread block can be in.
type list uint8

const (
	noList   list = iota
	onSM          // has an SM and is not off the chip because of faults
	offSM         // off the chip because of faults
	recalled      // for one edge
	queued        // of its kernel
)

// standing says how the table keeps thread blocks in a state.
type standing struct {
	list list
	// The counts of the View. room is Running, too.
	room, leaving, loading, saving, waiting bool
}

var standings = [numStates]standing{
	New:                 {waiting: true},
	Preempted:           {list: queued, waiting: true},
	Running:             {list: onSM, room: true},
	Restoring:           {list: onSM, room: true, loading: true},
	Blocked:             {list: onSM, room: true},
	Leaving:             {list: onSM, room: true, leaving: true},
	LeavingRestoring:    {list: onSM, room: true, leaving: true, loading: true},
	Relocating:          {list: onSM, room: true},
	RelocatingRestoring: {list: onSM, room: true, loading: true},
	Moving:              {list: onSM, room: true},
	Saving:              {list: onSM, saving: true},
	Switching:           {list: onSM, room: true, leaving: true},
	SwitchingServed:     {list: onSM, room: true, leaving: true},
	OffSaving:           {list: offSM, saving: true},
	OffSavingServed:     {list: offSM, saving: true},
	OffChip:             {list: offSM, saving: true},
	Ready:               {list: offSM, saving: true},
	Recalled:            {list: recalled, saving: true},
}

// Loading reports whether the thread block's context is on the way to its SM.
func (s State) Loading() bool { return standings[s].loading }
