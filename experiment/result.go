package experiment

// Schema is the version of Result's JSON form. It grows when a field changes
// its meaning or goes; new fields alone leave it.
const Schema = 1

// Result is what one run measured. Its JSON form is the program's stable
// output: two runs of one command give the same bytes but for the two wall
// times. Rates and utilisations are fractions of 1; IPC is thread instructions
// per core cycle.
type Result struct {
	Schema     int    `json:"schema"`
	GPU        string `json:"gpu"`
	Policy     string `json:"policy"`
	Seed       uint64 `json:"seed"`
	Version    string `json:"version"`
	ConfigHash string `json:"config_hash"` // of everything that determines the result
	// Mode is "done" (each application once) or "cycles" (applications restart
	// until the window ends).
	Mode               string `json:"mode"`
	Cycles             uint64 `json:"cycles"` // of the core clock
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	// WallSeconds is the time that the co-run took, IsolatedWallSeconds that of
	// the runs alone.
	WallSeconds         float64 `json:"wall_seconds"`
	IsolatedWallSeconds float64 `json:"isolated_wall_seconds"`

	Kernels []KernelResult `json:"kernels"` // one for each tenant

	STP      float64 `json:"stp"`
	ANTT     float64 `json:"antt"`
	Fairness float64 `json:"fairness"`
	WSpeedup float64 `json:"wspeedup"`
	HSpeedup float64 `json:"hspeedup"`

	// Stalls are the scheduler-cycles of all SMs by cause; they add up to
	// Cycles x SMs x schedulers.
	Stalls map[string]uint64 `json:"stalls"`
	SMs    []SMResult        `json:"sms"`
	NoC    NoCResult         `json:"noc"`
	L2     L2Result          `json:"l2"`
	DRAM   DRAMResult        `json:"dram"`
}

// KernelResult is one tenant's part of a run.
type KernelResult struct {
	Name               string `json:"name"` // of the application's kernel, or of the application if it has several
	App                string `json:"app"`  // as given on the command line
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	// Cycles is the time over which IPC is taken: to the application's end if
	// it ran once, else the window.
	Cycles            uint64  `json:"cycles"`
	IPC               float64 `json:"ipc"`
	IsolatedIPC       float64 `json:"isolated_ipc"`
	NormalizedIPC     float64 `json:"normalized_ipc"`
	NTT               float64 `json:"ntt"`
	LaunchesStarted   uint64  `json:"launches_started"`
	LaunchesCompleted uint64  `json:"launches_completed"`
	Completions       uint64  `json:"completions"` // times the application ran to its end
	TBsCompleted      uint64  `json:"tbs_completed"`
	Preemptions       uint64  `json:"preemptions"`
	ContextBytes      uint64  `json:"context_bytes"`
	// Stalls are scheduler-cycles charged to the tenant, by cause. Idle cycles
	// belong to no tenant.
	Stalls   map[string]uint64 `json:"stalls"`
	L1       CacheResult       `json:"l1"`
	L2       CacheResult       `json:"l2"`
	DRAM     DRAMShare         `json:"dram"`
	Launches []LaunchResult    `json:"launches"` // of the application's first run
}

// LaunchResult is one kernel launch of an application's first run.
type LaunchResult struct {
	Kernel     string `json:"kernel"`
	TBs        int    `json:"tbs"`
	StartCycle uint64 `json:"start_cycle"`
	EndCycle   uint64 `json:"end_cycle"` // 0 if it did not end
}

// CacheResult counts one cache level.
type CacheResult struct {
	Accesses            uint64  `json:"accesses"`
	Hits                uint64  `json:"hits"`
	Misses              uint64  `json:"misses"`
	Merges              uint64  `json:"merges"` // of the misses, those that joined an outstanding one
	HitRate             float64 `json:"hit_rate"`
	ReservationFailures uint64  `json:"reservation_failures"`
	Writes              uint64  `json:"writes"`
	Atomics             uint64  `json:"atomics"`
}

// DRAMShare counts DRAM traffic.
type DRAMShare struct {
	Reads        uint64  `json:"reads"`
	Writes       uint64  `json:"writes"`
	Bytes        uint64  `json:"bytes"`
	RowHits      uint64  `json:"row_hits"`
	RowMisses    uint64  `json:"row_misses"`    // the bank was closed
	RowConflicts uint64  `json:"row_conflicts"` // another row was open
	Utilization  float64 `json:"utilization"`   // share of the data buses' cycles
}

// SMResult is one SM's part of a run.
type SMResult struct {
	ID               int               `json:"id"`
	WarpInstructions uint64            `json:"warp_instructions"`
	TBsCompleted     uint64            `json:"tbs_completed"`
	Stalls           map[string]uint64 `json:"stalls"` // add up to cycles x schedulers
	// ThreadOccupancy is the mean share of the SM's threads that were resident.
	ThreadOccupancy float64 `json:"thread_occupancy"`
}

// NoCResult counts the two crossbars.
type NoCResult struct {
	RequestPackets     uint64  `json:"request_packets"`
	RequestFlits       uint64  `json:"request_flits"`
	RequestUtilization float64 `json:"request_utilization"` // flits over output ports x cycles
	ReplyPackets       uint64  `json:"reply_packets"`
	ReplyFlits         uint64  `json:"reply_flits"`
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
