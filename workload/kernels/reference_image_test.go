package kernels

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sadBlocks are the blocks of a macroblock in the order of the sums: x, y,
// width and height in pixels.
func sadBlocks() [][4]int {
	blocks := [][4]int{{0, 0, 16, 16}, {0, 0, 16, 8}, {0, 8, 16, 8}, {0, 0, 8, 16}, {8, 0, 8, 16}}
	within := func(width, height int, corners ...[2]int) {
		for quadrant := range 4 {
			for _, c := range corners {
				blocks = append(blocks, [4]int{quadrant%2*8 + c[0], quadrant/2*8 + c[1], width, height})
			}
		}
	}
	within(8, 8, [2]int{0, 0})
	within(8, 4, [2]int{0, 0}, [2]int{0, 4})
	within(4, 8, [2]int{0, 0}, [2]int{4, 0})
	within(4, 4, [2]int{0, 0}, [2]int{4, 0}, [2]int{0, 4}, [2]int{4, 4})
	return blocks
}

func TestSadIsExactForEveryBlockAndPosition(t *testing.T) {
	before, after := run(t, "sad")
	width, height := parameter(before, "width"), parameter(before, "height")
	current, reference := shorts(before, "frame.current"), shorts(before, "frame.reference")
	pixel := func(x, y int) int {
		return reference[min(max(y, 0), height-1)*width+min(max(x, 0), width-1)]
	}
	want := make([]int, after.Array("sums").Length)
	for macroblock := range width / 16 * (height / 16) {
		x0, y0 := macroblock%(width/16)*16, macroblock/(width/16)*16
		for b, block := range sadBlocks() {
			for position := range 33 * 33 {
				dx, dy := position%33-16, position/33-16
				sum := 0
				for i := range block[2] * block[3] {
					x, y := x0+block[0]+i%block[2], y0+block[1]+i/block[2]
					difference := current[y*width+x] - pixel(x+dx, y+dy)
					sum += max(difference, -difference)
				}
				want[(macroblock*41+b)*1096+position] = sum
			}
		}
	}
	assert.True(t, slices.Equal(want, shorts(after, "sums")))
}

func TestGriddingSortsAndSpreadsTheSamples(t *testing.T) {
	before, after := run(t, "mri-gridding")
	samples := floats(before, "samples")
	size, count := parameter(before, "size"), parameter(before, "count")
	place := func(s, axis int) float64 { return samples[6*s+2+axis]*float64(size) + float64(size/2) }

	cells := size * size * size
	starts := make([]int, cells+1)
	order := make([]int, count)
	cellOf := func(s int) int {
		cell := 0
		for axis := 2; axis >= 0; axis-- {
			cell = cell*size + int(float32(place(s, axis)+0.5))
			if place(s, axis)+0.5 >= float64(size) {
				return cells
			}
		}
		return cell
	}
	for s := range order {
		order[s] = s
		starts[cellOf(s)]++
	}
	total := 0
	for cell := range cells {
		starts[cell], total = total, total+starts[cell]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cellOf(a) - cellOf(b) })
	require.Equal(t, starts, ints(after, "starts")[:cells+1])
	require.Equal(t, order, ints(after, "order"))

	grid, density, sums := make([]float64, 2*cells), make([]float64, cells), make([]float64, 2*cells)
	for cell := range cells {
		for s := range count {
			r2 := 0.0
			for axis, at := range [3]int{cell % size, cell / size % size, cell / size / size} {
				r2 += (place(s, axis) - float64(at)) * (place(s, axis) - float64(at))
			}
			if r2 >= 4 || cellOf(s) == cells {
				continue
			}
			weight := besselI0(9 * math.Sqrt(1-r2/4))
			density[cell] += weight
			for part := range 2 {
				grid[2*cell+part] += samples[6*s+part] * samples[6*s+5] * weight
				sums[2*cell+part] += math.Abs(samples[6*s+part] * samples[6*s+5] * weight)
			}
		}
	}
	// The distance to a sample has lost a few bits, and the window is steep.
	assertClose(t, density, density, floats(after, "density"), 1e-4)
	assertClose(t, grid, sums, floats(after, "grid"), 1e-4)
}

// besselI0 is the modified Bessel function, as an integral over half a turn.
func besselI0(x float64) float64 {
	const steps = 64
	sum := 0.0
	for i := range steps {
		sum += math.Exp(x * math.Cos(math.Pi*(float64(i)+0.5)/steps))
	}
	return sum / steps
}

func TestSadLargerAddsUpTheSumsOfSmallBlocks(t *testing.T) {
	before, after := run(t, "sad-larger")
	want := shorts(before, "sums")
	for i := range want {
		want[i] = i * 7919 % 4081
	}
	blocks := sadBlocks()
	for macroblock := range parameter(before, "width") / 16 * (parameter(before, "height") / 16) {
		of := want[macroblock*41*1096:]
		for b, block := range blocks {
			if block[2]*block[3] > 64 || block[2]*block[3] == 16 {
				continue // left to the other kernels
			}
			for position := range 1096 {
				sum := 0
				for small, inner := range blocks {
					if inner[2]*inner[3] == 16 && inner[0] >= block[0] && inner[0] < block[0]+block[2] &&
						inner[1] >= block[1] && inner[1] < block[1]+block[3] {
						sum += of[1096*small+position]
					}
				}
				of[1096*b+position] = sum & 0xffff
			}
		}
	}
	assert.True(t, slices.Equal(want, shorts(after, "sums")))
}
