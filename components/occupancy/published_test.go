package occupancy

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func read(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}

// gtx980 is the SM of the SMK paper.
var gtx980 = Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{96 << 10}}

// k20c is the SM of the thesis, chapter 5.
var k20c = Capacity{TBs: 16, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{16 << 10, 32 << 10, 48 << 10}}

func TestGTX980OccupancyIsThatOfSMKTable2(t *testing.T) {
	var table struct {
		Kernels []struct {
			Kernel  string
			Threads int `json:"threads_per_tb"`
			Regs    int `json:"regs_per_thread"`
			Shared  int `json:"shmem_per_tb_bytes"`
			Expect  struct {
				TBs          int     `json:"tbs_per_sm"`
				RegistersPct float64 `json:"registers_pct"`
				SharedPct    float64 `json:"shared_memory_pct"`
				ThreadsPct   float64 `json:"threads_pct"`
			}
		}
	}
	read(t, "smk_table2.json", &table)
	require.Len(t, table.Kernels, 6)
	limits := map[string]string{"lattice6overlap": "threads", "StreamCollide": "registers", "mysgemmNT": "registers",
		"spmvjds": "threads", "block2Dregtiling": "threads", "genhists": "shared memory"}
	for _, k := range table.Kernels {
		d := Demand{TBs: 1, Threads: k.Threads, Warps: (k.Threads + 31) / 32, Registers: k.Threads * k.Regs, SharedBytes: k.Shared}
		tbs, limiting := gtx980.Occupancy(d)
		require.Equal(t, k.Expect.TBs, tbs, k.Kernel)
		require.Equal(t, limits[k.Kernel], limiting, k.Kernel)
		all := d.Times(tbs)
		// The table's percentages are rounded, or cut off, to a tenth.
		within := func(want float64, taken, of int) {
			require.Less(t, math.Abs(want-100*float64(taken)/float64(of)), 0.1, k.Kernel)
		}
		within(k.Expect.RegistersPct, all.Registers, gtx980.Registers)
		within(k.Expect.SharedPct, all.SharedBytes, gtx980.SharedOptions[0])
		within(k.Expect.ThreadsPct, all.Threads, gtx980.Threads)
		require.Equal(t, tbs, fill(&gtx980, d), k.Kernel)
	}
}

func TestK20cOccupancyIsThatOfThesisTable5_2(t *testing.T) {
	var table struct {
		Kernels []struct {
			Kernel string
			Regs   int `json:"regs_per_tb"`
			Shared int `json:"shmem_per_tb_bytes"`
			TBs    int `json:"tbs_per_sm"`
		}
	}
	read(t, "k20c_table5_2.json", &table)
	require.Len(t, table.Kernels, 24)
	// These kernels fit less often by their threads, which the table does not give.
	byThreads := map[string]bool{"intermediates": true, "ComputeQ": true, "ComputePhiMag": true, "binning": true, "uniformAdd": true, "reorder": true}
	for _, k := range table.Kernels {
		d := Demand{TBs: 1, Registers: k.Regs, SharedBytes: k.Shared}
		if byThreads[k.Kernel] {
			require.Greater(t, fill(&k20c, d), k.TBs, k.Kernel)
			d.Threads = k20c.Threads / k.TBs
		}
		require.Equal(t, k.TBs, fill(&k20c, d), k.Kernel)
		tbs, _ := k20c.Occupancy(d)
		require.Equal(t, k.TBs, tbs, k.Kernel)
	}
}

// fill puts TBs of one kind on an empty SM until no more fits, and returns
// their number.
func fill(c *Capacity, d Demand) (tbs int) {
	var u Usage
	for c.Fits(&u, d) {
		u.Take(d)
		tbs++
	}
	return tbs
}
