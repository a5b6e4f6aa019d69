package cli

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// newHelpCommand replaces cobra's, which takes an unknown command for no error. It also
// shows topics.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND|TOPIC]",
		Short:             "Show the help of a command or a topic",
		Example:           "  cotenant help run\n  cotenant help apps",
		ValidArgsFunction: complete(func() []string { return append(commandNames(root), topicNames()...) }),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if i := slices.IndexFunc(topics, func(t topic) bool { return t.name == args[0] }); i >= 0 {
					_, err := io.WriteString(c.OutOrStdout(), wrapped(topics[i].text(), helpWidth(c.OutOrStdout())))
					return err
				}
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("unknown command %q; valid: %s; topics: %s", strings.Join(args, " "), strings.Join(commandNames(root), ", "), strings.Join(topicNames(), ", "))
			}
			found.InitDefaultHelpFlag() // as --help does
			return found.Help()
		},
	}
}

// newVersionCommand makes the command that names the program's build.
func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the program's version and its Go",
		Example: "  cotenant version",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "cotenant version %s\n%s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// Widths of help, in columns.
const (
	pipedWidth   = 80 // if standard output is not a terminal
	leastWidth   = 40
	mostWidth    = 120
	firstColumn  = 26 // widest first column; a longer head has its text on the next line
	secondIndent = 8  // of that text
)

// helpWidth is the width of the terminal behind a writer.
func helpWidth(out io.Writer) int {
	if w, ok := out.(*noted); ok {
		out = w.Writer
	}
	if f, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return max(leastWidth, min(width, mostWidth))
		}
	}
	return pipedWidth
}

// showHelp writes a command's help, wrapped at the terminal.
func showHelp(c *cobra.Command, _ []string) {
	width := helpWidth(c.OutOrStdout())
	about := c.Long
	if about == "" {
		about = c.Short
	}
	use := strings.TrimSuffix(c.UseLine(), " [flags]")
	if c.HasAvailableLocalFlags() && !c.HasAvailableSubCommands() {
		use += " [FLAGS]"
	}
	var b strings.Builder
	b.WriteString(wrapped(about, width))
	fmt.Fprintf(&b, "\nUsage:\n  %s\n\nExamples:\n%s\n", use, c.Example)
	for _, g := range commandGroups(c) {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, laid(g.rows, width))
	}
	if !c.HasParent() {
		var rows []row
		for _, t := range topics {
			rows = append(rows, row{"  " + t.name, t.about})
		}
		fmt.Fprintf(&b, "\nTopics:\n%s", laid(rows, width))
	}
	for _, g := range flagGroups(c) {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, laid(g.rows, width))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n`%s COMMAND --help` shows the help of a command.\n", c.CommandPath())
	}
	fmt.Fprint(c.OutOrStdout(), b.String())
}

// row is a line of a table of two columns.
type row struct{ head, text string }

// rowGroup is a table with a title.
type rowGroup struct {
	title string
	rows  []row
}

