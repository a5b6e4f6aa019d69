package source

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// triad is a smallest profile with two architectures.
const triad = `name: triad
kernels:
  - name: triad
    tbs: 16
    demands:
      - {arch: small, threads: 64, registers_per_thread: 16}
      - {arch: large, threads: 256, registers_per_thread: 16}
    instructions: 40
    phases:
      - mix: {int: 0.5, fp32: 0.5}
`

// trace is a kernel of one thread block without instructions, as a tracer
// writes it.
const trace = `-kernel name = nothing
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 8
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.5
-accelsim tracer version = 3
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestProfileByName(t *testing.T) {
	app, err := Open("profile:sgemm", Options{Seed: 1})
	require.NoError(t, err)
	assert.Equal(t, "sgemm", app.Name)
}

func TestProfileByPath(t *testing.T) {
	for _, name := range []string{"triad.yaml", "triad.yml", "triad"} {
		app, err := Open("profile:"+write(t, name, triad), Options{})
		require.NoError(t, err, name)
		assert.Equal(t, "triad", app.Name)
		assert.Equal(t, 64, app.Kernels()[0].ThreadsPerTB(), "the first demands")
	}
}

func TestBareNameIsAnApplicationOfRealKernels(t *testing.T) {
	app, err := Open("stencil?size=tiny&arch=gtx980", Options{})
	require.NoError(t, err)
	assert.Equal(t, "stencil", app.Name)
	assert.Equal(t, "block2Dregtiling", app.Kernels()[0].Name)
	_, err = Open("stencil?size=tiny&lower=-div,-moves", Options{})
	require.NoError(t, err)
	_, err = Open("stencil?size=huge", Options{})
	assert.ErrorContains(t, err, "tiny, small, medium")
}

// NVIDIA's assembler counts registers, whatever a simulator executes.
func TestRegistersAreThoseOfMachineCodeOnAnyGPU(t *testing.T) {
	for _, name := range []string{"sgemm", "btree", "cfd", "pathfinder"} {
		machine, err := Open(name+"?size=tiny", Options{})
		require.NoError(t, err)
		ptx, err := Open(name+"?size=tiny", Options{Target: workload.Target{ISA: workload.PTX}})
		require.NoError(t, err)
		assert.Equal(t, machine.Kernels()[0].RegistersPerTB, ptx.Kernels()[0].RegistersPerTB, name)
	}
}

func TestArchChoosesTheDemands(t *testing.T) {
	app, err := Open("profile:"+write(t, "triad.yaml", triad)+"?arch=large", Options{})
	require.NoError(t, err)
	assert.Equal(t, 256, app.Kernels()[0].ThreadsPerTB())
	_, err = Open("profile:sgemm?arch=k20c", Options{})
	assert.NoError(t, err)
}

func TestTraceByFolderEvenWithAQuestionMarkInItsName(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "what?")
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kernelslist.g"), []byte("kernel-1.traceg\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kernel-1.traceg"), []byte(trace), 0o600))
	app, err := Open("traceg:"+folder, Options{})
	require.NoError(t, err)
	assert.Equal(t, "what?", app.Name)
	assert.Equal(t, "nothing", app.Kernels()[0].Name)
}

func TestFaultOfASpecSaysWhatIsValid(t *testing.T) {
	const (
		forms = "valid: NAME, ptx:FILE.yaml, traceg:DIR, profile:NAME, profile:FILE.yaml, cuda:PROGRAM, FILE.app.yaml, capture:DIR"
		names = "valid: add-strings, attention, attention-decode, backprop, bfs, btree, cfd, copy, cutcp, dxtc, embedding, fdtd2d, fdtd3d, gemm-f16, gemm-f16-variants, gemv-f16, gemv-q4, grid-points, histo, histogram1024, histogram64, hybridsort, kmeans, kv-append, lavamd, layernorm, lbm, llm-decode, llm-prefill, mri-gridding, mri-q, mul-fp32, mul-fp64, nn, nqueens, pathfinder, random-graph, residual-add, resnet-block, resnet-inference, resnet-training, rmsnorm, rodinia-bfs, rope, sad, sad-larger, sgemm, silu-mul, sleep, softmax, spmv, stencil, storegpu, streamcluster, syr2k, syrk, tpacf, or ptx:FILE.yaml, traceg:DIR, profile:NAME, profile:FILE.yaml, cuda:PROGRAM, FILE.app.yaml, capture:DIR"
	)
	small := write(t, "triad.yaml", triad)
	for _, c := range []struct{ spec, message string }{
		{"matmul", `application "matmul": no application of real kernels is called "matmul"; ` + names},
		{"", `application "": no application of real kernels is called ""; ` + names},
		{"hip:a.cu", `application "hip:a.cu": unknown source "hip"; ` + forms},
		{"cuda:", `application "cuda:": nothing follows cuda:; ` + forms},
		{"capture:a?args=1", `application "capture:a?args=1": invalid option "args=1"; valid: lower=-RULE,..., ` + usage()},
		{"cuda:nosuch", `application "cuda:nosuch": nosuch: no such file or directory`},
		{"cuda:source_test.go", "application \"cuda:source_test.go\": source_test.go is no program; valid: an executable that `cotenant cc` has made"},
		{"cuda:a?args=one 'two", `application "cuda:a?args=one 'two": args: a quote or a backslash has no end; valid: words as a shell reads them`},
		{"cuda:a?size=tiny", `application "cuda:a?size=tiny": invalid option "size=tiny"; valid: args=WORD WORD ..., folder=FOLDER, files=private|shared, lower=-RULE,..., ` + usage()},
		{"ptx:", `application "ptx:": nothing follows ptx:; ` + forms},
		{"sgemm?size=tiny&set=k:8,q:2", `application "sgemm?size=tiny&set=k:8,q:2": set: invalid option "q:2"; valid: NAME:NUMBER,... with names among m, n, k`},
		{"sgemm?size=tiny&set=k:n", `application "sgemm?size=tiny&set=k:n": set: invalid option "k:n"; valid: NAME:NUMBER,... with names among m, n, k`},
		{"sgemm?input=big", `application "sgemm?input=big": invalid option "input=big"; valid: size=SIZE (tiny, small, medium), arch=ARCH, set=NAME:NUMBER,..., lower=-RULE,... (all, params, moves, addresses, wide, div, modifiers, merge, order, branches, registers), ` + usage()},
		{"sgemm?lower=div", `application "sgemm?lower=div": lower: "div" is no change of a lowering rule; valid: - (off) or + (on) before all, params, moves, addresses, wide, div, modifiers, merge, order, branches, registers`},
		{"sgemm?lower=-div,-sub", `application "sgemm?lower=-div,-sub": lower: "-sub" is no change of a lowering rule; valid: - (off) or + (on) before all, params, moves, addresses, wide, div, modifiers, merge, order, branches, registers`},
		{"traceg:", `application "traceg:": nothing follows traceg:; ` + forms},
		{"profile:", `application "profile:": nothing follows profile:; ` + forms},
		{"profile:nosuch", `application "profile:nosuch": unknown profile "nosuch"; valid: cutcp, histo, lbm, mri-gridding, mri-q, sad, sgemm, spmv, stencil, tpacf`},
		{"profile:sgemm?seed=1", `application "profile:sgemm?seed=1": invalid option "seed=1"; valid: arch=ARCH (such as k20c), ` + usage()},
		{"profile:sgemm?arch=", `application "profile:sgemm?arch=": invalid option "arch="; valid: arch=ARCH (such as k20c), ` + usage()},
		{"sgemm?arch=h100", `application "sgemm?arch=h100": no demands are known for arch "h100"; valid: gtx980, k20c`},
		{"sgemm?size=huge", `application "sgemm?size=huge": there is no size "huge"; valid: tiny, small, medium`},
		{"sgemm?size=tiny&set=n:5", `application "sgemm?size=tiny&set=n:5": set: n is 5; valid: multiples of 16, from 16`},
		{"sgemm?size=tiny&set=n:inf", `application "sgemm?size=tiny&set=n:inf": set: invalid option "n:inf"; valid: NAME:NUMBER,... with names among m, n, k`},
		{"profile:" + small + "?arch=h100", `application "profile:` + small + `?arch=h100": no demands are known for arch "h100"; valid: gtx980, k20c, large, small`},
		{"profile:sgemm?arch=h100", `application "profile:sgemm?arch=h100": no demands are known for arch "h100"; valid: gtx980, k20c`},
	} {
		_, err := Open(c.spec, Options{})
		assert.EqualError(t, err, c.message)
		var fault *workload.InputError
		assert.False(t, errors.As(err, &fault), "%s is no fault of a file", c.spec)
	}
}

func TestFaultOfAFileNamesTheFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	bad := write(t, "bad.yaml", triad+"x: 1\n")
	for _, c := range []struct{ spec, at string }{
		{"traceg:" + missing, missing + ": "},
		{"profile:" + missing + ".yaml", missing + ".yaml: "},
		{"profile:" + bad, bad + ":11: "},
	} {
		_, err := Open(c.spec, Options{})
		var fault *workload.InputError
		require.True(t, errors.As(err, &fault), "%s: %v", c.spec, err)
		assert.Contains(t, err.Error(), c.at)
	}
}
