package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// generated makes one array entry beside the arrays of the valid manifest.
func generated(t *testing.T, entry string) *Instance {
	t.Helper()
	m, err := Load(write(t, strings.Replace(valid, "arrays:\n", "arrays:\n  - {name: it, "+entry+"}\n", 1)))
	require.NoError(t, err)
	i, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	return i
}

// inputHashes are of the inputs at size tiny.
var inputHashes = map[string]string{
	"sleep":             "a5bfb9719004a7c6",
	"resnet-block":      "1559474b90ccf698",
	"resnet-inference":  "4399a65f910c84d0",
	"resnet-training":   "00e2abed93df2ea4",
	"copy":              "634d089b841e265a",
	"mul-fp32":          "583dfc58d2ec9c7a",
	"mul-fp64":          "e4ea2bc17de93398",
	"attention":         "96aea1ad58d96ae3",
	"attention-decode":  "79ff34b4967cae4a",
	"embedding":         "6f7163fc43e28a63",
	"gemm-f16":          "fb5f5d8ef8b317e1",
	"gemm-f16-variants": "8123a7d99f543317",
	"gemv-f16":          "dd6cd5b82d0f9efb",
	"gemv-q4":           "79204038c2b07d51",
	"kv-append":         "76c4cf182066c9cb",
	"layernorm":         "94d59827a07cd009",
	"llm-decode":        "5020edb73bd3f003",
	"llm-prefill":       "b40cbc6a276f16b6",
	"residual-add":      "75a7ba19c3eb86c8",
	"rmsnorm":           "f3dfcde6e895069a",
	"rope":              "a26251c469722b89",
	"silu-mul":          "762ea1d0a0972cd6",
	"softmax":           "346e472f14dad6ec",
	"backprop":          "4575918fdf386986",
	"bfs":               "c1b0f02d4e601834",
	"btree":             "104d619a20253d19",
	"cfd":               "faf2ad6e240bf4fd",
	"cutcp":             "8d99fc9773810c9d",
	"dxtc":              "35e37f783d455ce9",
	"fdtd2d":            "6e9f60a13aa52d3d",
	"fdtd3d":            "f7f9f02b79dfc7f1",
	"histo":             "fba8819edaec000c",
	"histogram1024":     "ee1756967d534b47",
	"histogram64":       "16cab6e2b30cdf3a",
	"hybridsort":        "7ed2693170d75195",
	"kmeans":            "3aaf9ae8e8ce6e01",
	"lavamd":            "6447f37626710195",
	"lbm":               "60eded288a56aea1",
	"mri-gridding":      "648dcde9dafe4a42",
	"mri-q":             "dd74527d4247202d",
	"nn":                "01298ec8310af6c6",
	"nqueens":           "2329494806fce081",
	"pathfinder":        "a12b937ac438f156",
	"rodinia-bfs":       "9812724e49305cf3",
	"sad":               "236c34e99b08a306",
	"sad-larger":        "809be868647bc326",
	"sgemm":             "3d5a79f7f524a5b1",
	"spmv":              "18395d4983738f8b",
	"stencil":           "9f1ebb18c5813ee8",
	"storegpu":          "f987a8aa4f817ec0",
	"streamcluster":     "c7e8c2a0dea63e96",
	"syr2k":             "ed233f33eac830a4",
	"syrk":              "415dedeb184d9e62",
	"add-strings":       "62a4878e443829e3",
	"grid-points":       "6680d5548794f088",
	"random-graph":      "ab262db4c8a6c1ea",
	"tpacf":             "dea2102490038bdf",
}

// The inputs are part of every result, so they must be the same for ever and
// everywhere.
func TestInputsNeverChange(t *testing.T) {
	got := map[string]string{}
	for _, name := range Names() {
		m := builtinManifest(t, name)
		i, err := m.New("tiny", "", exec.NewMemory())
		require.NoError(t, err)
		hash := sha256.New()
		var names []string
		for array := range i.arrays {
			names = append(names, array)
		}
		slices.Sort(names)
		for _, array := range names {
			fmt.Fprintf(hash, "%s %d\n", array, i.Array(array).Length)
			hash.Write(i.Array(array).Bytes)
		}
		got[name] = hex.EncodeToString(hash.Sum(nil)[:8])
	}
	assert.Equal(t, inputHashes, got)
}

