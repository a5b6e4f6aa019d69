package stats

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type causes [2]uint64

func (causes) Label(i int) string { return []string{"near", "far"}[i] }

type cacheStats struct{ Hits, Misses uint64 }

type tenantStats struct {
	Packets  uint64
	L1       cacheStats
	Stalls   causes
	PerBank  [2]uint64
	Lent     uint64 `json:"borrowed"`
	Arrived  uint64 `json:"-"`
	Launches []uint64
	Ratio    float64
	Name     string
}

type portStats struct{ Flits uint64 }

type blockStats struct {
	Tenants  [16]tenantStats
	SMStalls uint64
	Packets  uint64 // of all tenants and of none
	Ports    []portStats
	hidden   int
}

func example() *blockStats {
	s := &blockStats{SMStalls: 7, Packets: 100, Ports: []portStats{{1}, {2}}, hidden: 5}
	s.Tenants[0] = tenantStats{Packets: 1, L1: cacheStats{2, 3}, Stalls: causes{4, 5}, PerBank: [2]uint64{6, 7}, Lent: 8,
		Arrived: 9, Launches: []uint64{10}, Ratio: 0.5, Name: "a"}
	s.Tenants[15] = tenantStats{Packets: 10, L1: cacheStats{Hits: 20}}
	return s
}

func TestEveryCounterIsAddedAndNothingElse(t *testing.T) {
	sum := example()
	more := example()
	more.Ports = append(more.Ports, portStats{30})
	Add(sum, more)
	want := example()
	want.SMStalls, want.Packets, want.Ports = 14, 200, []portStats{{2}, {4}, {30}}
	k := &want.Tenants[0]
	k.Packets, k.L1, k.Stalls, k.PerBank, k.Lent = 2, cacheStats{4, 6}, causes{8, 10}, [2]uint64{12, 14}, 16
	want.Tenants[15].Packets, want.Tenants[15].L1.Hits = 20, 40
	assert.Equal(t, want, sum)
	assert.Equal(t, []portStats{{1}, {2}, {30}}, more.Ports, "what is added stays")
	assert.Equal(t, cacheStats{44, 6}, Sum(sum.Tenants[:]).L1)
	Subtract(sum, more)
	want = example()
	want.Ports = append(want.Ports, portStats{0})
	assert.Equal(t, want, sum)
}

func TestCountersAreNamedByTheirFieldsInTheirOrder(t *testing.T) {
	g := Collect([]any{example(), example()}, 2)
	assert.Equal(t, Counts{{Name: "sm_stalls", Value: 14}, {Name: "packets", Value: 200}, {Name: "ports_flits", Value: 6}, {Name: "l1_hits", Value: 44}, {Name: "l1_misses", Value: 6},
		{Name: "stalls_near", Value: 8}, {Name: "stalls_far", Value: 10}, {Name: "per_bank_0", Value: 12}, {Name: "per_bank_1", Value: 14}, {Name: "borrowed", Value: 16}}, g.Total)
	require.Len(t, g.Tenants, 2)
	assert.Equal(t, Counts{{Name: "packets", Value: 2}, {Name: "l1_hits", Value: 4}, {Name: "l1_misses", Value: 6}, {Name: "stalls_near", Value: 8}, {Name: "stalls_far", Value: 10},
		{Name: "per_bank_0", Value: 12}, {Name: "per_bank_1", Value: 14}, {Name: "borrowed", Value: 16}}, g.Tenants[0])
	assert.Equal(t, List(&tenantStats{}), g.Tenants[1], "a tenant without counts has zeros")
}

func TestAStructWithoutTenantsHasATotalOnly(t *testing.T) {
	assert.Equal(t, Group{Total: Counts{{Name: "flits", Value: 3}}}, Collect([]any{&portStats{1}, &portStats{2}}, 4))
}

