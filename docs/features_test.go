package docs

import (
	"fmt"
	"strings"
	"testing"

	"cotenant/workload/kernels"
	"cotenant/workload/ptx"

	"github.com/stretchr/testify/require"
)

func TestWhatPTXIsNotModelledIsListed(t *testing.T) {
	var table strings.Builder
	table.WriteString("| Not modelled | In PTX |\n|---|---|\n")
	for _, f := range ptx.Features() {
		marks := strings.Fields(f.Marks)
		for i, mark := range marks {
			marks[i] = "`" + mark + "`"
		}
		fmt.Fprintf(&table, "| %s | %s |\n", f.Name, strings.Join(marks, " "))
	}
	requireGenerated(t, "your-own-kernels.md", table.String())
}

// running.md counts the built-in applications.
func TestRunningCountsTheApplications(t *testing.T) {
	require.Len(t, kernels.Names(), 2+55)
	require.Contains(t, read(t, "running.md"), "`sgemm`, `lbm` and fifty-five more names")
}