func TestPlainGeneratorsFillEveryType(t *testing.T) {
	i := generated(t, "type: u8, length: 6, stretches: [1, 255, -1]")
	assert.Equal(t, []byte{1, 1, 255, 255, 255, 255}, i.Array("it").Bytes)
	i = generated(t, "type: s16, values: [-2, 3]")
	assert.Equal(t, []byte{0xfe, 0xff, 3, 0}, i.Array("it").Bytes)
	i = generated(t, "type: u64, length: 2, formula: i * 1000")
	assert.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0xe8, 3, 0, 0, 0, 0, 0, 0}, i.Array("it").Bytes)
	i = generated(t, "type: f64, length: 1, fill: 0.5")
	assert.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0xe0, 0x3f}, i.Array("it").Bytes)
	i = generated(t, "type: s32, length: 1000, uniform: {low: -3, high: 4}")
	assert.Equal(t, []int{-3, 3}, []int{slices.Min(ints(i, "it")), slices.Max(ints(i, "it"))})
	i = generated(t, "type: f32, length: 10000, normal: {mean: 5, deviation: 2, low: 1}")
	drawn := floats(i, "it")
	assert.GreaterOrEqual(t, slices.Min(drawn), 1.0)
	sum := 0.0
	for _, v := range drawn {
		sum += v
	}
	// A normal distribution cut two deviations below the mean moves it by 0.055
	// deviations.
	assert.InDelta(t, 5+0.055*2, sum/10000, 0.05)
}

func TestSeedsCountToTheirLastBit(t *testing.T) {
	even := generated(t, "type: u32, length: 4, uniform: {seed: 9007199254740992, high: 1e9}")
	odd := generated(t, "type: u32, length: 4, uniform: {seed: 9007199254740993, high: 1e9}")
	assert.NotEqual(t, even.Array("it").Bytes, odd.Array("it").Bytes)
}

func TestParametersOfGeneratorsThatExcludeEachOther(t *testing.T) {
	for entry, want := range map[string]string{
		"matrix: {rows: 60, kept: 1}":           "mine.yaml:6: arrays[0].matrix.kept needs degree; give both, or neither",
		"matrix: {rows: 60, degree: 2, far: 0}": "mine.yaml:6: arrays[0].matrix.far has no meaning with degree; leave one out",
		"matrix: {rows: 60, shortest: 61}":      `mine.yaml:6: arrays[0].matrix.shortest "61" is 61; valid: whole numbers from 1 to 60`,
		"matrix: {rows: 60, far: off}":          `mine.yaml:6: arrays[0].matrix.far "off" has the name off, which is no parameter, number or array so far`,
		"kspace: {count: 4, records: yes}":      `mine.yaml:6: arrays[0].kspace.records is "yes"; it takes true or false`,
		"rmat: {scale: 2, a: 0.9}":              "mine.yaml:6: arrays[0].rmat.a plus b plus c is 1.28; valid: at most 1",
	} {
		m, err := Load(write(t, strings.Replace(valid, "arrays:\n", "arrays:\n  - {name: it, "+entry+"}\n", 1)))
		require.NoError(t, err, entry)
		_, err = m.New("tiny", "", exec.NewMemory())
		require.Error(t, err, entry)
		assert.Equal(t, want, base(err), entry)
	}
}

func TestMatrixHasTheShapeThatWasAskedFor(t *testing.T) {
	i := generated(t, "matrix: {rows: 1000, shortest: 4, longest: 64, tail: 0.5, band: 20, far: 0}")
	lengths := make([]int, 1000)
	seen := map[[2]int]bool{}
	forEachNonzero(i, "it", func(row, column int, v float64) {
		require.False(t, seen[[2]int{row, column}], "twice")
		seen[[2]int{row, column}] = true
		lengths[row]++
		assert.LessOrEqual(t, max(row-column, column-row), 20)
	})
	assert.Equal(t, parameter(i, "it.nonzeros"), len(seen))
	groups := ints(i, "it.group_length")
	assert.True(t, slices.IsSortedFunc(groups, func(a, b int) int { return b - a }))
	assert.Len(t, groups, 32)
	starts := ints(i, "it.diagonal_start")
	assert.Equal(t, 1024, starts[1], "every row has a first nonzero, and the last group is padded")
	assert.Len(t, starts, groups[0])
	assert.Greater(t, slices.Max(lengths), 4*slices.Min(lengths), "lengths have a long tail")
}

