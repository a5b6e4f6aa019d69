package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx/exec"
)

// origins lists what the kernels of a manifest may access, and checks that it is
// in order, apart and whole.
func origins(t *testing.T, m *Manifest) (text string) {
	t.Helper()
	memory := exec.NewMemory()
	i, err := m.New("tiny", "", memory)
	require.NoError(t, err)
	list := i.Accessible()
	again, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	require.Equal(t, list, again.Accessible(), "every run has the same")
	end := uint64(0)
	for _, a := range list {
		require.GreaterOrEqual(t, a.Addr, end, a.Name)
		require.Nil(t, a.Data)
		if a.Bytes > 0 {
			_, err := memory.Bytes(a.Addr, int(a.Bytes))
			require.NoError(t, err, a.Name)
		}
		end = a.End()
		text += a.Name + " " + a.Origin.String()
		if a.ReadOnly {
			text += " read-only"
		}
		text += "\n"
	}
	return text
}

// userManifest loads a manifest with the PTX a.ptx.
func userManifest(t *testing.T, manifest, text string) *Manifest {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.yaml"), []byte(manifest), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.ptx"), []byte(".version 7.8\n.target sm_70\n.address_size 64\n"+text), 0o600))
	m, err := Load(filepath.Join(folder, "a.yaml"))
	require.NoError(t, err)
	return m
}

func TestOriginIsWhatTheHostHasDoneBeforeTheFirstLaunch(t *testing.T) {
	m := userManifest(t, `
name: a
ptx: a.ptx
parameters: [{name: n, value: 10}]
arrays:
  - {name: both, length: n, fields: [{name: x, type: f32}, {name: y, type: f32}]}
  - {name: whole, length: n, fields: [{name: x, type: f32, fill: 1}, {name: y, type: f32}]}
  - {name: input, type: u32, length: n}
  - {name: later, type: u32, length: n}
  - {name: back, type: u32, length: n}
  - {name: given, type: u32, length: n, fill: 3}
  - {name: filled, type: u32, length: n, margin: 3}
  - {name: set, type: u32, length: n}
  - {name: summed, type: u32, length: n}
  - {name: inplace, type: u32, length: n}
  - {name: copied, type: u32, length: n}
  - {name: from, type: u32, length: n}
  - {name: texels, type: u32, length: n}
  - {name: member, type: u32, length: n}
  - {name: out, type: u32, length: n, margin: 2}
  - {name: output, type: u32, length: n, output: true}
  - {name: scratch, type: u32, length: n}
textures: [{name: t, array: texels, width: 1}]
kernels: [{name: k, block: [1]}]
steps:
  - upload: [input, output]
  - fill: {array: filled, value: 0}
  - set: {array: set, index: 0, value: 1}
  - prefix_sum: {from: from, to: summed}
  - prefix_sum: {from: inplace}
  - copy: {from: from, to: copied}
  - repeat:
      times: 2
      steps:
        - upload: [both]
        - launch: {kernel: k, grid: [1], args: [1 + (later + 2), {fields: [{type: u64, value: member}]}]}
        - upload: [later, back, member, texels]
        - fill: {array: texels, value: 1}
        - launch: {kernel: k, grid: [1], args: [back, {fields: [{type: u64, value: 1}]}]}
  - download: [out]
`, `
.const .align 4 .u32 table[4] = {11, 22, 33, 44};
.global .align 4 .u32 sum;
.visible .entry k(.param .u64 p, .param .align 8 .b8 q[8]) { ret; }`)
	require.Equal(t, `table loaded read-only
sum loaded
both uploaded
whole uploaded
input uploaded
later untouched
back uploaded
given uploaded
filled uploaded
set uploaded
summed uploaded
inplace uploaded
copied uploaded
from untouched
texels untouched
member untouched
out untouched
output overwritten
scratch untouched
`, origins(t, m))
}

