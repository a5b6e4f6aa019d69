package kernels

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPathfinderFindsTheCheapestWays(t *testing.T) {
	before, after := run(t, "pathfinder")
	columns, rows := parameter(before, "columns"), parameter(before, "rows")
	wall, cost := ints(before, "wall"), ints(before, "from")
	for range parameter(before, "grids") {
		for row := range rows {
			next := make([]int, columns)
			for x := range next {
				next[x] = wall[row*columns+x] + min(cost[max(x-1, 0)], cost[x], cost[min(x+1, columns-1)])
			}
			cost = next
		}
	}
	assert.Equal(t, cost, ints(after, "from"))
}

// The products are where the weights were until the host program puts these
// back, so the sums are what is left of them.
func TestBackpropSumsUpAndMovesTheWeights(t *testing.T) {
	before, after := run(t, "backprop")
	inputs, turns := parameter(before, "inputs"), parameter(before, "turns")
	const row = 17 // of the weights: a bias and 16 hidden units
	input, delta := floats(before, "input"), floats(before, "delta")
	input[0] = 1 // the biases'
	weights, change := floats(before, "weights"), floats(before, "change")
	partial := make([]float64, inputs)
	size := make([]float64, len(weights))
	for range turns {
		clear(partial)
		for i := 1; i <= inputs; i++ {
			for unit := 1; unit < row; unit++ {
				partial[(i-1)/16*16+unit-1] += weights[row*i+unit] * input[i]
			}
		}
		for at := range weights {
			if unit := at % row; unit > 0 {
				change[at] = 0.3*delta[unit]*input[at/row] + 0.3*change[at]
				weights[at] += change[at]
			}
			size[at] = max(size[at], math.Abs(weights[at]), 1)
		}
	}
	assertClose(t, partial, partial, floats(after, "partial"), single) // all are positive
	assertClose(t, weights, size, floats(after, "weights"), single)
	assertClose(t, change, size, floats(after, "change"), single)
}

func TestKmeansTransposesThePointsAndFindsTheNearestCentres(t *testing.T) {
	before, after := run(t, "kmeans")
	points, features := parameter(before, "points"), parameter(before, "features")
	rows, columns := floats(before, "rows"), make([]float64, points*features)
	nearest := make([]int, points)
	for p := range points {
		least := math.Inf(1)
		for c := range parameter(before, "clusters") {
			distance := 0.0
			for i := range features {
				away := rows[features*p+i] - rows[features*c+i]
				distance += away * away
			}
			if distance < least {
				nearest[p], least = c, distance
			}
		}
		for i := range features {
			columns[i*points+p] = rows[features*p+i]
		}
	}
	assert.Equal(t, columns, floats(after, "columns"))
	assert.Equal(t, nearest, ints(after, "nearest"))
}

func TestLavaMDAddsUpTheForcesOfTheCellsAround(t *testing.T) {
	before, after := run(t, "lavamd")
	shape := [3]int{parameter(before, "width"), parameter(before, "height"), parameter(before, "depth")}
	particles := parameter(before, "particles")
	charges := doubles(before, "charges")
	var places [3][]float64
	for axis, name := range []string{"places.x", "places.y", "places.z"} {
		places[axis] = doubles(before, name)
	}
	cell := func(p int) [3]int {
		c := p / particles
		return [3]int{c % shape[0], c / shape[0] % shape[1], c / shape[0] / shape[1]}
	}
	want, size := make([]float64, 4*len(charges)), make([]float64, 4*len(charges))
	for p := range charges {
		for q := range charges {
			var away [3]float64
			distance, near := 0.0, true
			for axis := range away {
				away[axis] = places[axis][p] - places[axis][q]
				distance += away[axis] * away[axis]
				apart := cell(p)[axis] - cell(q)[axis]
				near = near && apart >= -1 && apart <= 1
			}
			if !near {
				continue
			}
			potential := charges[q] * math.Exp(-0.25*distance) // 2 alpha^2 of half the square
			for i, term := range []float64{potential, 2 * potential * away[0], 2 * potential * away[1], 2 * potential * away[2]} {
				want[4*p+i] += term
				size[4*p+i] += math.Abs(term)
			}
		}
	}
	assertClose(t, want, size, doubles(after, "forces"), 1e-12)
}
