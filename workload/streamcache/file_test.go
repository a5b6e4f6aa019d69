package streamcache

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/packed"
)

func TestFileWithAnyByteChangedOrMissingIsNotReplayed(t *testing.T) {
	s, err := Open(t.TempDir(), DefaultLimit)
	require.NoError(t, err)
	r := &recording{Key: "key", App: workload.App{Name: "a"},
		Ops: []workload.Op{{Kernel: &workload.Kernel{Name: "k", Source: &packed.Recording{Warps: 2, TBs: [][]byte{{1, 2, 3}}}}}}}
	s.save(r)
	app, found := s.load("key")
	require.True(t, found)
	require.Equal(t, "a", app.Name)
	host, err := app.Start()
	require.NoError(t, err)
	op, _, err := host.Next()
	require.NoError(t, err)
	require.Equal(t, r.Ops[0], op)

	data, err := os.ReadFile(s.path("key"))
	require.NoError(t, err)
	used := func(data []byte) bool {
		require.NoError(t, os.WriteFile(s.path("key"), data, 0o600))
		_, found := s.load("key")
		return found
	}
	for at := range data {
		changed := bytes.Clone(data)
		changed[at] ^= 1 << (at % 8)
		assert.False(t, used(changed), "byte %d of %d", at, len(data))
		assert.False(t, used(data[:at]), "%d bytes of %d", at, len(data))
		assert.False(t, used(data[at+1:]), "the last bytes of %d", len(data))
	}
	assert.False(t, used(append(bytes.Clone(data), 0)))
	assert.True(t, used(data))
}
