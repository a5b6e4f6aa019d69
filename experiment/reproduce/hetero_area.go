package reproduce

import (
	"fmt"
	"math"

	"cotenant/experiment"
	"cotenant/metrics"
)

func init() {
	register(&Experiment{
		Name:   "heterocore-area",
		About:  "area of big and small SMs, and of all SMs of the three GPUs",
		Source: "HeteroCore, text 6.2",
		GPU:    hetero8b8s,
		Notes: "The paper has GPUWattch; here an SM's area follows its warp slots by the one parabola through the paper's two SMs, so that those are exact. " +
			"The paper's 3.8 % for all SMs is 6.9 - 3.1, one SM of each kind, where eight of each have the half of it. 1.8 % of the chip follows from 3.8 if SMs fill 47 % of it, from 1.9 if 95 %. " +
			"What it prints of energy implies the last two rows: it calls homogeneous mixes neutral, and has 11 % more STP.",
		rows: func(d *Data) (rows []Row, err error) {
			for _, gpu := range areas(d.Scale) {
				config, err := d.GPU(gpu)
				if err != nil {
					return nil, err
				}
				area, err := experiment.SMArea(config)
				if err != nil {
					return nil, err
				}
				if area == nil {
					return nil, fmt.Errorf("GPU %s has SMs of the base kind only; valid: one with others", gpu)
				}
				for _, k := range area.Kinds {
					rows = append(rows, row("area of an SM, "+k.Kind+" of "+gpu, "%", k.Percent))
				}
				rows = append(rows, row("area of all SMs, "+gpu, "%", area.Percent))
			}
			printed := &metrics.HeteroCorePrinted
			rows = append(rows,
				figureRow("area of the chip, "+hetero8b8s, "%", math.NaN()).is(printed.Chip, "text 6.2"),
				row("speed-up by a 17th SM, at most", "%", 100.0/16).is(6.2, "text 6.2"),
				row("energy of an instruction, homogeneous mixes, implied", "%", metrics.EPIOfOthers(printed.EPI, printed.EPIMixed, 66, 36)).is(printed.EPIHomogeneous, "text 6.2, neutral"),
				row("instructions in the same time, implied", "%", metrics.MoreInstructions(printed.Power, printed.EPI)).is(11, "text 6.1, STP"))
			for i := range rows {
				switch rows[i].Label {
				case "area of an SM, big of " + hetero8b8s:
					rows[i] = rows[i].is(printed.BigSM, "text 6.2")
				case "area of an SM, small of " + hetero8b8s:
					rows[i] = rows[i].is(printed.SmallSM, "text 6.2")
				case "area of all SMs, " + hetero8b8s:
					rows[i] = rows[i].is(printed.SMs, "text 6.2")
				}
			}
			return rows, nil
		},
	})
}

// areas are the machines of the paper, or another that is named.
func areas(s Scale) []string {
	if s.GPU == hetero8b8s {
		return []string{hetero8b8s, "heterocore-4b12s", "heterocore-12b4s"}
	}
	return []string{s.GPU}
}
