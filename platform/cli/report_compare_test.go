package cli

import (
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/observe/browsertest"
)

// Every number of the page is that of the results' files, in the same place.
func TestComparisonShowsTheNumbersOfTheFiles(t *testing.T) {
	folder := t.TempDir()
	gpu, _, app := conventional(t)
	a, b := filepath.Join(folder, "a.json"), filepath.Join(folder, "b.json")
	for file, policy := range map[string]string{a: "spart", b: "smk"} {
		got := cotenant(t, "run", "--gpu", gpu, "--app", app, "--app", "profile:lbm", "--policy", policy, "--cycles", "4k", "--json", file, "--over-time", "--quiet")
		require.Equal(t, 0, got.status, got.stderr)
	}
	page, table := filepath.Join(folder, "c.html"), filepath.Join(folder, "c.csv")
	got := cotenant(t, "report", "compare", a, b, "--html", page, "--csv", table)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "spart")
	rows, err := csv.NewReader(strings.NewReader(read(t, table))).ReadAll()
	require.NoError(t, err)
	csvRows := map[string][]string{}
	for _, row := range rows {
		csvRows[row[0]+" "+row[1]] = row[2:]
	}
	assert.Equal(t, []string{"spart", "smk", ""}, csvRows[" policy"])
	assert.Equal(t, "4000", csvRows[" cycles"][0])
	p := browsertest.Render(t, read(t, page), 1280, `
const field = document.querySelector("input[type=search]");
field.value = "LBM l1.acc"; field.dispatchEvent(new Event("input"));
found.rows = [...document.querySelectorAll("#all tbody tr")].filter((r) => !r.hidden).map((r) => [...r.cells].map((c) => c.textContent.split(" ")[0]).join(" "));
found.count = field.parentNode.textContent;`)
	assert.Empty(t, p.Wrong)
	want := csvRows["profile:lbm l1.accesses"]
	line := func(name string) string { return "profile:lbm " + name + " " + want[0] + " " + want[1] }
	assert.Equal(t, []any{line("l1.accesses"), line("launches.0.l1.accesses")}, p.Found["rows"], "of the tenant and its only launch")
	assert.Contains(t, p.Found["count"], "2 of ")
	assert.Len(t, p.Charts, 4, "with the progress over time of each tenant")
}

func TestComparisonSaysWhatItCannotRead(t *testing.T) {
	folder := t.TempDir()
	got := cotenant(t, "report", "compare", filepath.Join(folder, "a.json"))
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "report compare takes the results of two or more runs")
	got = cotenant(t, "report", "compare", filepath.Join(folder, "a.json"), filepath.Join(folder, "b.json"))
	assert.NotEqual(t, 0, got.status)
	assert.Contains(t, got.stderr, "a.json")
	assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
	got = cotenant(t, "report", "compare", "a.json", "b.json", "--least", "-1")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "--least is -1; valid: 0 or more")
}
