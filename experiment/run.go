// Package experiment runs mixes of applications on a GPU and says what each
// tenant got, beside what it gets alone.
package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/host/pager"
	"cotenant/mem/mmu/fill"
	"cotenant/platform/build"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/source"
)

// App is an application of a mix and the process that runs it.
type App struct {
	Spec     string // as on the command line; with the seed it determines the rest
	Workload *workload.App
	tenant.Attributes
	// source is Spec without the attributes, "" if it has none.
	source string
}

// Open makes the application that a user has written, and reads the
// attributes of its tenant.
func Open(spec string, o source.Options) (App, error) {
	rest, attributes, err := source.Split(spec)
	if err != nil {
		return App{}, err
	}
	app, err := source.Open(rest, o)
	return App{Spec: spec, Workload: app, Attributes: attributes, source: rest}, err
}

// alone is the application as it is run for its isolated figures: it arrives at
// once.
func (a App) alone() App {
	a.Attributes = tenant.Attributes{}
	if a.source != "" {
		a.Spec = a.source
	}
	return a
}

// Run is a mix of applications under a policy on a GPU.
type Run struct {
	GPU    *build.Config
	Policy string // name, and options if it has any: NAME:option=value,...
	Apps   []App
	// Cycles is the length of the window in core cycles. 0: until every
	// application has completed.
	Cycles uint64
	// Replays restarts applications until each has completed so often. 0: they
	// run once, or to the end of the window. It excludes Cycles.
	Replays uint64
	// MaxCycles bounds each simulation of a run without Cycles: one that is not
	// done by then gives build.ErrUnfinished. 0: nothing does.
	MaxCycles uint64
	Seed      uint64 // that the applications were made with
	// Pages says where the applications' pages are when they start, alone as in the
	// mix. "" and build.PagesResident are one.
	Pages build.PageMode
	// IsolatedGPU is the GPU on which applications run alone, nil for the GPU itself.
	// HeteroCore compares with the conventional GPU alone (its Algorithm 1). Its core
	// clock must be the same: see SameClock.
	IsolatedGPU *build.Config
	// Isolated has what each application achieves alone where that is known, an
	// IPC of 0 where it is to be measured. It may be nil.
	Isolated []Isolated
	// Cache keeps isolated runs for other Runs of the same command. It may be
	// nil.
	Cache *IsolatedCache
	// Progress is told now and then how far a run is. It may be nil. It is
	// called from one goroutine at a time.
	Progress func(Progress)
	// Warn is told, in a line, of a kernel that may never end (build.Platform.Warn),
	// and of goals that nobody keeps or that cannot be reached. It may be nil.
	Warn func(text string)
	// Started is shown the GPU of the co-run before it runs. It may be nil; an
	// error ends the run.
	Started func(*build.Platform) error
	// Listener is told what happens on the GPU in the co-run, Host what happens
	// on its host, Faults and Pager about page faults.
	Listener dispatcher.Listener
	Host     host.Listener
	Faults   fill.Listener
	Pager    pager.Listener
	// Dump is given the files that dump steps of the mix's tenants write, in the
	// first run of each application: data is only valid during the call. Arrays is
	// given each tenant's arrays once the co-run has ended: those that the last
	// completed run of its application left, or if none is complete, those of the
	// run under way. An error ends the run. Both may be nil.
	Dump   func(tenant int, at, file string, data []byte) error
	Arrays func(tenant int, arrays []workload.Array) error
	// Parallel is the number of isolated runs at a time; 0: one for each
	// processor. It changes nothing but the time taken.
	Parallel int
	// Version of the program, for the result.
	Version string
}

// TenantNames are the names of the applications, made different by marks.
func (r *Run) TenantNames() []string {
	names := r.names()
	for i, mark := range tenant.Marks(names) {
		names[i] = tenant.Marked(names[i], mark)
	}
	return names
}

