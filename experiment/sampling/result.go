package sampling

import "cotenant/experiment"

// Schema is the version of Result's JSON form. It grows when a field changes its meaning or
// goes.
const Schema = 1

// Result is the estimate of a run. Two runs of one command give the same bytes but for the
// wall time. Cycles are of the core clock.
type Result struct {
	Schema     int    `json:"schema"`
	GPU        string `json:"gpu"`
	App        string `json:"app"` // as given on the command line
	Seed       uint64 `json:"seed"`
	Version    string `json:"version"`
	ConfigHash string `json:"config_hash"` // of the whole run
	// Cycles is the estimate, BoundCycles the error bound for 95 %, and Bound its part of
	// Cycles.
	Cycles      uint64  `json:"cycles"`
	BoundCycles uint64  `json:"bound_cycles"`
	Bound       float64 `json:"bound"`
	// WarpInstructions and ThreadInstructions are of all launches, by emulation; IPC is
	// thread instructions over Cycles.
	WarpInstructions   uint64  `json:"warp_instructions"`
	ThreadInstructions uint64  `json:"thread_instructions"`
	IPC                float64 `json:"ipc"`
	// SimulatedLaunches and SimulatedShare are the launches, and the part of
	// WarpInstructions, that were simulated, warm-ups included. SimulatedCycles is the
	// length of the simulation.
	SimulatedLaunches int     `json:"simulated_launches"`
	SimulatedShare    float64 `json:"simulated_share"`
	SimulatedCycles   uint64  `json:"simulated_cycles"`
	// OtherCycles is the part of Cycles outside of launches: copies, CPU phases, arrival.
	OtherCycles uint64          `json:"other_cycles"`
	WallSeconds float64         `json:"wall_seconds"`
	Clusters    []ClusterResult `json:"clusters"`
	Launches    []LaunchResult  `json:"launches"`

	unexpected error
}

// Unexpected returns an error with the first difference if an expect step of the
// application's manifest failed.
func (r *Result) Unexpected() error { return r.unexpected }

// ClusterResult is a cluster of launches that are alike.
type ClusterResult struct {
	Kernel           string `json:"kernel"`
	Launches         int    `json:"launches"`
	WarpInstructions uint64 `json:"warp_instructions"`
	// Spread is the largest coefficient of variation of a count of its launches.
	Spread float64 `json:"spread"`
	// Representatives and WarmUps are numbers of its simulated launches, from 0.
	Representatives      []int   `json:"representatives"`
	WarmUps              []int   `json:"warm_ups"`
	CyclesPerInstruction float64 `json:"cycles_per_warp_instruction"` // of the representatives
	Cycles               float64 `json:"estimated_cycles"`
	// SamplingBound and StateBound are the cluster's parts of the bound, in cycles.
	SamplingBound float64 `json:"sampling_bound_cycles"`
	StateBound    float64 `json:"state_bound_cycles"`
}

// LaunchResult is a launch.
type LaunchResult struct {
	Kernel             string  `json:"kernel"`
	Cluster            int     `json:"cluster"` // its number, from 0
	Role               Role    `json:"role"`
	TBs                int     `json:"tbs"`
	WarpInstructions   uint64  `json:"warp_instructions"`
	ThreadInstructions uint64  `json:"thread_instructions"`
	FootprintBytes     uint64  `json:"footprint_bytes"`
	FreshBytes         uint64  `json:"fresh_bytes"`
	Cycles             float64 `json:"estimated_cycles"`
	// SimulatedCycles is its time in the simulation, 0 if it was not simulated.
	SimulatedCycles uint64 `json:"simulated_cycles"`
}

// report makes the result of a sampled run.
func report(r *experiment.Run, p *Plan, launches []Launch, measured []Measured, run *experiment.Result) *Result {
	e := p.Estimate(launches, measured)
	result := &Result{Schema: Schema, GPU: r.GPU.Name, App: r.Apps[0].Spec, Seed: r.Seed, Version: r.Version, ConfigHash: run.ConfigHash,
		SimulatedShare: p.Share, SimulatedCycles: run.Cycles, OtherCycles: run.Cycles, unexpected: run.Unexpected()}
	for c, members := range p.Clusters {
		of := &e.Clusters[c]
		cluster := ClusterResult{Kernel: launches[members[0]].Kernel, Launches: len(members), Spread: Spread(launches, members),
			Representatives: []int{}, WarmUps: []int{}, CyclesPerInstruction: of.CyclesPerInstruction, Cycles: of.Cycles,
			SamplingBound: of.Sampling, StateBound: of.State}
		for _, m := range members {
			cluster.WarpInstructions += launches[m].WarpInstructions
			switch p.Roles[m] {
			case Representative:
				cluster.Representatives = append(cluster.Representatives, m)
			case WarmUp:
				cluster.WarmUps = append(cluster.WarmUps, m)
			}
		}
		result.Clusters = append(result.Clusters, cluster)
	}
	for i := range launches {
		l := &launches[i]
		result.WarpInstructions += l.WarpInstructions
		result.ThreadInstructions += l.ThreadInstructions
		result.OtherCycles -= measured[i].Cycles
		if p.Simulated(i) {
			result.SimulatedLaunches++
		}
		result.Launches = append(result.Launches, LaunchResult{Kernel: l.Kernel, Cluster: p.Of[i], Role: p.Roles[i], TBs: l.TBs,
			WarpInstructions: l.WarpInstructions, ThreadInstructions: l.ThreadInstructions, FootprintBytes: l.FootprintBytes, FreshBytes: l.FreshBytes,
			Cycles: e.Launches[i], SimulatedCycles: measured[i].Cycles})
	}
	result.Cycles = result.OtherCycles + uint64(e.Cycles+0.5)
	result.BoundCycles = uint64(e.Bound + 0.5)
	result.Bound = e.Bound / float64(max(1, result.Cycles))
	result.IPC = float64(result.ThreadInstructions) / float64(max(1, result.Cycles))
	return result
}