func TestNamesAreInSnakeCase(t *testing.T) {
	for name, want := range map[string]string{
		"WaitCycles": "wait_cycles", "TBsPlaced": "tbs_placed", "SMs": "sms", "L1": "l1", "L2Hits": "l2_hits",
		"DRAMAccesses": "dram_accesses", "CPUCycles": "cpu_cycles", "BytesToDevice": "bytes_to_device", "Reads": "reads", "A": "a",
	} {
		assert.Equal(t, want, Snake(name))
	}
}

func TestJSONKeepsTheOrderAndReadsBack(t *testing.T) {
	want := Collect([]any{example()}, 1)
	text, err := json.Marshal(want)
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"total":{"sm_stalls":7,"packets":100,`)
	var got Group
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, want, got)
	for _, bad := range []string{`3`, `{"a":-1}`, `{"a":"b"}`, `{"a":1.5}`} {
		assert.Error(t, json.Unmarshal([]byte(bad), &Counts{}), bad)
	}
}

func TestFillTakesCountersOfTheSameName(t *testing.T) {
	var to struct {
		Hits, Packets, Other uint64
		Name                 string
	}
	to.Other, to.Name = 3, "b"
	Fill(&to, &cacheStats{Hits: 1, Misses: 2}, &example().Tenants[0])
	assert.Equal(t, []any{uint64(1), uint64(1), uint64(3), "b"}, []any{to.Hits, to.Packets, to.Other, to.Name})
	assert.PanicsWithValue(t, "two counters are called Hits", func() { Fill(&to, &cacheStats{}, &cacheStats{}) })
}

// grouped has two entries of each of two tenants.
type grouped [4]struct{ Hits uint64 }

func (*grouped) Tenants() int { return 2 }

func TestAccountsAreSummedByTenant(t *testing.T) {
	block := &struct {
		Cycles   uint64
		Accounts grouped
	}{Cycles: 9, Accounts: grouped{{1}, {10}, {100}, {1000}}}
	require.Equal(t, Counts{{Name: "hits", Value: 101}}, Tenant(block, 0))
	require.Equal(t, Counts{{Name: "hits", Value: 1010}}, Tenant(block, 1))
	group := Collect([]any{block, block}, 2)
	require.Equal(t, Group{Total: Counts{{Name: "cycles", Value: 18}, {Name: "hits", Value: 2222}}, Tenants: []Counts{{{Name: "hits", Value: 202}}, {{Name: "hits", Value: 2020}}}}, group)
	require.Equal(t, Counts{{Name: "cycles", Value: 9}}, List(block))
	require.Equal(t, uint64(101), Each(block.Accounts[:], 2).Hits)
}

func TestFillFollowsTagsAndStructs(t *testing.T) {
	type memory struct {
		Accesses uint64 `from:"Packets|Hits+Misses"`
		Misses   uint64
	}
	type result struct {
		memory
		L1     memory
		Lent   uint64 `from:"L1.Hits"`
		Absent uint64 `from:"L1.Hits+None"`
	}
	var of result
	for range 2 { // it adds
		Fill(&of, &example().Tenants[0])
	}
	assert.Equal(t, result{memory: memory{Accesses: 2}, L1: memory{10, 6}, Lent: 4}, of)
}

// few has an entry that few programs count.
type few [2]uint64

func (few) Label(i int) string  { return []string{"usual", "rare"}[i] }
func (few) Optional(i int) bool { return i == 1 }

func TestAnOptionalCounterIsLeftOutOfJSONWhileItIsZero(t *testing.T) {
	s := struct{ Cycles few }{}
	for value, want := range []string{`{"cycles_usual":0}`, `{"cycles_usual":0,"cycles_rare":1}`} {
		s.Cycles[1] = uint64(value)
		text, err := List(&s).MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	type part struct{ Uses uint64 }
	parts := struct {
		Parts []part `optional:"1"`
	}{}
	for want, list := range map[string][]part{"{}": nil, `{"parts_uses":3}`: {{1}, {2}}} {
		parts.Parts = list
		text, err := List(&parts).MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
}
