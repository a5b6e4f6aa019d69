package kernels

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/platform/presets"
	"cotenant/workload"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// published is a row of a published table: thread blocks of a launch (0 where
// they vary or are not given), registers and shared memory of a TB.
type published struct {
	app, kernel, size          string
	tbs, threads, perTB, bytes int
}

// k20c is Table 5.2 of Tanasic's thesis. The scans over block sums are not
// here: the table has means over launches of different sizes.
var k20c = []published{
	{"lbm", "StreamCollide", "medium", 18000, 120, 4320, 0},
	{"histo", "final", "medium", 42, 512, 19456, 0},
	{"histo", "prescan", "medium", 64, 512, 9216, 4096},
	{"histo", "intermediates", "medium", 65, 498, 8964, 0},
	{"histo", "main", "medium", 84, 768, 16896, 24576},
	{"tpacf", "genhists", "medium", 201, 256, 7680, 13312},
	{"spmv", "spmvjds", "small", 374, 32, 928, 0},
	{"mri-q", "ComputeQ", "medium", 1024, 256, 5376, 0},
	{"mri-q", "ComputePhiMag", "medium", 4, 512, 6144, 0},
	{"sad", "largersadcalc8", "medium", 8040, 128, 3328, 0},
	{"sad", "largersadcalc16", "medium", 8040, 32, 832, 0},
	{"sad", "mbsadcalc", "medium", 128640, 61, 2135, 2224},
	{"sgemm", "mysgemmNT", "medium", 528, 128, 4480, 512},
	{"stencil", "block2Dregtiling", "medium", 256, 1024, 41984, 0},
	{"cutcp", "lattice6overlap", "medium", 121, 128, 3328, 4116},
	{"mri-gridding", "binning", "medium", 5188, 512, 4096, 0},
	{"mri-gridding", "scanL1", "medium", 41, 512, 9216, 4368},
	{"mri-gridding", "uniformAdd", "medium", 41, 512, 4096, 16},
	{"mri-gridding", "reorder", "medium", 5188, 512, 8192, 0},
	{"mri-gridding", "splitSort", "medium", 2594, 256, 10240, 4484},
	{"mri-gridding", "griddingGPU", "medium", 65536, 64, 3648, 1536},
	{"mri-gridding", "splitRearrange", "medium", 2594, 256, 5888, 4160},
}

// gtx980 is Table 2 of the SMK paper, as demands that give its percentages.
var gtx980 = []published{
	{"cutcp", "lattice6overlap", "medium", 0, 128, 28 * 128, 4120},
	{"lbm", "StreamCollide", "medium", 0, 120, 56 * 120, 0},
	{"sgemm", "mysgemmNT", "medium", 0, 128, 44 * 128, 512},
	{"spmv", "spmvjds", "medium", 0, 192, 16 * 192, 0},
	{"stencil", "block2Dregtiling", "medium", 0, 1024, 24 * 1024, 0},
	{"tpacf", "genhists", "medium", 0, 256, 28 * 256, 13312},
}

func TestLaunchesAreThePublishedOnes(t *testing.T) {
	for arch, rows := range map[string][]published{"k20c": k20c, "gtx980": gtx980} {
		for _, row := range rows {
			l := firstLaunch(t, row.app, row.kernel, row.size, arch)
			name := arch + " " + row.kernel
			if row.tbs > 0 {
				assert.Equal(t, row.tbs, l.Config.Grid.Count(), name)
			}
			threads := l.Config.Block.Count()
			assert.Equal(t, row.threads, threads, name)
			assert.Equal(t, row.perTB, threads*l.RegistersPerThread, name)
			assert.Equal(t, row.bytes, l.SharedBytesPerTB, name)
		}
	}
}

func TestDemandsOfAnotherArchServeWhereThereAreNone(t *testing.T) {
	for _, row := range k20c {
		if slices.ContainsFunc(gtx980, func(g published) bool { return g.kernel == row.kernel }) {
			continue
		}
		l := firstLaunch(t, row.app, row.kernel, row.size, "gtx980")
		assert.Equal(t, row.perTB, row.threads*l.RegistersPerThread, row.kernel)
		assert.Equal(t, row.bytes, l.SharedBytesPerTB, row.kernel)
	}
}

