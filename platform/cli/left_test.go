package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// compiledProgram compiles a CUDA program of workload/programs.
func compiledProgram(t *testing.T, source string) string {
	t.Helper()
	need.Program(t, "clang-16", "clang++-16")
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(source, filepath.Ext(source)))
	got := cotenant(t, "cc", filepath.Join("..", "..", "workload", "programs", "testdata", source), "-o", program)
	require.Equal(t, 0, got.status, got.stderr)
	return program
}

// However the simulator ends, in the middle of a program with 3,000 launches: no process of the program, and no watch, is
// left, nothing holds the device's memory, and no temporary file stays.
func TestNothingIsLeftOfAProgram(t *testing.T) {
	program := compiledProgram(t, "launches.cu")
	for name, c := range map[string]struct {
		args   string
		length []string
		signal syscall.Signal
		status int
	}{
		"window": {"3000", []string{"--cycles", "300k"}, 0, 0},
		"error":  {"3000 30", []string{"--until", "done"}, 0, exitFailure},
		"kill":   {"3000000", []string{"--until", "done"}, syscall.SIGKILL, -1},
		"int":    {"3000000", []string{"--until", "done"}, syscall.SIGINT, exitInterrupted},
		"term":   {"3000000", []string{"--until", "done"}, syscall.SIGTERM, exitSignal + int(syscall.SIGTERM)},
		"hangup": {"3000000", []string{"--until", "done"}, syscall.SIGHUP, exitSignal + int(syscall.SIGHUP)},
	} {
		t.Run(name, func(t *testing.T) {
			temporary := t.TempDir()
			app := "cuda:" + program + "?args=" + c.args
			run := newChild(t, append([]string{"run", "--gpu", "gtx980", "--policy", "even", "--app", app, "--app", app, "--quiet"}, c.length...)...)
			run.Env = append(run.Env, "TMPDIR="+temporary)
			run.start(t)
			if c.signal != 0 {
				require.Eventually(t, func() bool { return len(processesOf(program)) == 4 }, 20*time.Second, time.Millisecond)
				time.Sleep(50 * time.Millisecond) // in the middle of its calls
				run.signal(t, c.signal)
			}
			assert.Equal(t, c.status, run.status(t), run.stderr.String())
			// A program's watch ends a moment after the simulator, and so do processes that Linux kills.
			assert.Eventually(t, func() bool { return len(processesOf(program)) == 0 }, 5*time.Second, time.Millisecond)
			assert.Empty(t, holdersOf(temporary))
			assertEmptyFolder(t, temporary)
		})
	}
}

// What a program has put into the background ends with it, also if the simulator is killed.
func TestNothingIsLeftOfAProgramsBackground(t *testing.T) {
	program := compiledProgram(t, "background.cu")
	for name, signal := range map[string]syscall.Signal{"kill": syscall.SIGKILL, "term": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			temporary, length := t.TempDir(), fmt.Sprintf("100000.%d%d", os.Getpid(), signal)
			run := newChild(t, "run", "--gpu", "gtx980", "--app", "cuda:"+program+"?args="+length, "--quiet", "--until", "done")
			run.Env = append(run.Env, "TMPDIR="+temporary)
			run.start(t)
			// The program, its watch, two children and two grandchildren have the variables; another grandchild, and
			// the simulator, the argument.
			require.Eventually(t, func() bool {
				return len(processesWith("TMPDIR="+temporary, "COTENANT_RUN=")) == 6 && len(processesWhere("cmdline", length)) == 8
			}, 20*time.Second, time.Millisecond)
			run.signal(t, signal)
			run.status(t)
			if signal == syscall.SIGKILL { // the watch ends them a moment later, then itself
				require.Eventually(t, func() bool {
					return len(processesWith("TMPDIR="+temporary))+len(processesWhere("cmdline", length)) == 0
				}, 5*time.Second, time.Millisecond)
			}
			assert.Empty(t, processesWith("TMPDIR="+temporary))
			assert.Empty(t, processesWhere("cmdline", length))
			assert.Empty(t, holdersOf(temporary))
			assertEmptyFolder(t, temporary)
		})
	}
}

// processesWith lists the processes that were started with all of some variables.
func processesWith(variables ...string) []string { return processesWhere("environ", variables...) }

// processesWhere lists the processes of which a file in /proc contains all of some texts.
func processesWhere(file string, texts ...string) (list []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/" + file)
next:
	for _, f := range files {
		content, err := os.ReadFile(f)
		for _, text := range texts {
			if err != nil || !bytes.Contains(content, []byte(text)) {
				continue next
			}
		}
		list = append(list, f)
	}
	return list
}

// processesOf lists the processes that run a program.
func processesOf(program string) (list []string) {
	folders, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, f := range folders {
		if target, err := os.Readlink(f); err == nil && target == program {
			list = append(list, f)
		}
	}
	return list
}

// holdersOf lists the descriptors of a device's memory that processes with a temporary folder hold.
func holdersOf(temporary string) (list []string) {
	folders, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, f := range folders {
		if target, err := os.Readlink(f); err != nil || !strings.Contains(target, "cotenant device memory") {
			continue
		}
		if environment, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(f)), "environ")); bytes.Contains(environment, []byte("TMPDIR="+temporary)) {
			list = append(list, f)
		}
	}
	return list
}
