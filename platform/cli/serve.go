package cli

import (
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"cotenant/observe/serve"
)

// serveFlags are the flags of the serve command.
type serveFlags struct{ port uint64 }

func newServeCommand() *cobra.Command {
	f := &serveFlags{}
	c := &cobra.Command{
		Use:   "serve STORE|FOLDER... [flags]",
		Short: "Show stores in the browser, while sweeps fill them",
		Long: "serve shows result stores, or all stores of a folder (*.sqlite), in the browser until it is interrupted: each sweep's progress, the policies' figures so far, " +
			"the page of report sweep, which follows the store, and the pages of runs that lie beside the store or in a folder beside it.\n\n" +
			"serve only reads; sweeps may write to the stores meanwhile. It listens on this machine's loopback alone and refuses requests from other sites' pages.",
		Example: "  cotenant serve cotenant.sqlite\n  cotenant serve results --port 8080",
		Args:    arguments(1, math.MaxInt, "serve takes stores or folders", "serve STORE|FOLDER..."),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().SortFlags = false
	bindCount(c, &f.port, "port", 0, 65535, "port `N` of the loopback to listen on; by default any free one")
	return c
}

func (f *serveFlags) run(c *cobra.Command, paths []string) error {
	s, err := serve.New(paths)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			warn(c.ErrOrStderr(), path+" is not there yet")
		}
	}
	return s.Run(c.Context(), int(f.port), func(url string) { fmt.Fprintln(c.OutOrStdout(), url) })
}
