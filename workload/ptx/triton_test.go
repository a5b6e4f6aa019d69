package ptx_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/kernels"
	emulator "cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/smallfloat"
)

// tritonKernels are kernels that Triton compiled for two architectures, in the test data of
// meta-pytorch/tritonparse, with what the JSON beside each says of its block.
var tritonKernels = []struct {
	commit, path, lines string // of JSON
	kernel, ends        string // with what the parameters end
	threads             int
	blocks              string // elements of a thread block, by line
}{
	{"ce918623", "asplos2027-ae/traces/reference/logs/dedicated_log_triton_trace_ae_.ndjson", "1 4 7", "matmul_kernel", ", 0, 0", 32, "16x16 32x16 16x32"},
	{"90c0902f", "website/public/dedicated_log_triton_trace_findhao__mapped.ndjson.gz", "1 481 1085", "matmul_kernel", ", 0, 0", 32, "16x16 32x16 16x32"},
	{"d1022458", "website/public/dedicated_log_triton_trace_findhao__mapped.ndjson.gz", "1 444 1005", "matmul_kernel", ", 0", 32, "16x16 32x16 16x32"},
	{"ce918623", "asplos2027-ae/traces/reference/logs/dedicated_log_triton_trace_ae_.ndjson", "10 15", "fused_op_kernel", ", 0, 0", 128, "8 8"},
	{"90c0902f", "website/public/dedicated_log_triton_trace_findhao__mapped.ndjson.gz", "1686 1691", "fused_op_kernel", ", 0, 0", 128, "8 8"},
	{"d1022458", "website/public/dedicated_log_triton_trace_findhao__mapped.ndjson.gz", "1560 1564", "fused_op_kernel", ", 0", 128, "8 8"},
	{"639b1c57", "website/public/f0_fc0_a0_cai-.ndjson", "1", "add_kernel", ", 0", 128, "1024"},
	{"639b1c57", "website/public/f0_fc0_a0_cai-.ndjson", "2 3 4 6", "add_kernel_autotune", ", 0", 128, "256 512 1024 2048"},
	{"639b1c57", "website/public/f0_fc0_a0_cai-.ndjson", "5 7", "add_kernel_autotune", ", 0", 256, "1024 2048"},
	{"8d7459c3", "tests/example_output/logs/dedicated_log_triton_trace_findhao_.ndjson", "1", "add_kernel", ", 0", 128, "1024"},
	{"8d7459c3", "tests/example_output/logs/dedicated_log_triton_trace_findhao_.ndjson", "2", "triton_poi_fused_add_0", ", 0", 128, "1024"},
	{"e0372cd4", "website/public/f0_fc0_a0_cai-.ndjson", "1", "triton_poi_fused_add_0", ", 0", 128, "1024"},
	{"e0372cd4", "website/public/f0_fc0_a0_cai-.ndjson", "2", "triton_poi_fused_add_0", ", 0", 256, "512"},
	{"4be9a07f", "tests/dedicated_log_triton_trace_.ndjson", "1", "add_kernel", ", 0", 128, "1024"},
	{"4be9a07f", "tests/dedicated_log_triton_trace_.ndjson", "2", "triton_poi_fused_add_0", ", 0", 128, "1024"},
}

