package experiment

import (
	"encoding/json"
	"fmt"
	"strings"

	"cotenant/components/stats"
	"cotenant/metrics"
)

// Schema is the version of Result's JSON form. It grows when a field changes
// its meaning or goes; new fields alone leave it.
const Schema = 2

// Result holds the measurements of one run. stats.Fill fills counters from the modules'
// counters, by name and by the tag from; report sets the figures. The JSON form is the
// program's stable output: two runs of one command give the same bytes but for the two
// wall times. Rates and utilisations are fractions of 1; IPC is thread instructions per
// core cycle. Only a Figure may be undefined.
type Result struct {
	Schema int    `json:"schema"`
	GPU    string `json:"gpu"`
	// IsolatedGPU is the GPU on which each application ran alone, "" if that is GPU.
	IsolatedGPU string `json:"isolated_gpu,omitempty"`
	Parameters         // zero where a parameter has its default
	Policy      string `json:"policy"`
	Seed        uint64 `json:"seed"`
	Version     string `json:"version"`
	ConfigHash  string `json:"config_hash"` // Identity.ConfigHash
	// Partial says where the run was interrupted, if it was: counters and Cycles end there, and
	// figures of applications that had not run alone are undefined.
	Partial string `json:"partial,omitempty"`
	// Mode is "done" (each application once), "cycles" (applications restart
	// until the window ends) or "replays" (applications restart until each has
	// completed Replays times).
	Mode    string `json:"mode"`
	Replays uint64 `json:"replays"` // 0 unless that is the mode
	// OverTime is the tenants' progress; nil if it was not kept.
	OverTime           *OverTime `json:"over_time,omitempty"`
	Cycles             uint64    `json:"cycles"` // of the core clock
	WarpInstructions   uint64    `json:"warp_instructions"`
	ThreadInstructions uint64    `json:"thread_instructions"`
	// WallSeconds is the time that the co-run took, with the rehearsal before it if the
	// policy has one, IsolatedWallSeconds that of the runs alone.
	WallSeconds         float64 `json:"wall_seconds"`
	IsolatedWallSeconds float64 `json:"isolated_wall_seconds"`

	Kernels []KernelResult `json:"kernels"` // one for each tenant

	STP      Figure `json:"stp"`
	ANTT     Figure `json:"antt"`
	Fairness Figure `json:"fairness"`
	WSpeedup Figure `json:"wspeedup"`
	HSpeedup Figure `json:"hspeedup"`

	// Decision is the policy's explanation of its findings and decisions at the end of the
	// run, which policy.Tables reads; absent if the policy explains nothing.
	Decision json.RawMessage `json:"decision,omitempty"`

	// Stalls are the scheduler-cycles of all SMs by cause; they add up to
	// Cycles x SMs x schedulers.
	Stalls map[string]uint64 `json:"stalls"`
	SMs    []SMResult        `json:"sms"`
	NoC    NoCResult         `json:"noc"`
	L2     L2Result          `json:"l2"`
	DRAM   DRAMResult        `json:"dram"`

	// Blocks are the counters of the blocks at the GPU's joints, by their key.
	Blocks map[string]stats.Group `json:"blocks,omitempty"`
	// Stats are all counters of all other modules, by the module's section in a GPU's
	// file: sums over modules, and the part of each tenant. They follow from the
	// modules' Stats structs, where they are explained.
	Stats map[string]stats.Group `json:"stats"`
}

