package reproduce

import (
	"cotenant/experiment/sweep"
	"cotenant/platform/build"
)

// bursts is bfs with demand paging on 12 SMs, as in Figure 6.2.
func bursts(s Scale) sweep.Run {
	return parboil[0].run(s, "sms=12", build.PagesDemand)
}

func init() {
	register(&Experiment{
		Name:   "thesis-fig6.2",
		About:  "page faults in flight and active warps of bfs with demand paging",
		Source: "Tanasic's thesis, Figure 6.2",
		GPU:    pagefault16,
		Notes:  "On 12 SMs that stall on a fault, looked at every 400 cycles. A spike is a rise of the faults in flight to at least half of the peak from at most a quarter of it. Warps are of all SMs; one is active that does not wait for a fault. --quick has a map of 65,536 crossings, else it has a million. The text has no number; run's --timeline shows the same over time.",
		runs:   func(s Scale) []sweep.Run { return []sweep.Run{bursts(s)} },
		rows: func(d *Data) ([]Row, error) {
			var list []Sample
			if d.Sampled != nil {
				run := bursts(d.Scale)
				var err error
				if list, err = d.Sampled(run, d.resultOf(run)); err != nil {
					return nil, err
				}
			}
			faults, deviation := spread(list, func(s Sample) float64 { return float64(s.Faults) })
			warps, _ := spread(list, func(s Sample) float64 { return float64(s.Warps) })
			active, _ := spread(list, func(s Sample) float64 { return float64(s.Warps - s.Faulted) })
			peak, spikes := faultSpikes(list)
			return []Row{
				figureRow("faults in flight, peak", "", peak),
				figureRow("faults in flight, mean", "", faults),
				figureRow("faults in flight, standard deviation", "", deviation),
				figureRow("spikes", "", spikes),
				figureRow("warps, mean", "", warps),
				figureRow("active warps, mean", "", active),
			}, nil
		},
	})
}

// faultSpikes are the most faults in flight, and how often they rise from at most a
// quarter of that to at least half of it.
func faultSpikes(list []Sample) (peak, spikes float64) {
	for _, s := range list {
		peak = max(peak, float64(s.Faults))
	}
	low := true
	for _, s := range list {
		switch n := float64(s.Faults); {
		case n <= peak/4:
			low = true
		case low && n >= peak/2:
			low = false
			spikes++
		}
	}
	return peak, spikes
}
