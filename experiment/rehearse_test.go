package experiment

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/wiring"
)

// learner is fcfs, rehearsed until it has been asked some times whether it has settled.
type learner struct {
	policy.Policy
	most    uint64      // of the rehearsal
	tenants int         // that begin was told
	first   policy.View // at the first Decide
	was     *policy.Rehearsal
	from    *learner
}

func (l *learner) Decide(v *policy.View, a policy.Actions) {
	if l.first.Tenants == nil {
		l.first.Tenants = slices.Clone(v.Tenants)
	}
	l.Policy.Decide(v, a)
}

var learnerForm = &policy.Form{Name: "rehearsal", Facts: []policy.Column{{Name: "cycles"}, {Name: "settled", Kind: policy.Flag}}}

func (l *learner) Needs() policy.Needs {
	n := l.Policy.Needs()
	n.Alone.IPC = true
	n.Explain = func() []policy.Table {
		if l.was == nil {
			return nil
		}
		return []policy.Table{learnerForm.With(policy.Cells{"cycles": int(l.was.Cycles), "settled": l.was.Settled})}
	}
	if l.most > 0 {
		n.Rehearsal = &policy.Rehearsing{Begin: l.begin, Learn: l.learn}
	}
	return n
}

func (l *learner) begin(tenants int) (policy.Policy, func() bool, uint64) {
	l.tenants = tenants
	p, _ := policy.Parse("fcfs")
	asked := 0
	settled := func() bool {
		asked++
		return asked >= rehearsalAsks
	}
	return &learner{Policy: p}, settled, l.most
}

func (l *learner) learn(from policy.Policy, was policy.Rehearsal) {
	time.Sleep(rehearsalTakes)
	l.from, l.was = from.(*learner), &was
}

// learnt is the learner made last, rehearsalLimit the most of the next, rehearsalAsks
// how often it is asked before it has settled.
var (
	learnt         *learner
	rehearsalLimit uint64
	rehearsalAsks  = 2
	rehearsalTakes time.Duration // to learn from
)

func init() {
	policy.Register(policy.Descriptor{Name: "learner", New: func(*policy.Options) policy.Policy {
		p, _ := policy.Parse("fcfs")
		learnt = &learner{Policy: p, most: rehearsalLimit}
		return learnt
	}})
}

func TestARehearsalComesBeforeTheRunAndLeavesNothingInIt(t *testing.T) {
	rehearsalLimit = 0
	r, _ := toy(t, "learner", 5000, "", "?arrival=2000")
	plain := do(t, r)
	require.Nil(t, learnt.from)

	rehearsalLimit = 100_000
	var phases []string
	placed, started := 0, 0
	r.Progress = func(p Progress) { phases = append(phases, p.Phase) }
	r.Listener.TBPlaced = func(e dispatcher.TBEvent) {
		placed++
		assert.Less(t, e.Cycle, uint64(5000))
	}
	r.Started = func(*wiring.Platform) error { started++; return nil }
	again := do(t, r)
	// It is looked at every 8192 cycles.
	assert.Equal(t, policy.Rehearsal{Cycles: 2 * 8192, Settled: true}, *learnt.was)
	assert.JSONEq(t, `{"rehearsal":{"cycles":16384,"settled":true}}`, string(again.Decision))
	assert.Equal(t, 2, learnt.tenants)
	assert.Positive(t, learnt.from.first.Tenants[0].IsolatedIPC, "it knows what tenants have alone")
	assert.Equal(t, learnt.first.Tenants[0].IsolatedIPC, learnt.from.first.Tenants[0].IsolatedIPC)
	assert.False(t, learnt.from.first.Tenants[1].Present, "who comes later does so in the rehearsal")
	assert.Contains(t, phases, "rehearsal")
	assert.Equal(t, 1, started)
	completed := uint64(0)
	for _, k := range again.Kernels {
		completed += k.TBsCompleted
	}
	assert.GreaterOrEqual(t, placed, int(completed))
	assert.LessOrEqual(t, placed, int(completed)+200, "only those of the run")

	again.Decision, plain.Decision = nil, nil
	again.WallSeconds, again.IsolatedWallSeconds = plain.WallSeconds, plain.IsolatedWallSeconds
	assert.Equal(t, encoded(t, plain), encoded(t, again))
}

func TestARehearsalEndsAtItsBound(t *testing.T) {
	rehearsalLimit = 8192
	r, _ := toy(t, "learner", 0, "", "")
	r.Until = Until(2) // the rehearsal restarts applications all the same
	do(t, r)
	assert.Equal(t, uint64(8192), learnt.was.Cycles)
	rehearsalLimit = 3000
	r, _ = toy(t, "learner", 5000, "", "")
	do(t, r)
	assert.Equal(t, policy.Rehearsal{Cycles: 3000}, *learnt.was)
}

func TestOneApplicationIsNotRehearsed(t *testing.T) {
	rehearsalLimit = 100_000
	r, _ := toy(t, "learner", 20_000, "")
	var phases []string
	r.Progress = func(p Progress) { phases = append(phases, p.Phase) }
	do(t, r)
	require.NotEmpty(t, phases)
	require.NotContains(t, phases, "rehearsal")
}

func TestARehearsalCanBeInterrupted(t *testing.T) {
	rehearsalLimit, rehearsalAsks = 1_000_000, 99
	defer func() { rehearsalAsks = 2 }()
	r, _ := toy(t, "learner", 5000, "", "")
	ctx, cancel := context.WithCancel(t.Context())
	r.Progress = func(p Progress) {
		if p.Phase == "rehearsal" {
			cancel()
		}
	}
	_, err := r.Do(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "rehearsal: interrupted at cycle 16384")
}

func encoded(t *testing.T, r *Result) string {
	var out bytes.Buffer
	require.NoError(t, WriteJSON(&out, r))
	return out.String()
}

// A rehearsal takes time, which is part of the run's.
func TestWallTimeHasTheRehearsal(t *testing.T) {
	defer func() { rehearsalTakes = 0 }()
	rehearsalLimit, rehearsalTakes = 100_000, 300*time.Millisecond
	r, _ := toy(t, "learner", 5000, "", "")
	require.GreaterOrEqual(t, do(t, r).WallSeconds, rehearsalTakes.Seconds())
}
