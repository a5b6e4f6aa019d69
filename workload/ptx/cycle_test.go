package ptx

import (
	"testing"

	"fmt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"strings"
)

// Functions that can come back to each other are in a cycle, across files and by an alias too, and nothing else.
func TestFunctionsThatCallEachOtherAreACycle(t *testing.T) {
	m, err := ParseWith(Library{}, File{Path: "a.ptx", Text: []byte(head + `
		.extern .func there(); .visible .func here() { call there; } .func alias(); .alias alias, it;
		.func it() { call alias; } .func leaf() { ret; } .func before() { call it; call leaf; }`)},
		File{Path: "b.ptx", Text: []byte(head + ".extern .func here(); .visible .func there() { call here; }")})
	require.NoError(t, err)
	cycles := map[string]int{}
	for _, f := range m.Funcs {
		require.NoError(t, f.Fault)
		cycles[f.Name] = f.Cycle
	}
	assert.NotZero(t, cycles["here"])
	assert.NotZero(t, cycles["it"])
	assert.NotEqual(t, cycles["here"], cycles["it"])
	assert.Equal(t, map[string]int{"here": cycles["here"], "there": cycles["here"], "it": cycles["it"], "leaf": 0, "before": 0}, cycles)
}

// Two functions have the same cycle if and only if each reaches the other.
func TestCyclesAreWhatReachesItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 8
		calls := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3), n, n).Draw(t, "calls")
		var reach [n][n]bool
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, ".func f%d();\n", i)
		}
		for i, to := range calls {
			fmt.Fprintf(&text, ".func f%d() {", i)
			for _, k := range to {
				fmt.Fprintf(&text, " call f%d;", k)
				reach[i][k] = true
			}
			text.WriteString(" }\n")
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		m, err := Parse("t.ptx", []byte(head+text.String()))
		require.NoError(t, err)
		for i, f := range m.Funcs {
			require.Equal(t, reach[i][i], f.Cycle != 0, f.Name)
			for j, g := range m.Funcs {
				require.Equal(t, reach[i][j] && reach[j][i], f.Cycle != 0 && f.Cycle == g.Cycle, "%s %s", f.Name, g.Name)
			}
		}
	})
}
