package issuequeue

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// table is a cycle table of the thesis, or one derived from its rules.
type table struct {
	Name, Scheme, Issue, Commit string
	Rows                        []row
	Releases                    []release
	LogEntries                  int      `json:"log_entries"`
	FaultDetected               uint64   `json:"fault_detected"`
	Committed                   []string `json:"committed_before_save"`
	Squashed                    []string
	Drained                     []string                `json:"drained_from_issue_queue"`
	DrainedAt                   uint64                  `json:"drained_at"`
	ReplayQueue                 []string                `json:"replay_queue"`
	OperandLog                  []struct{ Entries int } `json:"operand_log"`
	RestartAt                   string                  `json:"restart_at"`
}

type vectors struct{ Tables, Faults, Replays []table }

func load(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/faults_pipeline.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

func (x *table) program() (list []string) {
	for _, r := range x.Rows {
		list = append(list, r.Instruction)
	}
	return list
}

func (x *table) rig(program []string) *rig {
	log := x.LogEntries
	if log == 0 {
		log = 128
	}
	scheme := schemes[x.Scheme]
	return newRig(newQueue(scheme, x.Issue, x.Commit), scheme, program, log)
}

// TestTables runs every table and compares each stage and each release.
func TestTables(t *testing.T) {
	v := load(t)
	require.Len(t, v.Tables, 20)
	for _, x := range v.Tables {
		t.Run(x.Name, func(t *testing.T) {
			r := x.rig(x.program())
			columns := len(x.Rows[0].Stages)
			r.checkAt = *x.Releases[0].LastTLBCheck - uint64(slices.Index(x.Rows[0].Stages, "I")+1)
			r.program[0].stuck = !slices.Contains(x.Rows[0].Stages, "C")
			for range columns + 20 {
				r.tick()
			}
			require.Equal(t, x.Rows, r.table(1, columns))
			for i, want := range x.Releases {
				s := r.program[i]
				require.Equal(t, want.SourcesReleased, s.sources, "sources of %s", s.text)
				written := s.written
				if strings.HasPrefix(s.text, "st ") { // writes no register
					written = nil
				}
				require.Equal(t, want.DestinationReleased, written, "destination of %s", s.text)
			}
		})
	}
}

// faulted runs a program of which the first load faults, until its warp is quiet.
func (x *table) faulted(program []string) *rig {
	r := x.rig(program)
	r.limit, r.faulting = 4, x.FaultDetected
	for range 20 {
		r.tick()
	}
	return r
}

func TestFaults(t *testing.T) {
	v := load(t)
	require.Len(t, v.Faults, 4)
	for _, x := range v.Faults {
		t.Run(x.Name, func(t *testing.T) {
			r := x.faulted(x.program())
			require.Equal(t, x.Rows, r.table(1, len(x.Rows[0].Stages)))
			require.Equal(t, x.DrainedAt, r.quiet)
			require.True(t, r.q.Idle(slot))
			committed, squashed, drained := []string{}, []string{}, []string{}
			for _, s := range r.program {
				switch {
				case s.committed:
					committed = append(committed, s.text)
				case s.entered && r.q.Replayed(s.id):
					squashed = append(squashed, s.text)
				case s.entered:
					drained = append(drained, s.text)
				}
			}
			require.Equal(t, x.Committed, committed)
			require.Equal(t, x.Squashed, squashed)
			require.Equal(t, x.Drained, drained)
			queue := x.ReplayQueue
			if x.RestartAt != "" { // the program counter's instruction
				queue = []string{x.RestartAt}
			}
			require.Equal(t, queue, r.texts(r.q.Waiting(slot)))
			require.Zero(t, r.q.count, "the replay queue takes no entries of the issue queue")
			if r.log != nil {
				want := 0
				for _, l := range x.OperandLog {
					want += l.Entries
				}
				require.Equal(t, want, r.log.Saved(0))
			}
		})
	}
}

// TestReplays resumes the programs that have faulted, where they were and on another
// SM, to which the replay queue and nothing else is moved.
func TestReplays(t *testing.T) {
	v := load(t)
	require.Len(t, v.Replays, 3)
	program := []string{"R3 <- ld [R2]", "R2 <- add R7, 8", "R8 <- mul R3, 3", "R9 <- sub R9, 4", "R1 <- or R1, 1"}
	for _, x := range v.Replays {
		for _, where := range []string{"here", "elsewhere"} {
			t.Run(x.Name+" "+where, func(t *testing.T) {
				x.FaultDetected = 10
				r := x.faulted(program)
				if where == "elsewhere" {
					r.move(newQueue(r.scheme, "", ""))
				}
				r.faulting, r.limit = 0, len(program)
				since := r.now + 1
				for _, s := range r.program {
					s.stages = map[uint64]string{}
				}
				if r.q.rules.Refetches() {
					r.program[0].stages[since] = "F"
				}
				r.q.Resume(slot, since)
				for range 25 {
					r.tick()
				}
				got := r.table(since, len(x.Rows[0].Stages))
				got = slices.DeleteFunc(got, func(g row) bool { // committed before
					return !slices.ContainsFunc(x.Rows, func(w row) bool { return w.Instruction == g.Instruction })
				})
				require.Equal(t, x.Rows, got)
				require.True(t, r.q.Idle(slot))
				if r.log != nil {
					require.Zero(t, r.log.Saved(0))
				}
			})
		}
	}
}

// move saves the warp's context and restores it in another queue.
func (r *rig) move(to *Queue) {
	type saved struct {
		s        *step
		inst     workload.Inst
		replayed bool
	}
	var context []saved
	for _, id := range r.q.Waiting(slot) {
		context = append(context, saved{r.step(id), *r.q.Inst(id), r.q.Replayed(id)})
	}
	r.q.Clear(slot)
	to.Start(slot)
	for _, c := range context {
		_, kind, unit, _ := parse(c.s.text)
		c.s.id = to.Restore(slot, &c.inst, unit, kind, c.replayed)
	}
	r.q = to
	if r.log != nil {
		n := r.log.Saved(0)
		r.log.Close(0)
		r.log.Open(0, n)
		r.log.Restore(0, n)
	}
}
