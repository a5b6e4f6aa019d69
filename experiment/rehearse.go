package experiment

import (
	"context"
	"fmt"

	"cotenant/cta_dispatcher/policy"
)

// rehearsalPhase is the phase of a rehearsal in Progress.
const rehearsalPhase = "rehearsal"

// rehearse runs the mix for a policy that is Rehearsed, and has it learn from that; for
// others, and of one application, nothing. Nobody is told what happens in it, and nothing
// of it is counted. apps have the attributes of the run.
func (r *Run) rehearse(ctx context.Context, p policy.Policy, apps []App) error {
	learner, ok := p.(policy.Rehearsed)
	if !ok || len(apps) < 2 {
		return nil
	}
	rehearsing, most := learner.Rehearsal(len(apps))
	if rehearsing == nil {
		return nil
	}
	mix := make([]App, len(apps))
	for i := range apps {
		mix[i] = r.Apps[i] // whose arrays nobody looks at
		mix[i].Attributes = apps[i].Attributes
	}
	window := *r
	window.Cycles, window.Replays = most, 0
	gpu, err := window.simulate(ctx, rehearsing, mix, rehearsalPhase)
	if err != nil {
		return fmt.Errorf("rehearsal: %w", err)
	}
	learner.Learn(rehearsing, policy.Rehearsal{Cycles: gpu.Cycles(most), Settled: rehearsing.Settled()})
	return nil
}
