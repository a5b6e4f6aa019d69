package validation

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// head is what the document says before its tables.
//
//go:embed head.md
var head string

// WriteMarkdown writes the document: what is measured, and a table for each GPU.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var out strings.Builder
	out.WriteString(head)
	for _, m := range Marks {
		fmt.Fprintf(&out, "- (%s) %s\n", m.Mark, m.Text)
	}
	out.WriteString("\n## What is measured\n\n")
	row(&out, "Figure", "Unit", "Microkernel")
	out.WriteString("|---|---|---|\n")
	for _, m := range All() {
		about := m.About
		for _, f := range m.Figures {
			row(&out, "`"+f.Name+"`", f.Unit, about)
			about = "as above"
		}
	}
	for _, g := range r.GPUs {
		g.writeMarkdown(&out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (g *GPUReport) writeMarkdown(out *strings.Builder) {
	fmt.Fprintf(out, "\n## %s\n\n", g.GPU)
	if g.Machine == "" {
		out.WriteString("Nothing is published of this machine.\n\n")
	} else {
		fmt.Fprintf(out, "Published figures are of: %s\n\n", g.Machine)
	}
	row(out, "Figure", "Ours", "Unit", "Published", "Source", "Difference", "Reason")
	out.WriteString("|---|---:|---|---:|---|---:|---|\n")
	for _, m := range g.Figures {
		name, ours, unit := "`"+m.Figure+"`", number(m.Ours), m.Unit
		if len(m.Published) == 0 {
			row(out, name, ours, unit, "", "", "", "")
		}
		for _, c := range m.Published {
			source := fmt.Sprintf("%s (%s)", c.Source, c.Mark)
			if c.Printed != "" {
				source += ": " + c.Printed
			}
			row(out, name, ours, unit, Range{c.Low, c.High}.String(), source, percent(c.Difference), c.Reason)
		}
	}
}

// row writes a row of a table.
func row(out *strings.Builder, cells ...string) {
	out.WriteString("|")
	for _, c := range cells {
		out.WriteString(" " + strings.ReplaceAll(c, "|", `\|`))
		if c != "" {
			out.WriteString(" ")
		}
		out.WriteString("|")
	}
	out.WriteString("\n")
}

// number writes a figure with the digits that it has.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// percent writes a difference.
func percent(x float64) string {
	if x == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%+.1f %%", 100*x)
}
