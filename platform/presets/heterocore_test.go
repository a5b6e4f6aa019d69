package presets

import (
	"encoding/json"
	"os"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/platform/wiring"
	"cotenant/sm"
	"cotenant/workload"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// capacities are what differs between HeteroCore's SMs.
type capacities struct{ registers, shared, threads, warps, tbs int }

func capacitiesOf(s *sm.Spec) capacities {
	return capacities{s.Registers, s.SharedBytes[len(s.SharedBytes)-1], s.Threads, s.WarpSlots(), s.TBs}
}

// HeteroCore Table 1 and section 6.5.
func TestHeteroCoreSMsHaveThePapersSizes(t *testing.T) {
	small := capacities{16384, 32 << 10, 768, 24, 6}
	for name, want := range map[string]struct {
		bigs int
		big  capacities
	}{
		"heterocore-8b8s":  {8, capacities{49152, 64 << 10, 2304, 72, 10}},
		"heterocore-4b12s": {4, capacities{81920, 96 << 10, 3840, 120, 14}},
		"heterocore-12b4s": {12, capacities{38229, 53 << 10, 1792, 56, 8}},
	} {
		list := preset(t, name).SMList()
		require.Len(t, list, 16, name)
		for i, m := range list {
			kind, size := "big", want.big
			if i >= want.bigs {
				kind, size = "small", small
			}
			assert.Equal(t, kind, m.Kind, "%s, SM %d", name, i)
			assert.Equal(t, size, capacitiesOf(&m.Spec), "%s, SM %d", name, i)
			groups := map[string]int{"big": 24} // as many as a baseline SM has for each scheduler
			assert.Equal(t, groups[kind], m.Spec.GroupSlots, "%s, SM %d", name, i)
		}
	}
	base, half, more := preset(t, "fermi16"), preset(t, "fermi16-half"), preset(t, "fermi16-threehalves")
	assert.Equal(t, capacities{32768, 48 << 10, 1536, 48, 8}, capacitiesOf(&base.SM))
	assert.Equal(t, capacities{16384, 24 << 10, 768, 24, 4}, capacitiesOf(&half.SM))
	assert.Equal(t, capacities{49152, 72 << 10, 2304, 72, 12}, capacitiesOf(&more.SM))
}

// HeteroCore 3.2: but for the groups of warp slots, SMs are big and small in nothing
// else, and the rest of the GPU is the baseline's.
func TestHeteroCoreGPUsDifferFromTheBaselineInCapacitiesOnly(t *testing.T) {
	base := preset(t, "fermi16")
	for _, name := range []string{"heterocore-8b8s", "heterocore-4b12s", "heterocore-12b4s", "fermi16-half", "fermi16-threehalves"} {
		c := preset(t, name)
		for _, m := range c.SMList() {
			s := m.Spec
			s.Registers, s.SharedBytes, s.Threads, s.TBs = base.SM.Registers, base.SM.SharedBytes, base.SM.Threads, base.SM.TBs
			s.GroupSlots = base.SM.GroupSlots
			assert.Equal(t, base.SM, s, "%s, kind %s", name, m.Kind)
		}
		assert.Equal(t, 16, c.SMs.Count(), name)
		c.Name, c.About, c.SM, c.SMKinds, c.SMs = base.Name, base.About, base.SM, nil, base.SMs
		assert.Equal(t, base, c, name)
	}
}

// Resources are distributed anew, none are added: what the paper's numbers for 12B4S
// leave over is rounding.
func TestHeteroCoreGPUsHaveInSumWhatTheBaselineHas(t *testing.T) {
	for name, want := range map[string]capacities{
		"fermi16":          {16 * 32768, 16 * 48 << 10, 16 * 1536, 16 * 48, 16 * 8},
		"heterocore-8b8s":  {16 * 32768, 16 * 48 << 10, 16 * 1536, 16 * 48, 16 * 8},
		"heterocore-4b12s": {16 * 32768, 16 * 48 << 10, 16 * 1536, 16 * 48, 16 * 8},
		"heterocore-12b4s": {16*32768 - 4, (16*48 - 4) << 10, 16 * 1536, 16 * 48, 16*8 - 8},
	} {
		var sum capacities
		for _, m := range preset(t, name).SMList() {
			c := capacitiesOf(&m.Spec)
			sum = capacities{sum.registers + c.registers, sum.shared + c.shared, sum.threads + c.threads, sum.warps + c.warps, sum.tbs + c.tbs}
		}
		assert.Equal(t, want, sum, name)
	}
}

func TestHeteroCoreSMsHoldTheThreadBlocksOfTable3(t *testing.T) {
	data, err := os.ReadFile("testdata/heterocore_table3.json")
	require.NoError(t, err)
	var table struct {
		Kernels []struct {
			Abbr               string
			Threads, Registers int // registers of a thread
			SharedBytes        int `json:"shared_bytes"`
			Base, Big, Small   int
		}
	}
	require.NoError(t, json.Unmarshal(data, &table))
	require.Len(t, table.Kernels, 9)
	hetero := preset(t, "heterocore-8b8s")
	for _, k := range table.Kernels {
		demand := occupancy.Demand{TBs: 1, Threads: k.Threads, Warps: (k.Threads + workload.WarpSize - 1) / workload.WarpSize,
			Registers: k.Threads * k.Registers, SharedBytes: k.SharedBytes}
		for kind, want := range map[string]int{wiring.BaseKind: k.Base, "big": k.Big, "small": k.Small} {
			spec := hetero.SpecOf(kind)
			capacity := spec.Capacity()
			got, _ := capacity.Occupancy(demand)
			assert.Equal(t, want, got, "%s on %s", k.Abbr, kind)
		}
	}
}
