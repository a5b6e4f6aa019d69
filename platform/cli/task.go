package cli

import (
	"time"

	"github.com/spf13/cobra"

	"cotenant/experiment/spool"
)

// taskPatience is how long a task holds a result that it cannot write.
const taskPatience = 10 * time.Minute

// newTaskCommand makes the command that carries out a task of a spool. Executors
// write its command lines, people do not.
func newTaskCommand() *cobra.Command {
	index := uint64(0)
	c := &cobra.Command{
		Use:     "task FOLDER --index N",
		Short:   "Carry out a task of a sweep",
		Hidden:  true,
		Example: "  cotenant task cotenant.sqlite.spool/sweeps/0123456789abcdef/cotenant-01234567-0 --index 0",
		Args:    arguments(1, 1, "task takes one folder", "task FOLDER --index N"),
		RunE: func(c *cobra.Command, args []string) error {
			program, hash, err := executable()
			if err != nil {
				return err
			}
			m := spool.Maker{Command: []string{program}, Program: hash, Log: c.ErrOrStderr(), Patience: taskPatience}
			return m.Do(c.Context(), args[0], int(index))
		},
	}
	bindCount(c, &index, "index", 0, 1<<31, "number of the task")
	return c
}
