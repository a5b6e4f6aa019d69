package kernels

import "math"

// Water is a box of water at its density in a room, and how its atoms reach the
// points of a lattice with a cutoff. Molecules sit at jittered places of a
// lattice of their own and point anywhere. Atoms are in bins, cubes of Edge to
// each side with room for eight; the lattice of points is made of regions of
// the same size.
//
// Parts: atoms (f32, x, y, z and charge for each place of each bin, charge 0
// where none is; bins x fastest, with a margin of empty ones around the box)
// and neighbours (s32, three words each): the offsets in bins, from a region's
// bin, of the bins that may hold an atom within the cutoff of the region. Numbers:
// bins_x and bins_xy, the bins of a row and of a layer; first, the element of
// atoms at which the first region's bin starts; neighbour_count; count, the
// number of atoms in bins, and left_out, the number of atoms that found their bin full.
type Water struct {
	seeded
	// X, Y and Z are the regions along each axis.
	X int `yaml:"regions_x" range:"1..64"`
	Y int `yaml:"regions_y" range:"1..64"`
	Z int `yaml:"regions_z" range:"1..64"`
	// Edge in angstroms.
	Edge float64 `yaml:"edge" range:"1..100" default:"4"`
	// Cutoff in angstroms.
	Cutoff float64 `yaml:"cutoff" range:"0..min(100, 8 * edge)" default:"min(12, 8 * edge)"`
	// Start is where the water begins along each axis, and Short how much shorter than
	// the room it is, both in angstroms.
	Start float64 `yaml:"start" range:"0..edge" default:"0"`
	Short float64 `yaml:"short" range:"start..edge" default:"start"`
}

const (
	binDepth = 8 // atoms of a bin
	// Water has 0.0334 molecules per cubic angstrom: one in a cube of this edge.
	moleculeEdge = 3.105
	// The TIP3P model of a molecule: distance of the hydrogens in angstroms, and
	// the charges in electrons.
	bondLength     = 0.9572
	oxygenCharge   = -0.834
	hydrogenCharge = 0.417
)

func (w *Water) generate(place) output {
	r := w.random()
	regions := [3]int{w.X, w.Y, w.Z}
	edge, cutoff := w.Edge, w.Cutoff
	margin := int(math.Ceil(cutoff / edge))
	bins := [3]int{regions[0] + 2*margin, regions[1] + 2*margin, regions[2] + 2*margin}
	atoms := make([]float32, bins[0]*bins[1]*bins[2]*binDepth*4)
	filled := make([]uint8, bins[0]*bins[1]*bins[2])
	binned, leftOut := 0, 0
	add := func(p vector, charge float32) {
		bin := 0
		for axis := 2; axis >= 0; axis-- {
			if p[axis] < 0 || p[axis] >= float64(regions[axis])*edge-w.Short {
				return // sticks out of the water
			}
			p[axis] += w.Start
			c := min(int(p[axis]/edge), regions[axis]-1) // the sum may round up to the wall
			bin = bin*bins[axis] + c + margin
		}
		if filled[bin] == binDepth {
			leftOut++
			return
		}
		at := atoms[(bin*binDepth+int(filled[bin]))*4:]
		at[0], at[1], at[2], at[3] = float32(p[0]), float32(p[1]), float32(p[2]), charge
		filled[bin]++
		binned++
	}
	var sites [3]int
	for axis := range sites {
		sites[axis] = int(math.Ceil((float64(regions[axis])*edge - w.Short) / moleculeEdge))
	}
	for z := range sites[2] {
		for y := range sites[1] {
			for x := range sites[0] {
				oxygen := vector{float64(x), float64(y), float64(z)}
				for axis := range oxygen {
					oxygen[axis] = (oxygen[axis] + r.within(0.1, 0.9)) * moleculeEdge
				}
				add(oxygen, oxygenCharge)
				// The angle between the hydrogens does not matter here.
				add(oxygen.plus(bondLength, r.direction()), hydrogenCharge)
				add(oxygen.plus(bondLength, r.direction()), hydrogenCharge)
			}
		}
	}
	neighbours := reach(margin, edge, cutoff)
	row, layer := bins[0], bins[0]*bins[1]
	return output{
		[]part{{"atoms", atoms}, {"neighbours", neighbours}},
		[]number{{"bins_x", row}, {"bins_xy", layer}, {"first", (margin*layer + margin*row + margin) * binDepth * 4},
			{"neighbour_count", len(neighbours) / 3}, {"count", binned}, {"left_out", leftOut}},
	}
}

// reach lists the offsets between cubes that have points nearer than the
// cutoff.
func reach(margin int, edge, cutoff float64) []int32 {
	gap := func(d int) float64 { return edge * float64(max(d, -d, 1)-1) }
	var offsets []int32
	for z := -margin; z <= margin; z++ {
		for y := -margin; y <= margin; y++ {
			for x := -margin; x <= margin; x++ {
				if (vector{gap(x), gap(y), gap(z)}).square() < float64(cutoff*cutoff) {
					offsets = append(offsets, int32(x), int32(y), int32(z))
				}
			}
		}
	}
	return offsets
}
