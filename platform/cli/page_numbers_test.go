package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
)

// numbersOf are the numbers of a JSON text by path.
func numbersOf(t *testing.T, text string) map[string]any {
	var all any
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	return numbersIn(all)
}

// numbersIn are the numbers of a JSON tree by path.
func numbersIn(tree any) map[string]any {
	list := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case float64:
			list[strings.TrimPrefix(path, ".")] = v
		case map[string]any:
			for key, value := range v {
				walk(path+"."+key, value)
			}
		case []any:
			for i, value := range v {
				walk(fmt.Sprintf("%s.%d", path, i), value)
			}
		}
	}
	walk("", tree)
	return list
}

// rowOfNumber is the tenant and the name that the tables of all numbers have for a path.
func rowOfNumber(path string, tenants []string) (tenant, name string) {
	at := numbered.FindStringSubmatchIndex(path)
	if at == nil {
		return "", path
	}
	n, _ := strconv.Atoi(path[at[4]:at[5]])
	return tenants[n], path[:at[0]] + path[at[1]:]
}

// wantOfRun is what the page of a run has to show of its result: the tiles, the tenants' table
// and, ordered by name and value, the numbers of the table of all. Rows
// keeps the tenant and the name that this table has for a path.
func wantOfRun(names []string, rows map[string][2]string, result map[string]any) map[string]any {
	tiles := items(items(result["cycles"], "core cycles"))
	for _, tile := range [][2]string{{"stp", "system throughput"}, {"antt", "mean slow-down"}, {"fairness", "fairness"}, {"dram.gigabytes_per_second", "GB/s of DRAM"}} {
		tiles = append(tiles, items(result[tile[0]], tile[1]))
	}
	tenants := items(items("tenant", "application", "IPC", "IPC alone", "normalised IPC", "slow-down (NTT)", "TBs finished", "L1 hits, %", "L2 hits, %", "DRAM bus, %"))
	for i, name := range names {
		row := items(strings.TrimPrefix(name, "profile:"), name)
		for _, column := range []string{"ipc", "isolated_ipc", "normalized_ipc", "ntt", "tbs_completed"} {
			row = append(row, result[fmt.Sprintf("kernels.%d.%s", i, column)])
		}
		for _, column := range []string{"l1.hit_rate", "l2.hit_rate", "dram.utilization"} {
			row = append(row, 100*result[fmt.Sprintf("kernels.%d.%s", i, column)].(float64))
		}
		tenants = append(tenants, row)
	}
	all := []any{}
	for path, v := range result {
		row, ok := rows[path]
		if !ok {
			row[0], row[1] = rowOfNumber(path, names)
			rows[path] = row
		}
		all = append(all, items(row[0], row[1], v))
	}
	sortNumbers(all)
	return map[string]any{"tiles": tiles, "tenants": tenants, "all": all}
}

var numbered = regexp.MustCompile(`\b(kernels|tenants)\.(\d+)\.`)

// numberIn is a number, or that of a text; not ok if the text is none.
func numberIn(v any) (number float64, ok bool) {
	if text, isText := v.(string); isText {
		number, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		return number, err == nil
	}
	return v.(float64), true
}

// sortNumbers orders rows of a tenant, a name and a number.
func sortNumbers(rows []any) {
	slices.SortFunc(rows, func(a, b any) int {
		x, y := a.([]any), b.([]any)
		m, _ := numberIn(x[2])
		n, _ := numberIn(y[2])
		return cmp.Or(strings.Compare(x[0].(string), y[0].(string)), strings.Compare(x[1].(string), y[1].(string)), cmp.Compare(m, n))
	})
}

// Every number of the tiles, the tenants' table and the table of all numbers is the result's, and
// every number of the result is there. A result with another number is told from the page's.
func TestNumbersOfARunsPageAreTheResults(t *testing.T) {
	folder := t.TempDir()
	page, result := filepath.Join(folder, "r.html"), filepath.Join(folder, "r.json")
	got := cotenant(t, "run", "--quiet", "--gpu", "plain16", "--app", "profile:sgemm", "--app", "profile:lbm", "--policy", "smk", "--cycles", "6k", "--html", page, "--json", result)
	require.Zero(t, got.status, got.stderr)
	p := browsertest.Render(t, read(t, page), 1280, `
const rows = (list) => [...list].map((r) => [...r.cells].map((c) => c.textContent.trim()));
found.tiles = [...document.querySelectorAll(".tiles section")].map((s) => [s.querySelector("b").textContent, s.querySelector("span").textContent]);
found.tenants = rows(document.querySelector("h2 ~ .scroll table").rows);
found.all = rows(document.querySelectorAll("#all tbody tr"));`)
	require.Empty(t, p.Wrong)
	numbers := numbersOf(t, read(t, result))
	for _, wall := range []string{"wall_seconds", "isolated_wall_seconds"} {
		delete(numbers, wall) // what the page leaves out, as it is equal for equal runs
	}
	names, rows := []string{"profile:sgemm", "profile:lbm"}, map[string][2]string{}
	p.Found["all"] = slices.DeleteFunc(p.Found["all"].([]any), func(row any) bool {
		_, ok := numberIn(row.([]any)[2])
		return !ok
	})
	sortNumbers(p.Found["all"].([]any))
	require.Greater(t, len(p.Found["all"].([]any)), 200)
	browsertest.RequireTold(t, p.Found, numbers, func() any { return wantOfRun(names, rows, numbers) }, 6)
}