// The matrices of the UTEP collection are of equations on square meshes: their
// numbers of entries follow from the elements.
func TestMeshesHaveAsManyNonzerosAsThePublishedOnes(t *testing.T) {
	for entry, published := range map[string]int{
		"matrix: {rows: 16129, degree: 2}":  253_009,   // Dubcova1
		"matrix: {rows: 146689, degree: 3}": 3_636_649, // Dubcova3
	} {
		assert.Equal(t, published, parameter(generated(t, entry), "it.nonzeros"))
	}
	// bcsstk18 has 149,090 in 11,948 rows, of which spmv draws as many within 1 %.
	m := builtinManifest(t, "spmv")
	i, err := m.New("small", "k20c", exec.NewMemory())
	require.NoError(t, err)
	assert.InDelta(t, 149_090, parameter(i, "matrix.nonzeros"), 1490)
}

func TestMeshCouplesBothWaysAndWithinElements(t *testing.T) {
	i := generated(t, "matrix: {rows: 60, degree: 2, kept: 0.7}") // 7 wide, 9 high
	entries := map[[2]int]bool{}
	forEachNonzero(i, "it", func(row, column int, _ float64) { entries[[2]int{row, column}] = true })
	assert.Len(t, entries, parameter(i, "it.nonzeros"))
	for e := range entries {
		assert.True(t, entries[[2]int{e[1], e[0]}], "%v", e)
		// Elements meet at every second point, the first of which is 1.
		for _, at := range [][2]int{{e[0] / 7, e[1] / 7}, {e[0] % 7, e[1] % 7}} {
			low, high := min(at[0], at[1]), max(at[0], at[1])
			assert.LessOrEqual(t, high, (low+1)/2*2+1, "%v", e)
		}
	}
	whole := generated(t, "matrix: {rows: 60, degree: 2}")
	assert.InDelta(t, 0.7, float64(len(entries)-60)/float64(parameter(whole, "it.nonzeros")-60), 0.1)
}

