package partition

import (
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/drf"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// ground is an SM that is divided again and again.
type ground struct {
	surveyor
	limit     occupancy.Demand
	now, next division
	order     []int
}

func newGround(registers, sharedBytes, tenants int) *ground {
	fresh := func() division {
		return division{tbs: make([]int, tenants), demand: make([]occupancy.Demand, tenants), base: make([]place, tenants)}
	}
	g := &ground{limit: occupancy.Demand{Registers: registers, SharedBytes: sharedBytes}, now: fresh(), next: fresh()}
	for tenant := range tenants {
		g.order = append(g.order, tenant)
	}
	return g
}

// takes is the demand of a thread block for the addressed resources.
func takes(registers, sharedBytes int) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Registers: registers, SharedBytes: sharedBytes}
}

// divide lays partitions for thread blocks of each tenant beside its present ones, and returns
// the tenants that move.
func (g *ground) divide(demand []occupancy.Demand, tbs, there []int) (moved []int) {
	copy(g.next.demand, demand)
	copy(g.next.tbs, tbs)
	g.lay(g.limit, &g.now, &g.next, g.order, func(tenant int) int { return there[tenant] })
	g.now, g.next = g.next, g.now
	for tenant, moves := range g.moves {
		if moves {
			moved = append(moved, tenant)
		}
	}
	return moved
}

// span is where a tenant's partition is.
func (d *division) span(tenant, resource int) (from, to int) {
	from = d.base[tenant][resource]
	return from, from + addressed(d.demand[tenant])[resource]*d.tbs[tenant]
}

// sound requires that partitions neither overlap nor exceed the SM.
func (g *ground) sound(t require.TestingT) {
	for r, limit := range addressed(g.limit) {
		for a := range g.now.tbs {
			from, to := g.now.span(a, r)
			require.True(t, 0 <= from && to <= limit, "tenant %d has %d to %d of %d", a, from, to, limit)
			for b := range a {
				other, end := g.now.span(b, r)
				require.True(t, from == to || other == end || to <= other || end <= from, "tenants %d and %d overlap", a, b)
			}
		}
	}
}

func TestPartitionsOfFigure8LieAtBothEnds(t *testing.T) {
	c := occupancy.Capacity{TBs: 1000, Threads: 1500, Warps: 1000, Registers: 1000, SharedOptions: []int{1000}}
	demand := []occupancy.Demand{{TBs: 1, Threads: 100, Warps: 4, Registers: 100}, {TBs: 1, Threads: 75, Warps: 3, Registers: 30, SharedBytes: 60}}
	tbs := make([]int, 2)
	drf.Partition(&c, demand, []int{0, 1}, tbs, nil)
	require.Equal(t, []int{6, 12}, tbs)
	g := newGround(1000, 1000, 2)
	g.divide(demand[:1], []int{10, 0}, []int{0, 0})
	require.Empty(t, g.divide(demand, tbs, []int{6, 0}), "K1 shrinks where it is")
	require.Equal(t, []place{{0, 0}, {1000 - 12*30, 0}}, g.now.base)
	require.Empty(t, g.divide(demand, []int{0, 16}, []int{0, 12}), "K2 grows where it is")
	require.Equal(t, place{1000 - 16*30, 0}, g.now.base[1])
}

// TestPartitionGrowsAtBothEnds has a partition of 6 from 4 on with room for one
// thread block below it and for two above it.
func TestPartitionGrowsAtBothEnds(t *testing.T) {
	for _, c := range []struct{ tbs, base int }{{3, 4}, {4, 2}, {5, 2}, {6, 2}} {
		s := strip{limit: 16, plots: []plot{
			{unit: 1, tbs: 2, stays: true, base: 0, held: 2},
			{unit: 2, tbs: c.tbs, stays: true, base: 4, held: 3},
			{unit: 1, tbs: 1, stays: true, base: 15, held: 1}}}
		at := make([]int, 3)
		require.True(t, s.lay(at))
		if c.tbs == 3 {
			require.Equal(t, 4, at[1])
		}
		require.Zero(t, (at[1]-4)%2, "by whole thread blocks")
		require.True(t, at[1] >= 2 && at[1]+2*c.tbs <= 15 && at[1] <= 4 && at[1]+2*c.tbs >= 10, "%d thread blocks at %d", c.tbs, at[1])
	}
	s := strip{limit: 16, plots: []plot{{unit: 1, tbs: 2, stays: true, base: 0, held: 2}, {unit: 2, tbs: 7, stays: true, base: 4, held: 3}}}
	require.True(t, s.lay(make([]int, 2)))
	s.plots[1].base = 5 // an odd place: 3 to 17
	require.False(t, s.lay(make([]int, 2)))
}

