package kernels

// Sky is sets of points on the unit sphere, as in studies of how galaxies
// cluster: the first set is the observed one, clustered, the rest are spread
// evenly. It makes one array (f32): x of the first set's points, then y, then z,
// then the next set's. Numbers: none.
type Sky struct {
	// Seed is 0 to 2^62. Default 0.
	Seed Expr `yaml:"seed"`
	// Sets, the observed one included, is 1 to 1024. Required.
	Sets Expr `yaml:"sets"`
	// Points of a set is 1 to 2^20. Required.
	Points Expr `yaml:"points"`
	// Clusters of the observed set is 1 to 2^20. Default one for 32 points.
	Clusters Expr `yaml:"clusters"`
	// Spread is the size of a cluster in radians, 0 to 1. Default 0.02.
	Spread Expr `yaml:"spread"`
	// Alone is the share of observed points outside clusters, 0 to 1. Default
	// 0.3.
	Alone Expr `yaml:"alone"`
}

func (s *Sky) generate(a *args) output {
	r := a.seed(&s.Seed)
	sets := a.whole("sets", &s.Sets, 1, 1024, 0)
	points := a.whole("points", &s.Points, 1, 1<<20, 0)
	clusters := a.whole("clusters", &s.Clusters, 1, 1<<20, (points+31)/32)
	spread := a.number("spread", &s.Spread, 0, 1, 0.02)
	alone := a.number("alone", &s.Alone, 0, 1, 0.3)
	if sets*points > 1<<26 {
		a.fail("sets", "times points is %d; valid: at most 2^26", sets*points)
	}
	if a.err != nil {
		return output{}
	}
	centres := make([]vector, clusters)
	for i := range centres {
		centres[i] = r.direction()
	}
	sky := make([]float32, 3*sets*points)
	for set := range sets {
		for i := range points {
			p := r.direction()
			if set == 0 && !r.chance(alone) {
				offset := vector{r.normal(), r.normal(), r.normal()}
				p = centres[r.below(clusters)].plus(spread, offset).unit()
			}
			for axis := range p {
				sky[(3*set+axis)*points+i] = float32(p[axis])
			}
		}
	}
	return output{parts: []part{{"", sky}}}
}
