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
	"cotenant/platform/build"
	"cotenant/platform/presets"
)

// Known is a stored run, of whatever program, as far as it is shown beside others.
type Known struct {
	Run     // as it was asked for; nobody keeps MaxCycles, which changes no result
	Key     string
	Program string   // identifies the program that made it
	Names   []string // of the applications
	Measured
}

// Measured is what of a result is shown.
type Measured struct {
	Schema     int
	ConfigHash string            `json:"config_hash"`
	Took       uint64            `json:"cycles"` // of the core clock
	Tenants    []KnownTenant     `json:"kernels"`
	Stalls     map[string]uint64 // scheduler-cycles of all SMs by cause

	STP, ANTT, Fairness, HSpeedup experiment.Figure
}

// KnownTenant is a tenant of a stored run.
type KnownTenant struct {
	IPC           float64           `json:"ipc"`
	NormalizedIPC experiment.Figure `json:"normalized_ipc"`
	GoalIPC       experiment.Figure `json:"goal_ipc"`
	GoalReached   *bool             `json:"goal_reached"`
}

// OverGoal is what the run has of its tightest goal, as experiment.Result.Case; not
// defined if no tenant had one.
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

// asked is what a store's identity says of what was asked for.
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
	Pages            build.PageMode
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
		Run: Run{GPU: reference(a.GPU.Name), Policy: a.Policy, Window: Window{Cycles: a.Cycles, Until: a.Until}, Seed: a.Seed, UnknownOpcodeALU: a.UnknownOpcodeALU, Pages: a.Pages}}
	if a.IsolatedGPU != nil {
		k.IsolatedGPU = reference(a.IsolatedGPU.Name)
	}
	for _, app := range a.Apps {
		k.Apps, k.Names = append(k.Apps, app.Spec), append(k.Names, app.Name)
	}
	return k, nil
}

// reference is how a GPU is asked for whose name is known. One that is made by a
// file is named after it, without its folder, which nobody keeps.
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

// Read reads a store's runs, but those that skip names by their keys, in the order
// of their keys. Faults are those of single runs, which are left out.
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
