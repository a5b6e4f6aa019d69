package profile

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// tableRow is a kernel of testdata/k20c.json or testdata/gtx980.json, which name
// their sources.
type tableRow struct {
	Benchmark        string  `json:"benchmark"`
	Kernel           string  `json:"kernel"`
	Launches         int     `json:"launches"`
	TBs              int     `json:"tbs"`
	ThreadsPerTB     int     `json:"threads_per_tb"`
	RegsPerThread    int     `json:"regs_per_thread"`
	RegsPerTB        int     `json:"regs_per_tb"`
	SharedPerTB      int     `json:"shmem_per_tb_bytes"`
	TBsPerSM         int     `json:"tbs_per_sm"`
	RegistersPercent float64 `json:"registers_pct"`
	SharedPercent    float64 `json:"shared_memory_pct"`
	ThreadsPercent   float64 `json:"threads_pct"`
}

func readTable(t *testing.T, file string) []tableRow {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var table struct{ Kernels []tableRow }
	require.NoError(t, json.Unmarshal(data, &table))
	return table.Kernels
}

// findKernel returns the kernel of a built-in application and how often it is
// launched.
func findKernel(t *testing.T, name, arch, kernel string) (found *workload.Kernel, launches int) {
	app, err := Builtin(name, arch, 1)
	require.NoError(t, err)
	for _, k := range app.Kernels() {
		if k.Name == kernel {
			found = k
			launches++
		}
	}
	require.NotNil(t, found, "%s has no kernel %s", name, kernel)
	return found, launches
}

// resident is how many TBs fit on an SM by plain sums.
func resident(k *workload.Kernel, shared, tbs int) int {
	n := min(tbs, 65536/k.RegistersPerTB, 2048/k.ThreadsPerTB())
	if k.SharedBytesPerTB > 0 {
		n = min(n, shared/k.SharedBytesPerTB)
	}
	return n
}

func TestK20cDemandsAndOccupancyAreThoseOfTheThesis(t *testing.T) {
	rows := readTable(t, "testdata/k20c.json")
	require.Len(t, rows, 24)
	for _, row := range rows {
		k, launches := findKernel(t, row.Benchmark, "k20c", row.Kernel)
		assert.Equal(t, row.Launches, launches, row.Kernel)
		assert.Equal(t, row.TBs, k.TBs(), row.Kernel)
		assert.Equal(t, row.SharedPerTB, k.SharedBytesPerTB, row.Kernel)
		assert.Equal(t, row.RegsPerTB, k.RegistersPerTB, row.Kernel)
		// The SM takes the first of three configurations that launches the
		// kernel (thesis, footnote 2 of chapter 5).
		shared := 16 << 10
		for shared < k.SharedBytesPerTB {
			shared += 16 << 10
		}
		require.LessOrEqual(t, shared, 48<<10)
		assert.Equal(t, row.TBsPerSM, resident(k, shared, 16), row.Kernel)
	}
}

func TestEveryBuiltinKernelIsInTheThesis(t *testing.T) {
	known := map[string]bool{}
	for _, row := range readTable(t, "testdata/k20c.json") {
		known[row.Benchmark+" "+row.Kernel] = true
	}
	assert.Equal(t, []string{"cutcp", "histo", "lbm", "mri-gridding", "mri-q", "sad", "sgemm", "spmv", "stencil", "tpacf"}, Names())
	for _, name := range Names() {
		app, err := Builtin(name, "", 1)
		require.NoError(t, err)
		assert.Equal(t, name, app.Name)
		for _, k := range app.Kernels() {
			assert.True(t, known[name+" "+k.Name], "%s %s", name, k.Name)
		}
	}
}