// Kernels of Triton, launched by manifests, compute what their Python says; products of
// matrices for Turing, by fused multiplications, and for Hopper, by mma, agree.
func TestTritonKernelsCompute(t *testing.T) {
	folder := os.Getenv("SURVEY")
	if folder == "" {
		t.Skip("SURVEY names no folder of repositories")
	}
	products, ran := map[string][][]float64{}, 0
	for _, k := range tritonKernels {
		blocks := strings.Fields(k.blocks)
		for i, line := range strings.Fields(k.lines) {
			text, err := published(filepath.Join(folder, "meta-pytorch+tritonparse", "repo"), k.commit, k.path+"#"+line)
			require.NoError(t, err)
			require.Contains(t, text, ".entry "+k.kernel+"(")
			name := fmt.Sprintf("%s:%s#%s", k.commit, k.path, line)
			ran++
			if k.kernel == "matmul_kernel" {
				out := tritonProduct(t, name, text, blocks[i], k.ends)
				products[blocks[i]] = append(products[blocks[i]], out)
				continue
			}
			args, formula := "x, y, z, n"+k.ends, "x[i] + y[i]"
			arrays := ""
			if k.kernel == "fused_op_kernel" {
				args, formula = "x, y, w, z, n, 0.5"+k.ends, "x[i] * y[i] * 0.5 + w[i]"
				if i == 1 {
					formula = "max(" + formula + ", 0)"
				}
				arrays = "  - {name: w, type: f32, length: n, normal: {seed: 3}}\n"
			}
			tritonRun(t, text, fmt.Sprintf(`name: triton
ptx: k.ptx
parameters: [{name: n, value: 4096}]
arrays:
  - {name: x, type: f32, length: n, normal: {seed: 1}}
  - {name: y, type: f32, length: n, normal: {seed: 2}}
%s  - {name: z, type: f32, length: n}
kernels: [{name: %s, block: [%d]}]
steps:
  - launch: {kernel: %s, grid: [n / %s], args: [%s]}
  - expect: {array: z, formula: "%s", relative: 2e-6, absolute: 1e-6}
`, arrays, k.kernel, k.threads, k.kernel, blocks[i], args, formula), name)
		}
	}
	require.GreaterOrEqual(t, ran, 20)
	for block, list := range products {
		require.Len(t, list, 3)
		for _, out := range list[1:] {
			for i, v := range out {
				require.InDelta(t, list[0][i], v, 0x1p-10*max(math.Abs(v), 1), "%s, element %d", block, i)
			}
		}
	}
	t.Logf("%d kernels", ran)
}

// tritonRun runs a manifest to its end, with its expectations, and returns it.
func tritonRun(t *testing.T, text, manifest, name string) *kernels.Instance {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.ptx"), []byte(text), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.yaml"), []byte(manifest), 0o644))
	m, err := kernels.Load(filepath.Join(folder, "k.yaml"))
	require.NoError(t, err, name)
	instance, err := m.New("tiny", "", emulator.NewMemory())
	require.NoError(t, err, name)
	expectations := &expectations{}
	instance.Inspect(expectations)
	for {
		op, ok, err := instance.Next()
		require.NoError(t, err, name)
		if !ok {
			require.Empty(t, expectations.failed, name)
			return instance
		}
		if op.Launch != nil {
			_, err := emulator.Execute(context.Background(), op.Launch.Program, &op.Launch.Config, 4)
			require.NoError(t, err, name)
		}
	}
}

// expectations collects what does not come as a manifest expects it.
type expectations struct{ failed []error }

func (e *expectations) Tenant() int { return 0 }

func (e *expectations) Expected(_ string, difference error) {
	if difference != nil {
		e.failed = append(e.failed, difference)
	}
}

func (e *expectations) Dumped(string, string, []byte) error { return nil }

// tritonProduct multiplies two matrices of f16 and returns the product, which is compared with a sum in float64.
func tritonProduct(t *testing.T, name, text, block, ends string) (out []float64) {
	var bm, bn int
	_, err := fmt.Sscanf(block, "%dx%d", &bm, &bn)
	require.NoError(t, err)
	const m, n, k = 64, 96, 80
	instance := tritonRun(t, text, fmt.Sprintf(`name: triton
ptx: k.ptx
arrays:
  - {name: x, type: f16, length: %d, normal: {seed: 1}}
  - {name: y, type: f16, length: %d, normal: {seed: 2}}
  - {name: z, type: f16, length: %d}
kernels: [{name: matmul_kernel, block: [32]}]
steps:
  - launch: {kernel: matmul_kernel, grid: [%d], shared: 2048, args: [x, y, z, %d, %d, %d, %d, %d, %d%s]}
`, m*k, k*n, m*n, m/bm*n/bn, m, n, k, k, n, n, ends), name)
	value := func(array string, i int) float64 {
		data := instance.Array(array).Bytes
		return smallfloat.F16.Value(uint64(data[2*i]) | uint64(data[2*i+1])<<8)
	}
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += value("x", i*k+l) * value("y", l*n+j)
			}
			got := value("z", i*n+j)
			require.InDelta(t, sum, got, 0x1p-10*max(math.Abs(sum), 1), "%s: row %d, column %d", name, i, j)
			out = append(out, got)
		}
	}
	return out
}

