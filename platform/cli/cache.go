package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"cotenant/workload/streamcache"
)

// bindCache makes the flag for where recorded applications are kept.
func bindCache(c *cobra.Command, value *string) {
	c.Flags().StringVar(value, "cache", "", "folder `DIR` for recordings of what applications of real kernels execute, or off; by default the user's cache folder")
}

// openCache opens the store that the flag asks for, nil if none. Only a folder
// that was asked for must be there or be possible to make; what else is wrong is
// said in a line on stderr.
func openCache(value string, stderr io.Writer) (*streamcache.Store, error) {
	tell := func(problem string) {
		if b := lastBar.Load(); b != nil {
			b.clear()
		}
		fmt.Fprintf(stderr, "cache: %s\n", oneLine(problem))
	}
	if value == "off" {
		return nil, nil
	}
	folder := value
	if folder == "" {
		var err error
		if folder, err = streamcache.DefaultFolder(); err != nil {
			return nil, nil // there is no home
		}
	}
	store, err := streamcache.Open(folder, streamcache.DefaultLimit)
	if err == nil {
		store.Tell(tell)
		return store, nil
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	if value == "" {
		tell(fmt.Sprintf("%s cannot be made a folder (%v); the run goes on without recordings", folder, err))
		return nil, nil
	}
	return nil, usagef("--cache: %s cannot be made a folder: %w; valid: the path of a folder, or off", value, err)
}

// closeCache ends what a store has begun.
func closeCache(s *streamcache.Store) {
	if s != nil {
		s.Close()
	}
}
