package conservation

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/experiment"
	"cotenant/workload/export"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"

	"github.com/stretchr/testify/require"
)

// exact are applications with traces that determine their timing, except the order of
// launches: warps in any order do the same, and no access is to a texture.
var exact = []string{"sgemm?size=tiny", "spmv?size=tiny", "lbm?size=tiny", "mri-q?size=tiny", "stencil?size=tiny", "syrk?size=tiny",
	"pathfinder?size=tiny", "btree?size=tiny", "kmeans?size=tiny"}

// drawEnding draws a run of applications to their ends.
func drawEnding(r *rand.Rand) *mix {
	for {
		m := draw(r)
		if m.cycles > 0 || m.replays > 0 {
			continue
		}
		for i, app := range m.apps[:min(2, len(m.apps))] {
			_, attributes, _ := strings.Cut(app, "?size=tiny")
			m.apps[i] = one(r, exact) + attributes
		}
		m.apps = m.apps[:min(2, len(m.apps))]
		return m
	}
}

// encoded is a result's JSON without the wall times.
func encoded(t *testing.T, r *experiment.Result) string {
	t.Helper()
	r.WallSeconds, r.IsolatedWallSeconds = 0, 0
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}

// TestSourcesOfAnApplicationDoTheSame makes runs with applications that are emulated,
// then recorded, then replayed, and with traces of them.
func TestSourcesOfAnApplicationDoTheSame(t *testing.T) {
	cases := max(2, *runs/13)
	first := firstSeed(t)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(first+i, 29))
		m := drawEnding(r)
		emulated := perform(m, nil)
		for emulated.err != nil && len(emulated.broken) == 0 {
			m = drawEnding(r)
			emulated = perform(m, nil)
		}
		require.Empty(t, emulated.broken, "-runs 10 -seed %d: %s", first+i, emulated.report())
		want := encoded(t, emulated.result)

		folder := t.TempDir()
		for _, source := range []string{"recorded", "replayed"} {
			store, err := streamcache.Open(folder, streamcache.DefaultLimit)
			require.NoError(t, err)
			o := perform(m, store)
			require.NoError(t, o.err)
			require.Empty(t, o.broken, o.report())
			require.Equal(t, want, encoded(t, o.result), "%s: %s", source, m.command())
		}
		recordings, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.NotEmpty(t, recordings, "nothing is recorded of %v", m.apps)

		traced := perform(exported(t, m), nil)
		require.NoError(t, traced.err, traced.command())
		require.Empty(t, traced.broken, traced.report())
		for k := range m.apps {
			require.Equal(t, work(&emulated.result.Kernels[k]), work(&traced.result.Kernels[k]), "tenant %d, traced: %s", k, m.command())
		}
	}
}

// exported is a run with a trace in the place of each application.
func exported(t *testing.T, m *mix) *mix {
	t.Helper()
	traced := *m
	traced.apps = nil
	for i, spec := range m.apps {
		app, err := experiment.Open(spec, source.Options{Seed: m.seed})
		require.NoError(t, err)
		folder := filepath.Join(t.TempDir(), fmt.Sprint("trace", i))
		_, err = export.Trace(context.Background(), app.Workload, folder, export.Options{})
		require.NoError(t, err)
		_, attributes, _ := strings.Cut(spec, "?size=tiny")
		traced.apps = append(traced.apps, "traceg:"+folder+strings.Replace(attributes, "&", "?", 1))
	}
	if strings.HasPrefix(m.pages, "lazy-") {
		traced.pages = "demand" // a trace does not say which arrays are outputs
	}
	return &traced
}

// work is a tenant's work, in any time.
func work(k *experiment.KernelResult) []any {
	list := []any{k.WarpInstructions, k.ThreadInstructions, k.TBsCompleted, k.LaunchesCompleted, k.Completions, k.L1.Writes}
	for _, l := range k.Launches {
		list = append(list, l.Kernel, l.TBs, l.WarpInstructions, l.ThreadInstructions)
	}
	return list
}
