package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
	"cotenant/workload"
	"cotenant/workload/emulated"
	"cotenant/workload/functional"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"
)

// effectTable lists the change of the issued instructions when each rule is switched
// off, and when all are, for every n-th application.
func effectTable(t *testing.T, every int) string {
	var out strings.Builder
	out.WriteString("| Application | Instructions |")
	changes := []string{"+all"}
	for _, name := range append(strings.Split(sass.RuleNames(), ", "), "all") {
		if name == "registers" { // which changes no number
			continue
		}
		fmt.Fprintf(&out, " `-%s` |", name)
		changes = append(changes, "-"+name)
	}
	out.WriteString("\n|---|--:|" + strings.Repeat("--:|", len(changes)-1) + "\n")
	for i, name := range kernels.Names() {
		if i%every != 0 {
			continue
		}
		m, err := kernels.Builtin(name)
		require.NoError(t, err)
		all := issued(t, m, changes[0])
		fmt.Fprintf(&out, "| %s | %d |", name, all)
		for _, change := range changes[1:] {
			fmt.Fprintf(&out, " %+.1f %% |", 100*(float64(issued(t, m, change))/float64(all)-1))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// issued is how many warp instructions an application issues at size tiny under
// changed rules of lowering, without what fills in behind barriers.
func issued(t *testing.T, m *kernels.Manifest, change string) (n uint64) {
	t.Helper()
	rules, err := sass.ParseOptions(change, sass.Options{})
	require.NoError(t, err)
	app, err := emulated.App(m, "tiny", "", workload.Target{}, rules)
	require.NoError(t, err)
	host, err := app.Start()
	require.NoError(t, err)
	count := functional.Observer{Executed: func(_, _ int, inst *workload.Inst) {
		if inst.Class != workload.Nop {
			n++
		}
	}}
	for {
		op, ok, err := host.Next()
		require.NoError(t, err)
		if !ok {
			return n
		}
		if op.Kernel != nil {
			require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, count))
		}
	}
}

func TestEveryRuleOfLoweringIsExplained(t *testing.T) {
	text := read(t, "ptx-lowering.md")
	var table, details []string
	for line := range strings.Lines(text) {
		if cell, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ := strings.Cut(cell, "`")
			table = append(table, name)
		}
		if item, ok := strings.CutPrefix(line, "- **"); ok {
			name, _, _ := strings.Cut(item, "**")
			details = append(details, name)
		}
	}
	require.Equal(t, sass.RuleNames(), strings.Join(table, ", "))
	require.ElementsMatch(t, table, details)
}

// Of some applications, and with -update of all.
func TestTableOfLoweringIsUpToDate(t *testing.T) {
	if *update {
		requireGenerated(t, "ptx-lowering.md", effectTable(t, 1))
		return
	}
	every := 8
	if need.CI() {
		every = 5
	}
	guide := read(t, "ptx-lowering.md")
	for line := range strings.Lines(effectTable(t, every)) {
		require.Contains(t, guide, line, "run go test ./docs -update")
	}
}
