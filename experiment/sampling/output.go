package sampling

import (
	"fmt"
	"io"

	"cotenant/experiment"
	"cotenant/workload"
)

// WriteTable writes a result for people to read: the estimate, its bound and the share
// simulated, and the clusters.
func WriteTable(w io.Writer, r *Result) error {
	var clusters experiment.Table
	for i := range r.Clusters {
		c := &r.Clusters[i]
		clusters.Row("Cluster", i, "Kernel", c.Kernel, "Launches", c.Launches, "Spread %", number("%.1f", 100*c.Spread),
			"Simulated", len(c.Representatives), "Warm-ups", len(c.WarmUps),
			"Cycles an instruction", number("%.4f", c.CyclesPerInstruction), "Cycles %", number("%.1f", 100*c.Cycles/float64(max(1, r.Cycles))),
			"Sampling bound %", number("%.2f", 100*c.SamplingBound/c.Cycles), "State bound %", number("%.2f", 100*c.StateBound/c.Cycles))
	}
	_, err := fmt.Fprintf(w, "%s on %s: about %s, error at most %.2f %% (for 95 %%), IPC %.1f\n%d of %s simulated, %.1f %% of the warp instructions, in %.2f s\n%s",
		r.App, r.GPU, workload.Count(r.Cycles, "cycle"), 100*r.Bound, r.IPC,
		r.SimulatedLaunches, workload.Count(len(r.Launches), "launch"), 100*r.SimulatedShare, r.WallSeconds, &clusters)
	return err
}

func number(format string, x float64) experiment.Number {
	return experiment.Number(fmt.Sprintf(format, x))
}