func TestMarginsAreOfTheArray(t *testing.T) {
	m := userManifest(t, `
name: a
ptx: a.ptx
arrays: [{name: a, type: u32, length: 100, margin: 5}]
kernels: [{name: k, block: [1]}]
steps: [{launch: {kernel: k, grid: [1]}}]
`, ".visible .entry k() { ret; }")
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	list := i.Accessible()
	require.Equal(t, []workload.Array{{Name: "a", Type: "type: u32", Length: 100, Addr: i.Array("a").Addr - 20, Bytes: 440, Origin: workload.Untouched}}, list)
}

// All arrays of the rest are uploaded, results that kernels add to among them, or
// changed by the host program.
func TestUntouchedArraysOfTheBuiltinApplications(t *testing.T) {
	var got []string
	for _, name := range Names() {
		var untouched []string
		for _, line := range strings.Split(origins(t, builtinManifest(t, name)), "\n") {
			if array, ok := strings.CutSuffix(line, " untouched"); ok {
				untouched = append(untouched, array)
			}
		}
		if untouched != nil {
			got = append(got, fmt.Sprintf("%s: %s", name, strings.Join(untouched, " ")))
		}
	}
	require.Equal(t, []string{
		"add-strings: left right sums",
		"attention: out",
		"attention-decode: weights sums out",
		"backprop: partial",
		"bfs: next",
		"cfd: fluxes",
		"copy: out",
		"cutcp: lattice",
		"dxtc: compressed",
		"embedding: x",
		"gemm-f16: c",
		"gemm-f16-variants: c",
		"gemv-f16: y",
		"gemv-q4: q scale y",
		"histo: places counts outside overflow histogram",
		"hybridsort: places counts sizes sorted",
		"kmeans: columns nearest",
		"kv-append: keys values",
		"layernorm: y",
		"llm-decode: x normed qkv weights sums mixed made gate_up gated logits",
		"llm-prefill: x normed qkv keys values mixed made gate_up gated logits",
		"mri-gridding: sorted keys order keys_out order_out starts digit_counts totals grid density",
		"mri-q: magnitude real imaginary",
		"mul-fp32: out",
		"mul-fp64: out",
		"nn: first second",
		"nqueens: found",
		"pathfinder: to",
		"random-graph: graph",
		"resnet-block: sums squares pooled made first second short out",
		"resnet-inference: pooled made parts first second short",
		"resnet-training: turned sums_first squares_first sums_second squares_second sums_third squares_third sums_short squares_short sums_back products_back pooled made_first made_second made_third made_short first second short out g_made g_norm g_beside g_second g_first g_pooled g_short dw_first dw_second dw_third dw_short d_scale d_shift",
		"rmsnorm: y",
		"sad: sums",
		"sgemm: c",
		"silu-mul: out",
		"softmax: y",
		"spmv: y",
		"storegpu: digests",
		"tpacf: histograms",
	}, got)
}

// What the first launch computes does not depend on an array that is marked as output: made
// with two fillings of it, all bytes are the same but for bytes of the fillings that it left.
func TestFirstLaunchReadsNothingOfOutputArrays(t *testing.T) {
	var marked []string
	for _, name := range Names() {
		m := builtinManifest(t, name)
		for k := range m.Arrays {
			if array := m.Arrays[k].Name; m.Arrays[k].Output {
				marked = append(marked, name+" "+array)
				launched := func(filling byte) *Instance {
					i, err := m.New("tiny", "", exec.NewMemory())
					require.NoError(t, err)
					l, err := nextLaunch(i)
					require.NoError(t, err)
					data := i.Array(array).Bytes
					for at := range data {
						data[at] = filling
					}
					execute(t, l)
					return i
				}
				a, b := launched(0x55), launched(0x2a)
				written := 0
				for _, d := range a.Arrays() {
					one, other := a.Array(d.Name).Bytes, b.Array(d.Name).Bytes
					for at := range one {
						if one[at] == other[at] {
							written++
						} else {
							require.Equal(t, []byte{0x55, 0x2a}, []byte{one[at], other[at]}, "%s: byte %d of %s", name, at, d.Name)
						}
					}
				}
				require.NotZero(t, written)
			}
		}
	}
	require.Equal(t, []string{"lbm to", "stencil to"}, marked)
}
