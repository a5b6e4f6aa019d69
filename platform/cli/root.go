package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot makes the command line. Each call makes a new one, so that commands
// share no state.
func newRoot() *cobra.Command {
	comparison := defaultComparison
	root := &cobra.Command{
		Use:   "cotenant",
		Short: "Simulate a GPU that several kernels share",
		Long: "cotenant simulates GPUs that several programs share, cycle by cycle, and reports what each program pays.\n\n" +
			"Without a command it runs a compute-intensive and a memory-intensive application together under each base policy, and compares them.",
		Example:       "  cotenant\n  cotenant run --app profile:sgemm --app profile:lbm --cycles 100k",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
	}
	root.RunE = opened(comparison.run)
	bindCache(root, &comparison.cache)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	addGroup(root, "Simulate", newRunCommand(), newSweepCommand(), newReproduceCommand(), newExecCommand())
	addGroup(root, "Look at results", newReportCommand(), newServeCommand(), newQueryCommand())
	addGroup(root, "Prepare applications", newCCCommand(), newTraceCommand(), newFitCommand())
	help := newHelpCommand(root)
	root.SetHelpCommand(help)
	addGroup(root, "Look up", newListCommand(), newNetlistCommand(), help, newVersionCommand(), newCompletionCommand(root))
	root.AddCommand(newTaskCommand())
	root.SetHelpFunc(showHelp)
	completeFlags(root)
	return root
}

// addGroup adds commands under a title in help.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// noArgs refuses arguments, which are unknown commands where there are commands.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasSubCommands() {
		return usagef("unknown command %q; valid: %s", args[0], strings.Join(commandNames(c), ", "))
	}
	return usagef("%s takes no argument, got %q; its flags are in %s --help", c.Name(), args[0], c.CommandPath())
}

// arguments refuses fewer or more arguments than a command takes; takes and valid say which.
func arguments(least, most int, takes, valid string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if n := len(args); n < least || n > most {
			return usagef("%s, got %d; valid: %s", takes, n, valid)
		}
		return nil
	}
}

// opened gives a command its files, which it enters and checks first, and its arguments.
func opened(run func(*cobra.Command, *files, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		paths, err := openFiles(c)
		if err != nil {
			return err
		}
		return run(c, paths, args)
	}
}

// newGroup makes a command that only holds commands.
func newGroup(c *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	c.Use += " COMMAND"
	c.Args = noArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		return usagef("%s needs a command; valid: %s", c.Name(), strings.Join(commandNames(c), ", "))
	}
	c.AddCommand(commands...)
	return c
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return names
}

// flagError lists the flags after an unknown one, and the values of a switch.
func flagError(c *cobra.Command, err error) error {
	if errors.As(err, new(*pflag.NotExistError)) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		return usagef("%v; valid: %s", err, strings.Join(names, ", "))
	}
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "bool" {
		return usagef("invalid argument %q for \"--%s\" flag: valid: true, false", invalid.GetValue(), invalid.GetFlag().Name)
	}
	return usageError{err}
}