// tritonProducts are products of matrices that Triton compiled, in other public repositories. Their types are those of
// A and B, and of C, which each kernel's Python says, as it says the order of the sizes and strides.
var tritonProducts = []struct {
	repository, commit, path string
	in, out                  string
	args                     string // behind the matrices of m x k and k x n
	grid                     int    // thread blocks for m = 128, n = 256
	times                    float64
}{
	{"anneouyang+kernel-data-exploration", "eadea5c", "matmul_kernel.ptx", "f32", "f16", "m, n, k, k, n, n", 128, 1},
	{"csullivan+triton", "1cde3996", "matmul.ptx", "e4m3", "f32", "k, n, n, m, n, k", 128, 0.5},
	{"csullivan+triton", "a380fb4b", "matmul.ptx", "e4m3", "f32", "k, n, n, m, n, k", 128, 0.5},
	{"csullivan+triton", "00c65d5b", "matmul.ptx", "e5m2", "f32", "k, n, n, m, n, k", 32, 1},
	{"csullivan+triton", "e0a2a702", "matmul.ptx", "f32", "f32", "k, n, n, m, n, k", 32, 1},
	{"99change+Triton_insrt", "b0b0e8c", "matmul_kernel.ptx", "f16", "f16", "m, n, k, k, n, n, 0, 0", 1, 1},
	{"99change+Triton_insrt", "e31827c", "output/original.ptx", "f16", "f16", "m, n, k, k, n, n, 0, 0, 0, 0", 1, 1},
}

// Products by mma of f16, tf32 and e4m3, and by wgmma of tf32 and e5m2, are those of sums in float64.
func TestTritonProductsOfEachType(t *testing.T) {
	folder := os.Getenv("SURVEY")
	if folder == "" {
		t.Skip("SURVEY names no folder of repositories")
	}
	const m, n, k = 128, 256, 192
	value := map[string]func(p []byte) float64{
		"f16":  func(p []byte) float64 { return smallfloat.F16.Value(uint64(p[0]) | uint64(p[1])<<8) },
		"e4m3": func(p []byte) float64 { return smallfloat.E4M3.Value(uint64(p[0])) },
		"e5m2": func(p []byte) float64 { return smallfloat.E5M2.Value(uint64(p[0])) },
		"f32":  func(p []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(p))) },
		"tf32": func(p []byte) float64 { // what tensor cores read of f32
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(p) &^ 0x1fff))
		},
	}
	size := map[string]int{"f16": 2, "e4m3": 1, "e5m2": 1, "f32": 4, "tf32": 4}
	for _, p := range tritonProducts {
		text, err := published(filepath.Join(folder, p.repository, "repo"), p.commit, p.path)
		require.NoError(t, err)
		name := p.repository + " " + p.commit
		instance := tritonRun(t, text, fmt.Sprintf(`name: triton
ptx: k.ptx
parameters: [{name: m, value: %d}, {name: n, value: %d}, {name: k, value: %d}]
arrays:
  - {name: x, type: %s, length: m * k, normal: {seed: 1}}
  - {name: y, type: %s, length: k * n, normal: {seed: 2}}
  - {name: z, type: %s, length: m * n}
kernels: [{name: matmul_kernel, block: [128]}]
steps:
  - launch: {kernel: matmul_kernel, grid: [%d], shared: 98304, args: [x, y, z, %s]}
`, m, n, k, p.in, p.in, p.out, p.grid, p.args), name)
		in := p.in
		if in == "f32" {
			in = "tf32"
		}
		matrix := func(array, typ string) (list []float64) {
			for data := instance.Array(array).Bytes; len(data) > 0; data = data[size[typ]:] {
				list = append(list, value[typ](data))
			}
			return list
		}
		x, y, z := matrix("x", in), matrix("y", in), matrix("z", p.out)
		worst, most := 0.0, 0.0
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += x[i*k+l] * y[l*n+j]
				}
				worst, most = max(worst, math.Abs(z[i*n+j]-p.times*sum)), max(most, math.Abs(p.times*sum))
			}
		}
		t.Logf("%s: error %.2g of %.3g", name, worst, most)
		require.LessOrEqual(t, worst, 0x1p-11*most, name)
	}
}
