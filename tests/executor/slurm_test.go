package executor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// slurmScript starts a Slurm of one machine.
const slurmScript = "./start-slurm.sh"

// startSlurm starts a Slurm, which the test needs, and returns its folder.
func startSlurm(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a Slurm whose jobs are its own")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		need.Program(t, "slurm-wlm and munge", name)
	}
	folder, err := os.MkdirTemp("", "slurm") // short: it has sockets
	require.NoError(t, err)
	t.Cleanup(func() {
		text, err := exec.Command(slurmScript, folder, "stop").CombinedOutput()
		assert.NoError(t, err, string(text))
		os.RemoveAll(folder)
	})
	text, err := exec.Command(slurmScript, folder).CombinedOutput()
	if err != nil { // another may have had its ports
		_ = exec.Command(slurmScript, folder, "stop").Run()
		require.NoError(t, os.RemoveAll(folder))
		text, err = exec.Command(slurmScript, folder).CombinedOutput()
	}
	if err != nil { // that says nothing of sweeps
		need.Missing(t, "no Slurm can be started on this machine: %s", text)
	}
	require.NoError(t, os.Setenv("SLURM_CONF", filepath.Join(folder, "slurm.conf"))) // other tests need no Slurm
	return folder
}

// slurmCommand is the output of a command of Slurm.
func slurmCommand(t *testing.T, args ...string) string {
	t.Helper()
	text, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	require.NoError(t, err, string(text))
	return strings.TrimSpace(string(text))
}

// runningTask is a task of a sweep that Slurm runs, as JOB_INDEX.
func (e *elsewhere) runningTask() string {
	jobs, err := filepath.Glob(filepath.Join(e.store()+".spool", "sweeps", "*", "cotenant-*"))
	require.NoError(e.t, err)
	require.NotEmpty(e.t, jobs)
	list := slurmCommand(e.t, "squeue", "--noheader", "--array", "--states=running", "--name="+filepath.Base(jobs[0]), "--format=%F_%K")
	first, _, _ := strings.Cut(list, "\n")
	require.NotEmpty(e.t, first)
	return first
}

// untilState waits until Slurm says that a task, JOB_INDEX, is in a state.
func untilState(t *testing.T, task, state string) {
	t.Helper()
	job, index, _ := strings.Cut(task, "_")
	require.Eventually(t, func() bool {
		states := slurmCommand(t, "squeue", "--noheader", "--array", "--states=all", "--jobs="+job, "--format=%K %T")
		return strings.Contains("\n"+states+"\n", "\n"+index+" "+state+"\n")
	}, 2*time.Minute, 400*time.Millisecond)
}

// untilSubmitted waits until the record of a sweep knows some jobs.
func (e *elsewhere) untilSubmitted(n int) {
	e.t.Helper()
	require.Eventually(e.t, func() bool {
		file, written := e.record()
		return written != nil && strings.Count(read(e.t, file), `"id":`) == n
	}, 2*time.Minute, 20*time.Millisecond)
}

