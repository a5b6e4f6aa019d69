package cli

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"cotenant/workload/streamcache"
)

// bindCache makes the flag for where recorded applications are kept.
func bindCache(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "cache", "", "folder `DIR` for recordings of what applications of real kernels execute, or off; by default the user's cache folder")
}

// openCache opens the store that the flag asks for, nil if none. Only a folder
// that was asked for must be there or be possible to make.
func openCache(value string) (*streamcache.Store, error) {
	switch value {
	case "off":
		return nil, nil
	case "":
		folder, err := streamcache.DefaultFolder()
		if err != nil {
			return nil, nil
		}
		store, _ := streamcache.Open(folder, streamcache.DefaultLimit)
		return store, nil
	}
	store, err := streamcache.Open(value, streamcache.DefaultLimit)
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err
		}
		return nil, usagef("--cache: %s cannot be made a folder: %w; valid: the path of a folder, or off", value, err)
	}
	return store, nil
}

// closeCache ends what a store has begun.
func closeCache(s *streamcache.Store) {
	if s != nil {
		s.Close()
	}
}
