package sweep

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script makes the runs of a plan one after another, each in its time, and
// returns for every second how long the estimate says that the rest takes, and
// how long it does take. Runs of single applications that have a stored time are
// not made.
func script(t *testing.T, plan *Plan, takes func(*Job) time.Duration, stored func(*Job) bool) (said, is []time.Duration) {
	e := newEstimate(plan, 1)
	var order []*Job
	rest := time.Duration(0)
	for _, j := range plan.All() {
		if stored(j) {
			e.took[j] = takes(j)
			e.end(j, time.Time{}, false)
			continue
		}
		order = append(order, j)
		rest += takes(j)
	}
	now := time.Unix(0, 0)
	for _, j := range order {
		e.begin(j, now)
		for range int(takes(j) / time.Second) {
			said, is = append(said, e.left(now)), append(is, rest)
			now, rest = now.Add(time.Second), rest-time.Second
		}
		e.end(j, now, true)
	}
	require.Zero(t, e.left(now))
	return said, is
}

func newMatrixPlan(t *testing.T, text string) *Plan {
	m, err := parse("m.yaml", []byte(text))
	require.NoError(t, err)
	plan := newPlan("p")
	require.NoError(t, plan.AddMatrix(m))
	return plan
}

// Every application has a speed of its own: lbm takes ten times as long as sad.
// Mixes come last and take longest.
func seconds(j *Job) time.Duration {
	longest := 0
	for _, app := range j.Apps {
		longest = max(longest, map[string]int{"profile:lbm": 20, "profile:sgemm": 6, "profile:sad": 2}[app])
	}
	if len(j.Apps) > 1 {
		longest = longest * 3 / 2
	}
	return time.Duration(uint64(longest)*j.Cycles/10_000) * time.Second
}

const threePairs = "policies: [fcfs, spart, even]\nmixes: [{pairs: [\"profile:sad\", \"profile:sgemm\", \"profile:lbm\"]}]\n"

// Runs counted as equal would make it grow: the short ones come first.
func TestTimeLeftShrinksOnceApplicationsAreKnown(t *testing.T) {
	plan := newMatrixPlan(t, threePairs+"cycles: [10000]\n")
	said, is := script(t, plan, seconds, func(j *Job) bool { return len(j.Apps) == 1 })
	require.Len(t, said, 3*(9+30+30))
	for i := range said {
		assert.InEpsilon(t, is[i].Seconds(), said[i].Seconds(), 0.25, "second %d", i)
		if i > 0 {
			assert.LessOrEqual(t, said[i], said[i-1]+is[0]/4, "second %d: it corrects itself by a quarter at the most", i)
		}
	}
	// From the first mixes on it is right, and falls by a second in each second.
	for i := 20; i < len(said); i++ {
		assert.Equal(t, is[i], said[i].Round(time.Second), "second %d", i)
	}
}

func TestTimeLeftGrowsWithTheWindow(t *testing.T) {
	plan := newMatrixPlan(t, "policies: [fcfs]\nmixes: [{apps: [\"profile:lbm\"]}]\ncycles: [10k, 100k, 50k]\n")
	said, is := script(t, plan, seconds, func(*Job) bool { return false })
	assert.Zero(t, said[0], "nothing is known")
	assert.Equal(t, is[20:], said[20:])
}

func TestRunsAtATimeShareTheTimeLeft(t *testing.T) {
	plan := newMatrixPlan(t, threePairs+"cycles: [10000]\n")
	left := func(parallel int) time.Duration {
		e := newEstimate(plan, parallel)
		for _, j := range plan.phases[0] {
			e.took[j], e.done[j] = seconds(j), true
		}
		return e.left(time.Unix(0, 0))
	}
	assert.Equal(t, left(1)/2, left(2))
	assert.Equal(t, 25*time.Second, left(1000), "no less than the longest of them")
}

func TestRunThatTakesLongerThanPredictedCountsAsAboutToEnd(t *testing.T) {
	plan := newMatrixPlan(t, "policies: [fcfs]\nmixes: [{apps: [\"profile:lbm\"]}]\ncycles: [10k, 20k]\n")
	e := newEstimate(plan, 1)
	jobs := plan.All()
	e.took[jobs[0]], e.done[jobs[0]] = 10*time.Second, true
	e.begin(jobs[1], time.Unix(0, 0))
	assert.Equal(t, 5*time.Second, e.left(time.Unix(15, 0)))
	assert.Zero(t, e.left(time.Unix(25, 0)))
}
