package emulated

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// idempotent are the built-in kernels with thread blocks that can be flushed. Of
// the rest, BFS_kernel, prescan, main, binning and the scans' sums are atomic or in
// place, ComputeQ and mysgemmNT add to what is there, final clears what it has
// read, and largersadcalc and splitSort read another part of the array that they
// write. The kernels of backprop, btree, fdtd2d, lavamd, rodinia-bfs, streamcluster,
// syr2k and syrk, rope and add go on from what they have written; histogram64 is atomic.
var idempotent = map[string][]string{
	"backprop": nil, "bfs": nil, "btree": nil, "cfd": {"cuda_compute_flux"}, "cutcp": {"lattice6overlap"}, "dxtc": {"compress"}, "fdtd2d": nil,
	"fdtd3d": {"FiniteDifferences"}, "histogram64": nil, "nn": {"firstLayer", "secondLayer"}, "nqueens": {"solve_nqueen"},
	"storegpu": {"sha1_overlap"}, "streamcluster": nil, "syr2k": nil, "syrk": nil,
	"histo": {"intermediates"}, "histogram1024": nil, "hybridsort": {"bucketcount", "bucketsort"},
	"kmeans": {"invert_mapping", "kmeansPoint"}, "lavamd": nil, "lbm": {"StreamCollide"},
	"mri-gridding": {"griddingGPU", "reorder", "splitRearrange"}, "mri-q": {"ComputePhiMag"}, "pathfinder": {"dynproc_kernel"},
	"rodinia-bfs": nil, "sad": {"mbsadcalc"}, "sad-larger": nil, "sgemm": nil, "spmv": {"spmvjds"},
	"stencil": {"block2Dregtiling"}, "tpacf": {"genhists"},

	"attention": {"attention_prefill"}, "copy": {"copy"}, "mul-fp32": {"mul_fp32"}, "mul-fp64": {"mul_fp64"}, "attention-decode": {"attention_decode", "attention_combine"}, "embedding": {"embedding"},
	"gemm-f16": {"gemm_f16"}, "gemm-f16-variants": {"gemm_f16_naive", "gemm_f16_async", "gemm_f16_swizzled", "gemm_f16"},
	"gemv-f16": {"gemv_f16"}, "gemv-q4": {"quantize_q8", "gemv_q4"}, "kv-append": {"append_kv"}, "layernorm": {"layernorm"},
	"llm-decode":       {"embedding", "rmsnorm", "gemv_f16", "append_kv", "attention_decode", "attention_combine", "silu_mul"},
	"llm-prefill":      {"embedding", "rmsnorm", "gemm_f16", "append_kv", "attention_prefill", "silu_mul", "gemv_f16"},
	"resnet-block":     {"max_pool", "convolution", "batch_sums", "batch_norm"},
	"resnet-inference": {"max_pool", "convolution_parts", "add_parts", "batch_norm"},
	"resnet-training":  {"max_pool", "convolution", "batch_sums", "batch_norm", "gradient_sums", "batch_gradient", "turn_weights", "weight_gradient"},
	"sleep":            {"sleep"}, "rmsnorm": {"rmsnorm"}, "silu-mul": {"silu_mul"}, "softmax": {"softmax"},
}

func TestWhichKernelsAreIdempotent(t *testing.T) {
	for _, name := range kernels.Names() {
		m, err := kernels.Builtin(name)
		require.NoError(t, err)
		instance, err := m.New("tiny", "", exec.NewMemory())
		require.NoError(t, err)
		h := &host{instance: instance, machine: NewMachine(workload.Target{}, sass.Options{})}
		for {
			op, ok, err := h.Next()
			require.NoError(t, err)
			if !ok {
				break
			}
			if op.Kernel != nil {
				require.Equal(t, op.Kernel.Idempotent, slices.Contains(idempotent[name], op.Kernel.Name), "%s of %s", op.Kernel.Name, name)
				require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, functional.Observer{}))
			}
		}
	}
}

// Thread blocks that are dropped in the middle and start anew elsewhere compute
// the same, and no context is moved.
func TestFlushedApplicationsComputeTheSame(t *testing.T) {
	for _, pair := range [][2]string{{"cutcp", "tpacf"}, {"spmv", "stencil"}, {"lbm", "histo"}} {
		t.Run(pair[0]+"+"+pair[1], func(t *testing.T) {
			t.Parallel()
			stats := computeTheSame(t, pair, &restless{rand.New(rand.NewPCG(1, 2)), 20, policy.Flush})
			require.Greater(t, stats.Tenants[0].Preemptions+stats.Tenants[1].Preemptions, uint64(10))
			if pair[1] != "histo" { // its prescan is switched
				require.Zero(t, stats.Tenants[0].ContextBytes+stats.Tenants[1].ContextBytes)
			}
		})
	}
}

func TestRestartedThreadBlockBeginsAnew(t *testing.T) {
	m, err := kernels.Builtin("stencil")
	require.NoError(t, err)
	pcs := func(flushed int) (list []uint32) {
		app, err := App(m, "tiny", "", workload.Target{}, sass.Options{})
		require.NoError(t, err)
		h, err := app.Start()
		require.NoError(t, err)
		op, _, err := h.Next()
		for ; err == nil && op.Kernel == nil; op, _, err = h.Next() {
		}
		require.NoError(t, err)
		l, err := op.Kernel.Source.Open()
		require.NoError(t, err)
		var tb workload.TB
		require.NoError(t, l.Next(&tb))
		var inst workload.Inst
		for range flushed {
			require.True(t, tb.Warps[0].Fetch(&inst))
			tb.Warps[0].Execute(&inst)
		}
		if flushed > 0 {
			require.NoError(t, l.(workload.Restarter).Restart(&tb))
		}
		for tb.Warps[0].Fetch(&inst) {
			tb.Warps[0].Execute(&inst)
			list = append(list, inst.PC)
		}
		return list
	}
	want := pcs(0)
	require.Greater(t, len(want), 10)
	for _, n := range []int{1, 7, len(want)} {
		require.Equal(t, want, pcs(n), "flushed after %d instructions", n)
	}
}
