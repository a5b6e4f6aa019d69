package compare

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// run is a result of tenants with IPCs, as a file would have it.
func run(t *testing.T, name, policy string, ipcs map[string]float64, order ...string) *Run {
	t.Helper()
	r := experiment.Result{Schema: experiment.Schema, GPU: "gtx980", Policy: policy, Cycles: 1000}
	for _, app := range order {
		k := experiment.KernelResult{Name: strings.SplitN(app, "?", 2)[0], App: app, IPC: ipcs[app], Stalls: map[string]uint64{"issued": uint64(10 * ipcs[app])}}
		r.Kernels = append(r.Kernels, k)
	}
	text, err := json.Marshal(&r)
	require.NoError(t, err)
	read, err := Read(name, text)
	require.NoError(t, err)
	return read
}

func values(t *testing.T, rows []Row, tenant, name string) []any {
	t.Helper()
	for _, r := range rows {
		if r.Tenant == tenant && r.Name == name {
			return r.Values
		}
	}
	t.Fatalf("no row %s of %q", name, tenant)
	return nil
}

func TestTenantsMeetWhateverTheirOrder(t *testing.T) {
	a := run(t, "a", "smk", map[string]float64{"sgemm": 100, "lbm": 50}, "sgemm", "lbm")
	b := run(t, "b", "spart", map[string]float64{"lbm": 60, "sgemm?size=tiny": 80, "sad": 5}, "lbm", "sad", "sgemm?size=tiny")
	rows := Rows([]*Run{a, b})
	assert.Equal(t, []any{100.0, 80.0}, values(t, rows, "sgemm", "ipc"), "one application with another size")
	assert.Equal(t, []any{50.0, 60.0}, values(t, rows, "lbm", "ipc"))
	assert.Equal(t, []any{nil, 5.0}, values(t, rows, "sad", "ipc"))
	assert.Equal(t, []any{1000.0, 800.0}, values(t, rows, "sgemm", "stalls.issued"))
	assert.Equal(t, []any{"smk", "spart"}, values(t, rows, "", "policy"))
	for _, r := range rows {
		assert.NotContains(t, r.Name, "wall_seconds")
	}
	// Equal applications keep their order.
	twice := run(t, "c", "smk", map[string]float64{"lbm": 7}, "lbm", "lbm")
	list := Tenants([]*Run{twice, twice, b})
	require.Len(t, list, 4)
	assert.Equal(t, []int{0, 0, 0}, list[0].At)
	assert.Equal(t, []int{1, 1, -1}, list[1].At)
}

func TestChangesAreOfTheFirstRun(t *testing.T) {
	r := Row{Values: []any{50.0, 60.0, 50.0, 0.0, nil, "text", 1000.0}}
	for n, want := range []string{"50", "60 (+20.0 %)", "50", "0 (-100.0 %)", "-", "text", "1000 (20 times)"} {
		assert.Equal(t, want, r.Shown(n))
	}
	large := Row{Values: []any{123456.7, 1234567.0, -1234.0}}
	assert.Equal(t, []string{"123457", "1234567 (10 times)", "-1234 (-101.0 %)"}, []string{large.Shown(0), large.Shown(1), large.Shown(2)})
	zero := Row{Values: []any{0.0, 3.0}}
	_, ok := zero.Change(1)
	assert.False(t, ok)
	assert.Equal(t, "3", zero.Shown(1))
	assert.True(t, zero.Differs(1), "from nothing to something")
	near := Row{Values: []any{1000.0, 1001.0}}
	assert.True(t, near.Differs(0.1))
	assert.False(t, near.Differs(0.2))
}

func TestTableHasWhatDiffers(t *testing.T) {
	a := run(t, "a", "smk", map[string]float64{"sgemm": 100, "lbm": 50}, "sgemm", "lbm")
	b := run(t, "b", "spart", map[string]float64{"sgemm": 100, "lbm": 60}, "sgemm", "lbm")
	c := &Comparison{Runs: []*Run{a, b}, Rows: Rows([]*Run{a, b}), Least: 1}
	counters, alike := c.Counters()
	require.Len(t, counters, 1)
	assert.Equal(t, Row{"lbm", "stalls.issued", []any{500.0, 600.0}}, counters[0])
	assert.Greater(t, alike, 10)
	conditions := c.Conditions()
	require.Len(t, conditions, 1)
	assert.Equal(t, "policy", conditions[0].Name)
	var text, table strings.Builder
	require.NoError(t, c.WriteTable(&text))
	assert.Contains(t, text.String(), "600 (+20.0 %)")
	require.NoError(t, c.WriteCSV(&table))
	assert.Contains(t, table.String(), "tenant,name,a,b,change_percent_2\n")
	assert.Contains(t, table.String(), "lbm,stalls.issued,500,600,20\n")
	assert.Contains(t, table.String(), "sgemm,ipc,100,100,0\n")
}

func TestGPUsAreComparedFieldByField(t *testing.T) {
	one, two := []byte("name: a\nsm: {l1: {mshrs: 32, ways: 4}}\nsms: [{count: 8}]\n"), []byte("name: b\nsm: {l1: {mshrs: 64, ways: 4}}\nsms: [{count: 8}, {count: 2}]\n")
	rows, err := GPUFields([][]byte{one, two, nil})
	require.NoError(t, err)
	assert.Equal(t, []Row{{"", "name", []any{"a", "b", nil}}, {"", "sm.l1.mshrs", []any{"32", "64", nil}}, {"", "sms.1.count", []any{nil, "2", nil}}}, rows)
	rows, err = GPUFields([][]byte{one, one, nil})
	require.NoError(t, err)
	assert.Empty(t, rows)
}

func TestOtherFilesAreRefused(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"schema": 1, "kernels": [{}]}`, `{"schema": "x"}`} {
		_, err := Read("x.json", []byte(text))
		require.ErrorContains(t, err, "x.json: not the result of a run", text)
		require.ErrorContains(t, err, "valid: a file that run --json", text)
	}
	_, err := Read("x.sqlite", []byte("SQLite format 3\x00and pages"))
	require.EqualError(t, err, "x.sqlite: a store of runs, not the result of one; valid: a file that run --json wrote; report sweep and query read stores")
}