// KernelResult is one tenant's part of a run.
type KernelResult struct {
	Name string `json:"name"` // of the application's kernel, or of the application if it has several
	App  string `json:"app"`  // as given on the command line
	// Mark is the letter that tells tenants with applications of one name apart, in
	// tables and pictures; "" if the name is unique.
	Mark               string `json:"mark"`
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	// Latencies are how long the tenant's memory requests took, by stage (latency.Stage); nil
	// if they were not measured.
	Latencies map[string]*LatencyResult `json:"latencies,omitempty"`
	// ArrivalCycle is the cycle at which the process arrived.
	ArrivalCycle uint64 `json:"arrival_cycle" from:"Arrived"`
	Priority     int    `json:"priority"`
	// Cycles is the time over which IPC is taken, from the process' arrival: to
	// the application's end if it ran once, else to the end of the run.
	Cycles      uint64  `json:"cycles"`
	IPC         float64 `json:"ipc"`
	IsolatedIPC float64 `json:"isolated_ipc"`
	// IsolatedWIPC is warp instructions per cycle of all warp schedulers, alone; not
	// defined if IsolatedIPC was given without it.
	IsolatedWIPC  Figure `json:"isolated_wipc"`
	NormalizedIPC Figure `json:"normalized_ipc"`
	NTT           Figure `json:"ntt"`
	// GoalIPC is the IPC that the tenant was promised, IPCOverGoal what it had of
	// that, 1 being exactly so much, and GoalReached whether IPC is at or above the
	// goal, exactly and without tolerance. Not defined, and nil, without a goal.
	GoalIPC           Figure `json:"goal_ipc"`
	IPCOverGoal       Figure `json:"ipc_over_goal"`
	GoalReached       *bool  `json:"goal_reached"`
	LaunchesStarted   uint64 `json:"launches_started"`
	LaunchesCompleted uint64 `json:"launches_completed"`
	Completions       uint64 `json:"completions"` // times the application ran to its end
	// TurnaroundCycles is how long each completed run took, from the process'
	// arrival or the end of the run before; of the first 1000 runs. The means
	// are over all, and not defined if there is none.
	TurnaroundCycles         []uint64 `json:"turnaround_cycles"`
	MeanTurnaroundCycles     Figure   `json:"mean_turnaround_cycles"`
	MeanTurnaroundUS         Figure   `json:"mean_turnaround_us"`
	IsolatedTurnaroundCycles Figure   `json:"isolated_turnaround_cycles"` // mean, alone; not defined if not measured
	TBsCompleted             uint64   `json:"tbs_completed"`
	// Preemptions counts the orders to TBs to leave their SM, Relocations the orders
	// to leave it and come back. ContextBytes have been saved and RestoredBytes loaded,
	// in whole sectors; RelocationBytes is the part of ContextBytes for relocations.
	Preemptions     uint64 `json:"preemptions"`
	Relocations     uint64 `json:"relocations"`
	ContextBytes    uint64 `json:"context_bytes"`
	RestoredBytes   uint64 `json:"restored_bytes"`
	RelocationBytes uint64 `json:"relocation_bytes"`
	// SaveCycles and LoadCycles are the core cycles that the preemption engines
	// spent on the tenant's contexts: saves from the first store's turn to the
	// last store, loads from the first request to the last answer, summed.
	SaveCycles uint64 `json:"save_cycles"`
	LoadCycles uint64 `json:"load_cycles"`
	// Stalls are scheduler-cycles charged to the tenant, by cause. Idle cycles
	// belong to no tenant.
	Stalls   map[string]uint64 `json:"stalls"`
	L1       CacheResult       `json:"l1"`
	L2       CacheResult       `json:"l2"`
	DRAM     DRAMShare         `json:"dram"`
	Host     HostShare         `json:"host"`
	Launches []LaunchResult    `json:"launches"` // of the application's first run
	// Expects is about the expect steps of the application's manifest; absent if
	// it has none.
	Expects *Expects `json:"expects,omitempty"`
}

