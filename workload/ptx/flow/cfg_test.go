package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBranchesReconvergeWherePathsMeet(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       map[string]string // label before the branch: label of the merge, end for the end
	}{
		{"if", "B: @%p1 bra M; membar.gl; M: ret;", map[string]string{"B": "M"}},
		{"if and else", "B: @%p1 bra T; membar.gl; bra M; T: membar.cta; M: ret;", map[string]string{"B": "M"}},
		{"loop", "H: membar.gl; B: @%p1 bra H; M: ret;", map[string]string{"B": "M"}},
		{"loop with break and continue", `H: membar.gl; B: @%p1 bra M; C: @%p2 bra L; membar.cta;
			L: @%p3 bra H; M: ret;`, map[string]string{"B": "M", "C": "L", "L": "M"}},
		{"nested", "A: @%p1 bra M; B: @%p2 bra N; membar.gl; N: membar.cta; M: ret;", map[string]string{"A": "M", "B": "N"}},
		{"one path exits", "A: @%p1 bra X; B: @%p2 bra M; membar.gl; M: ret; X: exit;", map[string]string{"A": "B", "B": "M"}},
		{"one path traps in a loop", "H: A: @%p1 bra X; membar.gl; B: @%p2 bra H; M: ret; X: trap;", map[string]string{"B": "M"}},
		{"the trap's side has branches too", "A: @%p1 bra X; M: ret; X: B: @%p2 bra Y; membar.gl; Y: trap;", map[string]string{"A": "M", "B": "Y"}},
		{"all exit", "A: @%p1 bra M; membar.gl; M: exit;", map[string]string{"A": "M"}},
		{"exit before trap", "A: @%p1 bra X; M: exit; X: trap;", map[string]string{"A": "M"}},
		{"guarded exit goes on", "A: @%p1 bra M; @%p2 exit; M: ret;", map[string]string{"A": "M"}},
		{"guarded return ends paths", "A: @%p1 bra M; @%p2 ret; M: ret;", map[string]string{"A": "end"}},
		{"two returns", "A: @%p1 bra X; ret; X: ret;", map[string]string{"A": "end"}},
		{"falls off the end", "A: @%p1 bra X; membar.gl; X:", map[string]string{"A": "end"}},
		{"loop without exit", "H: A: @%p1 bra L; membar.gl; L: bra H;", map[string]string{"A": "L"}},
		{"loop without exit aside", "A: @%p1 bra H; M: ret; H: B: @%p2 bra L; membar.gl; L: bra H;", map[string]string{"A": "M", "B": "L"}},
		{"two entries into a loop", "A: @%p1 bra Y; X: membar.gl; Y: B: @%p2 bra X; M: ret;", map[string]string{"A": "Y", "B": "M"}},
		{"unreachable code", "A: @%p1 bra M; bra M; U: membar.gl; B: @%p2 bra U; M: ret;", map[string]string{"A": "M", "B": "M"}},
		{"to the next instruction", "A: @%p1 bra M; M: ret;", map[string]string{"A": "M"}},
	} {
		f := function(t, c.body)
		merges := Reconvergence(f)
		at := labels(t, c.body)
		at["end"] = len(f.Insts)
		for branch, merge := range c.want {
			require.Equal(t, "bra", f.Insts[at[branch]].Op, c.name)
			assert.Equal(t, at[merge], merges[at[branch]], "%s: branch at %s", c.name, branch)
		}
	}
}

func TestPathsOfASwitchReconverge(t *testing.T) {
	merges := Reconvergence(function(t, `
		L_list: .branchtargets A, B, A;
		brx.idx.uni %r1, L_list;
		A: ret;
		B: exit;`))
	require.Equal(t, []int{1, -1, -1}, merges, "the exit stays off the merge")
}

// labels finds the instruction after each label of a body.
func labels(t *testing.T, body string) map[string]int {
	at := map[string]int{}
	n := 0
	for _, statement := range strings.SplitAfter(body, ";") {
		parts := strings.Split(statement, ":")
		for _, l := range parts[:len(parts)-1] {
			at[strings.TrimSpace(l)] = n
		}
		n++
	}
	return at
}

// randomBlocks draws a graph of up to ten blocks with ends of every kind.
func randomBlocks(t *rapid.T) []block {
	blocks := make([]block, rapid.IntRange(1, 10).Draw(t, "blocks"))
	for i := range blocks {
		b := &blocks[i]
		b.leaves = rapid.SampledFrom([]ending{never, never, never, byReturn, byExit, byTrap}).Draw(t, "leaves")
		if b.leaves == never || b.leaves == byReturn {
			b.succs = rapid.SliceOfN(rapid.IntRange(0, len(blocks)-1), 0, 3).Draw(t, "succs")
		}
		if b.leaves == never && len(b.succs) == 0 {
			b.leaves = byReturn
		}
	}
	return blocks
}

// reaches reports whether a path leads from a block to a block that leaves so,
// without going through the block avoided.
func reaches(blocks []block, from, avoided int, leaves ending) bool {
	seen := make([]bool, len(blocks))
	var visit func(i int) bool
	visit = func(i int) bool {
		if i == avoided || seen[i] {
			return false
		}
		seen[i] = true
		if blocks[i].leaves == leaves {
			return true
		}
		for _, s := range blocks[i].succs {
			if visit(s) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

func TestPostDominatorsAgreeWithTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := randomBlocks(t)
		n := len(blocks)
		ipdom := postDominators(blocks)
		best := func(i int) ending { // how paths from i end at best
			for e := byReturn; e < never; e++ {
				if reaches(blocks, i, -1, e) {
					return e
				}
			}
			return never
		}
		for i := range blocks {
			if best(i) == never {
				continue // depends on which block is taken for the loop's last
			}
			// d dominates if no path that ends as well as it can avoids d.
			dominates := func(d, i int) bool {
				return d == n || d == i || !reaches(blocks, i, d, best(i))
			}
			require.True(t, dominates(ipdom[i], i), "%d of %v", i, blocks)
			require.NotEqual(t, i, ipdom[i])
			for d := range blocks {
				if d != i && dominates(d, i) {
					require.True(t, ipdom[i] < n && dominates(d, ipdom[i]), "%d is nearer to %d of %v", d, i, blocks)
				}
			}
		}
	})
}

func TestEveryBranchOfAnEndlessLoopHasAMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := randomBlocks(t)
		for i := range blocks {
			blocks[i].leaves = never
			if len(blocks[i].succs) == 0 {
				blocks[i].succs = []int{i}
			}
		}
		for i, d := range postDominators(blocks) {
			require.True(t, d >= 0 && d <= len(blocks) && d != i, "%d of %v", i, blocks)
		}
	})
}

func TestLongFunctionsAreAnalysedInTime(t *testing.T) {
	var body strings.Builder
	const n = 20000
	for i := range n {
		fmt.Fprintf(&body, "L%d: @%%p1 bra L%d;\n", i, (i*7919+1)%n)
	}
	f := function(t, body.String()+"ret;")
	assert.Len(t, Reconvergence(f), n+1)
}
