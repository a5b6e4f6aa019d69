// Package tally holds an SM's counters, and the causes that its cycles are charged to.
package tally

// Cause is what a scheduler's cycle went to.
type Cause uint8

// The causes, by number. A new one is appended here and gets its row in causes:
// JSON, CSV, pages and guides take it from there.
const (
	Issued Cause = iota
	Idle
	Control
	RAWLong
	RAWOther
	LSUFull
	PipeFull
	Quota
	Preempted
	Bubble
	GroupSwitch
	Faulted
	AsyncWait
	MBarrierWait
	NumCauses
)

// Blame groups causes. A page draws each group on a ground of its own.
type Blame uint8

// The kinds of causes.
const (
	Working Blame = iota // the scheduler works
	Vacant               // there is no warp
	Program              // the program's own dependences
	Memory               // memory, and units that are full
	Sharing              // other tenants of the SM
	Paging               // pages that are elsewhere
)

// CauseInfo describes a cause in reports.
type CauseInfo struct {
	Cause
	Name  string // in JSON and CSV
	Shown string // on a page
	Blame
	// Optional leaves the cause out of JSON, CSV and pages wherever no cycle is charged to it: its waits
	// need instructions that few programs have.
	Optional bool
	// About says when a cycle is charged to it, as a guide does.
	About string
}

// causes begin with Issued. A cycle without issue is charged to the first of the
// following causes that applies to any warp, which was nearest to an issue. While the
// whole SM is halted, the cause is Preempted or Idle.
var causes = [NumCauses]CauseInfo{
	{Issued, "issued", "issued", Working, false, "at least one instruction issued"},
	{Bubble, "bubble", "scheduler picks none", Sharing, false, "an instruction could issue, and the warp scheduler picked no warp"},
	{GroupSwitch, "group_switch", "other group's turn", Memory, false, "an instruction could issue, and is in the group of warp slots that the scheduler does not consider (`sm.group_slots`)"},
	{LSUFull, "lsu_full", "load-store unit full", Memory, false, "an instruction is ready, and the load-store unit is not"},
	{PipeFull, "pipe_other", "pipe full", Memory, false, "an instruction is ready, and its arithmetic pipe is not, or the scheduler issues a step of a product"},
	{Quota, "quota", "quota used up", Sharing, false, "an instruction is ready, and a gate holds it back: its tenant's quota is used up, its thread block is beyond those that may issue, or its tenant has as many memory instructions in flight as it may"},
	{RAWOther, "raw_other", "waits for a result", Program, false, "a warp waits for a result, but not of a load that missed the L1"},
	{RAWLong, "raw_long", "waits for memory", Memory, false, "every warp with an instruction waits for a load that missed the L1, or at a fence"},
	{AsyncWait, "async_wait", "waits for copies", Program, false, "every warp with an instruction waits for groups of asynchronous copies into shared memory, or of products of four warps"},
	{MBarrierWait, "mbarrier_wait", "waits for an mbarrier", Program, true, "every warp with an instruction waits for a phase of an mbarrier, or of the barrier of its cluster, to end; left out where no cycle is charged to it"},
	{Faulted, "fault", "waits for a page fault", Paging, false, "every warp with an instruction waits for a page fault to be served; only on SMs that issue from a queue (`sm.issue_queue`), on others it is `raw_long`"},
	{Control, "control", "fetch or barrier", Program, false, "no warp has an instruction: after a branch, for fetch or the instruction cache, at a barrier, or asleep"},
	{Preempted, "preempted", "being preempted", Sharing, false, "every warp's thread block is leaving, or the SM is halted for a context switch"},
	{Idle, "idle", "no warp", Vacant, false, "no warp"},
}

// rows are the causes' places in causes.
var rows = func() (rows [NumCauses]int) {
	for i := range causes {
		rows[causes[i].Cause] = i
	}
	return rows
}()

// Causes lists the causes in the order in which a cycle is charged to them.
func Causes() []CauseInfo { return causes[:] }

// Info describes the cause in reports.
func (c Cause) Info() *CauseInfo { return &causes[rows[c]] }

// String returns the name used in reports.
func (c Cause) String() string { return c.Info().Name }

// CauseCounts are scheduler-cycles by cause.
type CauseCounts [NumCauses]uint64

// Label is the name of a cause, in reports.
func (CauseCounts) Label(cause int) string { return Cause(cause).String() }

// Optional makes CauseCounts a stats.Sparse.
func (CauseCounts) Optional(cause int) bool { return Cause(cause).Info().Optional }

// Shown reports whether reports have a count of a cause: only an Optional one without cycles is left out.
func (n *CauseCounts) Shown(c Cause) bool { return n[c] > 0 || !c.Info().Optional }

// ByName are the counts that are Shown, by the names of their causes.
func (n *CauseCounts) ByName() map[string]uint64 {
	m := map[string]uint64{}
	for c, cycles := range n {
		if n.Shown(Cause(c)) {
			m[Cause(c).String()] = cycles
		}
	}
	return m
}
