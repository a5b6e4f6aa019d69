// Package experiment carries out runs. A Spec describes a run in the words of the run
// command: GPU, policy, applications, window. Plan lists its simulations: the mix, its
// policy's rehearsal if any, and each application alone for comparison. Run.Do carries the
// plan out and returns a Result, which the package writes as JSON, CSV or a table.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"sync"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/host/pager"
	"cotenant/mem/mmu/fill"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/source"
)

// App is an application of a mix and the process that runs it.
type App struct {
	Spec     string // as on the command line
	Workload *workload.App
	tenant.Attributes
	// source is Spec without the attributes, "" if it has none.
	source string
}

// Open opens an application as a user writes it, with the attributes of its tenant.
func Open(spec string, o source.Options) (App, error) {
	rest, attributes, err := source.Split(spec)
	if err != nil {
		return App{}, err
	}
	app, err := source.Open(rest, o)
	return App{Spec: spec, Workload: app, Attributes: attributes, source: rest}, err
}

// alone is the application for its isolated run: without attributes, so that it arrives
// at once.
func (a App) alone() App {
	a.Attributes = tenant.Attributes{}
	if a.source != "" {
		a.Spec = a.source
	}
	return a
}

// Run is a Spec with its GPUs and applications open, and what watches it.
type Run struct {
	Spec
	GPU         *wiring.Config
	IsolatedGPU *wiring.Config // nil for GPU
	Apps        []App
	// Cache keeps isolated runs for other Runs of the same command. It may be
	// nil.
	Cache *IsolatedCache
	// Progress is told now and then how far a run is. It may be nil. It is
	// called from one goroutine at a time.
	Progress func(Progress)
	// Warn is told, in a line, of a kernel that may never end (wiring.Platform.Warn),
	// of goals that the policy ignores or that cannot be reached, and of the applications'
	// Notes. It may be nil.
	Warn func(text string)
	// Started is shown the GPU of the co-run before it runs. It may be nil; an
	// error ends the run.
	Started func(*wiring.Platform) error
	// Listener is told what happens on the GPU in the co-run, Host what happens
	// on its host, Faults and Pager about page faults.
	Listener dispatcher.Listener
	Host     host.Listener
	Faults   fill.Listener
	Pager    pager.Listener
	// Dump is given the files that dump steps of the mix's tenants write, in the
	// first run of each application: data is only valid during the call. Arrays is
	// given each tenant's arrays once the co-run has ended: as the last completed run
	// of its application left them, or if none is complete, as the run under way has
	// them. An error ends the run. Both may be nil.
	Dump   func(tenant int, at, file string, data []byte) error
	Arrays func(tenant int, arrays []workload.Array) error
	// Parallel is the number of isolated runs at a time; 0: one for each
	// processor. It changes nothing but the time taken.
	Parallel int
	// Partial has Do return what an interrupted run had reached, with Result.Partial, once
	// the co-run counts.
	Partial bool
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

// Progress is the state of a run under way.
type Progress struct {
	Phase            string // "co-run", "rehearsal", "isolated NAME" or "one run of NAME"
	Cycle            uint64
	Limit            uint64 // 0 if the run ends with the applications
	WarpInstructions uint64
	Done             float64 // estimate from 0 to 1; 0 also if none is known
	// Runs counts the completed runs of the application furthest from Replays, which is
	// 0 in runs that do not end by replays.
	Runs, Replays uint64
}

// corunPhase is the phase of the co-run in Progress.
const corunPhase = "co-run"

// IsolatedPolicy is the policy of an application alone. The policies' contract asserts
// that it runs the same under any other, except that some do not overlap kernels of
// several streams.
const IsolatedPolicy = "fcfs"

// Do carries out the run's plan: the mix, its rehearsal if the policy takes one, and each
// application alone unless its isolated IPC is given.
func (r *Run) Do(ctx context.Context) (*Result, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	sharing, err := r.GPU.Divide(func() (policy.Policy, error) { return policy.Parse(r.Policy) })
	if err != nil {
		return nil, err
	}
	watched := *r
	watched.Progress = serialized(r.Progress)
	x := &execution{Run: &watched, sharing: sharing, alone: make([]Isolated, len(r.Apps)), cache: r.Cache}
	if x.cache == nil {
		x.cache = &IsolatedCache{}
	}
	var telling sync.Mutex // runs alone are several at a time
	for _, a := range r.Apps {
		for _, note := range a.Workload.Notes {
			r.warn(note)
		}
		a.Workload.Tell = func(text string) {
			telling.Lock()
			defer telling.Unlock()
			r.warn(text)
		}
	}
	copy(x.alone, r.Isolated)
	x.apps, x.inspections = r.inspected()
	if err := x.do(ctx, r.Plan(attributes(r.Apps), r.GPU.Clocks.Core, sharing.Needs())); err != nil {
		return nil, err
	}
	result := r.report(x.corun, x.apps, x.alone)
	result.Partial = x.partial
	result.Decision = policy.Explain(sharing)
	for i, in := range x.inspections {
		result.Kernels[i].Expects = in.result()
	}
	result.WallSeconds = x.together.Seconds()
	if len(r.Apps) > 1 || r.promises() || r.IsolatedGPU != nil {
		result.IsolatedWallSeconds = x.apart.Seconds()
	}
	return result, nil
}

// attributes lists the attributes of the applications' tenants.
func attributes(apps []App) (list []tenant.Attributes) {
	for i := range apps {
		list = append(list, apps[i].Attributes)
	}
	return list
}

// informs lists the isolated figures that the policy of a mix needs. A single
// application needs none.
func (r *Run) informs() policy.Alone {
	p, err := policy.Parse(r.Policy)
	if err != nil || len(r.Apps) <= 1 {
		return policy.Alone{} // the error is that of the run
	}
	return p.Needs().Alone
}

// Check returns an error if the end is malformed, if an application arrives too late to
// run at all, if the GPU of the isolated runs has another core clock, if a GPU cannot
// have the pages, or if Isolated lacks a figure that the policy needs.
func (r *Run) Check() error {
	if err := r.checkExcerpt(); err != nil {
		return err
	}
	if r.Cycles == 0 && r.Until != "" {
		if _, err := ParseEnd(r.Until); err != nil {
			return err
		}
	}
	if err := r.checkInstances(); err != nil {
		return err
	}
	gpus := []*wiring.Config{r.GPU}
	if r.IsolatedGPU != nil {
		if err := Comparable(r.GPU, r.IsolatedGPU); err != nil {
			return err
		}
		gpus = append(gpus, r.IsolatedGPU)
	}
	for i := range r.Apps {
		for _, gpu := range gpus {
			if err := r.Pages.Check(gpu, r.Apps[i].Workload); err != nil {
				return err
			}
		}
	}
	for i, alone := range r.Isolated {
		if alone.IPC != 0 && alone.WIPC == 0 && r.informs().WIPC {
			return fmt.Errorf("policy %s needs the isolated WIPC of application %q, and only its isolated IPC is given; valid: IPC:WIPC, IPC@TURNAROUND:WIPC, or 0 to measure it", r.Policy, r.Apps[i].Spec)
		}
	}
	for i := range r.Apps {
		if at := ArrivalCycle(r.Apps[i].Attributes, r.GPU.Clocks.Core); r.Cycles > 0 && at >= r.window() {
			return fmt.Errorf("application %q: arrival is cycle %d; valid: below %d, the end of the run", r.Apps[i].Spec, at, r.window())
		}
	}
	return nil
}

// simulate runs applications to the end of the window, or until settled reports true;
// settled may be nil.
func (r *Run) simulate(ctx context.Context, p policy.Policy, apps []App, phase string, settled func() bool) (*wiring.Platform, error) {
	var processes []host.Process
	replays := r.Replays()
	for _, a := range apps {
		processes = append(processes, host.Process{App: r.excerpt(ctx, a.Workload), Attributes: a.Attributes,
			Runs: int(replays), Restart: r.Cycles > 0 || replays > 0})
	}
	var listener wiring.Listeners
	if phase == corunPhase {
		listener.Driver, listener.Host, listener.Faults, listener.Pager = r.Listener, r.Host, r.Faults, r.Pager
	}
	gpu, err := wiring.NewWatched(*r.GPU, p, processes, listener)
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
	gpu.EndSpins()
	if r.Warn != nil && phase == corunPhase {
		gpu.Warn(wiring.SpinCycles, r.Warn)
	}
	if r.Warmup > 0 {
		gpu.CountFrom(r.Warmup, len(apps))
	}
	err = gpu.Run(ctx, r.window(), r.watch(gpu, phase))
	if errors.Is(err, wiring.ErrUnfinished) && phase != corunPhase {
		err = fmt.Errorf("%s: %w", phase, err)
	}
	if err == nil && !gpu.Warm() {
		err = fmt.Errorf("%s: the applications end at cycle %d, within warmup %d; valid: fewer cycles", phase, gpu.Cycles(0), r.Warmup)
	}
	return gpu, err
}

// watch passes a platform's progress on.
func (r *Run) watch(gpu *wiring.Platform, phase string) func(cycle, instructions uint64) {
	if r.Progress == nil {
		return nil
	}
	return func(cycle, instructions uint64) {
		p := Progress{Phase: phase, Cycle: cycle, Limit: r.window(), WarpInstructions: instructions}
		if r.Cycles > 0 {
			p.Done = float64(cycle) / float64(r.window())
		} else {
			p.Done = gpu.Progress()
			p.Runs, p.Replays = gpu.Runs()
		}
		r.Progress(p)
	}
}

// ArrivalCycle is the cycle of a core clock in MHz at which a tenant's process
// arrives.
func ArrivalCycle(a tenant.Attributes, mhz int) uint64 { return a.Arrival.At(uint64(mhz) * 1_000_000) }

// ConfigHash is the config_hash of the run's result.
func (r *Run) ConfigHash() string {
	id := r.Identity(r.GPU, r.IsolatedGPU)
	for i := range r.Apps {
		id.Apps = append(id.Apps, &AppIdentity{Spec: r.Apps[i].Spec})
	}
	return id.ConfigHash()
}
