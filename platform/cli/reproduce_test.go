package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/reproduce"
)

func TestReproduceRunsWhatItTakesAndComparesWithThePaper(t *testing.T) {
	t.Setenv(asProgram, "1")
	quick := reproduce.Quick
	defer func() { reproduce.Quick = quick }()
	reproduce.Quick = reproduce.Scale{Quick: true, Cycles: 500, Size: "tiny"}
	path := filepath.Join(t.TempDir(), "s.sqlite")

	sheet := filepath.Join(t.TempDir(), "table2.csv")
	got := cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path, "--json", "-", "--csv", sheet, "--html", sheet+".html", "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	var report reproduce.Report
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	page := read(t, sheet+".html")
	assert.Contains(t, page, "<pre>cotenant reproduce --quick --json - --csv ")
	assert.Contains(t, page, "<pre>cotenant query "+path+"</pre>", "no page of report sweep shows runs of single applications")
	assert.Equal(t, len(report.Rows), strings.Count(page, "\n<tr><td"))
	lines, err := csv.NewReader(strings.NewReader(read(t, sheet))).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"name", "gpu", "quick", "cycles", "size", "label", "unit", "paper", "paper_source", "ours", "mixes", "of_mixes", "low", "high"}, lines[0])
	require.Len(t, lines, 1+len(report.Rows))
	for i, row := range report.Rows {
		ours, err := strconv.ParseFloat(lines[i+1][9], 64)
		require.NoError(t, err)
		assert.Equal(t, *row.Ours, ours)
		assert.Equal(t, []string{"smk-table2", report.GPU, "true", "500", "tiny", row.Label, row.Unit}, lines[i+1][:7])
	}
	assert.Equal(t, []any{"smk-table2", true, uint64(500), "tiny", 6, 1, 6}, []any{report.Name, report.Quick, report.Cycles, report.Size, report.Mixes, report.Policies, report.Simulations})
	assert.Len(t, report.Rows, 24)
	for _, row := range report.Rows {
		require.NotNil(t, row.Ours, row.Label)
		if strings.HasSuffix(row.Label, "stall cycles") {
			assert.True(t, *row.Ours > 0 && *row.Ours < 100, "%s: %v", row.Label, *row.Ours)
		}
	}

	file := filepath.Join(t.TempDir(), "table2.json")
	again := cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path, "--json", file)
	require.Equal(t, 0, again.status, again.stderr)
	assert.Equal(t, "6 of 6 runs\n", again.stderr, "all are stored")
	assert.Contains(t, again.stdout, "│ mysgemmNT, registers            │ %    │  94.500 │  94.531 │             - │     1 │     +0.031 │ printed          │")
	assert.Equal(t, got.stdout, read(t, file), "and the table on standard output")
}

func TestReproduceRefusesReportsThatItCannotWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	for _, c := range []struct {
		args    string
		message string
		status  int
	}{
		{"smk-fig8 --json - --csv -", "--json and --csv both write to -; valid: different files", exitUsage},
		{"smk-fig8 --json " + path + " --csv " + folder + "/./out", "--json and --csv both write to ", exitUsage},
		{"smk-fig8 --csv " + filepath.Join(path, "no", "out"), "cannot be written: no such file or directory", exitFailure},
		{"--list --json " + path, "--list makes no report; valid: without --json, --csv, --html and --into", exitUsage},
		{"smk-fig8 --json", "flag needs an argument: --json", exitUsage},
		{"thesis-fig6.2 --quick --gpu gtx980", "thesis-fig6.2: pages are demand, and GPU gtx980", exitUsage},
	} {
		got := cotenant(t, append([]string{"reproduce", "--store", filepath.Join(t.TempDir(), "s.sqlite")}, strings.Fields(c.args)...)...)
		assert.Equal(t, c.status, got.status, c.args)
		assert.Contains(t, got.stderr, c.message)
		assertEmptyFolder(t, folder)
	}
}

func TestReproduceThatLacksAPolicyFailsInOneLine(t *testing.T) {
	var missing *reproduce.Experiment
	for _, e := range reproduce.All() {
		if _, err := e.Check(reproduce.Quick); err != nil && !e.TakesPrograms() {
			missing = e
		}
	}
	if missing == nil {
		t.Skip("this build has all that the experiments take")
	}
	path := filepath.Join(t.TempDir(), "s.sqlite")
	got := cotenant(t, "reproduce", missing.Name, "--quick", "--store", path)
	assert.Equal(t, 1, got.status)
	assert.Regexp(t, "^cotenant: "+missing.Name+" needs parts that this build lacks: .*\n$", got.stderr)
	assert.NoFileExists(t, path)
}

func TestExperimentsAreListedWithTheirSource(t *testing.T) {
	got := cotenant(t, "reproduce", "--list")
	require.Equal(t, 0, got.status, got.stderr)
	for _, e := range reproduce.All() {
		assert.Contains(t, got.stdout, e.Name+" ")
		assert.Contains(t, got.stdout, "("+e.Source+")")
	}
	for args, message := range map[string]string{
		"reproduce":                   "reproduce takes one experiment or --list, got 0 experiments; valid: reproduce NAME, reproduce --list",
		"reproduce a b":               "reproduce takes one experiment or --list, got 2 experiments",
		"reproduce smk-table2 --list": "reproduce takes one experiment or --list, got 1 experiment",
		"reproduce smk-fig99":         `unknown experiment "smk-fig99"; valid: ccbp-arbiter, `,
	} {
		got := cotenant(t, strings.Fields(args)...)
		assert.Equal(t, 2, got.status, args)
		assert.True(t, strings.HasPrefix(got.stderr, "cotenant: "+message), got.stderr)
	}
}

