package kernels

// Sky is sets of points on the unit sphere, as in studies of how galaxies
// cluster: the first set is the observed one, clustered, the rest are spread
// evenly. It makes one array (f32): x of the first set's points, then y, then z,
// then the next set's. Numbers: none.
type Sky struct {
	seeded
	// Sets is the number of sets, the observed one included.
	Sets int `yaml:"sets" range:"1..1024"`
	// Points is the number of points of a set.
	Points int `yaml:"points" range:"1..1 << 20"`
	// Clusters is the number of clusters of the observed set.
	Clusters int `yaml:"clusters" range:"1..1 << 20" default:"ceildiv(points, 32)"`
	// Spread is the size of a cluster in radians.
	Spread float64 `yaml:"spread" range:"0..1" default:"0.02"`
	// Alone is the share of observed points outside clusters.
	Alone float64 `yaml:"alone" range:"0..1" default:"0.3"`
}

func (s *Sky) generate(at place) output {
	r := s.random()
	sets, points := s.Sets, s.Points
	if sets*points > 1<<26 {
		at.fail("sets", "times points is %d; valid: at most 2^26", sets*points)
	}
	centres := make([]vector, s.Clusters)
	for i := range centres {
		centres[i] = r.direction()
	}
	sky := make([]float32, 3*sets*points)
	for set := range sets {
		for i := range points {
			p := r.direction()
			if set == 0 && !r.chance(s.Alone) {
				offset := vector{r.normal(), r.normal(), r.normal()}
				p = centres[r.below(s.Clusters)].plus(s.Spread, offset).unit()
			}
			for axis := range p {
				sky[(3*set+axis)*points+i] = float32(p[axis])
			}
		}
	}
	return output{parts: []part{{"", sky}}}
}