func TestGTX980DemandsAndOccupancyAreThoseOfSMK(t *testing.T) {
	rows := readTable(t, "testdata/gtx980.json")
	require.Len(t, rows, 6)
	for _, row := range rows {
		for _, arch := range []string{"", "gtx980"} {
			k, _ := findKernel(t, row.Benchmark, arch, row.Kernel)
			assert.Equal(t, row.ThreadsPerTB, k.ThreadsPerTB(), row.Kernel)
			assert.Equal(t, row.ThreadsPerTB*row.RegsPerThread, k.RegistersPerTB, row.Kernel)
			assert.Equal(t, row.SharedPerTB, k.SharedBytesPerTB, row.Kernel)
			n := resident(k, 98304, 32)
			assert.Equal(t, row.TBsPerSM, n, row.Kernel)
			percent := func(used, of int) float64 { return 100 * float64(n*used) / float64(of) }
			// The paper prints one digit.
			assert.InDelta(t, row.RegistersPercent, percent(k.RegistersPerTB, 65536), 0.0501, row.Kernel)
			assert.InDelta(t, row.SharedPercent, percent(k.SharedBytesPerTB, 98304), 0.0501, row.Kernel)
			assert.InDelta(t, row.ThreadsPercent, percent(k.ThreadsPerTB(), 2048), 0.0501, row.Kernel)
		}
	}
}

func TestUnknownNameOrArchListsTheValidOnes(t *testing.T) {
	_, err := Builtin("sgem", "", 1)
	assert.EqualError(t, err, `unknown profile "sgem"; valid: cutcp, histo, lbm, mri-gridding, mri-q, sad, sgemm, spmv, stencil, tpacf`)
	_, err = Builtin("sgemm", "volta", 1)
	assert.EqualError(t, err, `no demands are known for arch "volta"; valid: gtx980, k20c`)
}

func TestDemandsOfAnotherArchServeWhereThereAreNone(t *testing.T) {
	k, _ := findKernel(t, "histo", "gtx980", "prescan")
	assert.Equal(t, 9216, k.RegistersPerTB, "Tanasic's thesis, Table 5.2")
}

func TestKernelsOfALoopTakeTurns(t *testing.T) {
	names := func(app string) (names []string) {
		a, err := Builtin(app, "", 1)
		require.NoError(t, err)
		for _, k := range a.Kernels() {
			names = append(names, k.Name)
		}
		return names
	}
	histo := names("histo")
	require.Len(t, histo, 80)
	assert.Equal(t, []string{"prescan", "intermediates", "main", "final", "prescan"}, histo[:5])

	gridding := names("mri-gridding")
	round := []string{"splitSort", "scanL1", "scaninter1", "scaninter2", "uniformAdd", "splitRearrange"}
	assert.Equal(t, "binning", gridding[0])
	assert.Equal(t, round, gridding[1:7])
	assert.Equal(t, round, gridding[37:43], "the seventh round")
	assert.Equal(t, []string{"scanL1", "scaninter1", "scaninter2", "uniformAdd", "scaninter1", "scaninter2",
		"reorder", "griddingGPU"}, gridding[43:])
}

func TestLinesPerInstructionFollowTheClasses(t *testing.T) {
	// Classes of the SMK paper, section 6: its compute-intensive applications
	// ask for few global lines per instruction, the memory-intensive for many.
	for _, c := range []struct {
		name, kernel     string
		computeIntensive bool
	}{
		{"cutcp", "lattice6overlap", true}, {"mri-q", "ComputeQ", true}, {"sgemm", "mysgemmNT", true}, {"tpacf", "genhists", true},
		{"histo", "main", false}, {"lbm", "StreamCollide", false}, {"mri-gridding", "binning", false},
		{"sad", "mbsadcalc", false}, {"spmv", "spmvjds", false}, {"stencil", "block2Dregtiling", false},
	} {
		k, _ := findKernel(t, c.name, "", c.kernel)
		lines, instructions := 0, 0
		eachTB(t, k, 2, func(_, _ int, inst *workload.Inst) {
			instructions++
			if inst.Class.IsMemory() && inst.Space == workload.Global {
				lines += len(linesOf(inst))
			}
		})
		perInstruction := float64(lines) / float64(instructions)
		if c.computeIntensive {
			assert.Less(t, perInstruction, 0.06, c.name)
		} else {
			assert.Greater(t, perInstruction, 0.12, c.name)
		}
	}
}