// An experiment that asks for more runs by the results so far has its plan carried out
// more than once.
func TestAPlanCanBeCarriedOutAgain(t *testing.T) {
	f := &reproduceFlags{batch: batch{quiet: true, cache: t.TempDir()}}
	f.store.path = filepath.Join(t.TempDir(), "store.sqlite")
	c := newReproduceCommand()
	c.SetContext(context.Background())
	paths := &files{stderr: io.Discard}
	plan, enter, err := f.plan(paths)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, enter())
		results, _, err := f.do(c, paths, plan)
		require.NoError(t, err)
		require.Empty(t, results)
	}
}

// --stored makes no run: it reports the mixes that a store has, here those of a shorter
// command. --into writes the section of a document.
func TestReproduceReportsWhatIsStoredIntoADocument(t *testing.T) {
	t.Setenv(asProgram, "1")
	quick := reproduce.Quick
	defer func() { reproduce.Quick = quick }()
	reproduce.Quick = reproduce.Scale{Quick: true, Cycles: 500, Size: "tiny"}
	dir := t.TempDir()
	path, document := filepath.Join(dir, "s.sqlite"), filepath.Join(dir, "results.md")
	write := func(text string) { require.NoError(t, os.WriteFile(document, []byte(text), 0o600)) }

	missing := cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path, "--stored")
	assert.Equal(t, 1, missing.status)
	assert.Contains(t, missing.stderr, path)

	write("before\n<!-- smk-table2 -->\nold\n<!-- end of smk-table2 -->\nafter\n")
	made := cotenant(t, "reproduce", "smk-table2", "--quick", "--cycles", "400", "--store", path, "--into", document, "--quiet")
	require.Equal(t, 0, made.status, made.stderr)
	section := read(t, document)
	assert.True(t, strings.HasPrefix(section, "before\n<!-- smk-table2 -->\nOccupancy and stall cycles of six kernels alone on the GTX 980 (SMK, Table 2): `go run ./platform reproduce smk-table2 --quick --cycles 400`\n\n| | unit | paper | ours | 95 % interval | mixes |\n"), section)
	assert.Contains(t, section, "\n| mysgemmNT, registers | % | 94.500 | 94.531 | - | 1 |\n")
	assert.Contains(t, section, "each ran for 400 cycles")
	assert.True(t, strings.HasSuffix(section, "\n<!-- end of smk-table2 -->\nafter\n"), section)

	stored := cotenant(t, "reproduce", "smk-table2", "--quick", "--cycles", "400", "--store", path, "--stored", "--into", document)
	require.Equal(t, 0, stored.status, stored.stderr)
	assert.Equal(t, section, read(t, document))
	none := cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path, "--stored")
	require.Equal(t, 0, none.status, none.stderr)
	assert.Contains(t, none.stdout, "0 of 1 ")

	write("nothing\n")
	unmarked := cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path, "--stored", "--into", document)
	assert.Equal(t, 1, unmarked.status)
	assert.Contains(t, unmarked.stderr, "has no lines <!-- smk-table2 --> and <!-- end of smk-table2 -->")
	toTheEnd := cotenant(t, "reproduce", "thesis-fig5.4", "--quick", "--cycles", "400", "--store", path)
	assert.Equal(t, 2, toTheEnd.status)
	assert.Contains(t, toTheEnd.stderr, "--cycles sets the length of windows, and thesis-fig5.4 has none")
}

func TestDryRunTellsWhatIsMissingAndMakesNoRun(t *testing.T) {
	t.Setenv(asProgram, "1")
	quick := reproduce.Quick
	defer func() { reproduce.Quick = quick }()
	reproduce.Quick = reproduce.Scale{Quick: true, Cycles: 500, Size: "tiny"}
	path := filepath.Join(t.TempDir(), "s.sqlite")
	got := cotenant(t, "reproduce", "smk-table2", "--quick", "--dry-run", "--store", path)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, 6, strings.Count(got.stdout, "to run  cotenant run "))
	assert.Contains(t, got.stdout, "\n6 runs, about 0 s at 95000 cycles/s\n")
	assert.NoFileExists(t, path)
	require.Equal(t, 0, cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path, "--quiet").status)
	got = cotenant(t, "reproduce", "smk-table2", "--quick", "--dry-run", "--store", path)
	assert.Equal(t, 6, strings.Count(got.stdout, "stored  cotenant run "))
	assert.Contains(t, got.stdout, "\n6 runs, 6 stored\n")
	got = cotenant(t, "reproduce", "--list", "--store", path)
	assert.Regexp(t, `smk-table2 .*\n +6 runs, about \d+ (s|min) by the runs of the store\n`, got.stdout)
	for _, more := range []string{"--stored", "--list", "--json=-"} {
		args := []string{"reproduce", "smk-table2", "--dry-run", more}
		if more == "--list" {
			args = []string{"reproduce", "--dry-run", more}
		}
		got = cotenant(t, args...)
		assert.Equal(t, exitUsage, got.status)
		assert.Contains(t, got.stderr, "--dry-run makes no run and no report")
	}
}
