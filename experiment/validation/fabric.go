package validation

import (
	"context"
	"fmt"

	"cotenant/mem"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload"
	"cotenant/workload/script"
)

// Traffic says which SMs access lines of the L2, and which lines.
type Traffic struct {
	SMs    []int // by number
	Writes bool  // whole lines; else they are read past the L1
	// The lines lie in the first Part of so many equal Parts of the DRAM channels; Parts of 0:
	// in all.
	Part, Parts int
}

// FabricBandwidth is the rate in bytes per core cycle at which some SMs together read from the L2
// or write to it, while the rest are idle. As in the program SPEEDUP of chrirocca/GPUNetBench
// (Jin et al., MICRO 2024) a thread block on each SM accesses a buffer that the L2 holds; here
// its lines are drawn at random from a quarter of the L2.
func FabricBandwidth(ctx context.Context, gpu *wiring.Config, t Traffic) (float64, error) {
	b := &bench{ctx: ctx, gpu: gpu}
	lines, err := b.linesOf(t)
	if err != nil {
		return 0, err
	}
	uses := make([]bool, gpu.SMs.Count())
	for _, sm := range t.SMs {
		if sm < 0 || sm >= len(uses) {
			return 0, fmt.Errorf("SM %d; valid: 0 to %d", sm, len(uses)-1)
		}
		uses[sm] = true
	}
	class := workload.Load
	if t.Writes {
		class = workload.Store
	}
	const n = 48 // of a warp
	warps := b.full()
	more, err := b.more(n, func(n int) *workload.Kernel {
		// Thread blocks go to the SMs in turn.
		return script.Kernel("fabric", len(uses), warps*workload.WarpSize, func(tb, warp int) (list []workload.Inst) {
			for i := 0; uses[tb] && i < n; i++ {
				list = append(list, lineOf(class, array, lines[random(len(lines), tb, warp, i)], i))
			}
			return append(list, script.Op(workload.Exit, workload.NoReg))
		})
	}, b.touchAll(len(lines), func(n int) int { return lines[n] }))
	if err != nil {
		return 0, err
	}
	return float64(n*warps*len(t.SMs)*protocol.LineBytes) / float64(more.Cycles), nil
}

// linesOf are the lines that traffic draws from.
func (b *bench) linesOf(t Traffic) (lines []int, err error) {
	if t.Parts > 0 && (t.Part < 1 || t.Part > t.Parts) {
		return nil, fmt.Errorf("%d of %d parts; valid: 1 to %d", t.Part, t.Parts, t.Parts)
	}
	addresses, err := mem.NewAddressMap(b.gpu.Address)
	if err != nil {
		return nil, err
	}
	want := b.l2Lines() / 4 / max(t.Parts, 1) * max(t.Part, 1)
	for line := 0; len(lines) < want; line++ {
		channel := addresses.Channel(addresses.Slice(array + uint64(line)*protocol.LineBytes))
		if t.Parts == 0 || channel*t.Parts/b.gpu.Address.Channels < t.Part {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