func TestVacancyIsOnePieceBetweenPartitions(t *testing.T) {
	g := newGround(100, 50, 4)
	demand := []occupancy.Demand{takes(10, 0), takes(5, 5), takes(7, 10), takes(3, 0)}
	require.Empty(t, g.divide(demand, []int{2, 4, 3, 5}, make([]int, 4)))
	g.sound(t)
	taken := 0
	low, high := 100, 0
	for tenant := range demand {
		from, to := g.now.span(tenant, registers)
		low, high, taken = min(low, from), max(high, to), taken+to-from
	}
	require.Equal(t, []int{0, 100}, []int{low, high})
	require.Equal(t, 100-76, g.vacancies(registers), "in one piece")
	require.Equal(t, 76, taken)
}

// vacancies is the largest vacancy.
func (g *ground) vacancies(r int) (largest int) {
	limit := addressed(g.limit)[r]
	for from := 0; from <= limit; from++ {
		to := limit
		for tenant := range g.now.tbs {
			if a, b := g.now.span(tenant, r); b > from && a < b {
				to = min(to, max(a, from))
			}
		}
		largest = max(largest, to-from)
	}
	return largest
}

// TestFewestThreadBlocksMoveWhereFragmentsDoNotServe has a partition of 6 at the bottom, a
// partition of 5 above it and one with 4 at the top. The first goes, and a partition of 9
// comes into rooms of 6 and 5.
func TestFewestThreadBlocksMoveWhereFragmentsDoNotServe(t *testing.T) {
	demand := []occupancy.Demand{takes(6, 0), takes(5, 0), takes(4, 0)}
	for _, c := range []struct{ there, moved []int }{
		{[]int{0, 1, 1}, []int{1}},
		{[]int{0, 0, 1}, nil},
		{[]int{0, 1, 0}, nil},
	} {
		g := newGround(20, 0, 3)
		g.now.demand, g.now.tbs = append([]occupancy.Demand(nil), demand...), []int{1, 1, 1}
		g.now.base = []place{{0}, {6}, {16}}
		got := g.divide([]occupancy.Demand{takes(9, 0), demand[1], demand[2]}, []int{1, 1, 1}, c.there)
		g.sound(t)
		require.Equal(t, c.moved, got)
	}
}

func TestDemandOfOneOfTwoTenantsNeverMovesTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := occupancy.Capacity{TBs: 32, Threads: 2048, Warps: 64, Registers: 65536, SharedOptions: []int{98304}}
		draw := func() occupancy.Demand {
			d := occupancy.Demand{TBs: 1, Threads: 32 * rapid.IntRange(1, 32).Draw(t, "warps"), SharedBytes: 256 * rapid.IntRange(0, 96).Draw(t, "shared")}
			d.Warps = d.Threads / 32
			d.Registers = d.Threads * rapid.IntRange(0, 64).Draw(t, "registers")
			return d
		}
		g := newGround(c.Registers, 98304, 2)
		demand := []occupancy.Demand{draw(), draw()}
		there, tbs := []int{0, 0}, []int{0, 0}
		for range rapid.IntRange(1, 20).Draw(t, "divisions") {
			// A new kernel has no thread block yet; one tenant may be away.
			changed := rapid.IntRange(0, 1).Draw(t, "changed")
			demand[changed], there[changed] = draw(), 0
			order := [][]int{{0, 1}, {0, 1}, {1 - changed}}[rapid.IntRange(0, 2).Draw(t, "who")]
			drf.Partition(&c, demand, order, tbs, nil)
			require.Empty(t, g.divide(demand, tbs, there))
			g.sound(t)
			for tenant := range there {
				there[tenant] = rapid.IntRange(0, tbs[tenant]).Draw(t, "there")
			}
		}
	})
}

