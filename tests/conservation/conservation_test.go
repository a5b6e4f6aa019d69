package conservation

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	runs = flag.Int("runs", 40, "number of runs that are drawn")
	seed = flag.Uint64("seed", 41, "of the first run that is drawn; each further has the next; 0: another each time")
)

// firstSeed is the seed of the first run.
func firstSeed(t *testing.T) uint64 {
	first := *seed
	if first == 0 {
		first = rand.Uint64N(1 << 40)
		t.Logf("-seed %d", first)
	}
	return first
}

// TestRunsConserve draws runs. Each has a seed of its own, so that a failing run can be
// drawn alone.
func TestRunsConserve(t *testing.T) {
	first := firstSeed(t)
	reached, refused := map[string]int{}, 0
	for i := range uint64(*runs) {
		r := rand.New(rand.NewPCG(first+i, 23))
		for valid := false; !valid; {
			start := time.Now()
			o := perform(draw(r), nil)
			if len(o.broken) > 0 {
				t.Errorf("-runs 1 -seed %d:\n%s", first+i, o.report())
			} else if testing.Verbose() {
				t.Logf("seed %d, %.2f s, %v: %s", first+i, time.Since(start).Seconds(), o.err, o.command())
			}
			if valid = !o.refused; valid {
				o.note(reached)
			} else {
				refused++
			}
		}
	}
	t.Logf("%d runs drawn, and %d refused ones; of the runs: %v", *runs, refused, reached)
	require.LessOrEqual(t, reached["not done in time"], 1+*runs/4)
	if *runs < 40 {
		return
	}
	for _, what := range []string{"windows", "ends", "replays", "preemption", "demand paging", "preemption with faults", "block switching", "SMs of several kinds", "rate controllers"} {
		require.NotZero(t, reached[what], what)
	}
}

// note counts a run's features.
func (o *outcome) note(reached map[string]int) {
	if o.err != nil || o.result == nil {
		reached["not done in time"]++
		return
	}
	count := func(what string, had bool) {
		if had {
			reached[what]++
		}
	}
	left, switches := uint64(0), uint64(0)
	for i := range o.result.Kernels {
		d := &o.gpu.Driver.Stats().Tenants[i]
		left += d.Preemptions + d.Relocations
		switches += d.BlockSwitches
	}
	faults := false
	if o.gpu.FillUnit != nil {
		total := o.gpu.FillUnit.Stats().Total()
		faults = total.Migrates+total.Allocates > 0
	}
	count("windows", o.cycles > 0 && o.mix.cycles > 0)
	count("ends", o.ended)
	count("replays", o.replays > 0)
	count("preemption", left > 0)
	count("demand paging", o.pages == "demand" && faults)
	count("preemption with faults", left > 0 && faults)
	count("block switching", switches > 0)
	count("SMs of several kinds", len(o.gpu.Config.Kinds()) > 1)
	count("rate controllers", o.gpu.SMs[0].RateController() != nil)
}
