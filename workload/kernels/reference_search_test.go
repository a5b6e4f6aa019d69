package kernels

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
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

func TestRodiniaBFSFindsEveryLevel(t *testing.T) {
	before, after := run(t, "rodinia-bfs")
	assert.Equal(t, searched(before), ints(after, "cost"))
}
