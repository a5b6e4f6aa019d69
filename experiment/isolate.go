package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/wiring"

	"golang.org/x/sync/errgroup"
)

// IsolatedCache keeps the results of isolated runs within a command, by their config_hash. The
// first that asks for a run makes it.
type IsolatedCache struct{ runs sync.Map }

// execution is one Do of a run.
type execution struct {
	*Run
	sharing     policy.Policy
	apps        []App // with the attributes that follow from alone
	inspections []*inspection
	alone       []Isolated
	cache       *IsolatedCache
	corun       *wiring.Platform
	partial     string // where the run was interrupted
	// together is the time that the mix and its rehearsal took, apart that of the
	// applications alone.
	together, apart time.Duration
}

// do carries out a plan, one wave of jobs after the other.
func (x *execution) do(ctx context.Context, plan []*Job) error {
	informed := plan[0].Kind != Alone
	ended := map[*Job]bool{}
	for len(ended) < len(plan) {
		var wave []*Job
		for _, j := range plan {
			if !ended[j] && !slices.ContainsFunc(j.Needs, func(need *Job) bool { return !ended[need] }) {
				wave = append(wave, j)
			}
		}
		start, spent, err := time.Now(), &x.together, error(nil)
		switch wave[0].Kind {
		case Alone, Whole:
			spent, err = &x.apart, InParallel(ctx, x.Parallel, wave, x.measure)
		default:
			if !informed {
				x.inform()
				informed = true
			}
			err = x.run(ctx, wave[0])
		}
		if x.reached(err) {
			*spent += time.Since(start)
			return nil
		}
		if err != nil {
			return err
		}
		*spent += time.Since(start)
		for _, j := range wave {
			ended[j] = true
		}
	}
	return nil
}

// reached reports whether an interruption ends the run with what it has reached.
func (x *execution) reached(err error) bool {
	if !x.Partial || x.corun == nil || !errors.Is(err, context.Canceled) {
		return false
	}
	x.partial = strings.TrimSuffix(err.Error(), ": "+context.Canceled.Error())
	return true
}

// InParallel calls f for each element of a list, n at a time, or for n = 0 one for each
// processor. The first error ends ctx. A panic is an error, too: it would not reach the main
// goroutine.
func InParallel[T any](ctx context.Context, n int, list []T, f func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(AtATime(n))
	for _, x := range list {
		group.Go(func() (err error) {
			defer func() {
				if fault := recover(); fault != nil {
					err = fmt.Errorf("internal error with %v: %v", x, fault)
				}
			}()
			return f(ctx, x)
		})
	}
	return group.Wait()
}

// AtATime is n, or for 0 the number of processors.
func AtATime(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// run carries out the mix or its rehearsal.
func (x *execution) run(ctx context.Context, j *Job) (err error) {
	if j.Kind == Rehearsal {
		return x.rehearse(ctx, x.sharing, x.apps)
	}
	gpu, err := x.simulate(ctx, x.sharing, x.apps, corunPhase, nil)
	if gpu != nil && gpu.Warm() {
		x.corun = gpu
	}
	if err != nil {
		return err
	}
	for _, in := range x.inspections {
		if err := in.arrays(); err != nil {
			return err
		}
	}
	return nil
}

// measure completes the known figures of an application alone. The co-run of a single
// application may be its run alone.
func (x *execution) measure(ctx context.Context, j *Job) error {
	known := &x.alone[j.App]
	switch {
	case j.Kind == Whole:
		if known.Instructions > 0 {
			return nil
		}
		one, err := x.runAlone(ctx, j, "one run of ")
		known.Instructions = one.Instructions
		return err
	case known.IPC > 0:
		return nil
	case x.corun != nil && len(x.Apps) == 1 && x.IsolatedGPU == nil && x.isItsOwn(x.corun):
		*known = x.achieved(x.corun, 0)
		return nil
	}
	found, err := x.runAlone(ctx, j, "isolated ")
	if err == nil {
		*known = found
	}
	return err
}

// runAlone runs an application by itself, or takes the run from the cache. What names
// its phase.
func (x *execution) runAlone(ctx context.Context, j *Job, what string) (Isolated, error) {
	one, app := *x.Run, x.Apps[j.App].alone()
	one.Spec, one.Apps, one.IsolatedGPU = j.Spec, []App{app}, nil
	if x.IsolatedGPU != nil {
		one.GPU = x.IsolatedGPU
	}
	run, _ := x.cache.runs.LoadOrStore(one.ConfigHash(), sync.OnceValues(func() (Isolated, error) {
		alone, err := policy.Parse(IsolatedPolicy)
		if err != nil {
			return Isolated{}, err
		}
		gpu, err := one.simulate(ctx, alone, one.Apps, what+app.Spec, nil)
		if err != nil {
			return Isolated{}, err
		}
		return one.achieved(gpu, 0), nil
	}))
	return run.(func() (Isolated, error))()
}

// Comparable returns an error unless the GPUs of a mix and of the runs alone have one core
// clock and one target: IPC and turnaround times are in cycles, IPC in instructions, and an
// application is opened once.
func Comparable(gpu, isolated *wiring.Config) error {
	if a, b := gpu.Clocks.Core, isolated.Clocks.Core; a != b {
		return fmt.Errorf("GPU %s of the isolated runs has a core clock of %d MHz, and GPU %s one of %d MHz; valid: a GPU of the same core clock, as IPC is counted in its cycles", isolated.Name, b, gpu.Name, a)
	}
	if a, b := gpu.Streams(), isolated.Streams(); a.Numerics != b.Numerics {
		return fmt.Errorf("GPU %s of the isolated runs has sm.tensor.numerics %s, and GPU %s %s; valid: a GPU of the same, as the application computes once for both",
			isolated.Name, b.Numerics, gpu.Name, a.Numerics)
	} else if a != b {
		return fmt.Errorf("GPU %s of the isolated runs has isa %s, texture_layout %s and register_unit %d, and GPU %s isa %s, texture_layout %s and register_unit %d; valid: a GPU of the same, as IPC counts its instructions",
			isolated.Name, b.ISA, b.TextureLayout, b.RegisterUnit, gpu.Name, a.ISA, a.TextureLayout, a.RegisterUnit)
	}
	return nil
}

// isItsOwn reports whether a run of a single application is its isolated run: the policy
// lets kernels overlap, or all kernels are of one stream.
func (r *Run) isItsOwn(corun *wiring.Platform) bool {
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
