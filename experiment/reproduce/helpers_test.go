package reproduce

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// figureOf is a figure that is told as data.
func figureOf(t *testing.T, name string) *figure {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	return e.figure
}

// mixesIn are the mixes of a figure's group, each once whatever its goals.
func mixesIn(t *testing.T, name, group string, s Scale) (list [][]string) {
	t.Helper()
	for _, m := range figureOf(t, name).group(s, group).mixes {
		if !slices.ContainsFunc(list, func(apps []string) bool { return slices.Equal(apps, m.apps) }) {
			list = append(list, m.apps)
		}
	}
	return list
}

// sizesIn are the numbers of mixes in a figure's groups, each goal being a mix of its own.
func sizesIn(t *testing.T, name string, s Scale, groups ...string) (list []int) {
	t.Helper()
	for _, group := range groups {
		list = append(list, len(figureOf(t, name).group(s, group).mixes))
	}
	return list
}
