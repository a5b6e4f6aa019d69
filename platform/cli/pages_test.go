package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPagesNeedAGPUThatTranslates(t *testing.T) {
	gpu, _, app := conventional(t)
	got := cotenant(t, "run", "--gpu", gpu, "--app", app, "--cycles", "5k", "--pages", "demand")
	require.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "pages are demand, and GPU gpu does not translate addresses; valid: resident, or a GPU with an MMU (mmu.l2_tlb.entries), such as pagefault16")
	got = cotenant(t, "run", "--gpu", gpu+"?mmu.l2_tlb.entries=64&sm.tlb.entries=16&sm.faults.scheme=stall", "--app", app, "--cycles", "5k", "--pages", "lazy-heap")
	require.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "nobody knows the arrays of application")
	got = cotenant(t, "run", "--gpu", gpu, "--app", app, "--pages", "lazy")
	require.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "valid: resident, demand, lazy-output, lazy-heap, strict")
	here := ran(t, "--gpu", gpu, "--app", app, "--pages", "resident")
	require.Equal(t, ran(t, "--gpu", gpu, "--app", app).ConfigHash, here.ConfigHash)
	require.Empty(t, here.Pages)
	demand := ran(t, "--gpu", gpu+"?mmu.l2_tlb.entries=64&sm.tlb.entries=16&sm.faults.scheme=stall", "--app", app, "--pages", "demand")
	require.EqualValues(t, "demand", demand.Pages)
}

func TestViewsAndTableShowPageFaults(t *testing.T) {
	folder := t.TempDir()
	page, timeline := filepath.Join(folder, "run.html"), filepath.Join(folder, "run.json")
	for _, pages := range []string{"demand", "resident"} {
		got := cotenant(t, "run", "--gpu", "pagefault16", "--app", "sgemm?size=tiny", "--pages", pages, "--html", page, "--timeline", timeline, "--quiet")
		require.Equal(t, 0, got.status, got.stderr)
		shown := read(t, page)
		for text, in := range map[string]string{"link busy for": got.stdout, "<h2>Page faults</h2>": shown, "Page faults in flight and active warps": shown,
			`"regions in flight"`: read(t, timeline), `"name":"pager"`: read(t, timeline)} {
			assert.Equal(t, pages == "demand", strings.Contains(in, text), "%s: %s", pages, text)
		}
		require.NoError(t, errors.Join(os.Remove(page), os.Remove(timeline)))
	}
}
