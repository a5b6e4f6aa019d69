package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"cotenant/experiment"
	"cotenant/experiment/store"
	"cotenant/metrics"
	"cotenant/platform/presets"
)

// Known is a stored run, of any build of the program, as pages show it.
type Known struct {
	experiment.Spec `json:"-"` // as asked for, without MaxCycles, which no identity has
	Key             string
	Program         string   // identifies the program that made it
	Names           []string // of the applications
	Measured
}

// Measured is the part of a result that pages show.
type Measured struct {
	Schema     int
	ConfigHash string `json:"config_hash"`
	Took       uint64 `json:"cycles"` // of the core clock
	// WallSeconds is the time that the run took, without runs alone.
	WallSeconds float64           `json:"wall_seconds"`
	Tenants     []KnownTenant     `json:"kernels"`
	Stalls      map[string]uint64 // scheduler-cycles of all SMs by cause

	STP, ANTT, Fairness, HSpeedup experiment.Figure
}

// KnownTenant is a tenant of a stored run.
type KnownTenant struct {
	IPC           float64           `json:"ipc"`
	IsolatedIPC   experiment.Figure `json:"isolated_ipc"`
	NormalizedIPC experiment.Figure `json:"normalized_ipc"`
	GoalIPC       experiment.Figure `json:"goal_ipc"`
	GoalReached   *bool             `json:"goal_reached"`
}

// OverGoal is the run's IPC over its tightest goal, as experiment.Result.Case; NaN if no
// tenant had a goal.
func (k *Known) OverGoal() float64 {
	var cases []metrics.Case
	for _, t := range k.Tenants {
		if t.GoalReached != nil {
			cases = append(cases, metrics.Case{IPC: t.IPC, Goal: float64(t.GoalIPC)})
		}
	}
	if cases == nil {
		return math.NaN()
	}
	return metrics.Tightest(cases...).OverGoal()
}

// asked is the part of an identity that a Spec can be made of.
type asked struct {
	Program string
	GPU     struct{ Name string }
	Policy  string
	Apps    []struct{ Spec, Name string }
	Cycles  uint64
	Until   string
	Seed    uint64

	UnknownOpcodeALU bool                   `json:"unknown_opcode_alu"`
	IsolatedGPU      *struct{ Name string } `json:"isolated_gpu"`
	Outside          string                 `json:"outside"`
	experiment.Parameters
}

// know reads a stored run.
func know(e *store.Entry) (*Known, error) {
	var a asked
	if err := json.Unmarshal(e.Identity, &a); err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	var m Measured
	if err := json.Unmarshal(e.Result, &m); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	if m.Schema != experiment.Schema || len(m.Tenants) == 0 || len(m.Tenants) != len(a.Apps) {
		return nil, errors.New("it is not the result of a run, or of another version of this program")
	}
	k := &Known{Key: e.Key, Program: a.Program, Measured: m,
		Spec: experiment.Spec{GPU: reference(a.GPU.Name), Policy: a.Policy, Cycles: a.Cycles, Until: a.Until, Seed: a.Seed,
			UnknownOpcodeALU: a.UnknownOpcodeALU, Outside: a.Outside, Parameters: a.Parameters}}
	if a.IsolatedGPU != nil {
		k.IsolatedGPU = reference(a.IsolatedGPU.Name)
	}
	for _, app := range a.Apps {
		k.Apps, k.Names = append(k.Apps, app.Spec), append(k.Names, app.Name)
	}
	return k, nil
}

// reference is the GPU to ask for by the name of a configuration. A configuration of a
// file has the file's name, without its folder, which is not kept.
func reference(name string) string {
	base, _, given := strings.Cut(name, "?")
	if given || slices.Contains(presets.Names(), base) {
		return name
	}
	return name + ".yaml"
}

// Fault is a stored run that cannot be shown.
type Fault struct {
	Key string
	Err error
}

// Read reads a store's runs in the order of their keys, without the keys that skip
// takes. A run that cannot be shown becomes a fault.
func Read(ctx context.Context, s *store.Store, skip func(key string) bool) (list []*Known, faults []Fault, err error) {
	type place struct {
		key   string
		known *Known
		fault error
	}
	var places []*place
	group := errgroup.Group{}
	group.SetLimit(runtime.GOMAXPROCS(0)) // the runs that are decoded at a time
	err = s.Each(ctx, skip, func(e *store.Entry, fault error) {
		at := &place{key: e.Key, fault: fault}
		if places = append(places, at); fault != nil {
			return
		}
		group.Go(func() error {
			at.known, at.fault = know(e)
			return nil
		})
	})
	_ = group.Wait() // a run's fault is no error
	if err != nil {
		return nil, nil, err
	}
	for _, at := range places {
		if at.fault != nil {
			faults = append(faults, Fault{at.key, at.fault})
		} else {
			list = append(list, at.known)
		}
	}
	return list, faults, nil
}
