package kernels

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
	"cotenant/workload/ptx/smallfloat"
	"cotenant/workload/ptx/tensor"
)

// ofToday are the applications with expect steps, and an array of half precision that they compare.
var ofToday = []struct{ app, output string }{
	{"attention", "out"}, {"attention-decode", "out"}, {"embedding", "x"}, {"gemm-f16", "c"}, {"gemm-f16-variants", "c"}, {"gemv-f16", "y"},
	{"gemv-q4", "y"}, {"kv-append", "keys"}, {"layernorm", "y"}, {"residual-add", "x"}, {"resnet-block", "out"}, {"resnet-inference", "x"}, {"resnet-training", "g_first"}, {"rmsnorm", "y"}, {"rope", "x"},
	{"silu-mul", "out"}, {"softmax", "y"},
}

// compared runs an application at size tiny and returns what its expect steps found, "" for each
// that passed. spoil is called with the instance after each launch.
func compared(t *testing.T, app string, spoil func(*Instance)) []string {
	t.Helper()
	i, err := builtinManifest(t, app).New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	f := &found{}
	i.Inspect(f)
	for {
		l, err := nextLaunch(i)
		require.NoError(t, err)
		if l == nil {
			require.NotEmpty(t, f.differences, app)
			return f.differences
		}
		l.Config.CheckAsync = true // copies have been waited for
		execute(t, l)
		spoil(i)
	}
}

func TestKernelsOfTodayComputeWhatTheirManifestsExpect(t *testing.T) {
	for _, name := range Names() {
		if len(builtinManifest(t, name).Inspections()) == 0 {
			continue
		}
		for _, difference := range compared(t, name, func(*Instance) {}) {
			require.Empty(t, difference)
		}
	}
}

func TestExpectsOfKernelsOfTodayFindNumbersThatAreAQuarterOff(t *testing.T) {
	for _, k := range ofToday {
		differences := compared(t, k.app, func(i *Instance) {
			data := i.Array(k.output).Bytes
			for at := 1; at < len(data); at += 2 {
				data[at] ^= 1 // the second bit of the fraction
			}
		})
		require.True(t, slices.ContainsFunc(differences, func(d string) bool { return d != "" }), k.app)
	}
}

// The product of gemm-f16 is, to the bit, that of tensor cores that take 16 columns after the
// other, rounded once to half precision.
func TestTileOfGemmIsThatOfTheTensorCores(t *testing.T) {
	before, after := run(t, "gemm-f16")
	m, n, k := parameter(before, "m"), parameter(before, "n"), parameter(before, "k")
	a, b, c := shorts(before, "a"), shorts(before, "b"), shorts(after, "c")
	shape := tensor.NewShape(16, 16, tensor.F16, tensor.F16, tensor.F32, tensor.F32)
	tiles := &tensor.Tiles{}
	for row := 0; row < m; row += 16 {
		for column := 0; column < n; column += 8 {
			clear(tiles.C[:])
			for at := 0; at < k; at += 16 {
				for x := range 16 {
					for y := range 16 {
						tiles.A[y*16+x] = uint64(a[(row+y)*k+at+x])
					}
					for y := range 8 {
						tiles.B[x*8+y] = uint64(b[(column+y)*k+at+x])
					}
				}
				shape.Multiply(tiles, tensor.Ampere)
				tiles.C = tiles.D
			}
			for y := range 16 {
				for x := range 8 {
					sum := float64(math.Float32frombits(uint32(tiles.D[y*8+x])))
					want := smallfloat.F16.Round(sum, smallfloat.ToNearest, false)
					require.Equal(t, want, uint64(c[(row+y)*n+column+x]), "row %d, column %d", row+y, column+x)
				}
			}
		}
	}
}

// transformer is the model of llm-prefill and llm-decode in 64 bits, but that what kernels hand
// on is rounded to half precision.
type transformer struct {
	layers, heads, ff, width int
	numbers                  map[string][]float64
	// keys and values of each layer and head, one token behind the other.
	keys, values [][]float64
}

func newTransformer(i *Instance) *transformer {
	m := &transformer{layers: parameter(i, "layers"), heads: parameter(i, "heads"), ff: parameter(i, "ff"), width: parameter(i, "width"), numbers: map[string][]float64{}}
	for _, name := range []string{"table", "norms", "w_qkv", "w_out", "w_gate_up", "w_down", "w_logits"} {
		m.numbers[name] = halves(i, name)
	}
	m.keys, m.values = make([][]float64, m.layers*m.heads), make([][]float64, m.layers*m.heads)
	return m
}

// halves are the numbers of an array of half precision.
func halves(i *Instance, name string) (list []float64) {
	for _, pattern := range shorts(i, name) {
		list = append(list, smallfloat.F16.Value(uint64(pattern)))
	}
	return list
}

// rounded rounds numbers to half precision, in place.
func rounded(list []float64) []float64 {
	for k, v := range list {
		list[k] = smallfloat.F16.Value(smallfloat.F16.Round(v, smallfloat.ToNearest, false))
	}
	return list
}

