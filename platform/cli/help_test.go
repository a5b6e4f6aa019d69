package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tenant"
)

// everyCommand calls a function for each command that help shows.
func everyCommand(visit func(*cobra.Command)) {
	var down func(*cobra.Command)
	down = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		visit(c)
		for _, sub := range c.Commands() {
			down(sub)
		}
	}
	down(newRoot())
}

func TestHelpFitsATerminalExceptExamples(t *testing.T) {
	texts := map[string]string{}
	everyCommand(func(c *cobra.Command) {
		text := cotenant(t, append(strings.Fields(c.CommandPath())[1:], "--help")...).stdout
		texts[c.CommandPath()] = strings.ReplaceAll(strings.ReplaceAll(text, c.Example, ""), matrixExample, "")
	})
	for _, name := range topicNames() {
		texts[name] = cotenant(t, "help", name).stdout
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "  # ") {
				continue // of a matrix
			}
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), pipedWidth, "%s: %s", name, line)
			assert.Equal(t, strings.TrimRight(line, " \n"), strings.TrimRight(line, "\n"), "%s ends a line with spaces", name)
		}
	}
}

// A fold keeps every word.
func TestHelpHasEveryWordAtAnyWidth(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		for _, width := range []int{leastWidth, pipedWidth, mostWidth} {
			assert.Equal(t, strings.Fields(c.Long), strings.Fields(wrapped(c.Long, width)), c.Name())
			for _, g := range flagGroups(c) {
				for _, r := range g.rows {
					assert.Equal(t, strings.Fields(r.head+" "+r.text), strings.Fields(laid([]row{r}, width)))
				}
			}
		}
	})
}

func TestTablesHaveTheirTextBesideShortHeadsAndBelowLongOnes(t *testing.T) {
	assert.Equal(t, "A text of two\nlines.\n\n  -a  first\n  -b  second and\n      third\n  --a-long-one\n      fourth\n",
		wrapped("A text of two lines.\n\n  -a  first\n  -b  second and\n                           third\n  --a-long-one  fourth", 18))
	const example = "  extends: gtx980\n  sm:\n    scheduler: lrr\n"
	assert.Equal(t, example, wrapped(example, 10))
}

func TestFlagsOfLongHelpStandInGroups(t *testing.T) {
	known := map[string]bool{}
	everyCommand(func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		list := flagGroups(c)
		shown := 0
		for _, g := range list {
			shown += len(g.rows)
		}
		if shown < groupedFrom {
			assert.LessOrEqual(t, len(list), 1, c.Name())
			return
		}
		rest := list[len(list)-1]
		assert.Equal(t, "Further flags", rest.title)
		for _, r := range rest.rows {
			assert.Regexp(t, "--(cache|quiet|help|version|monitor)", r.head, c.Name())
		}
	})
	for _, g := range flagTitles {
		for _, name := range g.flags {
			assert.True(t, known[name], "no command has the flag %s of group %s", name, g.title)
		}
	}
}

func TestTopicOfApplicationsNamesEveryOption(t *testing.T) {
	text := cotenant(t, "help", "apps").stdout
	for _, m := range regexp.MustCompile(`(\w+)=[A-Z]`).FindAllStringSubmatch(tenant.Usage(), -1) {
		assert.Contains(t, text, "?"+m[1]+"=")
	}
	for _, form := range strings.Split("NAME, ptx:FILE.yaml, traceg:DIR, profile:NAME, profile:FILE.yaml, cuda:PROGRAM, FILE.app.yaml, capture:DIR", ", ") {
		assert.Contains(t, text, "  "+form+" ")
	}
	assert.Contains(t, cotenant(t, "help", "gpus").stdout, "    scheduler: 2lvl-8\n    l1: {sets: 64}\n")
}

func TestFilesThatTheHelpNamesExist(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		text := c.Long
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { text += " " + f.Usage })
		for _, name := range topicNames() {
			text += cotenant(t, "help", name).stdout
		}
		for _, file := range regexp.MustCompile(`docs/[\w-]+\.md`).FindAllString(text, -1) {
			_, err := os.Stat("../../" + file)
			assert.NoError(t, err, c.Name())
		}
	})
}

func TestVersionTellsTheGoThatBuiltIt(t *testing.T) {
	got := cotenant(t, "version")
	assert.Regexp(t, `^cotenant version \S+\ngo1\.\S+ \w+/\w+\n$`, got.stdout)
}

func TestShellsCompleteNames(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--gpu", "gtx"}, "gtx980\n"},
		{[]string{"netlist", "--gpu", "k2"}, "k20c\n"},
		{[]string{"run", "--policy", "spart"}, "spart\t"},
		{[]string{"run", "--app", "profile:lb"}, "profile:lbm\n"},
		{[]string{"trace", "export", "--app", "sge"}, "sgemm\n"},
		{[]string{"reproduce", "smk-ta"}, "smk-table2\t"},
		{[]string{"list", "pol"}, "policies\n"},
		{[]string{"help", "ap"}, "apps\n"},
	} {
		got := cotenant(t, append([]string{"__complete"}, c.args...)...)
		assert.Contains(t, got.stdout, c.want, c.args)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := cotenant(t, "completion", shell)
		require.Equal(t, 0, got.status)
		assert.Contains(t, got.stdout, "__complete", shell)
	}
}
