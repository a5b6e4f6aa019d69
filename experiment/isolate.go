package experiment

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/build"

	"golang.org/x/sync/errgroup"
)

// IsolatedCache keeps the results of isolated runs within a command.
type IsolatedCache struct {
	mu   sync.Mutex
	runs map[string]*isolatedRun
}

// isolatedRun is one isolated run, made once whoever asks first.
type isolatedRun struct {
	once sync.Once
	Isolated
	err error
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

// isolate returns what each application achieves alone. The co-run is that of an
// application without company, nil if it is yet to come; of others it is not looked
// at.
func (r *Run) isolate(ctx context.Context, corun *build.Platform) ([]Isolated, error) {
	alone := make([]Isolated, len(r.Apps))
	copy(alone, r.Isolated)
	if len(r.Apps) == 1 && corun != nil && alone[0].IPC == 0 && r.IsolatedGPU == nil && r.isItsOwn(corun) {
		return []Isolated{r.achieved(corun, 0)}, nil
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
	if r.IsolatedGPU != nil {
		quiet.GPU, quiet.IsolatedGPU = r.IsolatedGPU, nil
	}
	for i := range r.Apps {
		group.Go(func() (err error) {
			alone[i], err = quiet.measure(ctx, cache, &r.Apps[i], alone[i])
			return err
		})
	}
	return alone, group.Wait()
}

// measure completes what is known of an application alone.
func (r *Run) measure(ctx context.Context, cache *IsolatedCache, app *App, known Isolated) (Isolated, error) {
	if known.IPC == 0 {
		// It has as long as in the mix, from its arrival on.
		window := *r
		if r.Cycles > 0 {
			window.Cycles -= r.arrival(app)
		}
		var err error
		if known, err = window.runAlone(ctx, cache, app.alone(), "isolated "); err != nil {
			return known, err
		}
	}
	if app.QoSTime == 0 || known.Instructions > 0 {
		return known, nil
	}
	whole := *r
	whole.Cycles, whole.Replays = 0, 0
	one, err := whole.runAlone(ctx, cache, app.alone(), "one run of ")
	known.Instructions = one.Instructions
	return known, err
}

// runAlone runs an application by itself, or takes the run from a cache. What names
// its phase.
func (r *Run) runAlone(ctx context.Context, cache *IsolatedCache, app App, what string) (Isolated, error) {
	run := cache.run(r.hash(IsolatedPolicy, []App{app}))
	run.once.Do(func() {
		defer func() {
			// A panic here would not reach the main goroutine.
			if fault := recover(); fault != nil {
				run.err = fmt.Errorf("internal error in the isolated run of %s: %v", app.Spec, fault)
			}
		}()
		var alone policy.Policy
		if alone, run.err = policy.Parse(IsolatedPolicy); run.err != nil {
			return
		}
		var gpu *build.Platform
		if gpu, run.err = r.simulate(ctx, alone, []App{app}, what+app.Spec, nil); run.err == nil {
			run.Isolated = r.achieved(gpu, 0)
		}
	})
	return run.Isolated, run.err
}

// SameClock returns an error unless what a GPU does alone can stand beside what
// another does in a mix: IPC and turnaround times are in cycles of the core clock.
func SameClock(gpu, isolated *build.Config) error {
	if a, b := gpu.Clocks.Core, isolated.Clocks.Core; a != b {
		return fmt.Errorf("GPU %s of the isolated runs has a core clock of %d MHz, and GPU %s one of %d MHz; valid: a GPU of the same core clock, whose cycles IPC is counted in", isolated.Name, b, gpu.Name, a)
	}
	return nil
}

// isItsOwn reports whether a run of one application is its isolated run: if its
// kernels may be active at once, or are all of one stream.
func (r *Run) isItsOwn(corun *build.Platform) bool {
	if p, err := policy.Parse(r.Policy); err != nil || p.Needs().Concurrent {
		return true // the error is that of the run
	}
	launches := corun.Driver.Stats().Tenants[0].Launches
	return !slices.ContainsFunc(launches, func(l dispatcher.LaunchRecord) bool { return l.Stream != launches[0].Stream })
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