// names are the names of the applications.
func (r *Run) names() (list []string) {
	for _, a := range r.Apps {
		list = append(list, a.Workload.Name)
	}
	return list
}

// Progress says how far a run is.
type Progress struct {
	Phase            string // "co-run", "rehearsal", "isolated NAME" or "one run of NAME"
	Cycle            uint64
	Limit            uint64 // 0 if the run ends with the applications
	WarpInstructions uint64
	Done             float64 // estimate from 0 to 1
	// Runs are the completed runs of the application that is furthest from Replays,
	// which is 0 if applications do not restart until they have run so often.
	Runs, Replays uint64
}

// corunPhase is the phase of the co-run in Progress.
const corunPhase = "co-run"

// IsolatedPolicy is the policy of an application alone. Under any other it
// would run the same, which the policies' contract asserts, but that kernels of
// several streams do not overlap under some.
const IsolatedPolicy = "fcfs"

// Do simulates the mix, and each application alone for the same time unless
// its isolated IPC is given. A policy that is Rehearsed has the mix run before. An application that has no company is its own
// isolated run.
func (r *Run) Do(ctx context.Context) (*Result, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	var alone []Isolated
	var aloneTook time.Duration
	apps, inspections := r.inspected()
	if r.informs() != (policy.Alone{}) || r.promises() {
		var err error
		start := time.Now()
		if alone, err = r.isolate(ctx, nil); err != nil {
			return nil, err
		}
		r.inform(apps, alone)
		aloneTook = time.Since(start)
	}
	sharing, err := policy.Parse(r.Policy)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := r.rehearse(ctx, sharing, apps); err != nil {
		return nil, err
	}
	corun, err := r.simulate(ctx, sharing, apps, corunPhase, nil)
	if err != nil {
		return nil, err
	}
	for _, in := range inspections {
		if err := in.arrays(); err != nil {
			return nil, err
		}
	}
	wall := time.Since(start).Seconds()
	if alone == nil {
		start = time.Now()
		if alone, err = r.isolate(ctx, corun); err != nil {
			return nil, err
		}
		aloneTook = time.Since(start)
	}
	result := r.report(corun, apps, alone)
	result.Decision = policy.Explain(sharing)
	for i, in := range inspections {
		result.Kernels[i].Expects = in.result()
	}
	result.WallSeconds = wall
	if len(r.Apps) > 1 || r.promises() || r.IsolatedGPU != nil {
		result.IsolatedWallSeconds = aloneTook.Seconds()
	}
	return result, nil
}

// informs returns what the policy of a mix is to know of what the applications
// achieve alone. One that has no company needs no such policy.
func (r *Run) informs() policy.Alone {
	p, err := policy.Parse(r.Policy)
	if err != nil || len(r.Apps) <= 1 {
		return policy.Alone{} // the error is that of the run
	}
	return p.Needs().Alone
}

// Check returns an error if an application arrives too late to run at all, if the GPU
// of the isolated runs has another core clock, if a GPU cannot have the pages as they
// are to be, or if what it achieves alone is given without what the policy wants to know of that.
func (r *Run) Check() error {
	if r.IsolatedGPU != nil {
		if err := SameClock(r.GPU, r.IsolatedGPU); err != nil {
			return err
		}
	}
	for i := range r.Apps {
		gpus := []*build.Config{r.GPU}
		if r.IsolatedGPU != nil {
			gpus = append(gpus, r.IsolatedGPU)
		}
		for _, gpu := range gpus {
			if err := r.Pages.Check(gpu, r.Apps[i].Workload); err != nil {
				return err
			}
		}
	}
	for i, alone := range r.Isolated {
		if alone.IPC != 0 && alone.WIPC == 0 && r.informs().WIPC {
			return fmt.Errorf("policy %s wants the WIPC that application %q has alone, but only an isolated IPC is given; valid: IPC:WIPC, IPC@TURNAROUND:WIPC, or 0 to measure it", r.Policy, r.Apps[i].Spec)
		}
	}
	for i := range r.Apps {
		if at := r.arrival(&r.Apps[i]); r.Cycles > 0 && at >= r.Cycles {
			return fmt.Errorf("application %q: arrival is cycle %d; valid: below %d, the end of the run", r.Apps[i].Spec, at, r.Cycles)
		}
	}
	return nil
}

