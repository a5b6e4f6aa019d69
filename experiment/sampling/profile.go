package sampling

import (
	"context"
	"fmt"

	"cotenant/workload"
	"cotenant/workload/summary"
)

// patience is the number of warp instructions without the end of a thread block after which
// a launch is given up: tens of seconds.
const patience = 500_000_000

// Profile executes an application once, without timing, and counts its launches. It refuses
// launches on CUDA streams, which may overlap, so that their times do not add up. begun may
// be nil; it is told the number of each launch, from 1.
func Profile(ctx context.Context, app *workload.App, begun func(number int)) (launches []Launch, err error) {
	o := summary.Options{Patience: patience, Begun: func(number int, _ *workload.Kernel) {
		if begun != nil {
			begun(number)
		}
	}}
	err = summary.Of(ctx, serial(app), o, func(l summary.Launch) error {
		launches = append(launches, Launch{
			Kernel: l.Kernel, Shape: fmt.Sprint(l.Block, l.RegistersPerThread, l.SharedBytesPerTB),
			TBs: l.TBs, WarpInstructions: l.WarpInstructions, ThreadInstructions: l.ThreadInstructions,
			FootprintBytes: l.FootprintBytes, FreshBytes: l.FreshBytes,
		})
		return nil
	})
	return launches, err
}

// serial is the application with an error where it launches a kernel and goes on.
func serial(app *workload.App) *workload.App {
	checked := *app
	checked.Host = func() (workload.Host, error) {
		h, err := app.Start()
		return serialHost{h}, err
	}
	return &checked
}

type serialHost struct{ workload.Host }

// Next implements workload.Host.
func (h serialHost) Next() (workload.Op, bool, error) {
	op, ok, err := h.Host.Next()
	if err == nil && op.Kernel != nil && op.Async {
		err = fmt.Errorf("kernel %s is launched on stream %d, where launches may overlap, so that their cycles do not add up; valid: an application with all launches on the default stream", op.Kernel.Name, op.Kernel.Stream)
	}
	return op, ok, err
}
