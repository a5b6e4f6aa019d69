package serve

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/store"
	"cotenant/observe/browsertest"
)

func TestStateTellsFailedAndDeadSweepsFromRunningOnes(t *testing.T) {
	began := time.Unix(1e9, 0)
	w := &store.Sweep{Command: "c", Began: began, Keys: []string{"a", "b", "c", "d"}}
	attempt := func(change func(*store.Attempt)) *store.Attempt {
		a := &store.Attempt{Command: "c", Began: began, Beat: began.Add(2 * time.Minute), State: store.Running, Made: 3, Left: 100 * time.Second}
		change(a)
		return a
	}
	lost := []store.Failure{{Run: "cotenant run d", Message: "too large"}}
	for _, of := range []struct {
		name  string
		a     *store.Attempt
		after time.Duration // since the sweep began
		done  int
		want  sweepState
	}{
		{"a running one has a rate, and its time left goes on", attempt(func(*store.Attempt) {}), 2*time.Minute + 4*time.Second, 3,
			sweepState{State: running, Beat: 4, PerMinute: 1.5, Left: 96}},
		{"silence up to the store's patience", attempt(func(*store.Attempt) {}), 2*time.Minute + store.Patience, 3,
			sweepState{State: running, Beat: 30, PerMinute: 1.5, Left: 70}},
		{"and longer", attempt(func(*store.Attempt) {}), 2*time.Minute + store.Patience + time.Second, 3, sweepState{State: dead, Beat: 31}},
		{"killed after its last run", attempt(func(*store.Attempt) {}), time.Hour, 4, sweepState{State: complete, Beat: 3480}},
		{"without a result of one run", attempt(func(a *store.Attempt) { a.State, a.Failures = store.Ended, lost }), 3 * time.Minute, 3,
			sweepState{State: failed, Beat: 60, Failed: 1, Failures: []failureState{{"cotenant run d", "too large"}}}},
		{"that another sweep made", attempt(func(a *store.Attempt) { a.State, a.Failures = store.Ended, lost }), 3 * time.Minute, 4, sweepState{State: complete, Beat: 60}},
		{"interrupted", attempt(func(a *store.Attempt) { a.State, a.Message = store.Interrupted, "interrupted" }), 3 * time.Minute, 3,
			sweepState{State: stopped, Message: "interrupted", Beat: 60}},
		{"ended by an error", attempt(func(a *store.Attempt) { a.State, a.Message = store.Aborted, "disk full" }), 3 * time.Minute, 3,
			sweepState{State: stopped, Message: "disk full", Beat: 60}},
		{"of an older program", nil, 3 * time.Minute, 3, sweepState{State: unknown}},
		{"repeated by an older program", attempt(func(a *store.Attempt) { a.Began = began.Add(-time.Hour) }), 3 * time.Minute, 3, sweepState{State: unknown}},
		{"a clock that is behind", attempt(func(*store.Attempt) {}), time.Minute, 3, sweepState{State: running, PerMinute: 1.5, Left: 100}},
	} {
		of.want.ID, of.want.Command, of.want.Began, of.want.Total, of.want.Done = sweepID("c"), "c", "2001-09-09T01:46:40Z", 4, of.done
		assert.Equal(t, of.want, stateOf(w, of.done, of.a, began.Add(of.after)), of.name)
	}
}

func TestBrowserShowsHowASweepStands(t *testing.T) {
	h, s, _ := serving(t, ofStore)
	began := time.Unix(1e9, 0)
	put := func(a store.Attempt) {
		a.Command, a.Began = "cotenant sweep <m>.yaml", began
		require.NoError(t, s.PutAttempt(a))
	}
	put(store.Attempt{State: store.Running, Beat: time.Now().Add(time.Hour), Made: 1})
	browsertest.Visit(t, h.URL+"/", regexp.MustCompile(`(?s)<b>running</b> 1 of 3 runs, 0\.0 an hour, begun`))
	put(store.Attempt{State: store.Running, Beat: began})
	browsertest.Visit(t, h.URL+"/", regexp.MustCompile(`(?s)<b>dead</b> 1 of 3 runs; no sign of life for \d+ days: it was killed`))
	put(store.Attempt{State: store.Ended, Beat: began, Failures: []store.Failure{{Run: "cotenant run --app <b>", Message: "too large"}}})
	browsertest.Visit(t, h.URL+"/", regexp.MustCompile(`(?s)<b>failed</b> 1 of 3 runs, 1 failed; the same.*<details><summary[^>]*>1 run failed</summary>.*<pre>cotenant run --app &lt;b&gt;</pre>.*too large`))
}
