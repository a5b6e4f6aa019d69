package sm

import (
	"fmt"
	"math"
	"testing"

	"cotenant/sm/issuequeue"
	"cotenant/sm/tally"
	"cotenant/sm/tensor"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// ampere is an SM with the tensor cores of an A100: 1,024 multiply-adds a cycle (312
// TFLOPS by 108 SMs at 1,410 MHz), 24.7 cycles from a product to a dependent one (Sun et al.,
// arXiv 2206.02874).
func ampere() Spec {
	spec := testSpec()
	spec.Schedulers = 4
	spec.Tensor = tensor.Spec{Shapes: tensor.Shapes{M16N8K16F32: tensor.Timing{Interval: 8000, Latency: 25}}}
	return spec
}

// rate runs chains of accumulations on each of some warps, and returns the multiply-adds in a
// cycle up to the first warp's end.
func rate(t *testing.T, spec Spec, warps, chains int) float64 {
	const length = 400
	var list []workload.Inst
	for range length {
		for c := range chains {
			accumulators := uint8(32 + 4*c)
			inst := script.Product(workload.M16N8K16F32, accumulators, 0, 1, 2, 3, 4, 5, accumulators, accumulators+1, accumulators+2, accumulators+3)
			inst.Dst = [4]uint8{accumulators, accumulators + 1, accumulators + 2, accumulators + 3}
			list = append(list, inst)
		}
	}
	b := newBench(t, spec)
	all := make([][]workload.Inst, warps)
	for i := range all {
		all[i] = list
	}
	r := b.place(0, all...)
	b.run()
	first, last := r[0].issued[0], uint64(math.MaxUint64)
	for _, w := range r {
		first, last = min(first, w.issued[0]), min(last, w.issued[len(w.issued)-1])
	}
	issued := 0
	for _, w := range r {
		for _, cycle := range w.issued {
			if cycle < last {
				issued++
			}
		}
	}
	k := b.kernel(0).Tensor
	require.Equal(t, tensor.TenantStats{Products: uint64(warps * chains * length), MultiplyAdds: uint64(warps * chains * length * 2048)}, k)
	return float64(issued*2048) / float64(last-first)
}

// Products of independent warps overlap until a core is full: warps x work / latency, and at
// most the peak. Each scheduler has a core and every fourth warp.
func TestProductsOfIndependentWarpsReachLatencyBoundOrPeak(t *testing.T) {
	const work, latency, peak = 2048.0, 25.0, 1024.0
	for _, chains := range []int{1, 2, 4} {
		for warps := 1; warps <= 16; warps++ {
			want := 0.0
			for scheduler := range 4 {
				want += min(float64((warps+3-scheduler)/4*chains)*work/latency, peak/4)
			}
			what := fmt.Sprintf("%d warps with %d accumulations each", warps, chains)
			got := rate(t, ampere(), warps, chains)
			require.InEpsilon(t, want, got, 0.02, what)
			if warps%4 == 0 || chains == 1 && warps < 13 {
				require.InEpsilon(t, min(float64(warps*chains)*work/latency, peak), got, 0.02, what)
			}
		}
	}
}

// A product reads ten registers: four of A, two of B and four accumulators.
func TestProductWaitsForEveryOfItsRegisters(t *testing.T) {
	spec := ampere()
	for r := uint8(1); r <= 10; r++ {
		list := []workload.Inst{script.Op(workload.SFU, r), script.Product(workload.M16N8K16F32, 99, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}
		require.Equal(t, []uint64{0, 20}, issues(t, spec, list...), "register %d", r)
	}
}

// Shapes take turns on a core, each for its own interval; what has no entry takes that of
// pipes.tensor.
func TestShapesTakeTheirOwnTimes(t *testing.T) {
	spec := ampere()
	spec.Tensor.Shapes.M16N8K8F32 = tensor.Timing{Interval: 4500, Latency: 18}
	require.Equal(t, []uint64{0, 4, 9, 17, 19}, issues(t, spec, script.Product(workload.M16N8K8F32, 1), script.Product(workload.M16N8K8F32, 2),
		script.Product(workload.M16N8K16F32, 3), script.Product(workload.NoShape, 4), script.Product(workload.M8N8K4F64, 5)))
	require.Equal(t, []uint64{0, 18, 43, 59}, issues(t, spec, script.Product(workload.M16N8K8F32, 1), script.Product(workload.M16N8K16F32, 1, 1),
		script.Product(workload.NoShape, 1, 1), script.Op(workload.Int, 1, 1)))
}

func TestTwoTenantsShareACore(t *testing.T) {
	b := newBench(t, ampere())
	b.place(0, products(8))
	b.place(1, products(4))
	b.run()
	for id, n := range []uint64{8, 4} {
		require.Equal(t, tensor.TenantStats{Products: n, MultiplyAdds: n * 2048}, b.kernel(int(tenant.ID(id).Account(0))).Tensor)
	}
}

// A product's steps take the scheduler's cycles, at even times, from whatever else is ready; what
// waits for the product is not held up.
func TestStepsTakeCyclesOfTheScheduler(t *testing.T) {
	spec := ampere()
	spec.Tensor.Shapes.M16N8K16F32 = tensor.Timing{Interval: 16000, Latency: 38, Steps: 8}
	list := []workload.Inst{script.Product(workload.M16N8K16F32, 1)}
	want := []uint64{0}
	for i := range 12 {
		list = append(list, script.Op(workload.Int, uint8(10+i)))
		want = append(want, []uint64{1, 3, 5, 7, 9, 11, 13, 15, 16, 17, 18, 19}[i])
	}
	require.Equal(t, want, issues(t, spec, list...))
	require.Equal(t, []uint64{0, 38}, issues(t, spec, list[0], script.Op(workload.Int, 2, 1)))
	require.Equal(t, []uint64{0, 16, 17}, issues(t, spec, list[0], script.Product(workload.M16N8K16F32, 2), script.Op(workload.Int, 3)))

	b := newBench(t, spec)
	b.place(0, list)
	b.run()
	k := b.kernel(0)
	require.Equal(t, tensor.TenantStats{Products: 1, MultiplyAdds: 2048, Steps: 7}, k.Tensor)
	require.Equal(t, uint64(7), k.Stalls[tally.PipeFull])
}

// products are n products that do not wait for one another.
func products(n int) (list []workload.Inst) {
	for i := range n {
		list = append(list, script.Product(workload.M16N8K16F32, uint8(i)))
	}
	return list
}

func TestShapesDoNotGoWithOtherUnits(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		`tensor.shapes: they go with pipes.matrix.unit: "", not with "sfu"`: func(s *Spec) {
			s.Pipes.Matrix = UnitSpec{Unit: "sfu", Interval: 1, Latency: 1}
		},
		"tensor.shapes: they are of one tensor core for each scheduler: pipes.tensor.units: 1, per_sm: false": func(s *Spec) { s.Pipes.Tensor.PerSM = true },
		"tensor.shapes.m16n8k16-f32.latency is 0, must be 1 to 1023":                                          func(s *Spec) { s.Tensor.Shapes.M16N8K16F32.Latency = 0 },
		"tensor.shapes: m16n8k16-f32.steps is 9, must be 0, or 2 to the cycles of the interval, 8":            func(s *Spec) { s.Tensor.Shapes.M16N8K16F32.Steps = 9 },
		"tensor.shapes: m16n8k16-f32.steps is 1, must be 0, or 2 to the cycles of the interval, 8":            func(s *Spec) { s.Tensor.Shapes.M16N8K16F32.Steps = 1 },
		"tensor.shapes: steps go with issue_queue.entries: 0": func(s *Spec) {
			s.Queue = issuequeue.Spec{Entries: 8, Width: 2, FetchWidth: 2, Order: "out-of-order"}
			s.Schedulers, s.Tensor.Shapes.M16N8K16F32.Steps = 1, 4
		},
	} {
		spec := ampere()
		change(&spec)
		require.EqualError(t, spec.Validate(), want, want)
	}
}

// joint is a warp's part of a product of 64 x N x 16 of four warps.
func joint(columns int) workload.Inst {
	inst := script.Product(workload.M16N8K16F32, workload.NoReg)
	inst.Barrier, inst.Warps = uint8(columns/8), 2
	return inst
}

// hopper is an SM with the tensor cores of an H100: 2,048 multiply-adds a cycle.
func hopper() Spec {
	spec := ampere()
	spec.Tensor.Warpgroup = tensor.Warpgroup{Column: 500, Latency: 18, Bytes: 128}
	return spec
}

// A warp goes on behind a product of four warps. Its wait ends with the latency of the group, and the next
// product begins when the core is free.
func TestAWaitForProductsEndsWhenTheyAreDone(t *testing.T) {
	groups := func(inst workload.Inst) workload.Inst {
		inst.Warps = workload.ProductGroups
		return inst
	}
	at := issues(t, hopper(), joint(128), joint(128), groups(commits()), script.Op(workload.Int, 1), groups(awaits(0)), script.Op(workload.Int, 2))
	require.Equal(t, []uint64{0, 64, 65, 66, 64 + 18 + 64, 64 + 18 + 64 + 1}, at)
	// Groups of copies are others, and a younger group may be under way.
	at = issues(t, hopper(), joint(64), groups(commits()), joint(64), groups(commits()), awaits(0), groups(awaits(1)))
	require.Equal(t, []uint64{0, 1, 32, 33, 34, 50}, at)
}

// Four warps with products of 64 x 256 x 16, one after the other, keep their cores busy: the peak.
func TestProductsOfFourWarpsReachThePeak(t *testing.T) {
	const products = 50
	b := newBench(t, hopper())
	list := make([]workload.Inst, products)
	for i := range list {
		list[i] = joint(256)
	}
	r := b.place(0, list, list, list, list)
	b.run()
	require.Equal(t, uint64(products-1)*128, r[0].issued[products-1]-r[0].issued[0])
	require.Equal(t, tensor.TenantStats{Products: 4 * products, MultiplyAdds: 64 * 256 * 16 * products}, b.kernel(0).Tensor)
}
