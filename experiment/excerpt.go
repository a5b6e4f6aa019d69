package experiment

import (
	"context"
	"fmt"

	"cotenant/workload"
	"cotenant/workload/functional"
)

// excerpt is an application with the launches that the run asks for: each of its runs
// executes the first SkipLaunches launches without timing, and ends with launch
// StopAfterLaunch. Copies and CPU phases between them take their time.
func (r *Run) excerpt(ctx context.Context, of *workload.App) *workload.App {
	skip, last := int(r.SkipLaunches), int(r.StopAfterLaunch)
	if skip == 0 && last == 0 {
		return of
	}
	app := *of
	if of.Host == nil {
		app.Ops = listedExcerpt(of.Ops, skip, last)
		return &app
	}
	app.Host = func() (workload.Host, error) {
		h, err := of.Start()
		if err != nil {
			return nil, err
		}
		return &excerptHost{Host: h, ctx: ctx, app: of.Name, skip: skip, last: last, listed: workload.Listed(h)}, nil
	}
	return &app
}

// listedExcerpt leaves launches out of a list. last is 0 for all.
func listedExcerpt(ops []workload.Op, skip, last int) (list []workload.Op) {
	launches := 0
	for _, op := range ops {
		if op.Kernel != nil {
			if launches++; launches <= skip {
				op = workload.Op{Sync: op.Sync, Until: op.Until}
			}
		}
		list = append(list, op)
		if last > 0 && launches == last {
			break
		}
	}
	return list
}

// patience is the number of warp instructions of a skipped launch without the end of a
// thread block after which the run gives up, as with --sample.
const patience = 500_000_000

// excerptHost is one run of a host program of which some launches are simulated.
type excerptHost struct {
	workload.Host
	ctx        context.Context
	app        string
	skip, last int
	launches   int
	listed     bool // a skipped launch need not be executed
}

// Next implements workload.Host.
func (h *excerptHost) Next() (workload.Op, bool, error) {
	if h.last > 0 && h.launches == h.last {
		return workload.Op{}, false, nil
	}
	op, ok, err := h.Host.Next()
	switch {
	case err != nil:
		return op, ok, err
	case !ok && h.launches <= h.skip:
		return op, false, tooFew(h.app, h.launches, h.skip)
	case op.Kernel == nil:
		return op, ok, nil
	}
	if h.launches++; h.launches > h.skip {
		return op, true, nil
	}
	if !h.listed {
		err = functional.Run(h.ctx, op.Kernel, 1, functional.Observer{Patience: patience})
	}
	return workload.Op{Sync: op.Sync, Until: op.Until, Done: op.Done, Stream: op.Kernel.Stream, Mark: op.Done != nil}, true, err
}

// Close implements io.Closer.
func (h *excerptHost) Close() error {
	workload.Close(h.Host)
	return nil
}

// tooFew is the error of an application without a launch to simulate.
func tooFew(app string, launches, skip int) error {
	return fmt.Errorf("application %s makes %s, and skip-launches %d leaves none; valid: fewer", app, workload.Count(launches, "launch"), skip)
}

// checkExcerpt finds launches and warm-ups that contradict each other or the run.
func (r *Run) checkExcerpt() error {
	switch {
	case r.StopAfterLaunch > 0 && r.StopAfterLaunch <= r.SkipLaunches:
		return fmt.Errorf("stop-after-launch %d leaves no launch behind skip-launches %d; valid: above %d", r.StopAfterLaunch, r.SkipLaunches, r.SkipLaunches)
	case r.Warmup > 0 && r.Replays() > 0:
		return fmt.Errorf("warmup sets when counters start, and --until replays=%d measures whole runs; valid: --cycles or --until done", r.Replays())
	}
	for i := range r.Apps {
		app := r.Apps[i].Workload
		if r.SkipLaunches == 0 || app == nil || app.Host != nil { // a sweep checks before it opens applications
			continue
		}
		if n := len(app.Kernels()); uint64(n) <= r.SkipLaunches {
			return tooFew(r.Apps[i].Spec, n, int(r.SkipLaunches))
		}
	}
	return nil
}
