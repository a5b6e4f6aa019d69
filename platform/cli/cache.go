package cli

import "github.com/spf13/cobra"

// bindCache makes the flag for where recorded applications are kept.
func bindCache(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "cache", "", "keep recordings of the instructions of real kernels in the folder `DIR`; off keeps none; by default the user's cache folder")
}
