// Package export writes any application as a trace.
package export

import (
	"context"
	"fmt"

	"cotenant/staging"
	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/packed"
	"cotenant/workload/traceg"
)

// Options are the choices that a user has.
type Options struct {
	// Compress writes kernels as .traceg.xz.
	Compress bool
	// Progress is told before each launch its number, from 1, and its kernel.
	// It may be nil.
	Progress func(number int, k *workload.Kernel)
	// Long is told of a launch of which no thread block ends for long: its number, its
	// kernel, how many instructions of warps that are, and where the last one stands. It
	// may be nil.
	Long func(number int, k *workload.Kernel, executed int, place string)
	// Patience is that of functional.Observer.
	Patience uint64
}

// Trace executes an application once, without timing, and writes what it does
// as a trace to a folder, which must be empty or not there. The folder appears
// whole or not at all, with those above it that were not there.
func Trace(ctx context.Context, app *workload.App, folder string, o Options) (counts traceg.Counts, err error) {
	out, err := staging.MakeFolder(folder)
	if err != nil {
		return counts, err
	}
	defer out.Remove() // nothing is left there after the renaming
	w, err := traceg.NewWriter(out.At, o.Compress)
	if err != nil {
		return counts, staging.FolderFault(folder, err)
	}
	err = write(ctx, app, w, o)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return w.Counts, staging.FolderFault(folder, err)
	}
	return w.Counts, out.Commit()
}

func write(ctx context.Context, app *workload.App, w *traceg.Writer, o Options) error {
	host, err := app.Start()
	if err != nil {
		return err
	}
	defer workload.Close(host)
	for number := 1; ; {
		op, ok, err := host.Next()
		if err != nil {
			return err
		}
		if !ok && number == 1 {
			return fmt.Errorf("%s: the application launches no kernel", app.Name)
		}
		if !ok {
			return nil
		}
		switch {
		case op.CPU != 0:
			w.Counts.CPUPhases++
		case op.Bytes != 0:
			err = w.Copy(op.Addr, op.Bytes, op.ToHost)
		case op.Kernel == nil && op.Sync:
			w.Counts.Waits++
		case op.Kernel != nil:
			if o.Progress != nil {
				o.Progress(number, op.Kernel)
			}
			err = launch(ctx, op.Kernel, w, o.Patience, func(executed int, place string) {
				if o.Long != nil {
					o.Long(number, op.Kernel, executed, place)
				}
			})
			number++
		}
		if err != nil {
			return err
		}
		op.Complete(0)
	}
}

// launch executes one launch and writes its thread blocks in their order. Long is
// told where it is if it takes long.
func launch(ctx context.Context, k *workload.Kernel, w *traceg.Writer, patience uint64, long func(executed int, place string)) error {
	capture := packed.NewCapture()
	out, err := w.Kernel(k, capture.Table)
	if err != nil {
		return err
	}
	var streams []*packed.Stream
	err = functional.Capture(ctx, k, capture, functional.Observer{
		Patience: patience,
		Long: func(executed int, stream workload.Stream, inst *workload.Inst) {
			long(executed, workload.Where(stream, inst.PC))
		},
	}, func(tb int, t *packed.Captured) error {
		streams = t.Streams(streams[:0])
		return out.TB(tb, streams)
	})
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}
