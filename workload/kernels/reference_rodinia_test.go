package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPathfinderFindsTheCheapestWays(t *testing.T) {
	before, after := run(t, "pathfinder")
	columns, rows := parameter(before, "columns"), parameter(before, "rows")
	wall, cost := ints(before, "wall"), ints(before, "from")
	for range parameter(before, "grids") {
		for row := range rows {
			next := make([]int, columns)
			for x := range next {
				next[x] = wall[row*columns+x] + min(cost[max(x-1, 0)], cost[x], cost[min(x+1, columns-1)])
			}
			cost = next
		}
	}
	assert.Equal(t, cost, ints(after, "from"))
}