// simulate runs some of the applications to the end of the window, or until they are
// settled, if that is given.
func (r *Run) simulate(ctx context.Context, p policy.Policy, apps []App, phase string, settled func() bool) (*build.Platform, error) {
	var processes []host.Process
	for _, a := range apps {
		processes = append(processes, host.Process{App: a.Workload, Attributes: a.Attributes,
			Runs: int(r.Replays), Restart: r.Cycles > 0 || r.Replays > 0})
	}
	var listener build.Listeners
	if phase == corunPhase {
		listener.Driver, listener.Host, listener.Faults, listener.Pager = r.Listener, r.Host, r.Faults, r.Pager
	}
	gpu, err := build.NewWatched(*r.GPU, p, processes, listener)
	if err != nil {
		return nil, err
	}
	if err := gpu.SetPages(r.Pages); err != nil {
		return nil, err
	}
	if r.Started != nil && phase == corunPhase {
		if err := r.Started(gpu); err != nil {
			return nil, err
		}
	}
	if r.Cycles == 0 {
		gpu.GiveUp(r.MaxCycles)
	}
	if settled != nil {
		gpu.Until(settled)
	}
	if r.Warn != nil && phase == corunPhase {
		gpu.Warn(build.SpinCycles, r.Warn)
	}
	err = gpu.Run(ctx, r.Cycles, r.watch(gpu, phase))
	if errors.Is(err, build.ErrUnfinished) && phase != corunPhase {
		err = fmt.Errorf("%s: %w", phase, err)
	}
	return gpu, err
}

// watch makes the function that a platform reports its progress to.
func (r *Run) watch(gpu *build.Platform, phase string) func(cycle, instructions uint64) {
	if r.Progress == nil {
		return nil
	}
	return func(cycle, instructions uint64) {
		p := Progress{Phase: phase, Cycle: cycle, Limit: r.Cycles, WarpInstructions: instructions}
		if r.Cycles > 0 {
			p.Done = float64(cycle) / float64(r.Cycles)
		} else {
			p.Done = gpu.Progress()
			p.Runs, p.Replays = gpu.Runs()
		}
		r.Progress(p)
	}
}

// arrival is the cycle at which an application's process arrives.
func (r *Run) arrival(a *App) uint64 { return ArrivalCycle(a.Attributes, r.GPU.Clocks.Core) }

// ArrivalCycle is the cycle of a core clock in MHz at which a tenant's process
// arrives.
func ArrivalCycle(a tenant.Attributes, mhz int) uint64 { return a.Arrival.At(uint64(mhz) * 1_000_000) }

// ConfigHash is the config_hash of the run's result.
func (r *Run) ConfigHash() string { return r.hash(r.Policy, r.Apps) }

// hash identifies everything that determines what a run gives.
func (r *Run) hash(policyName string, apps []App) string {
	identity := struct {
		GPU    *build.Config
		Policy string
		Apps   []string
		Cycles uint64
		Seed   uint64

		Replays     uint64
		IsolatedGPU *build.Config  `json:",omitempty"`
		Pages       build.PageMode `json:",omitempty"`
	}{r.GPU, policyName, nil, r.Cycles, r.Seed, r.Replays, r.IsolatedGPU, r.Pages}
	if r.Pages == build.PagesResident {
		identity.Pages = ""
	}
	for _, a := range apps {
		identity.Apps = append(identity.Apps, a.Spec)
	}
	text, err := json.Marshal(identity)
	if err != nil {
		// A Config holds numbers, strings and lists only.
		panic(fmt.Sprintf("configuration cannot be encoded: %v", err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
