package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"cotenant/experiment"
)

// lineEvery is the time between lines of progress where there is no terminal.
const lineEvery = 10 * time.Second

// barSteps is the resolution of a bar.
const barSteps = 1000

// progress shows how far a command is: as a bar on a terminal, as a line now
// and then elsewhere.
type progress struct {
	out  io.Writer // nil to show nothing
	bar  *progressbar.ProgressBar
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

// newBar makes a bar of barSteps steps if out is a terminal, and else returns
// nil.
func newBar(out io.Writer) *progressbar.ProgressBar {
	if f, ok := out.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return progressbar.NewOptions(barSteps, progressbar.OptionSetWriter(out), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30), progressbar.OptionSetPredictTime(false))
}

// fill sets a bar to a share from 0 to 1.
func fill(bar *progressbar.ProgressBar, share float64) {
	_ = bar.Set(min(barSteps-1, int(share*barSteps))) // a full bar would end
}

// update shows what is being done and how far it is.
func (p *progress) update(what string, at experiment.Progress) {
	switch {
	case p.out == nil:
	case p.bar != nil:
		if p.what != what {
			p.what = what
			p.bar.Reset()
		}
		p.bar.Describe(fmt.Sprintf("%s: cycle %d", what, at.Cycle))
		fill(p.bar, at.Done)
	case time.Now().After(p.next):
		p.next = time.Now().Add(lineEvery)
		fmt.Fprintf(p.out, "%s: cycle %d, %d warp instructions, %.0f %%\n", what, at.Cycle, at.WarpInstructions, at.Done*100)
	}
}

// clear takes the bar away.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
