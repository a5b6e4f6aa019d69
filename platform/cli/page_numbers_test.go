package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
)

// numbersOf are the numbers of a JSON text by path.
func numbersOf(t *testing.T, text string) map[string]float64 {
	var all any
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	list := map[string]float64{}
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
	walk("", all)
	return list
}

// shows reports whether a text shows a number, rounded to the digits that it has.
func shows(text string, v float64) bool {
	plain := strings.ReplaceAll(text, ",", "")
	x, err := strconv.ParseFloat(plain, 64)
	_, fraction, _ := strings.Cut(plain, ".")
	return err == nil && math.Abs(x-v) <= math.Max(0.5000001*math.Pow10(-len(fraction)), 1e-12*math.Abs(v)) && (len(fraction) > 0 || x == math.Round(v))
}

// wrongNumbers lists where a page of a run shows another number than the run's result, and which
// numbers of the result it lacks.
func wrongNumbers(page *browsertest.Probed, names []string, result map[string]float64) (wrong []string) {
	check := func(what, text, path string, times float64) {
		if v, ok := result[path]; !ok || !shows(text, times*v) {
			wrong = append(wrong, fmt.Sprintf("%s is %s, %s is %v", what, text, path, times*v))
		}
	}
	of := func(place string) (rows [][]string) {
		for _, row := range page.Found[place].([]any) {
			var cells []string
			for _, cell := range row.([]any) {
				cells = append(cells, cell.(string))
			}
			rows = append(rows, cells)
		}
		return rows
	}
	for _, tile := range of("tiles") {
		path := map[string]string{"core cycles": "cycles", "system throughput": "stp", "mean slow-down": "antt", "fairness": "fairness", "GB/s of DRAM": "dram.gigabytes_per_second"}[tile[1]]
		check(tile[1], tile[0], path, 1)
	}
	heads := of("tenants")[0]
	for i, row := range of("tenants")[1:] {
		for c, head := range heads {
			path, times := "", 1.0
			switch head {
			case "IPC":
				path = "ipc"
			case "IPC alone":
				path = "isolated_ipc"
			case "normalised IPC":
				path = "normalized_ipc"
			case "slow-down (NTT)":
				path = "ntt"
			case "TBs finished":
				path = "tbs_completed"
			case "L1 hits, %":
				path, times = "l1.hit_rate", 100
			case "L2 hits, %":
				path, times = "l2.hit_rate", 100
			case "DRAM bus, %":
				path, times = "dram.utilization", 100
			default:
				if c > 1 {
					wrong = append(wrong, "nothing compares column "+head)
				}
				continue
			}
			check(row[0]+", "+head, row[c], fmt.Sprintf("kernels.%d.%s", i, path), times)
		}
	}
	left := map[string][]float64{}
	numbered := regexp.MustCompile(`\b(kernels|tenants)\.(\d+)\.`)
	for path, v := range result {
		tenant := ""
		if m := numbered.FindStringSubmatch(path); m != nil {
			n, _ := strconv.Atoi(m[2])
			tenant = names[n]
		}
		key := tenant + " " + numbered.ReplaceAllString(path, "")
		left[key] = append(left[key], v)
	}
	for _, row := range of("all") {
		key := row[0] + " " + row[1]
		if _, err := strconv.ParseFloat(strings.ReplaceAll(row[2], ",", ""), 64); err != nil {
			continue // a text
		}
		at := slices.IndexFunc(left[key], func(v float64) bool { return shows(row[2], v) })
		if at < 0 {
			wrong = append(wrong, fmt.Sprintf("%s is %s, not one of %v", key, row[2], left[key]))
			continue
		}
		left[key] = slices.Delete(left[key], at, at+1)
	}
	for key, values := range left {
		if len(values) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s is missing: %v", key, values))
		}
	}
	slices.Sort(wrong)
	return wrong
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
	names := []string{"profile:sgemm", "profile:lbm"}
	wrong := wrongNumbers(p, names, numbers)
	require.Empty(t, wrong[:min(len(wrong), 12)])
	require.Greater(t, len(p.Found["all"].([]any)), 200)
	for _, path := range slices.Sorted(maps.Keys(numbers)) {
		was := numbers[path]
		numbers[path] = was*1.01 + 1
		assert.NotEmpty(t, wrongNumbers(p, names, numbers), path)
		numbers[path] = was
	}
}
