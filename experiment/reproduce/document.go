package reproduce

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Interval is the row's interval for people to read, "-" without one.
func (r Row) Interval() string {
	if r.Low == nil || r.High == nil {
		return "-"
	}
	return string(shown(r.Low) + " to " + shown(r.High))
}

// Count is the number of mixes behind the row, and how many the experiment has if these are
// more; "-" where nothing is simulated.
func (r Row) Count() string {
	switch {
	case r.OfMixes == 0:
		return "-"
	case r.Mixes < r.OfMixes:
		return fmt.Sprintf("%d of %d", r.Mixes, r.OfMixes)
	}
	return strconv.Itoa(r.Mixes)
}

// WriteMarkdown writes the report as a section of a document: the command that makes it, the
// rows, and the conditions of the runs.
func (r *Report) WriteMarkdown(w io.Writer, command string) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s (%s): `%s`\n\n| | unit | paper | ours | 95 %% interval | mixes |\n|---|---|--:|--:|--:|--:|\n",
		strings.ToUpper(r.About[:1])+r.About[1:], r.Source, command)
	for _, row := range r.Rows {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s |\n", strings.ReplaceAll(row.Label, "|", `\|`), row.Unit, shown(row.Paper), shown(row.Ours), row.Interval(), row.Count())
	}
	fmt.Fprintf(&out, "\n%s\n", r.Conditions())
	_, err := io.WriteString(w, out.String())
	return err
}
