package kernels

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBtreeFindsRecordsAndRanges(t *testing.T) {
	before, after := run(t, "btree")
	keys, records := ints(before, "tree.keys"), ints(before, "records")
	first, last := ints(before, "first"), ints(before, "last")
	var answers, start, length []int
	for query, key := range ints(before, "wanted") {
		if at, ok := slices.BinarySearch(keys, key); ok {
			answers = append(answers, records[at])
		} else {
			answers = append(answers, -1)
		}
		from, _ := slices.BinarySearch(keys, first[query])
		to, _ := slices.BinarySearch(keys, last[query])
		start, length = append(start, from), append(length, to-from+1)
	}
	assert.Contains(t, answers, -1)
	assert.Equal(t, answers, ints(after, "answers"))
	assert.Equal(t, start, ints(after, "start"))
	assert.Equal(t, length, ints(after, "length"))
}

func TestBtreeTakesSomeOfTheRanges(t *testing.T) {
	m, err := builtinManifest(t, "btree").Set("range_queries:13")
	require.NoError(t, err)
	_, all := run(t, "btree")
	_, some := runManifest(t, m)
	assert.Equal(t, ints(all, "answers"), ints(some, "answers"))
	assert.Equal(t, append(ints(all, "length")[:13], make([]int, 7)...), ints(some, "length"))
}

func TestRodiniaBFSFindsEveryLevel(t *testing.T) {
	before, after := run(t, "rodinia-bfs")
	assert.Equal(t, searched(before), ints(after, "cost"))
}