// LaunchResult is one kernel launch of an application's first run. Its counters
// are what it did itself, also while other kernels of the application ran.
// Write-backs of dirty lines are not among them: they are the application's.
type LaunchResult struct {
	Kernel             string `json:"kernel"`
	Stream             int    `json:"stream"` // CUDA stream, 0 for the default one
	TBs                int    `json:"tbs"`
	StartCycle         uint64 `json:"start_cycle" from:"Start"`
	EndCycle           uint64 `json:"end_cycle" from:"End"` // 0 if it did not end
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	// TensorMultiplyAdds is the work of tensor cores that have a table of shapes.
	TensorMultiplyAdds uint64 `json:"tensor_multiply_adds,omitempty" from:"SM.Tensor.MultiplyAdds"`
	// TensorSteps is the number of the chip's instructions for its products, behind the first of each.
	TensorSteps uint64 `json:"tensor_steps,omitempty" from:"SM.Tensor.Steps"`
	// IPC is taken from the start of the launch to its end, or to that of the run.
	IPC    float64           `json:"ipc"`
	Stalls map[string]uint64 `json:"stalls"`
	L1     CacheResult       `json:"l1"`
	L2     CacheResult       `json:"l2"`
	DRAM   DRAMShare         `json:"dram"` // utilization in that time
	// SharedAccesses is the number of warp instructions that accessed shared memory.
	SharedAccesses uint64 `json:"shared_accesses" from:"SM.LSU.SharedAccesses"`
	// SharedConflicts is the number of further cycles that the banks took for them.
	SharedConflicts uint64 `json:"shared_conflicts,omitempty" from:"SM.LSU.SharedConflicts"`
	// Sectors counts sectors of 32 bytes, as profilers of GPUs do.
	Sectors SectorResult `json:"sectors"`
	// IdleCycles are scheduler-cycles without a warp, on all SMs from its start to its end.
	IdleCycles uint64 `json:"idle_cycles" from:"Meanwhile.IdleCycles"`
}

// SectorResult counts sectors of 32 bytes that a launch moves. A sector that is on its way
// already is a hit: the level fetches it once.
type SectorResult struct {
	L1Read      uint64 `json:"l1_read" from:"SM.L1.Sectors"`           // touched by loads that look up the L1
	L1Fetched   uint64 `json:"l1_fetched" from:"SM.L1.FetchedSectors"` // of those, fetched from the L2
	L2Read      uint64 `json:"l2_read" from:"L2.ReadSectors"`
	L2Fetched   uint64 `json:"l2_fetched"` // fetched from the DRAM, for atomics too
	L2Written   uint64 `json:"l2_written" from:"L2.WrittenSectors"`
	DRAMRead    uint64 `json:"dram_read"`
	DRAMWritten uint64 `json:"dram_written"` // while the launch ran, for whichever launch
}

// CacheResult counts one cache level. A request that the L2 merges finds its sectors
// on their way: for the DRAM it is a hit, for its own latency, and here, a miss.
type CacheResult struct {
	Accesses            uint64 `json:"accesses" from:"Accesses|Reads+Writes+Atomics"`
	Hits                uint64 `json:"hits"`
	Misses              uint64 `json:"misses" from:"Misses+SectorMisses+Merges|Misses"`
	Merges              uint64 `json:"merges"`   // misses that joined an outstanding one
	HitRate             Figure `json:"hit_rate"` // not defined without accesses
	ReservationFailures uint64 `json:"reservation_failures" from:"ReservationFailures|ReservationStalls"`
	Writes              uint64 `json:"writes"`
	Atomics             uint64 `json:"atomics"`
}

// DRAMShare counts DRAM traffic.
type DRAMShare struct {
	Reads        uint64  `json:"reads"`
	Writes       uint64  `json:"writes"`
	Bytes        uint64  `json:"bytes" from:"ReadBytes+WrittenBytes"`
	RowHits      uint64  `json:"row_hits"`
	RowMisses    uint64  `json:"row_misses"`    // the bank was closed
	RowConflicts uint64  `json:"row_conflicts"` // another row was open
	Utilization  float64 `json:"utilization"`   // share of the data buses' cycles
}

// HostShare is what a process did on the host and what its commands took, in
// core cycles.
type HostShare struct {
	CPUCycles     uint64 `json:"cpu_cycles"`
	CPUWaitCycles uint64 `json:"cpu_wait_cycles"` // of CPU phases, for a hardware thread
	Copies        uint64 `json:"copies"`
	BytesToDevice uint64 `json:"bytes_to_device"`
	BytesToHost   uint64 `json:"bytes_to_host"`
	// CopyCycles and KernelCycles are the times of completed commands from issue to
	// completion, QueueCycles from submission to issue.
	CopyCycles   uint64 `json:"copy_cycles"`
	KernelCycles uint64 `json:"kernel_cycles"`
	QueueCycles  uint64 `json:"queue_cycles"`
}

