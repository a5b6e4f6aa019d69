package workload

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoMoreOfAFileIsReadThanItsLimit(t *testing.T) {
	const limit = 1 << 20
	path := filepath.Join(t.TempDir(), "f")
	for size, message := range map[int64]string{0: "", limit: "", limit + 1: "it is larger than 1 MiB", 1 << 50: "it is larger than 1 MiB"} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		if os.Truncate(path, size) != nil {
			continue // more than the file system takes
		}
		data, err := ReadFile(path, limit)
		if message != "" {
			assert.EqualError(t, err, message)
			assert.Nil(t, data)
			continue
		}
		assert.NoError(t, err)
		assert.Len(t, data, int(size))
	}
	_, err := ReadFile("/dev/zero", limit) // it has no end
	assert.EqualError(t, err, "not a regular file")
	_, err = ReadFile(filepath.Join(path, "x"), limit)
	assert.EqualError(t, err, "not a directory", "without the path")
	_, err = ReadFile(filepath.Dir(path), limit)
	assert.EqualError(t, err, "is a directory")
}
