package reproduce

import (
	"maps"
	"math"
	"slices"
)

// How long runs of the preferred application of a mix take, over the mean of its runs alone.
func init() {
	maps.Copy(measures, map[string]*metric{
		"mean run of the sensitive application over alone": {lower: true, of: func(p *point) float64 {
			return p.overAlone(func(runs []uint64) float64 { return float64(p.result.Kernels[p.mix.preferred].MeanTurnaroundCycles) })
		}},
		"longest run of the sensitive application over alone": {lower: true, of: func(p *point) float64 {
			return p.overAlone(func(runs []uint64) float64 { return float64(slices.Max(runs)) })
		}},
	})
}

// overAlone is a time that follows from the runs of the mix's preferred application, over the
// mean of its runs alone; NaN if none has ended.
func (p *point) overAlone(of func(runs []uint64) float64) float64 {
	k := &p.result.Kernels[p.mix.preferred]
	if len(k.TurnaroundCycles) == 0 {
		return math.NaN()
	}
	return of(k.TurnaroundCycles) / float64(k.IsolatedTurnaroundCycles)
}