// commandGroups are the commands of a command.
func commandGroups(c *cobra.Command) (list []rowGroup) {
	titles := []string{""}
	for _, g := range c.Groups() {
		titles = append(titles, g.ID)
	}
	for _, title := range titles {
		g := rowGroup{title: title}
		if title == "" {
			g.title = "Commands"
		}
		for _, sub := range c.Commands() {
			if sub.GroupID == title && sub.IsAvailableCommand() {
				g.rows = append(g.rows, row{"  " + sub.Name(), sub.Short})
			}
		}
		if len(g.rows) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// flagTitles are the groups of flags, by title, for every command.
var flagTitles = []struct {
	title string
	flags []string
}{
	{"Applications, GPU and policy", []string{"app", "gpu", "policy", "seed", "pages", "unknown-opcode", "outside", "programs"}},
	{"Length of a run", []string{"cycles", "until", "max-cycles", "warmup", "skip-launches", "stop-after-launch", "sample", "quick", "host-timeout"}},
	{"Isolated runs", []string{"isolated", "isolated-gpu"}},
	{"Checks", []string{"check", "strict", "check-async"}},
	{"Results", []string{"json", "csv", "csv-columns", "html", "into", "store", "dump-arrays", "no-dumps", "partial"}},
	{"Where time went", []string{"hot", "hot-launches", "latencies", "over-time", "power", "timeline", "timeline-requests", "vcd", "vcd-interval", "samples", "samples-interval", "monitor"}},
	{"What is left to run", []string{"list", "dry-run", "stored", "collect"}},
	{"Where runs are made", []string{"parallel", "executor", "spool", "runs-per-task", "retries", "slurm-partition", "slurm-account", "slurm-time", "slurm-memory", "slurm-option"}},
}

// groupedFrom is the number of flags from which a command's help shows groups.
const groupedFrom = 13

// flagGroups are the flags of a command. A few flags are one group.
func flagGroups(c *cobra.Command) (list []rowGroup) {
	c.InitDefaultHelpFlag()
	rest := rowGroup{title: "Flags"}
	groups := make([]rowGroup, len(flagTitles))
	var flags []*pflag.Flag
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	})
	for _, f := range flags {
		at := slices.IndexFunc(flagTitles, func(g struct {
			title string
			flags []string
		}) bool {
			return slices.Contains(g.flags, f.Name)
		})
		if len(flags) < groupedFrom || at < 0 {
			rest.rows = append(rest.rows, flagRow(f))
		} else {
			groups[at].title = flagTitles[at].title
			groups[at].rows = append(groups[at].rows, flagRow(f))
		}
	}
	for _, g := range groups {
		if len(g.rows) > 0 {
			list = append(list, g)
		}
	}
	if len(rest.rows) > 0 {
		if len(list) > 0 {
			rest.title = "Further flags"
		}
		list = append(list, rest)
	}
	return list
}

// flagRow is a flag as pflag describes it.
func flagRow(f *pflag.Flag) row {
	one := pflag.NewFlagSet("", pflag.ContinueOnError)
	one.AddFlag(f)
	text := strings.TrimSpace(one.FlagUsages())
	head, about, _ := strings.Cut(text, "   ")
	indent := "      "
	if f.Shorthand != "" {
		indent = "  "
	}
	return row{indent + head, strings.TrimSpace(about)}
}

// laid lays rows out in two columns. The second begins behind the longest head, except
// heads that are too long.
func laid(rows []row, width int) string {
	column := 0
	most := min(firstColumn, width/2)
	for _, r := range rows {
		if n := len(r.head); n <= most {
			column = max(column, n+2)
		}
	}
	if column == 0 {
		column = secondIndent
	}
	var b strings.Builder
	for _, r := range rows {
		lines := folded(r.text, width-column)
		if len(r.head)+2 > column {
			fmt.Fprintln(&b, r.head)
		} else {
			lines[0] = r.head + strings.Repeat(" ", column-len(r.head)) + lines[0]
			fmt.Fprintln(&b, strings.TrimRight(lines[0], " "))
			lines = lines[1:]
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat(" ", column), line)
		}
	}
	return b.String()
}

// wrapped folds the paragraphs of a text. A paragraph that begins with two spaces is a table,
// with two spaces or more between its columns, or an example that stays as it is.
func wrapped(text string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		rows, table := tableOf(paragraph)
		switch {
		case table:
			b.WriteString(laid(rows, width))
		case strings.HasPrefix(paragraph, "  "):
			fmt.Fprintln(&b, strings.TrimRight(paragraph, "\n"))
		default:
			for _, line := range folded(paragraph, width) {
				fmt.Fprintln(&b, line)
			}
		}
	}
	return b.String()
}

// tableOf reads the rows of a paragraph that is a table. YAML is none.
func tableOf(paragraph string) (rows []row, ok bool) {
	for line := range strings.Lines(paragraph) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "  ") || strings.Contains(line, ": ") && strings.Contains(line, " # ") {
			return nil, false
		}
		trimmed := strings.TrimLeft(line, " ")
		head, about, both := strings.Cut(trimmed, "  ")
		switch {
		case both:
			rows = append(rows, row{"  " + head, strings.TrimSpace(about)})
		case len(line)-len(trimmed) > firstColumn && len(rows) > 0:
			last := &rows[len(rows)-1]
			last.text = strings.TrimSpace(last.text + " " + trimmed)
		default:
			rows = append(rows, row{"  " + trimmed, ""})
		}
	}
	return rows, slices.ContainsFunc(rows, func(r row) bool { return r.text != "" })
}
