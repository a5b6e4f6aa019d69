package sweep

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/store"
)

// shell is a command that runs a script instead of the program. The arguments
// of the run command follow.
func shell(script string) []string { return []string{"sh", "-c", script, "sh"} }

func newRunner(t *testing.T, script string) (*Runner, *[]string) {
	s, err := store.Open(filepath.Join(t.TempDir(), "s.sqlite"))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	failed := &[]string{}
	return &Runner{Store: s, Local: Local{Command: shell(script), Parallel: 1},
		Failed: func(j *Job, err error) { *failed = append(*failed, j.String()+": "+err.Error()) }}, failed
}

func onePlan(t *testing.T, apps ...string) *Plan {
	p := newPlan("p")
	require.NoError(t, p.Add(experiment.Spec{GPU: "gtx980", Policy: "spart", Apps: apps, Cycles: 1000, Seed: 1}))
	return p
}

func TestWhatAFailedRunSaidIsReported(t *testing.T) {
	for script, want := range map[string]string{
		"echo 'lbm: cycle 5' >&2; echo 'cotenant: small: too large' >&2; exit 1": "small: too large",
		"exit 3":                                "exit status 3",
		"kill -9 $$":                            "signal: killed",
		"echo half way >&2; kill -9 $$":         "signal: killed: half way",
		"echo '{'":                              "it wrote no JSON: unexpected end of JSON input",
		"echo '{}'":                             "the run wrote no result: it is not the result of a run",
		`echo '{"schema": 2, "kernels": [{}]}'`: "the file of GPU gtx980 has changed since the sweep began; start the sweep again",
		"head -c 100000 /dev/zero | tr '\\0' '\\n' >&2; echo end >&2; exit 1": "end",
	} {
		r, failed := newRunner(t, script)
		plan := onePlan(t, "profile:lbm")
		got, err := r.Do(t.Context(), plan)
		require.NoError(t, err)
		assert.Equal(t, Progress{Total: 1, Failed: 1}, got, script)
		assert.Equal(t, []string{"profile:lbm on gtx980 under spart, 1000 cycles, seed 1: " + want}, *failed)
		_, n, err := Stored(r.Store, plan)
		require.NoError(t, err)
		assert.Zero(t, n)
	}
}

func TestDamagedResultIsNotReadForATable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sqlite")
	s, err := store.Open(path)
	require.NoError(t, err)
	defer s.Close()
	plan := onePlan(t, "profile:lbm")
	key := plan.Jobs[0].Key
	require.NoError(t, s.Put(store.Entry{Key: key, Identity: []byte("{}"), Result: []byte(`{"schema":2,"kernels":[{}]}`)}))
	results, err := Results(s, plan)
	require.NoError(t, err)
	require.NotNil(t, results[0])
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(`UPDATE runs SET result = '{"schema":2,"kernels":[{},{}]}'`)
	require.NoError(t, err)
	_, err = Results(s, plan)
	assert.EqualError(t, err, "store "+path+": the run of key "+key+" is damaged: its checksum does not match its contents "+
		"(profile:lbm on gtx980 under spart, 1000 cycles, seed 1); the same command makes the run again")
}

func TestMixWithoutAnIsolatedRunIsNotRun(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	r, failed := newRunner(t, `echo "$@" >> `+log+`; exit 1`)
	got, err := r.Do(t.Context(), onePlan(t, "profile:lbm", "profile:sad"))
	require.NoError(t, err)
	assert.Equal(t, Progress{Total: 3, Failed: 3}, got)
	assert.Contains(t, (*failed)[2], "profile:lbm has no isolated IPC: its run alone failed")
	begun, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(begun), "\n"))
}

// The instructions of a run come from the window if it has one, else from the run to
// the end.
func TestGoalInTimeIsHandedToTheRun(t *testing.T) {
	for inWindow, want := range map[uint64]uint64{0: 1 << 60, 7: 7} {
		p := newPlan("p")
		require.NoError(t, p.Add(experiment.Spec{GPU: "gtx980", Policy: "spart", Apps: []string{"profile:lbm?qos_time=1ms", "profile:sad"}, Cycles: 1000, Seed: 1}))
		mix := p.Jobs[0]
		w := &Work{plan: p, alone: map[string]experiment.Isolated{mix.isolated[0].Key: {IPC: 2, Instructions: inWindow}, mix.isolated[1].Key: {IPC: 3}}}
		w.estimate = newEstimate(p, 1)
		if inWindow == 0 {
			_, err := p.Order(mix).Isolated(w.Alone)
			require.EqualError(t, err, "profile:lbm has no goal in time: its run to the end alone failed")
		}
		require.NoError(t, w.note(mix.whole[0], []byte(`{"schema":2,"kernels":[{"ipc":1,"completions":1,"launches":[{"thread_instructions":`+strconv.Itoa(1<<60-5)+`},{"thread_instructions":5}]}]}`)))
		list, err := p.Order(mix).Isolated(w.Alone)
		require.NoError(t, err)
		assert.Equal(t, []experiment.Isolated{{IPC: 2, Instructions: want}, {IPC: 3}}, list)
	}
}

func TestInterruptKillsTheChildAndIsNoFailure(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	r, failed := newRunner(t, "echo $$ > "+pidFile+"; exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := r.Do(ctx, onePlan(t, "profile:lbm"))
		ended <- err
	}()
	var pid int
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(pidFile)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid != 0
	}, 10*time.Second, time.Millisecond)
	cancel()
	select {
	case err := <-ended:
		assert.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		t.Fatal("the runner goes on")
	}
	assert.Empty(t, *failed)
	assert.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH, "the child goes on")
}
