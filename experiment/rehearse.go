package experiment

import (
	"context"
	"fmt"

	"cotenant/cta_dispatcher/policy"
)

// rehearsalPhase is the phase of a rehearsal in Progress.
const rehearsalPhase = "rehearsal"

// rehearse runs the mix before the run if the policy needs a rehearsal, and there is more
// than one application. Listeners are told nothing of it, and nothing of it is counted.
// apps have the attributes of the run.
func (r *Run) rehearse(ctx context.Context, p policy.Policy, apps []App) error {
	rehearsal := p.Needs().Rehearsal
	if rehearsal == nil || len(apps) < 2 {
		return nil
	}
	rehearsing, settled, most := rehearsal.Begin(len(apps))
	mix := make([]App, len(apps))
	for i := range apps {
		mix[i] = r.Apps[i] // whose arrays nobody looks at
		mix[i].Attributes = apps[i].Attributes
	}
	window := *r
	window.Cycles, window.Replays = most, 0
	gpu, err := window.simulate(ctx, rehearsing, mix, rehearsalPhase, settled)
	if err != nil {
		return fmt.Errorf("rehearsal: %w", err)
	}
	rehearsal.Learn(rehearsing, policy.Rehearsal{Cycles: gpu.Cycles(most), Settled: settled()})
	return nil
}
