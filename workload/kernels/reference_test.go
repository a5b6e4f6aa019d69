package kernels

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The kernels compute in single precision and may fuse multiplications into
// additions; the references compute in double precision, from the definition
// and not in the order of the kernel. single is a bound on the relative error of
// sums of up to some hundred terms.
const single = 1e-5

func TestSgemmIsTheProduct(t *testing.T) {
	before, after := run(t, "sgemm")
	m, n, k := parameter(before, "m"), parameter(before, "n"), parameter(before, "k")
	a, b := floats(before, "a"), floats(before, "b")
	want, size := make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += a[i+l*m] * b[j+l*n]
			}
			want[i+j*m] = sum
			size[i+j*m] = math.Abs(want[i+j*m])
		}
	}
	assertClose(t, want, size, floats(after, "c"), single)
}

func TestStencilTakesJacobiStepsAndKeepsTheBoundary(t *testing.T) {
	before, after := run(t, "stencil")
	nx, ny, nz := parameter(before, "nx"), parameter(before, "ny"), parameter(before, "nz")
	from := floats(before, "from")
	for range parameter(before, "steps") {
		to := append([]float64(nil), from...)
		for z := 1; z < nz-1; z++ {
			for y := 1; y < ny-1; y++ {
				for x := 1; x < nx-1; x++ {
					i := (z*ny+y)*nx + x
					sum := from[i-1] + from[i+1] + from[i-nx] + from[i+nx] + from[i-nx*ny] + from[i+nx*ny]
					to[i] = sum/36 - from[i]/6
				}
			}
		}
		from = to
	}
	size := make([]float64, len(from))
	for i := range size {
		size[i] = 1
	}
	assertClose(t, from, size, floats(after, "from"), single)
}

func TestSpmvMultipliesTheMatrix(t *testing.T) {
	for _, set := range []string{"scatter:0", "scatter:50"} {
		m, err := builtinManifest(t, "spmv").Set(set)
		require.NoError(t, err)
		before, after := runManifest(t, m)
		x := floats(before, "x")
		want, size := make([]float64, len(x)), make([]float64, len(x))
		forEachNonzero(before, "matrix", func(row, column int, v float64) {
			want[row] += v * x[column]
			size[row] += math.Abs(v * x[column])
		})
		assertClose(t, want, size, floats(after, "y"), single)
	}
}

// forEachNonzero walks a matrix through its groups: places of a group that is
// long enough have an n-th entry, one after another.
func forEachNonzero(i *Instance, name string, visit func(row, column int, v float64)) {
	values, columns, rows := floats(i, name+".values"), ints(i, name+".columns"), ints(i, name+".row_of")
	lengths := ints(i, name+".group_length")
	at := 0
	for n := 0; at < len(values); n++ {
		for place := 0; place/groupRows < len(lengths) && lengths[place/groupRows] > n; place++ {
			if values[at] != 0 {
				visit(rows[place], columns[at], values[at])
			}
			at++
		}
	}
}

func TestHistoCountsAndSaturates(t *testing.T) {
	before, after := run(t, "histo")
	assert.Positive(t, countBins(t, before, after), "the test needs a bin that saturates")
	assert.Equal(t, []int{1, 2}, ints(after, "range"))
}

// An image so wide that the samples' range leaves some values out.
func TestHistoCountsWhatIsFarFromTheOthers(t *testing.T) {
	text, err := embedded.ReadFile("manifests/histo.yaml")
	require.NoError(t, err)
	wide := strings.NewReplacer("deviation, tiny: 3,", "deviation, tiny: 9000,", "low: first * region", "low: 0",
		"high: (first + regions) * region", "high: bins").Replace(string(text))
	m, err := parse("manifests/histo.yaml", []byte(wide), func(name string) ([]byte, error) { return embedded.ReadFile("ptx/histo.ptx") })
	require.NoError(t, err)
	before, after := runManifest(t, m)
	countBins(t, before, after)
	outside := 0
	for _, bin := range words(before, "image") {
		if region := int(bin) / 24576; region < 1 || region > 2 {
			outside++
		}
	}
	assert.Positive(t, outside)
	assert.Equal(t, []int{1, 2}, ints(after, "range"))
}

// countBins checks histo's result and returns how many values found their
// counter full.
func countBins(t *testing.T, before, after *Instance) (full int) {
	want := make([]byte, parameter(before, "bins"))
	for _, bin := range words(before, "image") {
		if want[bin] < 255 {
			want[bin]++
		} else {
			full++
		}
	}
	assert.Equal(t, want, after.Array("histogram").Bytes)
	return full
}

func TestBFSFindsEveryLevel(t *testing.T) {
	before, after := run(t, "bfs")
	assert.Equal(t, searched(before), ints(after, "level"))
}

// searched is a breadth-first search with one queue.
func searched(i *Instance) []int {
	offset, edges := ints(i, "graph.offset"), ints(i, "graph.edges")
	start := parameter(i, "graph.start")
	level := make([]int, parameter(i, "graph.nodes"))
	for v := range level {
		level[v] = -1
	}
	level[start] = 0
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, to := range edges[offset[v]:offset[v+1]] {
			if level[to] < 0 {
				level[to] = level[v] + 1
				queue = append(queue, to)
			}
		}
	}
	return level
}

func TestTpacfCountsEveryPairOnce(t *testing.T) {
	before, after := run(t, "tpacf")
	sets, points := parameter(before, "sets"), parameter(before, "points")
	sky, edges := words(before, "sky"), words(before, "cosines")
	coordinate := func(set, axis, i int) float32 { return math.Float32frombits(sky[(3*set+axis)*points+i]) }
	want := make([]int, (2*sets+1)*20)
	count := func(histogram, left, i, right, j int) {
		// The bins are exact only if this rounds as the kernel does.
		cosine := coordinate(left, 1, i) * coordinate(right, 1, j)
		for _, axis := range []int{0, 2} {
			cosine = float32(math.FMA(float64(coordinate(left, axis, i)), float64(coordinate(right, axis, j)), float64(cosine)))
		}
		for bin := range 20 {
			if cosine < math.Float32frombits(edges[bin]) && cosine >= math.Float32frombits(edges[bin+1]) {
				want[20*histogram+bin]++
			}
		}
	}
	for h := range 2*sets + 1 {
		for i := range points {
			for j := range points {
				if h <= sets && i < j {
					count(h, h, i, h, j)
				} else if h > sets {
					count(h, 0, i, h-sets, j)
				}
			}
		}
	}
	assert.Equal(t, want, ints(after, "histograms"))
}
