package sampling

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cotenant/experiment"
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload/source"
)

// Check returns an error, in the words of the run command, for a run that sampling cannot
// estimate: it estimates one run of one application alone.
func Check(r *experiment.Spec) error {
	if len(r.Apps) != 1 {
		return fmt.Errorf("--sample estimates an application alone, as launches of %d applications meet otherwise in a sampled run; valid: one --app", len(r.Apps))
	}
	_, attributes, _ := source.Split(r.Apps[0]) // opening the application returns the error
	switch {
	case attributes.HasGoal():
		return fmt.Errorf("--sample keeps no goals; valid: %s without ?qos and ?qos_time", r.Apps[0])
	case r.Cycles > 0:
		return fmt.Errorf("--sample estimates a whole run, as launches that are skipped take no part of a window; valid: without --cycles")
	case r.Replays() > 0:
		return fmt.Errorf("--sample estimates one run of the application; valid: --until done")
	case r.Policy != experiment.IsolatedPolicy:
		return fmt.Errorf("--sample estimates an application alone, which policy %s has nothing to share with; valid: --policy %s", r.Policy, experiment.IsolatedPolicy)
	case r.Pages != "" && r.Pages != wiring.PagesResident:
		return fmt.Errorf("--sample does not know which pages skipped launches would have moved; valid: --pages %s", wiring.PagesResident)
	case r.Warmup > 0 || r.SkipLaunches > 0 || r.StopAfterLaunch > 0:
		return fmt.Errorf("--sample estimates a whole run; valid: without --warmup, --skip-launches and --stop-after-launch")
	case r.IsolatedGPU != "" || len(r.Isolated) > 0:
		return fmt.Errorf("--sample compares with no other run; valid: without --isolated and --isolated-gpu")
	}
	return nil
}

// Do emulates the application of a run, chooses launches, simulates them and estimates the
// rest. r must pass Check and must have no listener of the host.
func Do(ctx context.Context, r *experiment.Run, s Spec) (*Result, error) {
	start := time.Now()
	if err := s.Validate(); err != nil {
		return nil, err
	}
	app := r.Apps[0].Workload
	launches, err := Profile(ctx, app, func(number int) {
		if r.Progress != nil {
			r.Progress(experiment.Progress{Phase: fmt.Sprintf("emulation, launch %d", number)})
		}
	})
	if err != nil {
		return nil, refused(r, err)
	}
	plan, err := NewPlan(s, launches)
	if err != nil {
		return nil, refused(r, err)
	}
	skip := &skipping{ctx: ctx, plan: plan, launches: launches}
	var times []uint64
	one := *r
	one.Apps = slices.Clone(r.Apps)
	one.Apps[0].Workload = skip.app(app)
	one.Host = timed(&times, &r.GPU.Host.Spec)
	if r.Progress != nil {
		one.Progress = func(p experiment.Progress) {
			p.Done = float64(skip.next) / float64(len(launches))
			r.Progress(p)
		}
	}
	run, err := one.Do(ctx)
	if err == nil {
		err = skip.done()
	}
	if err != nil {
		return nil, refused(r, err)
	}
	result := report(r, plan, launches, measured(plan, run.Kernels[0].Launches, times), run)
	result.WallSeconds = time.Since(start).Seconds()
	return result, nil
}

// refused names the application in an error.
func refused(r *experiment.Run, err error) error {
	return fmt.Errorf("--sample, %s: %w", r.Apps[0].Spec, err)
}

// timed is a listener that notes the time of each launch, from when its command was first
// in its queue, the latency before its issue, to its end.
func timed(times *[]uint64, spec *host.Spec) host.Listener {
	var issued uint64
	return host.Listener{
		Issued: func(e host.CommandEvent) { issued = e.Cycle },
		Completed: func(e host.CommandEvent) {
			if e.Op.Kernel != nil {
				*times = append(*times, e.Cycle-issued+spec.Latency(e.Op))
			}
		},
	}
}

// measured are the simulated launches by number.
func measured(p *Plan, simulated []experiment.LaunchResult, times []uint64) []Measured {
	list, next := make([]Measured, len(p.Roles)), 0
	for i := range list {
		if p.Simulated(i) {
			list[i] = Measured{Cycles: times[next], WarpInstructions: simulated[next].WarpInstructions}
			next++
		}
	}
	return list
}
