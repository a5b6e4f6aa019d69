package programs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/host"
	"cotenant/tests/need"
	"cotenant/workload"
	"cotenant/workload/programs"
	"cotenant/workload/programs/cc"
)

// programsOfTests is the folder of what compiled has made, for all tests.
var programsOfTests string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "cc" { // as a program's runtime calls cotenant
		if err := cc.Run(context.Background(), os.Args[2:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	var err error
	if programsOfTests, err = os.MkdirTemp("", "programs"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(programsOfTests)
	os.Exit(status)
}

// compiled compiles programs of testdata, by file, once, and returns their paths.
func compiled(t *testing.T, files ...string) (paths []string) {
	t.Helper()
	for _, file := range files {
		paths = append(paths, compiledFor(t, "sm_70", file))
	}
	return paths
}

// compiledFor compiles a program of testdata for an architecture, once, and returns its path.
func compiledFor(t *testing.T, arch, file string) string {
	t.Helper()
	need.Program(t, "clang-16", "clang++-16")
	path := filepath.Join(programsOfTests, arch, strings.TrimSuffix(file, filepath.Ext(file)))
	if _, err := os.Stat(path); err != nil {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		var messages bytes.Buffer
		err := cc.Run(t.Context(), []string{"-arch=" + arch, filepath.Join("testdata", file), "-o", path}, &messages, &messages)
		require.NoError(t, err, messages.String())
	}
	return path
}

// emulate runs a program and returns what it prints and what the simulator says.
func emulate(t *testing.T, spec programs.Spec) (stdout, told string, e programs.Emulation, err error) {
	t.Helper()
	out, fault := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, fault)
	defer out.Close()
	spec.Stdout, spec.Device = out, programs.Emulator
	var stderr bytes.Buffer
	e, err = programs.Emulate(t.Context(), spec, &stderr)
	text, fault := os.ReadFile(out.Name())
	require.NoError(t, fault)
	return string(text), stderr.String(), e, err
}

func TestProgramsPassTheirOwnChecks(t *testing.T) {
	files := []string{"vectoradd.cu", "reduction.cu", "streams.cu", "sgemm.cu", "outside.cu", "textures.cu", "driver.c", "asserts.cu", "heap.cu", "managed.cu"}
	for i, path := range compiled(t, files...) {
		stdout, told, e, err := emulate(t, programs.Spec{Program: path})
		require.NoError(t, err, files[i])
		assert.Equal(t, "PASSED\n", stdout, files[i])
		assert.NotZero(t, e.Launches, files[i])
		switch files[i] {
		case "asserts.cu":
			assert.Regexp(t, `^asserts\.cu\.ptx:\d+: trap in kernel _Z8positivePKi \(\S+print\.h:\d+\), thread \(0,0,0\) of thread block \(0,0,0\)`, told)
			assert.Contains(t, told, "asserts.cu:4: void positive(const int *): block: [0,0,0], thread: [0,0,0] Assertion `p[threadIdx.x] > 0` failed.\n")
		case "outside.cu":
			assert.Regexp(t, `^outside\.cu\.ptx:\d+: st\.global\.u32 in kernel _Z7outsidePi \(\S+outside\.cu:5\), thread \(0,0,0\) of thread block \(0,0,0\): address 0x10000fa0`, told)
		default:
			assert.Empty(t, told, files[i])
		}
	}
	several := compiled(t, "several.cu")[0]
	for _, name := range []string{"arrays", "cubes", "errors", "graphs", "pools", "sides", "surfaces", "wmma"} {
		stdout, told, e, err := emulate(t, programs.Spec{Program: several, Args: []string{name}})
		require.NoError(t, err, name)
		assert.Equal(t, "PASSED\n", stdout, name)
		assert.NotZero(t, e.Launches, name)
		assert.Empty(t, told, name)
	}
}

// NVIDIA's open libraries, of which the headers are compiled as they are.
func TestProgramsUseCUBAndThrust(t *testing.T) {
	need.File(t, "libthrust-dev", "/usr/include/thrust/version.h")
	stdout, told, e, err := emulate(t, programs.Spec{Program: compiled(t, "libraries.cu")[0]})
	require.NoError(t, err)
	assert.Equal(t, "PASSED\n", stdout)
	assert.Empty(t, told)
	assert.EqualValues(t, 8, e.Launches)
}

// A program launches kernels that it compiles as it runs, and finds their names and variables.
func TestProgramsCompileKernels(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	stdout, told, e, err := emulate(t, programs.Spec{Program: compiled(t, "nvrtc.cu")[0]})
	require.NoError(t, err)
	assert.Equal(t, "PASSED\n", stdout)
	assert.Empty(t, told)
	assert.EqualValues(t, 1, e.Launches)
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	for _, file := range left {
		assert.NotContains(t, file.Name(), "nvrtc.")
	}
}

// Functions are called through pointers, as virtual ones are, and pointers to none end the launch.
func TestProgramsCallThroughPointers(t *testing.T) {
	path := compiled(t, "pointers.cu")[0]
	stdout, told, _, err := emulate(t, programs.Spec{Program: path})
	require.NoError(t, err)
	assert.Equal(t, "PASSED\n", stdout)
	assert.Empty(t, told)
	for _, pointer := range []string{"0", "5", "0x700000007", "apart"} {
		stdout, told, _, err = emulate(t, programs.Spec{Program: path, Args: []string{pointer}})
		require.NoError(t, err)
		assert.Equal(t, "FAILED AS EXPECTED\n", stdout, pointer)
		assert.Contains(t, told, "thread (4,0,0) of thread block (0,0,0): it calls through a pointer to no function with these parameters", pointer)
	}
}

// Functions call themselves, which gives what the CPU computes, as far as the stack goes.
func TestProgramsCallThemselves(t *testing.T) {
	path := compiled(t, "recursion.cu")[0]
	stdout, told, _, err := emulate(t, programs.Spec{Program: path})
	require.NoError(t, err)
	assert.Equal(t, "0 of 96 threads differ\n", stdout)
	assert.Empty(t, told)
	stdout, told, _, err = emulate(t, programs.Spec{Program: path, Args: []string{"endless"}})
	require.NoError(t, err)
	assert.Equal(t, "cudaErrorHardwareStackError\n", stdout)
	assert.Contains(t, told, "recursion.cu:")
	assert.Contains(t, told, "thread (0,0,0) of thread block (0,0,0): the stack of 65536 bytes is full")
}

// Atomic objects, barriers, copies and pipelines, for GPUs with instructions for them and without.
func TestProgramsCopyAsynchronously(t *testing.T) {
	for arch, has := range map[string]bool{"sm_70": false, "sm_80": true, "sm_90": true} {
		path := compiledFor(t, arch, "recent.cu")
		binary, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, instruction := range []string{"cp.async.cg.shared.global", "cp.async.mbarrier.arrive.shared.b64", "mbarrier.arrive_drop"} {
			require.Equal(t, has, bytes.Contains(binary, []byte(instruction)), "%s for %s", instruction, arch)
		}
		require.Equal(t, arch == "sm_90", bytes.Contains(binary, []byte("cp.async.bulk.shared")), arch)
		stdout, told, _, err := emulate(t, programs.Spec{Program: path})
		require.NoError(t, err, arch)
		assert.Equal(t, "PASSED\n", stdout, arch)
		assert.Empty(t, told, arch)
	}
}

func TestProgramsUseClustersAndBulkCopies(t *testing.T) {
	stdout, told, e, err := emulate(t, programs.Spec{Program: compiledFor(t, "sm_90", "hopper.cu"), Check: programs.Check{Races: true}})
	require.NoError(t, err)
	assert.Equal(t, "PASSED\n", stdout)
	assert.Empty(t, told)
	assert.EqualValues(t, 7, e.Launches)
}

func TestHostSourcesHaveWhatTheyNeed(t *testing.T) {
	stdout, told, _, err := emulate(t, programs.Spec{Program: compiled(t, "host.cpp")[0]})
	require.NoError(t, err)
	assert.Equal(t, "PASSED\n", stdout)
	assert.Empty(t, told)
}

// The program fails one time in six if threads load modules beside each other.
func TestThreadsMayMakeTheirFirstCallsAtOnce(t *testing.T) {
	path := compiled(t, "threads.cu")[0]
	for range 10 {
		stdout, told, e, err := emulate(t, programs.Spec{Program: path})
		require.NoError(t, err)
		require.Equal(t, "PASSED\n", stdout)
		require.Empty(t, told)
		require.EqualValues(t, 160, e.Launches)
	}
}

// Three files, by one command and by makefiles' way over objects.
func TestFilesThatAreCompiledSeparatelyAreLinked(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	var messages bytes.Buffer
	for _, args := range [][]string{
		{"-rdc=true", "testdata/separate/main.cu", "testdata/separate/other.cu", "testdata/separate/functions.cu", "-o", path("at-once")},
		{"-dc", "testdata/separate/main.cu", "-o", path("main.o")},
		{"-dc", "testdata/separate/other.cu", "-o", path("other.o")},
		{"-dc", "testdata/separate/functions.cu", "-o", path("functions.o")},
		{"-dlink", path("main.o"), path("other.o"), path("functions.o"), "-o", path("link.o")},
		{path("main.o"), path("other.o"), path("functions.o"), path("link.o"), "-lcudadevrt", "-o", path("in-steps")},
	} {
		require.NoError(t, cc.Run(t.Context(), args, &messages, &messages), messages.String())
	}
	for _, name := range []string{"at-once", "in-steps"} {
		stdout, _, _, err := emulate(t, programs.Spec{Program: path(name)})
		require.NoError(t, err, name)
		require.Equal(t, "PASSED\n", stdout)
		require.Equal(t, []string{"here", "there"}, open(t, path(name)).KernelNames)
	}
}

// Sources that nvcc and the C compiler of their time took, and clang does not by itself.
func TestOldSourcesAreCompiled(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	program := filepath.Join(t.TempDir(), "old")
	var messages bytes.Buffer
	require.NoError(t, cc.Run(t.Context(), []string{"testdata/old/main.cu", "testdata/old/twice.c", "-o", program}, &messages, &messages), messages.String())
	stdout, _, _, err := emulate(t, programs.Spec{Program: program})
	require.NoError(t, err)
	require.Equal(t, "PASSED\n", stdout)
	require.Contains(t, messages.String(), "twice.c:4:1: warning")
	require.NotContains(t, messages.String(), "main.cu:14") // the launch
}

func TestUnsupportedCallsAreNamedOnce(t *testing.T) {
	path := compiled(t, "unsupported.cu")[0]
	errors, err := os.Create(filepath.Join(t.TempDir(), "errors"))
	require.NoError(t, err)
	defer errors.Close()
	stdout, _, _, err := emulate(t, programs.Spec{Program: path, Stderr: errors})
	require.NoError(t, err)
	require.Equal(t, "PASSED\n", stdout)
	text, err := os.ReadFile(errors.Name())
	require.NoError(t, err)
	require.Equal(t, "cotenant: cudaIpcGetMemHandle is not supported; it returns cudaErrorNotSupported\n"+
		"cotenant: cudaIpcCloseMemHandle is not supported; it returns cudaErrorNotSupported\n", string(text))
}

func TestKernelsPrint(t *testing.T) {
	path := compiled(t, "printing.cu")[0]
	var want strings.Builder
	want.WriteString("before\n")
	for block, letter := range []string{"a", "b"} {
		for _, thread := range []int{1, 17} {
			fmt.Fprintf(&want, "block %d thread %2d: of a kernel %.3f 5.0e-01|%s|123456789abc|-5  |%%|100000\n", block, thread, 0.5*float64(thread), letter)
		}
	}
	want.WriteString("PASSED\n")
	stdout, _, _, err := emulate(t, programs.Spec{Program: path})
	require.NoError(t, err)
	require.Equal(t, want.String(), stdout)

	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer out.Close()
	app, err := programs.App(programs.Spec{Program: path, Device: programs.Emulator, Stdout: out}, workload.Target{}, rules)
	require.NoError(t, err)
	require.NoError(t, platform(t, "gtx980", "fcfs", host.Process{App: app}).Run(t.Context(), 0, nil))
	text, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	require.Equal(t, want.String(), string(text))
}

// A check that fails must show: the program is told another size than it was given data for.
func TestExitStatusIsTheProgramsOwn(t *testing.T) {
	path := compiled(t, "sgemm.cu")[0]
	_, _, _, err := emulate(t, programs.Spec{Program: path, Args: []string{"17"}})
	own := (*programs.ExitError)(nil)
	require.ErrorAs(t, err, &own)
	require.Equal(t, 1, own.Status)
	require.ErrorContains(t, err, "; its last output: ")
	require.ErrorContains(t, err, "n > 0 && n % TILE == 0 does not hold")
}

func TestProgramWithoutTheSimulatorSaysSo(t *testing.T) {
	path := compiled(t, "vectoradd.cu")[0]
	out, err := exec.Command(path).CombinedOutput()
	require.Error(t, err)
	require.Equal(t, "cotenant: this CUDA program needs the simulator; run it by: cotenant exec PROGRAM ARGUMENTS\n", string(out))
}

func TestInterruptEndsAProgram(t *testing.T) {
	path := compiled(t, "sgemm.cu")[0]
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := programs.Emulate(ctx, programs.Spec{Program: path, Args: []string{"4096"}, Device: programs.Emulator}, &bytes.Buffer{})
	require.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
	requireNone(t, path)
}

// requireNone requires that no process runs a program.
func requireNone(t *testing.T, program string) {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*/exe")
	require.NoError(t, err)
	for _, f := range folders {
		if target, err := os.Readlink(f); err == nil {
			require.NotEqual(t, program, target, "%s is left", f)
		}
	}
}

func TestAFileThatIsNoProgramOfOursIsRefused(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o700))
	for path, want := range map[string]string{
		plain:                          "plain: is not linked with cotenant's runtime library; valid: a program that `cotenant cc` has compiled",
		filepath.Join(folder, "other"): "other: no such file or directory",
		folder:                         "is no program; valid: an executable that `cotenant cc` has made",
	} {
		_, err := programs.App(programs.Spec{Program: path}, workload.Target{}, rules)
		require.ErrorContains(t, err, want)
	}
}
