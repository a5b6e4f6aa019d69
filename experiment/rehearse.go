package experiment

import (
	"context"
	"fmt"

	"cotenant/cta_dispatcher/policy"
)

// rehearsalPhase is the phase of a rehearsal in Progress.
const rehearsalPhase = "rehearsal"

// rehearse runs the mix for the policy to learn from. Listeners hear nothing of it, and
// its counters are dropped. apps have the attributes of the run.
func (r *Run) rehearse(ctx context.Context, p policy.Policy, apps []App) error {
	rehearsal := p.Needs().Rehearsal
	rehearsing, settled, most := rehearsal.Begin(len(apps))
	mix := make([]App, len(apps))
	for i := range apps {
		mix[i] = r.Apps[i] // without the inspection of arrays
		mix[i].Attributes = apps[i].Attributes
	}
	window := *r
	window.Cycles, window.Until, window.Warmup = most, "", 0
	gpu, err := window.simulate(ctx, rehearsing, mix, rehearsalPhase, settled)
	if err != nil {
		return fmt.Errorf("rehearsal: %w", err)
	}
	rehearsal.Learn(rehearsing, policy.Rehearsal{Cycles: gpu.Cycles(most), Settled: settled()})
	return nil
}
