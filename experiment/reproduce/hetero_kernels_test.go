package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/experiment"
	"cotenant/workload/source"
)

func TestPairsOfHeteroCoreAreThe66OfThePaper(t *testing.T) {
	const figure = "heterocore-fig4"
	groups := []string{"heterogeneous", "homogeneous", "ALL", "lean+lean", "thick+thick"}
	few := []string{"few heterogeneous", "few lean+lean", "few thick+thick", "few"}
	assert.Equal(t, []int{36, 30, 66, 15, 15}, sizesIn(t, figure, Full, groups...))
	assert.Equal(t, []int{12, 10, 22, 5, 5}, sizesIn(t, figure, Quick, groups...))
	assert.Equal(t, []int{4, 2, 2, 8}, sizesIn(t, figure, Quick, few...))
	assert.Equal(t, []int{36, 15, 15, 66}, sizesIn(t, figure, Full, few...))
	assert.Subset(t, mixesIn(t, figure, "ALL", Full), mixesIn(t, figure, "ALL", Quick))
	f := figureOf(t, figure)
	for _, s := range []Scale{Quick, Full} {
		seen, in := map[string]bool{}, map[string]int{}
		all := mixesIn(t, figure, "ALL", s)
		for _, mix := range all {
			seen[title(slices.Sorted(slices.Values(mix)))] = true
			for _, name := range mix {
				in[name]++
			}
		}
		assert.Len(t, seen, len(all))
		assert.Len(t, in, 12)
		for name, n := range in {
			assert.True(t, n == 11 || s.Quick && (n == 3 || n == 4), "%s is in %d", name, n)
		}
		for i, of := range [][2]bool{{true, false}, {false, false}, {true, true}} {
			for _, mix := range mixesIn(t, figure, []string{"heterogeneous", "lean+lean", "thick+thick"}[i], s) {
				assert.Equal(t, of, [2]bool{f.hasClass(mix[0], thick), f.hasClass(mix[1], thick)}, title(mix))
			}
		}
	}
	assert.Len(t, f.ofClass(flat), 4)
	assert.Len(t, f.ofClass(cacheSensitive), 2)
}

func TestApplicationsOfTable3AreThere(t *testing.T) {
	f := figureOf(t, "heterocore-fig6")
	for _, name := range f.ofClass("lean", thick) {
		program, rest, _ := strings.Cut(f.spec(Full, name), "?size=medium")
		_, err := source.Open(program+"?size=tiny"+rest, source.Options{})
		assert.NoError(t, err)
	}
	assert.Equal(t, "btree?size=medium&set=range_queries:6000", f.spec(Full, "B+TREE"))
}

func TestMixesOfFourHaveBothClasses(t *testing.T) {
	full, quick := mixesIn(t, "heterocore-four", "four kernels", Full), mixesIn(t, "heterocore-four", "four kernels", Quick)
	assert.Len(t, full, 50)
	assert.Equal(t, full[:6], quick)
	f, seen := figureOf(t, "heterocore-four"), map[string]bool{}
	for _, mix := range full {
		seen[title(mix)] = true
		n := 0
		for _, name := range mix {
			n += index(f.hasClass(name, thick))
		}
		assert.True(t, len(mix) == 4 && n > 0 && n < 4, title(mix))
	}
	assert.Len(t, seen, 50)
}

func TestKernelsAreOfAKindByTheirCurve(t *testing.T) {
	for want, curves := range map[string][][2]float64{
		flat:           {{1, 1}, {0.95, 1.05}, {1.05, 0.95}},
		cacheSensitive: {{1.06, 1}, {1, 0.94}, {1.06, 1.06}},
		thick:          {{0.94, 1}, {1, 1.06}, {0.6, 1.2}, {0.9, 0.9}},
	} {
		for _, c := range curves {
			assert.Equal(t, want, classOf(c[0], c[1]), "%v", c)
		}
	}
	rows, _ := heteroRows(t, "heterocore-fig1", Quick, heteroStory{alone: twelve})
	assert.InDelta(t, 0.6, ours(t, rows, "IPC, FDTD3D, 1/2 over baseline"), 1e-9)
	assert.InDelta(t, 1.2, ours(t, rows, "IPC, FDTD3D, 3/2 over baseline"), 1e-9)
	assert.Equal(t, 4.0, ours(t, rows, "thick, of the paper's 6"))
	assert.Equal(t, 0.0, ours(t, rows, "DXTC is thick"))
	rows, _ = heteroRows(t, "heterocore-fig2", Quick, heteroStory{alone: twelve})
	assert.Equal(t, 4.0, ours(t, rows, "flat, of the paper's 4"))
	assert.Equal(t, 1.0, ours(t, rows, "cache-sensitive, of the paper's 2"))
}

func TestSingleKernelsAreComparedWithTheConventionalGPU(t *testing.T) {
	rows, _ := heteroRows(t, "heterocore-fig9", Quick, heteroStory{alone: func(r experiment.Spec, name string) float64 {
		if r.GPU == hetero8b8s && r.Policy == "fcfs" {
			return 120
		}
		return twelve(r, name)
	}})
	assert.InDelta(t, 20, ours(t, rows, "IPC, FDTD3D, all SMs"), 1e-9)
	assert.InDelta(t, -40, ours(t, rows, "IPC, FDTD3D, big SMs"), 1e-9)
	assert.InDelta(t, -70, ours(t, rows, "IPC, FDTD3D, small SMs"), 1e-9)
}
