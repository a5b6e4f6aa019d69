package l1

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/workload"
)

// globals says which loads of global memory the L1 caches.
type globals uint8

const (
	cached   globals = iota // all
	readOnly                // only loads that are known to be read-only
	bypass                  // none
)

var globalsNames = []string{"cached", "read_only", "bypass"}

func parseGlobals(name string) (globals, error) {
	i := slices.Index(globalsNames, name)
	if i < 0 {
		return 0, fmt.Errorf("globals is %q, must be one of %s", name, strings.Join(globalsNames, ", "))
	}
	return globals(i), nil
}

// past reports whether a load goes past an L1 that does not cache all of them.
func (c *Cache) past(m *Request) bool {
	return m.Space == workload.Global && (c.globals == bypass || !m.ReadOnly)
}
