package programs_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/host"
	"cotenant/tests/need"
	"cotenant/workload/programs"
	"cotenant/workload/programs/cc"
)

// hostile compiles a program of testdata that does what its argument says.
func hostile(t *testing.T, source string) string {
	t.Helper()
	need.Program(t, "clang-16", "clang++-16")
	path := filepath.Join(t.TempDir(), source)
	var messages bytes.Buffer
	err := cc.Run(t.Context(), []string{"-Wno-unused-result", "testdata/" + source, "-o", path}, &messages, &messages)
	require.NoError(t, err, messages.String())
	t.Cleanup(func() { requireNone(t, path) })
	return path
}

// Whatever a program does, its run ends with an error that says what, or as if nothing had happened, and
// leaves no process.
func TestHostileProgramsEndInErrors(t *testing.T) {
	path := hostile(t, "hostile.c")
	const silent = "s without a call of CUDA; valid: up to 500ms, the host timeout"
	for what, want := range map[string]string{
		"garbage":       "a request has version 42405; valid: 5, of a program that this build of cotenant has compiled",
		"version":       "a request has version 9; valid: 5, of a program that this build of cotenant has compiled",
		"kind":          "a request is of kind 999; valid: 1 to ",
		"part":          "a request ends after 5 bytes; valid: 72 and its payload",
		"cut":           "a request MODULE ends before its payload of 100 bytes",
		"long":          "a request MODULE has a payload of 2147483647 bytes; valid: up to 67108864",
		"numbers":       "",
		"deaf":          "has not read the answers to its calls for 1.5s; valid: up to that, the host timeout",
		"close":         "waits for something and has closed its connection; valid: a program that ends then",
		"half":          "waits for something and has closed its connection; valid: a program that ends then",
		"hang":          silent,
		"hang-later":    silent,
		"signals":       silent,
		"sleep":         "waits for something and has made no call of CUDA for 1.5s; valid: up to that, the host timeout",
		"bomb":          "waits for something and has made no call of CUDA for 1.5s; valid: up to that, the host timeout",
		"stdin":         "",
		"abort":         "the program has ended with signal: aborted; its last output: about to abort",
		"segv":          "the program has ended with signal: segmentation fault",
		"overflow":      "the program has ended with signal: segmentation fault",
		"interrupt":     "the program has ended with signal: interrupt",
		"callback":      "the program has ended with exit status 7",
		"at-exit":       "the program has ended with exit status 6",
		"fork":          "",
		"daemon":        "",
		"exec":          "the program has ended with exit status 4",
		"threads":       "",
		"thread-exit":   "the program has ended with exit status 5",
		"flood":         "the program has ended with exit status 5; its last output: the end",
		"overrun":       "",
		"handles":       "",
		"scribble":      "",
		"shrink":        "",
		"queue-long":    "has queued 18446744073709551615 bytes of requests; valid: up to 65528",
		"queue-garbage": "in its queue, a request has version 42405; valid: 5, of a program",
		"queue-cut":     "in its queue, a request ends after 40 bytes; valid: 72 and its payload",
		"queue-wrong":   "queues a call LAUNCH that fails with error 98; valid: calls that succeed",
		"nothing":       "",
		"chdir":         "",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			timeout := 1500 * time.Millisecond
			if want == silent { // it takes that much of a real processor
				timeout = 500 * time.Millisecond
			}
			began := time.Now()
			_, err := programs.Emulate(t.Context(), programs.Spec{Program: path, Args: []string{what}, Device: programs.Emulator, CPUTimeout: timeout}, &bytes.Buffer{})
			if want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, want)
			}
			assert.Less(t, time.Since(began), 30*time.Second)
		})
	}
}

// misuses are the kinds of misuse.cu: what the simulator says of the kernel that fails. The program checks the
// errors of its calls itself.
var misuses = map[string]string{
	"host-pointer": "misuse.cu:9), thread (0,0,0) of thread block (0,0,0): address 0x",
	"outside":      "in .global is not in any array",
	"guard":        "thread (64,0,0) of thread block (0,0,0): address 0x10000900 in .global is not in any array; directly behind the array of cudaMalloc call 1 (256 bytes at 0x10000800), which argument 1 points to",
	"null":         "address 0x0 in .global is not in any array",
	"freed":        "address 0x10000800 in .global is not in any array",
	"misaligned":   "address 0x10000801 in .global is not a multiple of the 4 bytes accessed",
	"local":        "address 0x400000 in .local is past the end; valid are the 16000 bytes from 0",
	"trap":         "memory.h:190), thread (0,0,0) of thread block (0,0,0): the program stops itself",
	"shared":       "in .shared is past the end; valid are the 128 bytes from 0",
	"instruction":  "barrier 16; valid are 0 to 15",
	"assertion":    "void asserted(int): block: [0,0,0], thread: [3,0,0] Assertion `threadIdx.x < n` failed.",
	"barrier":      "kernel _Z5stuckv: warp 0 of thread block (0,0,0) waits at barrier 1 for warps that never come",
	"sizes":        "",
	"pitches":      "",
	"launches":     "",
	"symbols":      "",
	"reset":        "",
	"handles":      "",
}

func TestMisuseReturnsTheErrorsOfCUDA(t *testing.T) {
	path := hostile(t, "misuse.cu")
	for what, want := range misuses {
		_, told, _, err := emulate(t, programs.Spec{Program: path, Args: []string{what}})
		require.NoError(t, err, what)
		if want == "" {
			assert.Empty(t, told, what)
		} else {
			assert.Regexp(t, `^misuse\.cu\.ptx:\d+: `, told, what)
			assert.Contains(t, told, want, what)
		}
	}
	_, told, _, err := emulate(t, programs.Spec{Program: path, Args: []string{"spin"}})
	require.NoError(t, err)
	assert.Regexp(t, `^misuse\.cu\.ptx:\d+: kernel _Z7endlessPVi never ends: .*: ld\.volatile\.global\.u32 at misuse\.cu\.ptx:\d+ \(\S+misuse\.cu:11\) waits for a change of 0x\w+ in the array of cudaMalloc call 1 `, told)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = programs.Emulate(ctx, programs.Spec{Program: path, Args: []string{"forever"}, Device: programs.Emulator}, &bytes.Buffer{})
	require.ErrorIs(t, err, context.DeadlineExceeded, "an endless kernel")
}

// Beside a program that misuses the device another tenant computes as ever, or the run ends with an error.
func TestMisuseChangesNoOtherTenant(t *testing.T) {
	path, sum := hostile(t, "misuse.cu"), compiled(t, "vectoradd.cu")[0]
	alone := platform(t, "gtx980", "even", host.Process{App: open(t, sum, "20000")})
	require.NoError(t, alone.Run(t.Context(), 0, nil))
	for what, want := range misuses {
		w := platform(t, "gtx980", "even", host.Process{App: open(t, path, what)}, host.Process{App: open(t, sum, "20000")})
		err := w.Run(t.Context(), 0, nil)
		switch {
		case what == "reset":
			require.NoError(t, err)
			require.Equal(t, alone.Launches(0, alone.Cycles(0))[0].SM.WarpInstructions, w.Launches(1, w.Cycles(0))[0].SM.WarpInstructions)
		case what == "barrier":
			require.ErrorContains(t, err, "kernel stuck, 0 of 1 thread blocks done")
		case want == "":
			require.ErrorContains(t, err, "the application launches no kernel", what)
		default:
			require.ErrorContains(t, err, want, what)
		}
	}
}
