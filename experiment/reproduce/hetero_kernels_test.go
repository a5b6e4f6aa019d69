package reproduce

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"cotenant/experiment/sweep"
	"cotenant/workload/source"
)

func TestPairsOfHeteroCoreAreThe66OfThePaper(t *testing.T) {
	assert.Equal(t, []int{36, 30, 66, 15, 15}, sizes(heteroGroups(Full)))
	assert.Equal(t, []int{12, 10, 22, 5, 5}, sizes(heteroGroups(Quick)))
	assert.Equal(t, []int{4, 2, 2, 8}, sizes(fewer(Quick, heteroPairs(Quick))))
	assert.Equal(t, []int{36, 15, 15, 66}, sizes(fewer(Full, heteroPairs(Full))))
	assert.Subset(t, heteroMixes(Full), heteroMixes(Quick))
	for _, s := range []Scale{Quick, Full} {
		seen, in := map[string]bool{}, map[string]int{}
		for _, mix := range heteroMixes(s) {
			seen[title(slices.Sorted(slices.Values(mix)))] = true
			for _, name := range mix {
				in[name]++
			}
		}
		assert.Len(t, seen, len(heteroMixes(s)))
		assert.Len(t, in, 12)
		for name, n := range in {
			assert.True(t, n == 11 || s.Quick && (n == 3 || n == 4), "%s is in %d", name, n)
		}
		for i, of := range [][2]bool{{true, false}, {false, false}, {true, true}} {
			for _, mix := range heteroPairs(s)[i].mixes {
				assert.Equal(t, of, [2]bool{heteroNamed(mix[0]).class == thick, heteroNamed(mix[1]).class == thick}, title(mix))
			}
		}
	}
	assert.Len(t, heteroNames(flat), 4)
	assert.Len(t, heteroNames(cacheSensitive), 2)
}

func TestApplicationsOfTable3AreThere(t *testing.T) {
	for _, spec := range heteroSpecs(Scale{Size: "tiny"}, heteroAll()) {
		_, err := source.Open(spec, source.Options{})
		assert.NoError(t, err)
	}
	assert.Equal(t, []string{"btree?size=medium&set=range_queries:6000", "sad"}, append(heteroSpecs(Full, []string{"B+TREE"}), "sad"))
}

func TestMixesOfFourHaveBothClasses(t *testing.T) {
	full, quick := heteroFours(Full).mixes, heteroFours(Quick).mixes
	assert.Len(t, full, 50)
	assert.Equal(t, full[:6], quick)
	seen := map[string]bool{}
	for _, mix := range full {
		seen[title(mix)] = true
		n := 0
		for _, name := range mix {
			n += index(heteroNamed(name).class == thick)
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
	rows, _ := heteroRows(t, "heterocore-fig9", Quick, heteroStory{alone: func(r sweep.Run, name string) float64 {
		if r.GPU == hetero8b8s && r.Policy == "fcfs" {
			return 120
		}
		return twelve(r, name)
	}})
	assert.InDelta(t, 20, ours(t, rows, "IPC, FDTD3D, all SMs"), 1e-9)
	assert.InDelta(t, -40, ours(t, rows, "IPC, FDTD3D, big SMs"), 1e-9)
	assert.InDelta(t, -70, ours(t, rows, "IPC, FDTD3D, small SMs"), 1e-9)
}
