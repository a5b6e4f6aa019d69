package kernels

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every key is found from the root, in the leaf that has its rank for a link.
func TestTreeHoldsEveryKey(t *testing.T) {
	for keys, height := range map[string]int{"1": 1, "2": 1, "3": 2, "4": 2, "5": 3, "1000": 10} {
		i := generated(t, "tree: {order: 4, keys: "+keys+"}")
		nodes, all := ints(i, "it.nodes"), ints(i, "it.keys")
		assert.Equal(t, height, parameter(i, "it.height"))
		const words = 2 + 2*5
		assert.Len(t, nodes, parameter(i, "it.count")*words)
		assert.True(t, slices.IsSorted(all))
		for rank, key := range all {
			node := nodes[:words]
			for node[0] > 0 {
				node = nodes[node[7+slot(node[2:7], key)]*words:][:words]
			}
			at := slot(node[2:7], key)
			assert.Equal(t, []int{key, rank}, []int{node[2+at], node[7+at]})
			assert.Less(t, at, node[1])
			assert.Equal(t, math.MaxInt32, node[2+node[1]])
		}
	}
}

// slot is the last of a node's keys that is no larger than a key.
func slot(keys []int, key int) int {
	at := 0
	for at+1 < len(keys) && keys[at+1] <= key {
		at++
	}
	return at
}