// TestFewestThreadBlocksMove compares with a search of all places.
func TestFewestThreadBlocksMove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const tenants = 3
		has := place{rapid.IntRange(4, 12).Draw(t, "registers"), rapid.IntRange(0, 6).Draw(t, "shared")}
		g := newGround(has[registers], has[sharedBytes], tenants)
		demand, tbs, there := make([]occupancy.Demand, tenants), make([]int, tenants), make([]int, tenants)
		for range rapid.IntRange(1, 8).Draw(t, "divisions") {
			for tenant := range tenants {
				if there[tenant] == 0 {
					demand[tenant] = takes(rapid.IntRange(0, 4).Draw(t, "registers"), rapid.IntRange(0, 3).Draw(t, "shared"))
				}
				tbs[tenant] = 0
			}
			room := has
			for range rapid.IntRange(1, 8).Draw(t, "thread blocks") {
				tenant := rapid.IntRange(0, tenants-1).Draw(t, "tenant")
				one := addressed(demand[tenant])
				if room[registers] >= one[registers] && room[sharedBytes] >= one[sharedBytes] {
					room[registers] -= one[registers]
					room[sharedBytes] -= one[sharedBytes]
					tbs[tenant]++
				}
			}
			for tenant := range tenants {
				there[tenant] = min(there[tenant], tbs[tenant])
			}
			want := g.fewest(has, demand, tbs, there)
			before := division{append([]int(nil), g.now.tbs...), append([]occupancy.Demand(nil), g.now.demand...), append([]place(nil), g.now.base...), false}
			cost := 0
			for _, tenant := range g.divide(demand, tbs, there) {
				cost += there[tenant]
			}
			require.Equal(t, want, cost)
			g.sound(t)
			for tenant := range tenants {
				if there[tenant] > 0 && !g.moves[tenant] {
					for r := range resources {
						require.True(t, kept(&before, &g.now, tenant, r))
					}
				}
				there[tenant] = rapid.IntRange(0, tbs[tenant]).Draw(t, "there")
			}
		}
	})
}

// kept reports whether a partition is where it was: by whole thread blocks, and
// the smaller inside the larger.
func kept(before, after *division, tenant, r int) bool {
	unit := addressed(after.demand[tenant])[r]
	if unit == 0 {
		return true
	}
	a, b := before.span(tenant, r)
	c, d := after.span(tenant, r)
	return (a-c)%unit == 0 && (a <= c && d <= b || c <= a && b <= d)
}

// fewest is how many thread blocks must move at the least.
func (g *ground) fewest(has place, demand []occupancy.Demand, tbs, there []int) int {
	next := division{tbs, demand, make([]place, len(tbs)), false}
	best := 1 << 30
	for set := range 1 << len(tbs) {
		cost := 0
		for tenant, n := range there {
			if set>>tenant&1 != 0 {
				cost += n
			}
		}
		if cost >= best {
			continue
		}
		possible := true
		for r, limit := range has {
			possible = possible && next.any(limit, r, 0, func(tenant int) bool {
				return there[tenant] == 0 || set>>tenant&1 != 0 || kept(&g.now, &next, tenant, r)
			})
		}
		if possible {
			best = cost
		}
	}
	return best
}

// any reports whether the partitions from one tenant on can be laid beside the earlier ones
// with all well.
func (d *division) any(limit, r, tenant int, well func(tenant int) bool) bool {
	if tenant == len(d.tbs) {
		return true
	}
	size := addressed(d.demand[tenant])[r] * d.tbs[tenant]
	for base := 0; base+size <= limit; base++ {
		d.base[tenant][r] = base
		free := true
		for other := range tenant {
			from, to := d.span(other, r)
			free = free && (size == 0 || from == to || base+size <= from || to <= base)
		}
		if free && well(tenant) && d.any(limit, r, tenant+1, well) {
			return true
		}
	}
	return false
}

// TestManyPartitionsAreLaid has too many partitions to try all orders.
func TestManyPartitionsAreLaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{7, 9, 12}).Draw(t, "tenants")
		g := newGround(24*n, 6*n, n)
		demand, tbs, there := make([]occupancy.Demand, n), make([]int, n), make([]int, n)
		for range 4 {
			for tenant := range n {
				if there[tenant] == 0 {
					demand[tenant] = takes(rapid.IntRange(1, 12).Draw(t, "registers"), rapid.IntRange(0, 3).Draw(t, "shared"))
				}
				tbs[tenant] = rapid.IntRange(1, 2).Draw(t, "thread blocks")
				there[tenant] = min(there[tenant], tbs[tenant])
			}
			g.divide(demand, tbs, there)
			g.sound(t)
			for tenant := range n {
				there[tenant] = rapid.IntRange(0, tbs[tenant]).Draw(t, "there")
			}
		}
	})
}
