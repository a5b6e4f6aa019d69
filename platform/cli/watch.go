package cli

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"cotenant/experiment"
	"cotenant/observe/monitor"
	"cotenant/platform/wiring"
)

// watch serves the monitor page for a run from the moment its GPU is built, and
// says where on stderr. The function that it returns ends the page. So does
// ctx: a simulation that the page has paused cannot see that it is to end.
func watch(ctx context.Context, r *experiment.Run, addr string, stderr io.Writer) (stop func()) {
	var done atomic.Uint64 // in millionths
	report := r.Progress
	r.Progress = func(p experiment.Progress) {
		done.Store(uint64(p.Done * 1e6))
		report(p)
	}
	closePage := func() {}
	whenStarted(r, func(gpu *wiring.Platform) error {
		url, end, err := monitor.Serve(addr, gpu.Engine(), gpu.Components(), func() (uint64, uint64) { return done.Load(), 1e6 })
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "monitor: %s\n", url)
		context.AfterFunc(ctx, end)
		closePage = end
		return nil
	})
	return func() { closePage() }
}
