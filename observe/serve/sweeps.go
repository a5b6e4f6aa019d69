package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"cotenant/experiment/store"
)

// sweepID is a sweep's name in addresses.
func sweepID(command string) string {
	sum := sha256.Sum256([]byte(command))
	return hex.EncodeToString(sum[:6])
}

// How a sweep stands, as the page shows it.
const (
	complete = "complete" // the store has every run
	running  = "running"
	dead     = "dead"    // it said nothing for store.Patience, and was not ended
	stopped  = "stopped" // interrupted, or ended by an error
	failed   = "failed"  // it tried every run, and some have no result
	unknown  = "unknown" // an older program made the runs, without signs of life
)

// mostFailures bounds the failures of a sweep in the list of stores.
const mostFailures = 20

// sweepState is the progress of a sweep.
type sweepState struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Began   string `json:"began"`
	Total   int    `json:"total"` // runs, isolated runs included
	Done    int    `json:"done"`
	State   string `json:"state"`
	Message string `json:"message,omitempty"` // the error that ended the sweep
	Beat    int64  `json:"beat"`              // seconds since the last sign of life
	// PerMinute is how many runs a running sweep has made in a minute, over its time so
	// far, and Left about the seconds until its end; 0 if unknown.
	PerMinute float64        `json:"per_minute"`
	Left      int64          `json:"left"`
	Failed    int            `json:"failed"`
	Failures  []failureState `json:"failures,omitempty"` // the first of them
}

// failureState is a run without a result.
type failureState struct {
	Run     string `json:"run"`
	Message string `json:"message"`
}

// stateOf tells how a sweep stands at a time. done counts its runs in the store; a is its
// last attempt, nil if none is known.
func stateOf(w *store.Sweep, done int, a *store.Attempt, now time.Time) sweepState {
	s := sweepState{ID: sweepID(w.Command), Command: w.Command, Began: w.Began.UTC().Format(time.RFC3339), Total: len(w.Keys), Done: done, State: unknown}
	if a != nil && a.Began.Equal(w.Began) { // not of an earlier time, by another build
		silence := max(0, now.Sub(a.Beat))
		s.Message, s.Beat, s.Failed = a.Message, int64(silence.Seconds()), len(a.Failures)
		switch {
		case a.State == store.Running && silence > store.Patience:
			s.State = dead
		case a.State == store.Running:
			s.State = running
			if took := a.Beat.Sub(a.Began); took > 0 {
				s.PerMinute = float64(a.Made) / took.Minutes()
			}
			s.Left = int64(max(0, a.Left-silence).Seconds())
		case a.State == store.Ended:
			s.State = failed
		default:
			s.State = stopped
		}
		for _, f := range a.Failures[:min(mostFailures, len(a.Failures))] {
			s.Failures = append(s.Failures, failureState(f))
		}
	}
	if done == len(w.Keys) && s.State != running {
		return sweepState{ID: s.ID, Command: s.Command, Began: s.Began, Total: s.Total, Done: done, State: complete, Beat: s.Beat}
	}
	return s
}
