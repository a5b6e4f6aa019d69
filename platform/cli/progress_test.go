package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"cotenant/experiment"
)

func TestProgressSaysHowManyRunsAreDone(t *testing.T) {
	var out bytes.Buffer
	p := &progress{out: &out}
	p.update("co-run", experiment.Progress{Cycle: 5000, WarpInstructions: 70, Done: 0.004, Runs: 4, Replays: 1000})
	assert.Equal(t, "co-run: cycle 5000, 70 warp instructions, 4 of 1000 runs, 0 %\n", out.String())
	out.Reset()
	p.next = time.Time{}
	p.update("co-run", experiment.Progress{Cycle: 5000, WarpInstructions: 70, Done: 0.5})
	assert.Equal(t, "co-run: cycle 5000, 70 warp instructions, 50 %\n", out.String())
	out.Reset()
	p.next = time.Time{}
	p.update("co-run", experiment.Progress{Cycle: 5000, WarpInstructions: 70})
	assert.Equal(t, "co-run: cycle 5000, 70 warp instructions\n", out.String(), "nothing is known")
}
