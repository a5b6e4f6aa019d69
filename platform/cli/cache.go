package cli

import "github.com/spf13/cobra"

// bindCache makes the flag for where recorded applications are kept.
func bindCache(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "cache", "", "folder `DIR` for recordings of what applications of real kernels execute, or off; by default the user's cache folder")
}
