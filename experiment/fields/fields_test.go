package fields

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

const result = `{"schema": 2, "gpu": "gtx980", "policy": "smk", "cycles": 100, "stp": null,
 "kernels": [{"app": "sgemm", "ipc": 1.5, "goal_reached": true, "l1": {"hits": 7}, "launches": [{"tbs": 3}, {"tbs": 4}]}, {"app": "lbm", "ipc": 20, "launches": []}],
 "stats": {"sm": {"total": {"l1_hits": 9}, "tenants": [{"l1_hits": 7}, {"l1_hits": 2}]}}, "sms": [{"id": 0, "stalls": {"idle": 5}}]}`

func rows(t *testing.T, kind Kind) *Table {
	t.Helper()
	list, err := Of([]byte(result))
	require.NoError(t, err)
	table := New()
	table.Add(kind, list, Field{Name: "source", Value: "a.json"})
	return table
}

func csvOf(t *testing.T, table *Table, columns ...string) []string {
	t.Helper()
	require.NoError(t, table.Choose(columns...))
	var text strings.Builder
	require.NoError(t, table.WriteCSV(&text))
	return strings.Split(strings.TrimSpace(text.String()), "\n")
}

func TestEveryFieldHasItsOwner(t *testing.T) {
	assert.Equal(t, []string{"source,tenant,app,ipc,goal_reached,l1.hits,stats.sm.l1_hits,total.stats.sm.total.l1_hits,total.cycles,total.stp",
		"a.json,0,sgemm,1.5,true,7,7,9,100,", "a.json,1,lbm,20,,,2,9,100,"},
		csvOf(t, rows(t, "tenant"), "source", "tenant", "app", "ipc", "goal_reached", "l1.hits", "stats.sm.l1_*", "total.stats.*", "total.cycles", "total.stp"))
	assert.Equal(t, []string{"policy,cycles,stats.sm.total.l1_hits,sms.0.stalls.idle", "smk,100,9,5"},
		csvOf(t, rows(t, "run"), "policy", "cycles", "stats.*", "*idle"))
	assert.Equal(t, []string{"tenant,tenant.app,launch,tbs,total.cycles", "0,sgemm,0,3,100", "0,sgemm,1,4,100"},
		csvOf(t, rows(t, "launch"), "tenant", "tenant.app", "launch", "tbs", "total.cycles"))
}

func TestConditionsKeepRows(t *testing.T) {
	for text, left := range map[string]int{
		"app=sgemm": 1, "app=*m*": 2, "app!=lbm": 1, "ipc>1.5": 1, "ipc>=1.5": 2, "ipc<20": 1, "ipc <= 20": 2, "ipc=20.0": 1, "l1.hits=7": 1, "total.policy=smk": 2, "app>1": 0,
	} {
		c, err := ParseCondition(text)
		require.NoError(t, err, text)
		table := rows(t, "tenant")
		require.NoError(t, table.Keep(c), text)
		assert.Equal(t, left, table.Len(), text)
	}
	for _, text := range []string{"ipc", "", "=3", "ipc<fast", "app=[", "ipc!3"} {
		_, err := ParseCondition(text)
		assert.Error(t, err, text)
	}
	c, err := ParseCondition("ipx=3")
	require.NoError(t, err)
	require.ErrorContains(t, rows(t, "tenant").Keep(c), "no row has a field ipx; --names lists the fields")
}

func TestUnknownColumnsNameNearOnes(t *testing.T) {
	table := rows(t, "tenant")
	err := table.Choose("app", "stats.l2.l1_hits*")
	require.ErrorContains(t, err, "no row has a field stats.l2.l1_hits*; valid: stats.sm.l1_hits, total.stats.sm.total.l1_hits")
	assert.Equal(t, []string{"app", "stats.l2.l1_hits*"}, table.Columns, "a column without values")
	assert.Error(t, CheckPatterns("app", "["))
}

func TestResultsOfASweepAreNumbered(t *testing.T) {
	var r experiment.Result
	require.NoError(t, json.Unmarshal([]byte(result), &r))
	table, missing := Results([]*experiment.Result{nil, &r}, true, "ipc")
	require.NoError(t, missing)
	var text strings.Builder
	require.NoError(t, table.WriteCSV(&text))
	assert.Equal(t, "run,policy,gpu,tenant,app,ipc\n2,smk,gtx980,0,sgemm,1.5\n2,smk,gtx980,1,lbm,20\n", text.String())
}
