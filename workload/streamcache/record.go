package streamcache

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/packed"
)

// Watcher is the host program of an application that can be recorded.
type Watcher interface {
	workload.Host
	// Watch is called before the first Next.
	Watch()
	// OrderDependence says why the results of the launches so far depend on the
	// order in which their warps ran, nil if they do not.
	OrderDependence() error
}

const (
	// patience is the number of warp instructions without the end of a thread
	// block after which a kernel is left to the timing model.
	patience = 100_000_000
	// watchEvery is the number of warp instructions between looks at the watch.
	watchEvery = 4096
	// memoryLimit bounds the bytes of a recording, which stays in memory.
	memoryLimit = 256 << 20
)

var errTooLarge = errors.New("its streams take more than 256 MiB")

// recording is an application with its instructions.
type recording struct {
	Key     Key           // the file's name is not trusted
	Refused string        // why the application cannot be recorded, "" if it is
	App     workload.App  // without Host
	Ops     []workload.Op // of the host program
}

func init() { gob.Register(&packed.Recording{}) }

// record emulates an application without timing. An error means that this
// process cannot record it.
func record(ctx context.Context, key Key, app *workload.App) (*recording, error) {
	host, err := app.Start()
	if err != nil {
		return nil, err
	}
	w, ok := host.(Watcher)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	w.Watch()
	r := &recording{Key: key, App: *app}
	captures, size := map[string]*packed.Capture{}, 0
	for {
		op, ok, err := w.Next()
		if k := op.Kernel; err == nil && k != nil {
			if captures[k.Name] == nil {
				captures[k.Name] = packed.NewCapture()
			}
			shape := *k
			shape.Source, err = launch(ctx, k, w, captures[k.Name], &size)
			op.Kernel = &shape
		}
		refusal := w.OrderDependence()
		switch {
		case refusal != nil || errors.Is(err, errTooLarge):
			return &recording{Key: key, Refused: cmp.Or(refusal, err).Error()}, nil
		case err != nil || !ok:
			return r, err
		}
		r.Ops = append(r.Ops, op)
	}
}

// launch records a launch, and adds the bytes of its thread blocks to size.
func launch(ctx context.Context, k *workload.Kernel, w Watcher, c *packed.Capture, size *int) (*packed.Recording, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	executed := 0
	watch := functional.Observer{Patience: patience, Executed: func(int, int, *workload.Inst) {
		if executed++; executed%watchEvery == 0 && w.OrderDependence() != nil {
			cancel()
		}
	}}
	r, buffer := &packed.Recording{Warps: k.WarpsPerTB()}, []byte(nil)
	return r, functional.Capture(ctx, k, c, watch, func(_ int, t *packed.Captured) error {
		if *size += r.Append(t, &buffer); *size > memoryLimit {
			return errTooLarge
		}
		return nil
	})
}

// replay makes the application of a recording, nil if it is refused.
func (r *recording) replay() *workload.App {
	if r.Refused != "" {
		return nil
	}
	r.App.Host = (&workload.App{Ops: r.Ops}).Start
	return &r.App
}