// What a thread block of a launch takes gives the published thread blocks per
// SM on the preset that stands for the paper's GPU.
func TestOccupancyOnTheK20cIsThatOfThesisTable5_2(t *testing.T) {
	data, err := os.ReadFile("../../components/occupancy/testdata/k20c_table5_2.json")
	require.NoError(t, err)
	var table struct {
		Kernels []struct {
			Kernel string
			TBs    int `json:"tbs_per_sm"`
		}
	}
	require.NoError(t, json.Unmarshal(data, &table))
	gpu, err := presets.Load("k20c")
	require.NoError(t, err)
	capacity := gpu.SM.Capacity()
	want := map[string]int{}
	for _, k := range table.Kernels {
		want[k.Kernel] = k.TBs
	}
	// The scans over block sums: their launches have different block sizes.
	rows := append(slices.Clone(k20c), published{app: "mri-gridding", kernel: "scaninter1", size: "medium"},
		published{app: "mri-gridding", kernel: "scaninter2", size: "medium"})
	require.Len(t, rows, len(want))
	for _, row := range rows {
		l := firstLaunch(t, row.app, row.kernel, row.size, "k20c")
		k := workload.Kernel{Block: l.Config.Block, SharedBytesPerTB: l.SharedBytesPerTB}
		k.RegistersPerTB = l.RegistersPerThread * k.ThreadsPerTB()
		tbs, _ := capacity.Occupancy(dispatcher.DemandOf(&k))
		assert.Equal(t, want[row.kernel], tbs, row.kernel)
	}
}

// firstLaunch evaluates the first launch of a kernel on an instance without
// arrays, which the large sizes need not fill for this.
func firstLaunch(t *testing.T, app, kernel, size, arch string) Launch {
	t.Helper()
	m := *builtinManifest(t, app)
	i, err := m.start(size, arch)
	require.NoError(t, err)
	s32, _ := elementOf("s32")
	for _, a := range i.m.Arrays {
		i.arrays[a.Name] = &Data{typ: s32, Length: 2, Bytes: []byte{18: 0, 4: 5}}
	}
	i.m.Textures = nil
	for _, name := range []string{"frame.current", "frame.reference", "k.real", "k.imaginary", "matrix.values", "matrix.columns",
		"matrix.row_of", "water.atoms"} {
		i.arrays[name] = &Data{typ: s32}
	}
	for _, name := range []string{"water.first", "water.bins_x", "water.bins_xy"} {
		i.numbers[name] = wholeOf(1)
	}
	i.numbers["reference"] = wholeOf(1) // sad's texture
	var found *Launch
	var walk func(steps []Step)
	walk = func(steps []Step) {
		for _, s := range steps {
			switch {
			case s.Let != nil:
				i.run("", &s)
			case s.Repeat != nil:
				i.numbers[s.Repeat.Index] = wholeOf(0)
				walk(s.Repeat.Steps)
			case s.Launch != nil && s.Launch.Kernel == kernel && found == nil:
				l := i.launch("", s.Launch)
				found = &l
			}
		}
	}
	walk(i.m.Steps)
	require.NotNil(t, found, kernel)
	return *found
}

// The thesis has 8 warps of lbm on an SM of chapter 6, with 65,536 registers (6.5.2).
func TestLbmHasTwoThreadBlocksAnSMOfPagefault16(t *testing.T) {
	l := firstLaunch(t, "lbm", "StreamCollide", "medium", "pagefault16")
	assert.Equal(t, 120, l.Config.Block.Count())
	assert.Equal(t, 2, 65536/(l.RegistersPerThread*l.Config.Block.Count()))
	assert.LessOrEqual(t, l.RegistersPerThread, 255)
	for _, app := range []string{"sgemm", "bfs"} { // what has no demands of that name
		_, err := builtinManifest(t, app).start("tiny", "pagefault16")
		assert.ErrorContains(t, err, `no demands are known for arch "pagefault16"; valid: `)
	}
}
