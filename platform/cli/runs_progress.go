package cli

import (
	"fmt"
	"io"
	"time"

	"cotenant/experiment/sweep"
	"cotenant/workload"
)

// runsProgress shows how many of many runs are done and how long the rest will
// take: as a bar on a terminal, as a line now and then elsewhere.
type runsProgress struct {
	out   io.Writer // nil to show nothing
	bar   *bar
	began time.Time
	first int       // runs that were done when it began
	next  time.Time // of the next line
}

func newRunsProgress(out io.Writer, quiet bool) *runsProgress {
	if quiet {
		return &runsProgress{}
	}
	return &runsProgress{out: out, bar: newBar(out)}
}

// update shows how far the runs are.
func (p *runsProgress) update(at sweep.Progress) {
	if p.out == nil {
		return
	}
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.first = now, at.Done()
	}
	text := fmt.Sprintf("%d of %s", at.Done(), workload.Count(at.Total, "run"))
	if at.Failed > 0 {
		text += fmt.Sprintf(", %d failed", at.Failed)
	}
	if left, ok := p.left(now, at); ok {
		text += fmt.Sprintf(", %s left", left)
	}
	switch {
	case p.bar != nil:
		p.bar.show(text, float64(at.Done())/float64(max(1, at.Total)))
	case !now.Before(p.next):
		p.next = now.Add(lineEvery)
		fmt.Fprintln(p.out, text)
	}
}

// left estimates the time until the end from the time that the runs so far
// took; false if none has been made.
func (p *runsProgress) left(now time.Time, at sweep.Progress) (time.Duration, bool) {
	made := at.Done() - p.first
	if made == 0 {
		return 0, false
	}
	left := now.Sub(p.began) * time.Duration(at.Total-at.Done()) / time.Duration(made)
	return left.Round(time.Second), true
}

// clear takes the bar away.
func (p *runsProgress) clear() {
	if p.bar != nil {
		p.bar.clear()
	}
}
