package cli

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/workload"
)

// lineEvery is the time between lines of progress where there is no terminal.
const lineEvery = 10 * time.Second

// barSteps is the resolution of a bar.
const barSteps = 1000

// progress shows the progress of a command: as a bar on a terminal, else as a line now
// and then.
type progress struct {
	out  io.Writer // nil to show nothing
	what string    // on the bar
	from pace      // of the phase shown last
	next time.Time // of the next line

	mu    sync.Mutex
	bar   *progressbar.ProgressBar // nil where there is no terminal
	drawn bool
	ended bool // the bar is drawn no more
}

// lastBar may be on the terminal when the program ends. A program shows one at a time.
var lastBar atomic.Pointer[progress]

func newProgress(out io.Writer, quiet bool) *progress {
	p := &progress{next: time.Now().Add(lineEvery)}
	if quiet {
		return p
	}
	p.out = out
	if f, ok := out.(interface{ Fd() uintptr }); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(barSteps, progressbar.OptionSetWriter(out), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30), progressbar.OptionSetPredictTime(false))
		lastBar.Store(p)
	}
	return p
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
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.out == nil || p.ended:
	case p.bar != nil:
		if p.what != what {
			p.what = what
			p.bar.Reset()
		}
		p.drawn = true
		p.bar.Describe(text)
		_ = p.bar.Set(min(barSteps-1, int(share*barSteps))) // a full bar would end
	case !time.Now().Before(p.next):
		p.next = time.Now().Add(lineEvery)
		fmt.Fprintln(p.out, line)
	}
}

// clear takes the bar away, until it is drawn again.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		_ = p.bar.Clear()
		p.drawn = false
	}
}

// endBar takes the last bar away for good.
func endBar() {
	if p := lastBar.Load(); p != nil {
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.clear()
	}
}

// pace is where a phase of a run stood when it was shown first, by which its speed is known.
type pace struct {
	what  string
	cycle uint64
	done  float64
	at    time.Time
}

// soon is the time from which a phase has shown its speed.
const soon = time.Second

// speed says how fast a phase is, and the time for its rest, if the phase lasts.
func (p *progress) speed(what string, at experiment.Progress, now time.Time) string {
	if p.from.what != what || at.Cycle < p.from.cycle {
		p.from = pace{what, at.Cycle, at.Done, now}
	}
	took := now.Sub(p.from.at)
	if took < soon {
		return ""
	}
	text := fmt.Sprintf(", %s cycles/s", significant(float64(at.Cycle-p.from.cycle)/took.Seconds()))
	if done := at.Done - p.from.done; done > 0 && at.Done < 1 {
		left := time.Duration(float64(took) * (1 - at.Done) / done).Round(time.Second)
		text += fmt.Sprintf(", about %s left", left)
	}
	return text
}

// significant writes a number with two significant digits, in thousands from 1000 on.
func significant(x float64) string {
	if x < 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	x /= 1000
	if x < 10 {
		return strconv.FormatFloat(x, 'f', 1, 64) + "k"
	}
	return strconv.FormatFloat(x, 'f', 0, 64) + "k"
}

// update shows one run.
func (p *progress) update(what string, at experiment.Progress) {
	p.mu.Lock()
	speed := p.speed(what, at, time.Now())
	p.mu.Unlock()
	if at.Cycle == 0 { // nothing is simulated yet
		p.show(what, what, what, at.Done)
		return
	}
	runs := "" // completed, of the slowest application
	if at.Replays > 0 {
		runs = fmt.Sprintf(", %d of %d runs", at.Runs, at.Replays)
	}
	share := ""
	if at.Done > 0 {
		share = fmt.Sprintf(", %.0f %%", at.Done*100)
	}
	p.show(what, fmt.Sprintf("%s: cycle %d%s%s", what, at.Cycle, runs, speed),
		fmt.Sprintf("%s: cycle %d, %s%s%s%s", what, at.Cycle, workload.Count(at.WarpInstructions, "warp instruction"), runs, share, speed), at.Done)
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
