package cli

import (
	"fmt"
	"io"
	"time"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/workload"
)

// lineEvery is the time between lines of progress where there is no terminal.
const lineEvery = 10 * time.Second

// progress shows the progress of a command: as a bar on a terminal, else as a line now
// and then.
type progress struct {
	out  io.Writer // nil to show nothing
	bar  *bar
	what string    // on the bar
	next time.Time // of the next line
}

func newProgress(out io.Writer, quiet bool) *progress {
	if quiet {
		return &progress{}
	}
	return &progress{out: out, bar: newBar(out), next: time.Now().Add(lineEvery)}
}

// newRunsProgress makes the progress of many runs, with a first line at once.
func newRunsProgress(out io.Writer, quiet bool) *progress {
	p := newProgress(out, quiet)
	p.next = time.Time{}
	return p
}

// show draws text and the part done, from 0 to 1, on the bar, or writes a line when its
// time has come. The bar starts again with another what.
func (p *progress) show(what, text, line string, share float64) {
	switch {
	case p.out == nil:
	case p.bar != nil:
		if p.what != what {
			p.what = what
			p.bar.restart()
		}
		p.bar.show(text, share)
	case !time.Now().Before(p.next):
		p.next = time.Now().Add(lineEvery)
		fmt.Fprintln(p.out, line)
	}
}

// clear takes the bar away.
func (p *progress) clear() {
	if p.bar != nil {
		p.bar.clear()
	}
}

// update shows one run.
func (p *progress) update(what string, at experiment.Progress) {
	runs := "" // completed, of the slowest application
	if at.Replays > 0 {
		runs = fmt.Sprintf(", %d of %d runs", at.Runs, at.Replays)
	}
	p.show(what, fmt.Sprintf("%s: cycle %d%s", what, at.Cycle, runs),
		fmt.Sprintf("%s: cycle %d, %s%s, %.0f %%", what, at.Cycle, workload.Count(at.WarpInstructions, "warp instruction"), runs, at.Done*100), at.Done)
}

// updateRuns shows many runs, and the time for the rest.
func (p *progress) updateRuns(at sweep.Progress) {
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
	p.show("", text, text, float64(at.Done())/float64(max(1, at.Total)))
}