func TestRoadReachesEveryNodeAndLinksGoBothWays(t *testing.T) {
	i := generated(t, "road: {width: 30, height: 20}")
	offset, edges := ints(i, "it.offset"), ints(i, "it.edges")
	assert.Equal(t, len(edges), parameter(i, "it.links"))
	reached := map[int]bool{310 + 5: true}
	assert.Equal(t, 315, parameter(i, "it.start"))
	for queue := []int{315}; len(queue) > 0; queue = queue[1:] {
		for _, to := range edges[offset[queue[0]]:offset[queue[0]+1]] {
			assert.Contains(t, edges[offset[to]:offset[to+1]], queue[0])
			if !reached[to] {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	assert.Len(t, reached, 600)
}

func TestRMATHasFewNodesWithManyLinks(t *testing.T) {
	i := generated(t, "rmat: {scale: 10, links: 8}")
	offset := ints(i, "it.offset")
	var degrees []int
	for v := range 1024 {
		degrees = append(degrees, offset[v+1]-offset[v])
	}
	start := parameter(i, "it.start")
	slices.Sort(degrees)
	assert.Equal(t, degrees[1023], offset[start+1]-offset[start])
	assert.Greater(t, degrees[1023], 10*degrees[512])
}

func TestSkyIsOnTheSphereAndTheFirstSetClusters(t *testing.T) {
	i := generated(t, "sky: {sets: 2, points: 500}")
	sky := floats(i, "it")
	near := [2]int{}
	for set := range near {
		at := func(i int) vector { return vector{sky[3*set*500+i], sky[(3*set+1)*500+i], sky[(3*set+2)*500+i]} }
		for a := range 500 {
			assert.InDelta(t, 1, at(a).square(), 1e-6)
			for b := range a {
				if at(a).plus(-1, at(b)).square() < 0.02*0.02 {
					near[set]++
				}
			}
		}
	}
	assert.Greater(t, near[0], 5*near[1])
}

func TestWaterHasItsDensityAndLiesInItsBins(t *testing.T) {
	i := generated(t, "water: {regions_x: 4, regions_y: 3, regions_z: 2, cutoff: 5}")
	atoms := floats(i, "it.atoms")
	rowBins, layerBins := parameter(i, "it.bins_x"), parameter(i, "it.bins_xy")
	assert.Equal(t, []int{8, 8 * 7}, []int{rowBins, layerBins})
	assert.Equal(t, (2*56+2*8+2)*32, parameter(i, "it.first"))
	count := 0
	for at := 0; at < len(atoms); at += 4 {
		if atoms[at+3] == 0 {
			continue
		}
		count++
		bin := at / 32
		want := [3]int{bin%8 - 2, bin/8%7 - 2, bin/56 - 2}
		got := [3]int{int(math.Floor(atoms[at] / 4)), int(math.Floor(atoms[at+1] / 4)), int(math.Floor(atoms[at+2] / 4))}
		require.Equal(t, want, got)
	}
	assert.Equal(t, parameter(i, "it.count"), count)
	total := count + parameter(i, "it.left_out")
	assert.InDelta(t, 0.1, float64(total)/(24*64), 0.02, "atoms per cubic angstrom")
	assert.Contains(t, slices.Collect(slices.Chunk(ints(i, "it.neighbours"), 3)), []int{2, 1, -1})
	assert.NotContains(t, slices.Collect(slices.Chunk(ints(i, "it.neighbours"), 3)), []int{2, 2, 0}, "its corner is 5.7 away")
}

func TestWaterShorterThanItsRoomBeginsWhereItSays(t *testing.T) {
	i := generated(t, "water: {regions_x: 6, regions_y: 6, regions_z: 6, start: 0.5, short: 4}")
	atoms := floats(i, "it.atoms")
	low, high := 24.0, 0.0
	for at := 0; at < len(atoms); at += 4 {
		if atoms[at+3] != 0 {
			low, high = min(low, atoms[at], atoms[at+1], atoms[at+2]), max(high, atoms[at], atoms[at+1], atoms[at+2])
		}
	}
	assert.InDeltaSlice(t, []float64{0.6, 20.4}, []float64{low, high}, 0.1, "from 0.5 to 20.5")
	total := parameter(i, "it.count") + parameter(i, "it.left_out")
	assert.InDelta(t, 0.1, float64(total)/(20*20*20), 0.01, "atoms per cubic angstrom")
}

func TestSamplesLieDenselyAtTheCentreOfKSpace(t *testing.T) {
	i := generated(t, "kspace: {count: 4096, records: true}")
	samples := floats(i, "it")
	inner := 0
	for s := 0; s < len(samples); s += 6 {
		p := vector{samples[s+2], samples[s+3], samples[s+4]}
		require.LessOrEqual(t, p.square(), 0.2500001)
		if p.square() < 0.125*0.125 {
			inner++
		}
	}
	// A quarter of the radius is a 64th of the sphere.
	assert.InDelta(t, 4096/4, inner, 40)
}

func TestCurrentFrameIsTheReferenceMoved(t *testing.T) {
	i := generated(t, "frames: {width: 64, height: 48, motion_x: 5, motion_y: -3, noise: 2}")
	current, reference := shorts(i, "it.current"), shorts(i, "it.reference")
	for y := 3; y < 48; y++ {
		for x := range 59 {
			assert.InDelta(t, reference[(y-3)*64+x+5], current[y*64+x], 2)
		}
	}
	assert.Greater(t, slices.Max(reference)-slices.Min(reference), 100, "contrast")
}

// Unknowns exchange numbers within their stretch: what is coupled stays so,
// both ways, and as many rows are of each length.
func TestScatteredMatrixIsNumberedAnew(t *testing.T) {
	plain := generated(t, "matrix: {rows: 400, degree: 3}")
	scattered := generated(t, "matrix: {rows: 400, degree: 3, scatter: 40}")
	assert.Equal(t, ints(plain, "it.group_length"), ints(scattered, "it.group_length"))
	assert.Equal(t, parameter(plain, "it.nonzeros"), parameter(scattered, "it.nonzeros"))
	between := func(i *Instance) (coupled map[[2]int]bool, stretches map[[2]int]int) {
		coupled, stretches = map[[2]int]bool{}, map[[2]int]int{}
		forEachNonzero(i, "it", func(row, column int, _ float64) {
			coupled[[2]int{row, column}] = true
			stretches[[2]int{row / 40, column / 40}]++
		})
		return coupled, stretches
	}
	before, same := between(plain)
	after, stretches := between(scattered)
	assert.NotEqual(t, before, after)
	assert.Equal(t, same, stretches)
	for c := range after {
		assert.True(t, after[[2]int{c[1], c[0]}], c)
	}
}
