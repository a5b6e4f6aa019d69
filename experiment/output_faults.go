package experiment

import (
	"fmt"

	"cotenant/components/stats"
	"cotenant/workload"
)

// faults says in words what page faults there were.
func (r *Result) faults() string {
	of := func(key, name string) uint64 {
		n, _ := r.Stats[key].Total.Get(name)
		return n
	}
	regions := of("fill", "regions")
	if regions == 0 {
		return "no region had to be served"
	}
	text := workload.Count(int(regions), "region") + " served"
	if n := of("sm", "handled_faults"); n > 0 {
		text += ", by " + workload.Count(n, "handler") + " on SMs"
	}
	busy := of("pager", "busy_cycles")
	text += fmt.Sprintf(", at most %d at a time in flight, %s cycles each; link busy for %d cycles, %s %% of the run", of("fill", "pending_maximum"),
		decimals(stats.Ratio(of("fill", "service_cycles"), regions), 0), busy, decimals(100*stats.Ratio(busy, r.Cycles), 1))
	if n := of("driver", "block_switches"); n > 0 {
		text += fmt.Sprintf("; thread blocks switched %d times", n)
	}
	return text
}
