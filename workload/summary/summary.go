// Package summary counts what the launches of an application do.
package summary

import (
	"context"
	"math/bits"

	"cotenant/workload"
	"cotenant/workload/functional"
)

// Launch is what one launch does.
type Launch struct {
	Kernel             string `json:"kernel"`
	Grid               [3]int `json:"grid"`
	Block              [3]int `json:"block"`
	RegistersPerThread int    `json:"registers_per_thread"`
	SharedBytesPerTB   int    `json:"shared_bytes_per_tb"`
	TBs                int    `json:"tbs"`
	WarpInstructions   uint64 `json:"warp_instructions"`
	ThreadInstructions uint64 `json:"thread_instructions"`
	// Classes are warp instructions by class; classes that do not occur are left
	// out. They add up to WarpInstructions.
	Classes map[string]uint64 `json:"classes"`
	// FootprintBytes is the memory that global and texture accesses touch, in
	// whole sectors of 32 bytes.
	FootprintBytes uint64 `json:"footprint_bytes"`
	// FreshBytes is the part of FootprintBytes that no earlier launch of the application
	// has touched.
	FreshBytes uint64 `json:"fresh_bytes"`
}

// Options are the choices that a user has. Each function may be nil.
type Options struct {
	// Begun is told before each launch its number, from 1, and its kernel.
	Begun func(number int, k *workload.Kernel)
	// Long is told of a launch of which no thread block ends for long: how many
	// instructions of warps that are, and where the last one stands.
	Long func(number int, k *workload.Kernel, executed int, place string)
	// Patience is that of functional.Observer.
	Patience uint64
}

// Of executes an application once, without timing, and counts. Each gets the
// launches in order, as they end.
func Of(ctx context.Context, app *workload.App, o Options, each func(Launch) error) error {
	host, err := app.Start()
	if err != nil {
		return err
	}
	before := sectors{pages: map[uint64]*[pageWords]uint64{}} // touched by earlier launches
	defer workload.Close(host)
	for number := 1; ; {
		op, ok, err := host.Next()
		if err != nil || !ok {
			return err
		}
		if op.Kernel == nil {
			op.Complete(0)
			continue
		}
		if o.Begun != nil {
			o.Begun(number, op.Kernel)
		}
		l, err := launch(ctx, op.Kernel, number, o, &before)
		number++
		if err != nil {
			return err
		}
		if err := each(l); err != nil {
			return err
		}
		op.Complete(0)
	}
}

func launch(ctx context.Context, k *workload.Kernel, number int, o Options, before *sectors) (Launch, error) {
	l := Launch{Kernel: k.Name, Grid: [3]int{k.Grid.X, k.Grid.Y, k.Grid.Z}, Block: [3]int{k.Block.X, k.Block.Y, k.Block.Z},
		RegistersPerThread: k.RegistersPerTB / k.ThreadsPerTB(), SharedBytesPerTB: k.SharedBytesPerTB, TBs: k.TBs(),
		Classes: map[string]uint64{}}
	var classes [workload.NumClasses]uint64
	touched := sectors{pages: map[uint64]*[pageWords]uint64{}}
	long := func(executed int, stream workload.Stream, inst *workload.Inst) {
		if o.Long != nil {
			o.Long(number, k, executed, workload.Where(stream, inst.PC))
		}
	}
	err := functional.Run(ctx, k, 1, functional.Observer{Long: long, Patience: o.Patience, Executed: func(_, _ int, inst *workload.Inst) {
		l.WarpInstructions++
		l.ThreadInstructions += uint64(bits.OnesCount32(inst.Active))
		classes[inst.Class]++
		if inst.Class.IsMemory() && (inst.Space == workload.Global || inst.Space == workload.Texture) {
			touched.access(inst)
		}
	}})
	for c, n := range classes {
		if n > 0 {
			l.Classes[workload.Class(c).String()] = n
		}
	}
	l.FootprintBytes = touched.bytes()
	l.FreshBytes = before.merge(&touched)
	return l, err
}