// Each fault comes while the first runs of two tasks wait at the gate.
func TestSweepBySlurm(t *testing.T) {
	t.Parallel()
	cluster := startSlurm(t)
	timeLimit := limitTime(t)
	t.Run("faults of a task and of who waits", func(t *testing.T) {
		t.Run("nothing", func(t *testing.T) {
			t.Parallel()
			e := sweepElsewhere(t, "--executor", "slurm")
			e.open()
			e.start().requireDone(t)
			e.requireWhole(0)
		})
		t.Run("who waits is killed, and later interrupted", func(t *testing.T) {
			t.Parallel()
			e := sweepElsewhere(t, "--executor", "slurm")
			w := e.start()
			e.untilBegun(2)
			e.untilSubmitted(2)
			require.NoError(t, w.Process.Kill())
			_ = w.Wait()
			text, status := e.collected()
			assert.Equal(t, 1, status)
			assert.Regexp(t, `cotenant: 30 of 30 runs have no result yet; Slurm goes on with job \d+, \d+: the same command waits for it, --collect stores its results so far, and scancel \d+ \d+ ends it\n$`, text)
			w = e.startAgain()
			require.NoError(t, w.Process.Signal(syscall.SIGTERM))
			_ = w.Wait()
			assert.Equal(t, 128+int(syscall.SIGTERM), w.ProcessState.ExitCode())
			assert.Regexp(t, `cotenant: interrupted; \S+ has 0 of 30 runs, and Slurm goes on with job \d+, \d+: `, w.stderr.String())
			e.open()
			require.Eventually(t, func() bool { _, status = e.collected(); return status == 0 }, 2*time.Minute, 600*time.Millisecond)
			e.requireWhole(0)
		})
		t.Run("who waits is killed again and again", func(t *testing.T) {
			t.Parallel()
			e := sweepElsewhere(t, "--executor", "slurm")
			e.open()
			e.killUntilDone()
		})
		t.Run("a task is killed", func(t *testing.T) {
			t.Parallel()
			e := sweepElsewhere(t, "--executor", "slurm")
			w := e.start()
			e.untilBegun(2)
			parents, _ := e.begun()
			require.NoError(t, syscall.Kill(parents[0], syscall.SIGKILL))
			e.open()
			w.requireDone(t)
			e.requireWhole(1)
		})
		t.Run("a task is cancelled", func(t *testing.T) {
			t.Parallel()
			e := sweepElsewhere(t, "--executor", "slurm")
			w := e.start()
			e.untilBegun(2)
			task := e.runningTask()
			slurmCommand(t, "scancel", task)
			untilState(t, task, "CANCELLED")
			e.open()
			_ = w.Wait()
			assert.Equal(t, 1, w.ProcessState.ExitCode())
			assert.Equal(t, 3, strings.Count(w.stderr.String(), " ended without a result (CANCELLED); its log: "), w.stderr.String())
			again := e.start()
			again.requireDone(t)
			e.requireWhole(1)
		})
		t.Run("the disk is full", func(t *testing.T) {
			t.Parallel()
			e := sweepElsewhere(t, "--executor", "slurm")
			spool := e.store() + ".spool"
			require.NoError(t, os.Mkdir(spool, 0o700))
			program, err := os.Stat(os.Args[0])
			require.NoError(t, err)
			if text, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", program.Size()+4<<20), "none", spool).CombinedOutput(); err != nil {
				t.Skipf("no small file system can be mounted: %s", text)
			}
			t.Cleanup(func() { _ = exec.Command("umount", "-l", spool).Run() })
			w := e.start()
			e.untilBegun(2)
			e.untilSubmitted(2)
			filler, err := os.Create(filepath.Join(spool, "filler"))
			require.NoError(t, err)
			for block := make([]byte, 4096); err == nil; {
				_, err = filler.Write(block)
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			filler.Close()
			e.open()
			time.Sleep(2 * time.Second)
			_, runs := e.begun()
			assert.Len(t, runs, 2, "tasks hold what they cannot write")
			require.NoError(t, os.Remove(filler.Name()))
			w.requireDone(t)
			e.requireWhole(0)
		})
	})
	t.Run("the node's daemon is killed", func(t *testing.T) {
		e := sweepElsewhere(t, "--executor", "slurm")
		w := e.start()
		e.untilBegun(2)
		pid, err := strconv.Atoi(strings.TrimSpace(read(t, filepath.Join(cluster, "slurmd.pid"))))
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		e.open()
		time.Sleep(time.Second)
		slurmCommand(t, slurmScript, cluster, "node")
		w.requireDone(t)
		e.requireWhole(0)
	})
	t.Run("time limit", timeLimit)
}

// limitTime begins a sweep with a task that reaches its time limit, and returns the rest
// of the test. Slurm looks for such tasks every half minute.
func limitTime(t *testing.T) (rest func(*testing.T)) {
	e := sweepElsewhere(t, "--executor", "slurm", "--slurm-time", "30")
	w := e.start()
	e.untilBegun(2)
	task := e.runningTask()
	slurmCommand(t, "scontrol", "update", "job", task, "EndTime=now+1")
	return func(t *testing.T) {
		untilState(t, task, "TIMEOUT")
		e.open()
		w.requireDone(t)
		e.requireWhole(1)
	}
}
