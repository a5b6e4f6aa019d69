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
	out  io.Writer // nil to show nothing
	bar  *bar
	next time.Time // of the next line
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
	text := fmt.Sprintf("%d of %s", at.Done(), workload.Count(at.Total, "run"))
	if at.Failed > 0 {
		text += fmt.Sprintf(", %d failed", at.Failed)
	}
	if at.Running+at.Waiting > 0 {
		text += fmt.Sprintf(", %d of %s running", at.Running, workload.Count(at.Running+at.Waiting, "task"))
	}
	if left := at.Left.Round(time.Second); left > 0 {
		text += fmt.Sprintf(", about %s left", left)
	}
	switch {
	case p.bar != nil:
		p.bar.show(text, float64(at.Done())/float64(max(1, at.Total)))
	case !now.Before(p.next):
		p.next = now.Add(lineEvery)
		fmt.Fprintln(p.out, text)
	}
}

// clear takes the bar away.
func (p *runsProgress) clear() {
	if p.bar != nil {
		p.bar.clear()
	}
}