// times is the product with a matrix in rows, the layer's part of an array.
func (m *transformer) times(name string, layer, rows int, x []float64) []float64 {
	w := m.numbers[name][layer*rows*len(x):]
	y := make([]float64, rows)
	for row := range y {
		for k, v := range x {
			y[row] += w[row*len(x)+k] * v
		}
	}
	return rounded(y)
}

func (m *transformer) norm(at int, x []float64) []float64 {
	squares := 0.0
	for _, v := range x {
		squares += v * v
	}
	y := make([]float64, len(x))
	for k, v := range x {
		y[k] = v / math.Sqrt(squares/float64(len(x))+1e-5) * m.numbers["norms"][at*len(x)+k]
	}
	return rounded(y)
}

// turned turns the pairs of numbers in heads of 128 by the angles of a position.
func turned(x []float64, position int) []float64 {
	y := make([]float64, len(x))
	for k := range x {
		sine, cosine := math.Sincos(float64(position) * math.Pow(10000, -float64(k%64)/64))
		if k%128 < 64 {
			y[k] = x[k]*cosine - x[k+64]*sine
		} else {
			y[k] = x[k]*cosine + x[k-64]*sine
		}
	}
	return rounded(y)
}

// attend is the attention of a head's query to all of its keys.
func attend(query, keys, values []float64) []float64 {
	sum, total := make([]float64, 128), 0.0
	for at := 0; at < len(keys); at += 128 {
		score := 0.0
		for k, v := range query {
			score += v * keys[at+k]
		}
		weight := math.Exp(score / math.Sqrt(128))
		total += weight
		for k := range sum {
			sum[k] += weight * values[at+k]
		}
	}
	for k := range sum {
		sum[k] /= total
	}
	return sum
}

func add(x, y []float64) []float64 {
	for k := range x {
		x[k] += y[k]
	}
	return rounded(x)
}

// token returns the logits for a token at a position, and keeps the position's keys and values.
func (m *transformer) token(id, position int) (logits []float64) {
	w := m.width
	x := append([]float64{}, m.numbers["table"][id*w:(id+1)*w]...)
	for layer := range m.layers {
		qkv := m.times("w_qkv", layer, 3*w, m.norm(2*layer, x))
		copy(qkv, turned(qkv[:2*w], position))
		var mixed []float64
		for head := range m.heads {
			at, part := layer*m.heads+head, func(kind int) []float64 { return qkv[kind*w+head*128:][:128] }
			m.keys[at], m.values[at] = append(m.keys[at], part(1)...), append(m.values[at], part(2)...)
			mixed = append(mixed, attend(part(0), m.keys[at], m.values[at])...)
		}
		x = add(x, m.times("w_out", layer, w, rounded(mixed)))
		both := m.times("w_gate_up", layer, 2*m.ff, m.norm(2*layer+1, x))
		gated := make([]float64, m.ff)
		for k := range gated {
			gated[k] = both[k] / (1 + math.Exp(-both[k])) * both[m.ff+k]
		}
		x = add(x, m.times("w_down", layer, w, rounded(gated)))
	}
	return m.times("w_logits", 0, len(m.numbers["w_logits"])/w, m.norm(2*m.layers, x))
}

// ones are as many ones.
func ones(n int) []float64 {
	list := make([]float64, n)
	for k := range list {
		list[k] = 1
	}
	return list
}

func TestPrefillScoresTheTokenBehindThePrompt(t *testing.T) {
	before, after := run(t, "llm-prefill")
	m := newTransformer(before)
	var logits []float64
	for position, id := range ints(before, "ids") {
		logits = m.token(id, position)
	}
	assertClose(t, logits, ones(len(logits)), halves(after, "logits"), 0.02)
	m.requireCache(t, after, parameter(before, "tokens"))
}

func TestDecodeGoesOnFromTheCache(t *testing.T) {
	before, after := run(t, "llm-decode")
	m := newTransformer(before)
	cached, room := parameter(before, "cached"), parameter(before, "room")
	for at := range m.keys {
		m.keys[at] = halves(before, "keys")[at*room*128:][:cached*128]
		m.values[at] = halves(before, "values")[at*room*128:][:cached*128]
	}
	var logits []float64
	for k, id := range ints(before, "ids") {
		logits = m.token(id, cached+k)
	}
	assertClose(t, logits, ones(len(logits)), halves(after, "logits"), 0.02)
	m.requireCache(t, after, room)
}

// requireCache compares keys and values of all layers and heads.
func (m *transformer) requireCache(t *testing.T, after *Instance, room int) {
	t.Helper()
	var keys, values []float64
	for at := range m.keys {
		assert.Len(t, m.keys[at], room*128)
		keys, values = append(keys, m.keys[at]...), append(values, m.values[at]...)
	}
	assertClose(t, keys, ones(len(keys)), halves(after, "keys"), 0.02)
	assertClose(t, values, ones(len(values)), halves(after, "values"), 0.02)
}
