package timeline

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components"
	"cotenant/metrics/journey"
)

// followed writes loads that come to stops at cycles.
func followed(t *testing.T, loads ...map[journey.Stop]uint64) []event {
	var text bytes.Buffer
	w := New(&text, Options{CoreMHz: 1000, Tenants: []string{"a", "b"}})
	r := journey.New(1, 1, w.Request)
	var ids []journey.ID
	for i := range loads {
		ids = append(ids, r.Begin(1, 2, 0x40, uint64(i), 0))
	}
	for i, load := range loads {
		for s, at := range load {
			switch s {
			case journey.Accessed:
				r.Access(ids[i], 0x3000, load[journey.Performed] > at+50, 0)
			case journey.Arrived:
				r.Slice(ids[i], 5, 0)
			}
			r.Mark(ids[i], s, components.Time(at))
		}
		r.Perform(ids[i], components.Time(load[journey.Performed]))
	}
	require.NoError(t, w.Close(1000))
	return parse(t, text.Bytes())
}

func TestLoadIsSlicesAndAFlow(t *testing.T) {
	list := followed(t, map[journey.Stop]uint64{journey.Issued: 10, journey.Accessed: 12, journey.Left: 20, journey.Arrived: 25, journey.LookedUp: 40,
		journey.Requested: 50, journey.Commanded: 70, journey.Fetched: 80, journey.Filled: 90, journey.Answered: 90, journey.Returned: 99, journey.Performed: 170})
	names := tracks(list)
	var parts, flow []string
	at := map[string]bool{}
	for _, e := range list {
		switch e.Phase {
		case "X":
			parts = append(parts, fmt.Sprintf("%s | %s | %v+%v", names[track{e.Process, e.Thread}], e.Name, e.Args["cycle"], e.Args["cycles"]))
			at[fmt.Sprint(e.Thread, e.TS)] = true
			assert.Equal(t, "DRAM", e.Args["served_by"])
			assert.Equal(t, "0x3000", e.Args["address"])
			assert.EqualValues(t, 5, e.Args["slice"])
		case "s", "t", "f":
			flow = append(flow, e.Phase)
			assert.True(t, at[fmt.Sprint(e.Thread, e.TS)], "a slice begins where the flow goes")
		}
	}
	assert.Equal(t, []string{
		"b · load-store unit | load-store unit | 10+2",
		"b · L1 | miss queue | 12+8",
		"b · request crossbar | request crossbar | 20+5",
		"b · L2 | look-up | 25+15",
		"b · L2 | to DRAM | 40+10",
		"b · DRAM | DRAM queue | 50+20",
		"b · DRAM | DRAM service | 70+10",
		"b · DRAM | DRAM return | 80+10",
		"b · reply crossbar | reply crossbar | 90+9",
		"b · L1 | L1 to registers | 99+71",
	}, parts)
	assert.Equal(t, []string{"s", "t", "t", "t", "t", "t", "t", "t", "t", "f"}, flow)
}

func TestLoadsThatEndEarly(t *testing.T) {
	list := followed(t,
		map[journey.Stop]uint64{journey.Issued: 10, journey.Accessed: 12, journey.Performed: 40},
		map[journey.Stop]uint64{journey.Issued: 11, journey.Accessed: 13, journey.Performed: 90},
		map[journey.Stop]uint64{journey.Issued: 12, journey.Accessed: 14, journey.Left: 20, journey.Arrived: 25, journey.LookedUp: 40, journey.Answered: 42, journey.Returned: 50, journey.Performed: 110})
	names := tracks(list)
	var parts []string
	for _, e := range list {
		if e.Phase == "X" {
			parts = append(parts, fmt.Sprintf("%s | %s | %s", names[track{e.Process, e.Thread}], e.Name, e.Args["served_by"]))
		}
	}
	assert.Equal(t, []string{
		"b · load-store unit | load-store unit | L1",
		"b · L1 | L1 hit | L1",
		"b · load-store unit · 2 | load-store unit | L1, joined a miss",
		"b · L1 · 2 | waits for another's miss | L1, joined a miss",
		"b · load-store unit · 3 | load-store unit | L2",
		"b · L1 · 3 | miss queue | L2",
		"b · request crossbar · 3 | request crossbar | L2",
		"b · L2 · 3 | look-up | L2",
		"b · L2 · 3 | L2 answer | L2",
		"b · reply crossbar · 3 | reply crossbar | L2",
		"b · L1 · 3 | L1 to registers | L2",
	}, parts)
}
