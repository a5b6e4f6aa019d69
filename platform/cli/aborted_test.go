package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The copies of the trace do not name the array that its kernel writes to.
func TestAccessToNoArrayEndsTheRunWithOneLineAndNoResult(t *testing.T) {
	from, folder := filepath.Join("..", "..", "workload", "traceg", "testdata", "small"), t.TempDir()
	kernel, err := os.ReadFile(filepath.Join(from, "kernel-1.traceg"))
	require.NoError(t, err)
	text := strings.ReplaceAll(string(kernel), " 0x7f01000008", " 0x7f02000008")
	require.NotEqual(t, string(kernel), text)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kernel-1.traceg"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kernelslist.g"), []byte("MemcpyHtoD,0x00007f0100000000,600\nMemcpyHtoD,0x00007f0100000400,600\nkernel-1.traceg\n"), 0o600))
	json := filepath.Join(folder, "result.json")
	got := cotenant(t, "run", "--gpu", "pagefault16", "--app", "profile:"+file(t, "small.yaml", smallApp), "--app", "traceg:"+folder, "--pages", "strict", "--json", json)
	require.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "pages are strict, and nobody knows the arrays of application")
	got = cotenant(t, "run", "--gpu", "pagefault16", "--app", "traceg:"+folder, "--pages", "strict", "--json", json, "--quiet")
	require.Equal(t, 1, got.status)
	assert.Empty(t, got.stdout)
	assert.NoFileExists(t, json)
	assert.Regexp(t, `^cotenant: tenant 0 \(.*\): kernel _Z3addPKfS0_Pfi, thread block 0, warp 0, PC 0xe0: invalid address in the line at 0x[0-9a-f]+, which is \d+ bytes behind copy 2 \(0x[0-9a-f]+ to 0x[0-9a-f]+\); valid: addresses in pages of arrays\n$`, got.stderr)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kernelslist.g"), []byte("MemcpyHtoD,0x00007f0100000000,600\nMemcpyDtoH,0x00007f0200000800,600\nkernel-1.traceg\n"), 0o600))
	got = cotenant(t, "run", "--gpu", "pagefault16", "--app", "traceg:"+folder, "--pages", "strict", "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
}
