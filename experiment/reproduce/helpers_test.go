package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// The applications of the SMK and QoS papers by class.
var (
	compute = []string{"cutcp", "mri-q", "sgemm", "tpacf"}
	memory  = []string{"histo", "lbm", "mri-gridding", "sad", "spmv", "stencil"}
)

// figureOf is a figure that is told as data.
func figureOf(t *testing.T, name string) *Experiment {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	return e
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

// wayIn is a way of a figure.
func wayIn(t *testing.T, name, wanted string) *way {
	t.Helper()
	w, valid := figureOf(t, name).way(wanted)
	require.NotNil(t, w, "%s: %v", wanted, valid)
	return w
}

// evaluationOf evaluates rows of an experiment's figure by some data.
func evaluationOf(t *testing.T, name string, d *Data) *evaluation {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	return newEvaluation(d, e, &asking{seen: map[string]bool{}})
}

// called are the applications of a run as a figure's paper calls them.
func called(name string, r experiment.Spec) (names []string) {
	e, err := Find(name)
	if err != nil {
		panic(err)
	}
	_, all := e.application("")
	for _, app := range r.Apps {
		word, _, _ := strings.Cut(app, "?")
		names = append(names, all[slices.IndexFunc(all, func(name string) bool {
			return strings.HasPrefix(e.spec(Quick, name), word+"?")
		})])
	}
	return names
}

// index is 1 for what is so, 0 for what is not.
func index(so bool) int { return int(yes(so)) }
