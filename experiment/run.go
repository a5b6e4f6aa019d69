// Package experiment runs mixes of applications on a GPU and says what each
// tenant got, beside what it gets alone.
package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/build"
	"cotenant/workload"

	"golang.org/x/sync/errgroup"
)

// App is an application of a mix.
type App struct {
	Spec     string // as on the command line; with the seed it determines Workload
	Workload *workload.App
}

// Run is a mix of applications under a policy on a GPU.
type Run struct {
	GPU    *build.Config
	Policy string // name, and options if it has any: NAME:option=value,...
	Apps   []App
	Cycles uint64 // length of the window in core cycles; 0: each application once
	Seed   uint64 // that the applications were made with
	// Isolated has the isolated IPC of each application where it is known, 0
	// where it is to be measured. It may be nil.
	Isolated []float64
	// Cache keeps isolated runs for other Runs of the same command. It may be
	// nil.
	Cache *IsolatedCache
	// Progress is told now and then how far a run is. It may be nil. It is
	// called from one goroutine at a time.
	Progress func(Progress)
	// Started is shown the GPU of the co-run before it runs. It may be nil; an
	// error ends the run.
	Started func(*build.Platform) error
	// Parallel is the number of isolated runs at a time; 0: one for each
	// processor. It changes nothing but the time taken.
	Parallel int
	// Version of the program, for the result.
	Version string
}

// Progress says how far a run is.
type Progress struct {
	Phase            string // "co-run" or "isolated NAME"
	Cycle            uint64
	Limit            uint64 // 0 if the run ends with the applications
	WarpInstructions uint64
	Done             float64 // estimate from 0 to 1
}

// IsolatedCache keeps the results of isolated runs within a command.
type IsolatedCache struct {
	mu   sync.Mutex
	runs map[string]*isolatedRun
}

// isolatedRun is one isolated run, made once whoever asks first.
type isolatedRun struct {
	once sync.Once
	ipc  float64
	err  error
}

// NewIsolatedCache returns an empty cache.
func NewIsolatedCache() *IsolatedCache { return &IsolatedCache{runs: map[string]*isolatedRun{}} }

func (c *IsolatedCache) run(key string) *isolatedRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.runs[key]
	if r == nil {
		r = &isolatedRun{}
		c.runs[key] = r
	}
	return r
}

// corunPhase is the phase of the co-run in Progress.
const corunPhase = "co-run"

// isolatedPolicy is the policy of an application alone. Under any other it
// would run the same, which the policies' contract asserts.
const isolatedPolicy = "fcfs"

// Do simulates the mix, and each application alone for the same time unless
// its isolated IPC is given. An application that has no company is its own
// isolated run.
func (r *Run) Do(ctx context.Context) (*Result, error) {
	start := time.Now()
	corun, err := r.simulate(ctx, r.Policy, r.Apps, corunPhase)
	if err != nil {
		return nil, err
	}
	wall := time.Since(start).Seconds()
	start = time.Now()
	isolated, err := r.isolate(ctx, corun)
	if err != nil {
		return nil, err
	}
	result := r.report(corun, isolated)
	result.WallSeconds = wall
	if len(r.Apps) > 1 {
		result.IsolatedWallSeconds = time.Since(start).Seconds()
	}
	return result, nil
}

// simulate runs some of the applications to the end of the window.
func (r *Run) simulate(ctx context.Context, policyName string, apps []App, phase string) (*build.Platform, error) {
	p, err := policy.Parse(policyName)
	if err != nil {
		return nil, err
	}
	var tenants []dispatcher.Tenant
	for _, a := range apps {
		tenants = append(tenants, dispatcher.Tenant{App: a.Workload, Restart: r.Cycles > 0})
	}
	gpu, err := build.New(*r.GPU, p, tenants)
	if err != nil {
		return nil, err
	}
	if r.Started != nil && phase == corunPhase {
		if err := r.Started(gpu); err != nil {
			return nil, err
		}
	}
	return gpu, gpu.Run(ctx, r.Cycles, r.watch(gpu, phase))
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
			p.Done = gpu.Driver.Progress()
		}
		r.Progress(p)
	}
}

// isolate returns the isolated IPC of each application.
func (r *Run) isolate(ctx context.Context, corun *build.Platform) ([]float64, error) {
	isolated := make([]float64, len(r.Apps))
	copy(isolated, r.Isolated)
	if len(r.Apps) == 1 {
		if isolated[0] == 0 {
			isolated[0] = r.ipc(corun, 0)
		}
		return isolated, nil
	}
	cache := r.Cache
	if cache == nil {
		cache = NewIsolatedCache()
	}
	group, ctx := errgroup.WithContext(ctx)
	if r.Parallel > 0 {
		group.SetLimit(r.Parallel)
	} else {
		group.SetLimit(runtime.GOMAXPROCS(0))
	}
	quiet := *r
	quiet.Progress = serialized(r.Progress)
	for i, app := range r.Apps {
		if isolated[i] != 0 {
			continue
		}
		group.Go(func() error {
			run := cache.run(r.hash(isolatedPolicy, []App{app}))
			run.once.Do(func() {
				defer func() {
					// A panic here would not reach the main goroutine.
					if fault := recover(); fault != nil {
						run.err = fmt.Errorf("internal error in the isolated run of %s: %v", app.Spec, fault)
					}
				}()
				var gpu *build.Platform
				if gpu, run.err = quiet.simulate(ctx, isolatedPolicy, []App{app}, "isolated "+app.Spec); run.err == nil {
					run.ipc = r.ipc(gpu, 0)
				}
			})
			isolated[i] = run.ipc
			return run.err
		})
	}
	return isolated, group.Wait()
}

// serialized makes a progress function safe for several runs at a time.
func serialized(f func(Progress)) func(Progress) {
	if f == nil {
		return nil
	}
	var mu sync.Mutex
	return func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		f(p)
	}
}

// hash identifies everything that determines what a run gives.
func (r *Run) hash(policyName string, apps []App) string {
	identity := struct {
		GPU    *build.Config
		Policy string
		Apps   []string
		Cycles uint64
		Seed   uint64
	}{r.GPU, policyName, nil, r.Cycles, r.Seed}
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
