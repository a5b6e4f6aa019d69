package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"cotenant/workload"
)

// oneSet is a set of four lines, with ways set aside, in which lines 0 to 3 have been used in order, each
// with a priority.
func oneSet(aside int, used ...workload.Priority) *Tags {
	tags := NewTags(1, 4, Index{})
	tags.SetAside(aside)
	for n, p := range used {
		tags.ReserveFor(addrOf(n), 0, p)
	}
	return tags
}

// displaced is the number of the line that makes room for another.
func displaced(tags *Tags, p workload.Priority) int {
	line, _, _ := tags.ReserveFor(addrOf(100+int(tags.clock)), 0, p)
	for n := range 4 {
		if found, _ := tags.Probe(addrOf(n), 1); found == None && line != None {
			return n
		}
	}
	return None
}

func TestLinesMakeRoomByPriorityAndThenByUse(t *testing.T) {
	const keep, first, last, normal = workload.Unchanged, workload.EvictFirst, workload.EvictLast, workload.EvictNormal
	for _, c := range []struct {
		aside int
		lines []workload.Priority
		comes workload.Priority
		goes  int
	}{
		{0, []workload.Priority{keep, keep, keep, keep}, keep, 0},
		{0, []workload.Priority{keep, keep, first, first}, keep, 2},
		{0, []workload.Priority{last, keep, keep, keep}, keep, 0},     // nothing is set aside
		{2, []workload.Priority{last, keep, keep, keep}, keep, 1},     //
		{2, []workload.Priority{last, last, keep, keep}, keep, 2},     //
		{2, []workload.Priority{last, last, keep, keep}, last, 0},     // its part is full
		{2, []workload.Priority{last, keep, keep, keep}, last, 1},     // its part is not full
		{3, []workload.Priority{last, last, last, first}, first, 3},   //
		{2, []workload.Priority{last, first, normal, keep}, keep, 1},  //
		{2, []workload.Priority{last, normal, first, first}, last, 2}, //
	} {
		tags := oneSet(c.aside, c.lines...)
		assert.Equal(t, c.goes, displaced(tags, c.comes), "%+v", c)
	}
}

func TestUseChangesAPriorityAsTheAccessSays(t *testing.T) {
	tags := oneSet(1, workload.EvictLast, workload.Unchanged, workload.Unchanged, workload.Unchanged)
	tags.Touch(0)
	tags.Prefer(0, workload.Unchanged)
	assert.Equal(t, 1, tags.Kept(), "an access that says nothing leaves it")
	tags.Prefer(2, workload.EvictLast)
	assert.Equal(t, 1, tags.Kept())
	assert.Equal(t, 1, displaced(tags, workload.Unchanged), "line 0 is normal again, and used after line 1")
	tags.Prefer(2, workload.EvictNormal)
	assert.Zero(t, tags.Kept())
	tags.Prefer(3, workload.EvictFirst)
	assert.Equal(t, 1, displaced(tags, workload.Unchanged), "line 1 is gone already")
	found, _ := tags.Probe(addrOf(3), 1)
	assert.Equal(t, None, found)
}

func TestReleaseAndLessRoomMakeLinesNormal(t *testing.T) {
	for _, end := range []func(*Tags){(*Tags).Release, func(tags *Tags) { tags.SetAside(1) }} {
		tags := oneSet(2, workload.EvictLast, workload.EvictLast, workload.Unchanged, workload.Unchanged)
		tags.SetAside(2)
		assert.Equal(t, 2, tags.Kept(), "as much room changes nothing")
		end(tags)
		assert.Zero(t, tags.Kept())
		assert.Equal(t, 0, displaced(tags, workload.Unchanged))
	}
}

// A pinned line stays, whatever its priority, and keeps it.
func TestPinnedLinesOfAPriorityStay(t *testing.T) {
	tags := oneSet(2, workload.EvictLast, workload.EvictLast, workload.EvictFirst, workload.Unchanged)
	tags.Pin(0)
	tags.Pin(2)
	assert.Equal(t, 1, displaced(tags, workload.EvictLast))
	assert.Equal(t, 2, tags.Kept())
	assert.True(t, tags.Pinned(0))
	tags.Unpin(0)
	assert.Equal(t, 2, tags.Kept())
}

// Against a list in order of use for each rank.
func TestPrioritiesAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ways := rapid.IntRange(1, 6).Draw(t, "ways")
		aside := rapid.IntRange(0, ways*3/4).Draw(t, "aside")
		tags := NewTags(1, ways, Index{})
		tags.SetAside(aside)
		ranks := map[workload.Priority]int{workload.EvictFirst: 0, workload.Unchanged: 1, workload.EvictNormal: 1, workload.EvictLast: 2}
		type entry struct{ addr, rank int }
		var order []entry // least recently used first
		oldest := func(rank int) int {
			for i, e := range order {
				if e.rank == rank {
					return i
				}
			}
			return -1
		}
		count := func() (n int) {
			for _, e := range order {
				if e.rank == 2 {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(1, 60).Draw(t, "uses") {
			addr := rapid.IntRange(0, 9).Draw(t, "line")
			p := rapid.SampledFrom([]workload.Priority{workload.Unchanged, workload.EvictFirst, workload.EvictLast, workload.EvictNormal}).Draw(t, "priority")
			line, _ := tags.Probe(addrOf(addr), 1)
			at := -1
			for i, e := range order {
				if e.addr == addr {
					at = i
				}
			}
			assert.Equal(t, at >= 0, line != None)
			rank := ranks[p]
			if p == workload.EvictLast && aside == 0 {
				rank = 1
			}
			if at >= 0 {
				old := order[at].rank
				order = append(order[:at], order[at+1:]...)
				if p == workload.Unchanged || p == workload.EvictLast && aside == 0 {
					rank = old
				} else if rank == 2 && old != 2 && count() >= aside {
					order[oldest(2)].rank = 1
				}
				tags.Touch(line)
				tags.Prefer(line, p)
			} else {
				if len(order) == ways || rank == 2 && count() >= aside {
					gone := oldest(2)
					if rank != 2 || count() < aside {
						for _, r := range []int{2, 1, 0} {
							if i := oldest(r); i >= 0 {
								gone = i
							}
						}
					}
					order = append(order[:gone], order[gone+1:]...)
				}
				_, _, ok := tags.ReserveFor(addrOf(addr), 0, p)
				assert.True(t, ok)
			}
			order = append(order, entry{addr, rank})
			assert.Equal(t, count(), tags.Kept())
			for _, e := range order {
				found, _ := tags.Probe(addrOf(e.addr), 1)
				assert.NotEqual(t, None, found, "line %d", e.addr)
			}
		}
	})
}
