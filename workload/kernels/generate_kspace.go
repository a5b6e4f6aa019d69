package kernels

// KSpace is samples of k-space along spokes through its centre, which lie
// densely there. Positions are -0.5 to below 0.5, values -1 to 1, and density is
// the share of space that a sample stands for, growing with the square of its
// radius.
//
// Parts, all f32: x, y, z, real and imaginary. With Records it makes one array
// instead: real, imaginary, x, y, z and density of each sample.
type KSpace struct {
	seeded
	// Count is the number of samples.
	Count int `yaml:"count" range:"1..1 << 24"`
	// Spoke is the number of samples of a spoke.
	Spoke int `yaml:"spoke" range:"2..1 << 24" default:"256"`
	// Records asks for one array of records.
	Records bool `yaml:"records"`
}

func (k *KSpace) generate(place) output {
	r := k.random()
	count, spoke := k.Count, k.Spoke
	const fields = 6
	samples := make([]float32, fields*count)
	var along vector
	for i := range count {
		if i%spoke == 0 {
			along = r.direction()
		}
		radius := float64(i%spoke)/float64(spoke) - 0.5
		s := samples[fields*i:]
		s[0], s[1] = float32(r.within(-1, 1)), float32(r.within(-1, 1))
		for axis := range along {
			s[2+axis] = float32(radius * along[axis])
		}
		s[5] = float32(float64(4*radius*radius) + 1/float64(spoke*spoke))
	}
	if k.Records {
		return output{parts: []part{{"", samples}}}
	}
	var parts []part
	for field, name := range []string{"real", "imaginary", "x", "y", "z"} {
		column := make([]float32, count)
		for i := range column {
			column[i] = samples[fields*i+field]
		}
		parts = append(parts, part{name, column})
	}
	return output{parts: parts}
}
