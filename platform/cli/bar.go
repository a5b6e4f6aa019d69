package cli

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// barSteps is the resolution of a bar.
const barSteps = 1000

// bar is a progress bar on a terminal. A program shows one at a time.
type bar struct {
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	drawn bool
	ended bool // drawn no more
}

// lastBar may be on the terminal when the program ends.
var lastBar atomic.Pointer[bar]

// newBar makes a bar if out is a terminal, and else returns nil.
func newBar(out io.Writer) *bar {
	if f, ok := out.(interface{ Fd() uintptr }); !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	b := &bar{bar: progressbar.NewOptions(barSteps, progressbar.OptionSetWriter(out), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30), progressbar.OptionSetPredictTime(false))}
	lastBar.Store(b)
	return b
}

// restart begins anew, for the next thing to show.
func (b *bar) restart() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar.Reset()
}

// show draws the bar with a text; share is the part done, from 0 to 1.
func (b *bar) show(what string, share float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	b.drawn = true
	b.bar.Describe(what)
	_ = b.bar.Set(min(barSteps-1, int(share*barSteps))) // a full bar would end
}

// clear takes the bar away, until it is drawn again.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn {
		_ = b.bar.Clear()
		b.drawn = false
	}
}

// endBar takes the last bar away for good.
func endBar() {
	if b := lastBar.Load(); b != nil {
		b.mu.Lock()
		b.ended = true
		b.mu.Unlock()
		b.clear()
	}
}
