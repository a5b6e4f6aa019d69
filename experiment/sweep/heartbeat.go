package sweep

import (
	"context"
	"strings"
	"sync"
	"time"

	"cotenant/experiment/store"
)

// Heartbeat notes in a store how a sweep stands, at once and then at every store.BeatEvery,
// so that readers of the store can tell a running sweep from a dead one. It must be ended.
type Heartbeat struct {
	store *store.Store
	stop  func()

	mu sync.Mutex
	at store.Attempt
}

// NewHeartbeat begins the attempt of a command. An error is the store's.
func NewHeartbeat(s *store.Store, command string, began time.Time) (*Heartbeat, error) {
	h := &Heartbeat{store: s, at: store.Attempt{Command: command, Began: began, State: store.Running}}
	if err := h.beat(); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	var beating sync.WaitGroup
	beating.Go(func() {
		ticks := time.NewTicker(store.BeatEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				_ = h.beat() // a beat may be missed; a store at fault fails the runs too
			case <-ctx.Done():
				return
			}
		}
	})
	h.stop = func() { end(); beating.Wait() }
	return h, nil
}

// beat writes the present state.
func (h *Heartbeat) beat() error {
	h.mu.Lock()
	h.at.Beat = time.Now()
	at := h.at
	h.mu.Unlock()
	return h.store.PutAttempt(at)
}

// Progress takes over how far the plan is, for the next beat.
func (h *Heartbeat) Progress(p Progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at.Made, h.at.Left = p.Run, p.Left
}

// Failed takes over a run without a result, for the next beat.
func (h *Heartbeat) Failed(j *Job, fault error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at.Failures = append(h.at.Failures, store.Failure{Run: "cotenant " + j.Command(), Message: strings.Join(strings.Fields(fault.Error()), " ")})
}

// End stops the beats and writes how the sweep ended, with the error that ended it or "".
func (h *Heartbeat) End(state store.State, message string) {
	h.stop()
	h.mu.Lock()
	h.at.State, h.at.Message, h.at.Left = state, message, 0
	h.mu.Unlock()
	_ = h.beat() // the command's own error matters more
}
