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
// an application with launches that overlap other work, so that their times do not add up.
// begun may be nil; it is told the number of each launch, from 1.
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

// serial is the application with an error where its launches could overlap other work.
func serial(app *workload.App) *workload.App {
	checked := *app
	checked.Host = func() (workload.Host, error) {
		h, err := app.Start()
		return &serialHost{Host: h, listed: workload.Listed(h)}, err
	}
	return &checked
}

// serialHost watches a run of a host program. A program that decides by what its kernels
// have computed must wait for each launch. A list of operations need not, as long as all
// commands are on one stream and the host computes nothing beside them.
type serialHost struct {
	workload.Host
	listed bool
	ahead  bool // the program has not waited since a launch
	stream int  // of that launch
}

// Next implements workload.Host.
func (h *serialHost) Next() (workload.Op, bool, error) {
	op, ok, err := h.Host.Next()
	if err != nil || !ok {
		return op, ok, err
	}
	command := op.Kernel != nil || op.Bytes > 0
	h.ahead = h.ahead && !op.Sync
	switch {
	case h.ahead && op.CPU > 0:
		err = fmt.Errorf("the host program computes beside a launch, so that their times do not add up; valid: an application that waits for its launches")
	case h.ahead && command && op.StreamOf() != h.stream, op.Kernel != nil && op.Async && !h.listed:
		err = fmt.Errorf("a command on stream %d may overlap a launch, so that their times do not add up; valid: an application with all commands on the default stream", op.StreamOf())
	}
	if command {
		h.ahead, h.stream = op.Async && (h.ahead || op.Kernel != nil), op.StreamOf()
	}
	return op, ok, err
}
