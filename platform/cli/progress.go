package cli

import (
	"fmt"
	"io"
	"time"

	"cotenant/experiment"
	"cotenant/workload"
)

// lineEvery is the time between lines of progress where there is no terminal.
const lineEvery = 10 * time.Second

// progress shows how far a command is: as a bar on a terminal, as a line now
// and then elsewhere.
type progress struct {
	out  io.Writer // nil to show nothing
	bar  *bar
	what string    // the bar shows
	next time.Time // of the next line
}

func newProgress(out io.Writer, quiet bool) *progress {
	p := &progress{out: out, next: time.Now().Add(lineEvery)}
	if quiet {
		p.out = nil
	} else {
		p.bar = newBar(out)
	}
	return p
}

// update shows what is being done and how far it is.
func (p *progress) update(what string, at experiment.Progress) {
	switch {
	case p.out == nil:
	case p.bar != nil:
		if p.what != what {
			p.what = what
			p.bar.restart()
		}
		p.bar.show(fmt.Sprintf("%s: cycle %d%s", what, at.Cycle, runs(at)), at.Done)
	case time.Now().After(p.next):
		p.next = time.Now().Add(lineEvery)
		fmt.Fprintf(p.out, "%s: cycle %d, %s%s, %.0f %%\n", what, at.Cycle, workload.Count(at.WarpInstructions, "warp instruction"), runs(at), at.Done*100)
	}
}

// runs says how many runs of the slowest application are completed, if it is to run
// several times.
func runs(at experiment.Progress) string {
	if at.Replays == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of %d runs", at.Runs, at.Replays)
}

// clear takes the bar away.
func (p *progress) clear() {
	if p.bar != nil {
		p.bar.clear()
	}
}