// SMResult is one SM's part of a run.
type SMResult struct {
	ID               int               `json:"id"`
	Kind             string            `json:"kind,omitempty"` // of SMs, where the GPU has several
	WarpInstructions uint64            `json:"warp_instructions"`
	TBsCompleted     uint64            `json:"tbs_completed" from:"TBsFinished"`
	Stalls           map[string]uint64 `json:"stalls"` // add up to cycles x schedulers
	// ThreadOccupancy is the mean share of the SM's threads that were resident.
	ThreadOccupancy float64 `json:"thread_occupancy"`
}

// NoCResult counts the two crossbars.
type NoCResult struct {
	RequestPackets     uint64  `json:"request_packets" from:"Request.Packets"`
	RequestFlits       uint64  `json:"request_flits" from:"Request.Flits"`
	RequestUtilization float64 `json:"request_utilization"` // flits over output ports x cycles
	ReplyPackets       uint64  `json:"reply_packets" from:"Reply.Packets"`
	ReplyFlits         uint64  `json:"reply_flits" from:"Reply.Flits"`
	ReplyUtilization   float64 `json:"reply_utilization"`
}

// L2Result counts all L2 slices.
type L2Result struct {
	CacheResult
	Writebacks uint64 `json:"writebacks"`
}

// DRAMResult counts all DRAM channels.
type DRAMResult struct {
	DRAMShare
	Activates       uint64  `json:"activates"`
	Refreshes       uint64  `json:"refreshes"`
	GigabytesPerSec float64 `json:"gigabytes_per_second"`
	PeakGigabytes   float64 `json:"peak_gigabytes_per_second"`
}

// End is the core cycle at which the run ended, with its warm-up.
func (r *Result) End() uint64 { return r.Warmup + r.Cycles }

// OverTime is what tenants had done at moments of a run.
type OverTime struct {
	Cycles             []uint64   `json:"cycles"`              // core cycles from the run's beginning
	ThreadInstructions [][]uint64 `json:"thread_instructions"` // by tenant and moment
}

// Counted says, for people, what of the run was simulated and counted; "" for all of it.
func (r *Result) Counted() string {
	p := r.Parameters
	p.Pages = ""
	words := strings.TrimPrefix(p.Words(), ", ")
	if r.Partial != "" {
		words = strings.TrimSuffix("PARTIAL result, "+r.Partial+"; "+words, "; ")
	}
	return words
}

// Case is the run's tightest goal, which is reached if and only if all goals are. It
// reports false without a goal.
func (r *Result) Case() (metrics.Case, bool) {
	var cases []metrics.Case
	for i := range r.Kernels {
		if k := &r.Kernels[i]; k.HasGoal() {
			cases = append(cases, metrics.Case{IPC: k.IPC, Goal: float64(k.GoalIPC)})
		}
	}
	return metrics.Tightest(cases...), len(cases) > 0
}

// promise sets the figures that follow from a goal, an IPC; 0 for none.
func (k *KernelResult) promise(goal float64) {
	k.GoalIPC, k.IPCOverGoal, k.GoalReached = positive(goal), undefined, nil
	if goal > 0 {
		c := metrics.Case{IPC: k.IPC, Goal: goal}
		reached := c.Reached()
		k.IPCOverGoal, k.GoalReached = Figure(c.OverGoal()), &reached
	}
}

// HasGoal reports whether the tenant had a goal.
func (k *KernelResult) HasGoal() bool { return k.GoalReached != nil }

// Promise is "reached", or by how much the tenant missed its goal; "" without a goal.
func (k *KernelResult) Promise() string {
	switch {
	case !k.HasGoal():
		return ""
	case *k.GoalReached:
		return "reached"
	}
	// Of the two figures, so that a miss by next to nothing is none of 0 %.
	percent := 100 * (float64(k.GoalIPC) - k.IPC) / float64(k.GoalIPC)
	if percent >= 0.1 {
		return fmt.Sprintf("missed by %.1f %%", percent)
	}
	return fmt.Sprintf("missed by %.1g %%", percent)
}

// RunInstructions is the thread instructions of one complete run of the application,
// 0 if none is complete.
func (k *KernelResult) RunInstructions() (n uint64) {
	if k.Completions == 0 {
		return 0
	}
	for i := range k.Launches {
		n += k.Launches[i].ThreadInstructions
	}
	return n
}
