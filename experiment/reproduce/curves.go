package reproduce

import "math"

// The kinds of kernel of HeteroCore's Figures 1 and 2, by their IPC over the resources of an
// SM.
const (
	thick          = "thick"
	flat           = "flat"
	cacheSensitive = "cache-sensitive"
)

// classOf is the kind of a kernel by its IPCs on small and on big SMs, as parts of its IPC on
// baseline SMs.
func classOf(small, big float64) string {
	switch {
	case small > 1.05 || small >= 0.95 && big < 0.95:
		return cacheSensitive
	case small >= 0.95 && big <= 1.05:
		return flat
	}
	return thick
}

func init() {
	// How many mixes of one application are of the kind that the paper says.
	ipc := func(p *point, name string) float64 {
		w, _ := p.figure.way(name)
		if r, _ := p.outcome(w, p.mix, ""); r != nil {
			return r.Kernels[0].IPC
		}
		return math.NaN()
	}
	measures["as printed"] = &metric{mean: summed, of: func(p *point) float64 {
		baseline := ipc(p, "baseline")
		return yes(p.figure.hasClass(p.mix.apps[0], classOf(ipc(p, "1/2")/baseline, ipc(p, "3/2")/baseline)))
	}}
}
