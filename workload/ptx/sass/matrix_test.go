package sass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

func TestInstructionsOfHalfPrecisionAndMatrices(t *testing.T) {
	for text, want := range map[string]string{
		"fma.rn.f16x2 %r1, %r2, %r3, %r4;":                "fp32",
		"setp.gt.bf16 %p1, %h1, %h2;":                     "fp32",
		"ex2.approx.f16 %h1, %h2;":                        "sfu",
		"tanh.approx.bf16x2 %r1, %r2;":                    "sfu*02",
		"cvt.rn.f16x2.f32 %r1, %f1, %f2;":                 "int",
		"cvt.f32.bf16 %f1, %h1;":                          "int",
		"cvt.rna.tf32.f32 %r1, %f1;":                      "int",
		"cvt.rn.f16.f32 %h1, %f1;":                        "sfu",
		"cvt.rn.bf16.s32 %h1, %r1;":                       "sfu",
		"min.s16x2 %r1, %r2, %r3;":                        "int",
		"fma.rn.f32x2 %x1, %x2, %x3, %x4;":                "fp32",
		"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;": "sfu",
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};": "tensor",
		"cp.async.commit_group;":        "commit",
		"cp.async.wait_group 1;":        "await",
		"cp.async.wait_all;":            "commit+await",
		"discard.global.L2 [%x1], 128;": "-",
	} {
		f := function(t, text)
		require.Equal(t, want, classes(Lower(f, Options{}), f), text)
	}
}

func TestMatricesAndCopiesAreAccesses(t *testing.T) {
	for text, want := range map[string]workload.Inst{
		"ldmatrix.sync.aligned.m8n8.x2.b16 {%r1, %r2}, [%x1];":   {Class: workload.Load, Space: workload.Shared},
		"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};": {Class: workload.Store, Space: workload.Shared},
		"cp.async.ca.shared.global [%r1], [%x1], 8;":             {Class: workload.Copy, Space: workload.Global},
		"cp.async.cg.shared.global.L2::128B [%r1], [%x1], 16;":   {Class: workload.Copy, Space: workload.Global, Flags: workload.BypassL1},
		"cp.async.wait_group 3;":                                 {Class: workload.Await, Barrier: 3},
		"red.global.add.v2.f32 [%x1], {%f1, %f2};":               {Class: workload.Reduction, Space: workload.Global},
		"ld.global.L2::cache_hint.u32 %r1, [%x1], %x2;":          {Class: workload.Load, Space: workload.Global},
	} {
		list := Lower(function(t, text), Options{}).At(0)
		require.Len(t, list, 1, text)
		got := list[0]
		require.Equal(t, want, workload.Inst{Class: got.Class, Space: got.Space, Flags: got.Flags, Barrier: got.Barrier}, text)
	}
}

// Two rows, four neighbours of each; addresses are computed once.
func TestFragmentsAreLoadedByTheLaneThatHoldsThem(t *testing.T) {
	count := func(text string) map[workload.Class]int {
		n := map[workload.Class]int{}
		f := function(t, text)
		code := Lower(f, Options{})
		for i := range f.Insts {
			for _, inst := range code.At(i) {
				n[inst.Class]++
			}
		}
		return n
	}
	half := "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}"
	n := count("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + half + ", [%r1], 16;")
	require.Equal(t, 2, n[workload.Load]) // of eight bytes of a row each
	n = count("wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 " + half + ", [%r1], 16;")
	require.Equal(t, 8, n[workload.Load]) // of two bytes each, since pairs lie across
	n = count("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%x1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, 16;")
	require.Equal(t, 4, n[workload.Store])
	n = count("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, " + half + ", " + half +
		", {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};")
	require.Equal(t, map[workload.Class]int{workload.Tensor: 2}, n)
}

// A product has the shape of its text, and names four registers of A, two of B and four of C.
func TestProductsHaveTheirShapesAndTenSources(t *testing.T) {
	for text, want := range map[string]workload.Shape{
		"m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8};": workload.M16N8K16F32,
		"m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8};":                       workload.M16N8K16F16,
		"m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8};":  workload.M16N8K8TF32,
		"m16n8k32.row.col.s32.u8.s8.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2, %r3, %r4};":     workload.M16N8K32S8,
		"m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};": workload.M16N8K32F8,
		"m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d1, %d2};":                                             workload.M8N8K4F64,
	} {
		list := Lower(function(t, "mma.sync.aligned."+text), Options{}).At(0)
		require.Len(t, list, 1, text)
		require.Equal(t, want, list[0].Shape(), text)
	}
	f := function(t, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f5, %f6, %f7, %f8};")
	inst := Lower(f, Options{}).At(0)[0]
	require.NotContains(t, inst.Src, uint8(workload.NoReg))
	regs := assign(f, make([]bool, len(f.Insts)), Options{})
	for _, o := range f.Insts[0].Src[2].Elems {
		require.Contains(t, inst.Src, regs.machine[o.Reg])
	}
}

// A warp's part of a product of four warps has as many parts as 8 columns, and reads one matrix or two
// from shared memory. Its groups are apart from the groups of copies.
func TestProductsOfFourWarpsTellTheirColumnsAndGroups(t *testing.T) {
	d := "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"
	for text, want := range map[string]workload.Inst{
		"wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 " + d + ", %x1, %x2, %p1, 1, 1, 0, 0;":             {Class: workload.Tensor, Width: uint8(workload.M16N8K16F32), Barrier: 2, Warps: 2},
		"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " + d + ", {%r1, %r2, %r3, %r4}, %x2, %p1, 1, 1, 0;": {Class: workload.Tensor, Width: uint8(workload.M16N8K16F32), Barrier: 2, Warps: 1},
		"wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 " + d + ", %x1, %x2, %p1, 1, 1;":                    {Class: workload.Tensor, Width: uint8(workload.M16N8K8TF32), Barrier: 2, Warps: 2},
		"wgmma.commit_group.sync.aligned;": {Class: workload.Commit, Warps: workload.ProductGroups},
		"wgmma.wait_group.sync.aligned 1;": {Class: workload.Await, Barrier: 1, Warps: workload.ProductGroups},
		"cp.async.wait_group 1;":           {Class: workload.Await, Barrier: 1},
	} {
		list := Lower(function(t, text), Options{}).At(0)
		require.Len(t, list, 1, text)
		got := list[0]
		require.Equal(t, want, workload.Inst{Class: got.Class, Width: got.Width, Barrier: got.Barrier, Warps: got.Warps}, text)
		require.Equal(t, workload.NoRegs4, got.Dst, text)
	}
}

// A look at an mbarrier is a load and a wait behind it: try_wait also waits for a phase that has not ended.
func TestLooksAtMBarriersWait(t *testing.T) {
	for text, flags := range map[string]workload.Flags{
		"mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;":  workload.Unmet,
		"mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0;": 0,
	} {
		list := Lower(function(t, text), Options{}).At(0)
		require.Len(t, list, 2, text)
		require.Equal(t, []workload.Class{workload.Load, workload.Await}, []workload.Class{list[0].Class, list[1].Class}, text)
		require.Equal(t, flags, list[1].Flags, text)
		require.Equal(t, uint8(workload.PhaseWaits), list[1].Warps, text)
		require.Equal(t, list[0].Dst[0], list[1].Src[0], "it waits for the answer")
	}
}
