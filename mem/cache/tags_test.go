package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/protocol"
	"cotenant/tenant"
)

func addrOf(n int) uint64 { return uint64(n) * protocol.LineBytes }

// reserve takes a line that the test expects to get.
func reserve(t require.TestingT, tags *Tags, addr uint64, owner tenant.Account) (int, Victim) {
	line, victim, ok := tags.Reserve(addr, owner)
	require.True(t, ok)
	return line, victim
}

func TestProbeHitsTheSectorsThatWereFilled(t *testing.T) {
	tags := NewTags(4, 2, Index{})
	line, _ := reserve(t, tags, addrOf(1), 0)
	tags.Fill(line, 0b0110)

	found, hit := tags.Probe(addrOf(1), 0b0011)
	assert.Equal(t, line, found)
	assert.Equal(t, uint8(0b0010), hit)

	found, hit = tags.Probe(addrOf(5), protocol.AllSectors)
	assert.Equal(t, None, found, "same set, other line")
	assert.Zero(t, hit)
}

func TestPartlyWrittenSectorIsDirtyButNotAHit(t *testing.T) {
	tags := NewTags(1, 1, Index{})
	line, _ := reserve(t, tags, addrOf(1), 3)
	tags.MarkDirty(line, 0b0100)

	_, hit := tags.Probe(addrOf(1), protocol.AllSectors)
	assert.Zero(t, hit)
	_, victim := reserve(t, tags, addrOf(2), 0)
	assert.Equal(t, Victim{Addr: addrOf(1), Dirty: 0b0100, Account: 3}, victim)
}

func TestVictimIsTheLeastRecentlyUsedLine(t *testing.T) {
	tags := NewTags(1, 3, Index{})
	var lines [3]int
	for n := range lines {
		lines[n], _ = reserve(t, tags, addrOf(n), 0)
		tags.MarkDirty(lines[n], 1)
	}
	tags.Touch(lines[0])
	tags.Probe(addrOf(1), 1) // looking is not using

	_, victim := reserve(t, tags, addrOf(3), 0)
	assert.Equal(t, addrOf(1), victim.Addr)
	_, victim = reserve(t, tags, addrOf(4), 0)
	assert.Equal(t, addrOf(2), victim.Addr)
	_, victim = reserve(t, tags, addrOf(5), 0)
	assert.Equal(t, addrOf(0), victim.Addr)
}

func TestDroppedLineIsTakenBeforeAnyOther(t *testing.T) {
	tags := NewTags(1, 2, Index{})
	reserve(t, tags, addrOf(0), 0)
	line, _ := reserve(t, tags, addrOf(1), 0)
	tags.MarkDirty(line, 1)
	tags.Drop(line)

	again, victim := reserve(t, tags, addrOf(2), 0)
	assert.Equal(t, line, again)
	assert.Zero(t, victim.Dirty)
	found, _ := tags.Probe(addrOf(0), 1)
	assert.NotEqual(t, None, found)
}

func TestPinnedLinesAreNotDisplaced(t *testing.T) {
	tags := NewTags(1, 2, Index{})
	old, _ := reserve(t, tags, addrOf(0), 0)
	young, _ := reserve(t, tags, addrOf(1), 0)
	tags.Pin(old)
	tags.Pin(young)
	_, _, ok := tags.Reserve(addrOf(2), 1)
	assert.False(t, ok, "every way is pinned")
	assert.Zero(t, tags.Held(1))

	tags.Unpin(young)
	line, _ := reserve(t, tags, addrOf(2), 1)
	assert.Equal(t, young, line)
	found, _ := tags.Probe(addrOf(0), 1)
	assert.Equal(t, old, found)
}

func TestEmptyDropsAllLinesButThoseOnTheirWay(t *testing.T) {
	tags := NewTags(1, 3, Index{})
	mine, _ := reserve(t, tags, addrOf(1), 0)
	other, _ := reserve(t, tags, addrOf(2), tenant.ID(1).Account(0))
	coming, _ := reserve(t, tags, addrOf(3), 0)
	for _, line := range []int{mine, other, coming} {
		tags.Fill(line, 0b0011)
		tags.MarkDirty(line, 0b0001)
	}
	tags.Pin(coming)
	tags.Empty()
	for _, n := range []int{1, 2} {
		line, _ := tags.Probe(addrOf(n), 0)
		assert.Equal(t, None, line)
	}
	line, hit := tags.Probe(addrOf(3), 0b0011)
	assert.Equal(t, coming, line)
	assert.Zero(t, hit)
	assert.Zero(t, tags.Held(1))
	assert.Equal(t, 1, tags.Held(0))
}

func TestCleanTakesTheLeastRecentlyUsedOfTheOtherDirtyLines(t *testing.T) {
	tags := NewTags(2, 4, Index{})
	var lines []int
	for n := range 8 { // four of each set, by turns
		line, _ := reserve(t, tags, addrOf(n), tenant.Account(n))
		lines = append(lines, line)
	}
	for _, n := range []int{0, 2, 4, 1, 3} {
		tags.MarkDirty(lines[n], 0b0101)
	}
	tags.Pin(lines[0])
	_, ok := tags.Clean(lines[4], 3)
	assert.False(t, ok, "three are dirty")
	cleaned, ok := tags.Clean(lines[4], 2)
	assert.True(t, ok)
	assert.Equal(t, Victim{Addr: addrOf(2), Dirty: 0b0101, Account: 2}, cleaned, "0 is pinned, 6 clean, 1 and 3 of the other set")
	_, ok = tags.Clean(lines[4], 1)
	assert.False(t, ok, "only itself and the pinned one are dirty")
	var dirty []int
	for n, line := range lines {
		if tags.Dirty(line) {
			dirty = append(dirty, n)
		}
	}
	assert.Equal(t, []int{0, 1, 3, 4}, dirty)
	line, hit := tags.Probe(addrOf(2), 0)
	assert.Equal(t, lines[2], line, "it stays")
	assert.Zero(t, hit)
}

func TestInvalidateTenantLeavesOtherKernelsAlone(t *testing.T) {
	tags := NewTags(2, 2, Index{})
	for n := range 4 {
		line, _ := reserve(t, tags, addrOf(n), tenant.Account(n%2))
		tags.Fill(line, protocol.AllSectors)
		if n == 3 {
			tags.Pin(line)
		}
	}
	tags.InvalidateTenant(1)
	for n, want := range []struct {
		present bool
		hit     uint8
	}{{true, protocol.AllSectors}, {false, 0}, {true, protocol.AllSectors}, {true, 0}} {
		line, hit := tags.Probe(addrOf(n), protocol.AllSectors)
		assert.Equal(t, want.present, line != None, "line %d", n)
		assert.Equal(t, want.hit, hit, "line %d", n)
	}
	assert.Equal(t, 2, tags.Held(0))
	assert.Equal(t, 1, tags.Held(1), "the pinned line stays reserved")
}

// naiveLine and naiveTags are the same tag array written for clarity: each set
// is a list, most recently used line first.
type naiveLine struct {
	addr         uint64
	valid, dirty uint8
	owner        tenant.Account
	pinned       bool
}

type naiveTags struct {
	sets [][]naiveLine
	ways int
}

func (n *naiveTags) find(addr uint64) (set *[]naiveLine, at int) {
	set = &n.sets[int(addr/protocol.LineBytes)%len(n.sets)]
	for i := range *set {
		if (*set)[i].addr == addr {
			return set, i
		}
	}
	return set, None
}

func (n *naiveTags) reserve(addr uint64, id tenant.Account) (Victim, bool) {
	set, _ := n.find(addr)
	var victim Victim
	if len(*set) == n.ways {
		last := len(*set) - 1
		for last >= 0 && (*set)[last].pinned {
			last--
		}
		if last < 0 {
			return Victim{}, false
		}
		l := (*set)[last]
		victim = Victim{l.addr, l.dirty, l.owner}
		*set = append((*set)[:last], (*set)[last+1:]...)
	}
	*set = append([]naiveLine{{addr: addr, owner: id}}, *set...)
	return victim, true
}

func TestTagsBehaveAsListsOfLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := rapid.IntRange(1, 5).Draw(t, "sets")
		ways := rapid.IntRange(1, 4).Draw(t, "ways")
		tags := NewTags(sets, ways, Index{})
		model := naiveTags{sets: make([][]naiveLine, sets), ways: ways}
		addr := rapid.Map(rapid.IntRange(0, 30), addrOf)
		mask := rapid.Uint8Range(0, protocol.AllSectors)

		// step runs f on a line that is present in both.
		step := func(f func(t *rapid.T, line int, set *[]naiveLine, at int)) func(*rapid.T) {
			return func(t *rapid.T) {
				a := addr.Draw(t, "addr")
				line, _ := tags.Probe(a, 0)
				if set, at := model.find(a); at != None {
					f(t, line, set, at)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"reserve": func(t *rapid.T) {
				a, account := addr.Draw(t, "addr"), rapid.SampledFrom([]tenant.Account{0, 1, 2, tenant.ID(1).Account(1), tenant.ID(2).Account(tenant.Kernels - 1)}).Draw(t, "account")
				if _, at := model.find(a); at != None {
					return
				}
				_, victim, ok := tags.Reserve(a, account)
				wantVictim, wantOK := model.reserve(a, account)
				require.Equal(t, wantOK, ok)
				require.Equal(t, wantVictim, victim)
			},
			"touch": step(func(_ *rapid.T, line int, set *[]naiveLine, at int) {
				tags.Touch(line)
				l := (*set)[at]
				copy((*set)[1:at+1], (*set)[:at])
				(*set)[0] = l
			}),
			"fill": step(func(t *rapid.T, line int, set *[]naiveLine, at int) {
				m := mask.Draw(t, "mask")
				tags.Fill(line, m)
				(*set)[at].valid |= m
			}),
			"dirty": step(func(t *rapid.T, line int, set *[]naiveLine, at int) {
				m := mask.Draw(t, "mask")
				tags.MarkDirty(line, m)
				(*set)[at].dirty |= m
			}),
			"pin": step(func(_ *rapid.T, line int, set *[]naiveLine, at int) {
				if (*set)[at].pinned {
					tags.Unpin(line)
				} else {
					tags.Pin(line)
				}
				(*set)[at].pinned = !(*set)[at].pinned
			}),
			"drop": step(func(_ *rapid.T, line int, set *[]naiveLine, at int) {
				if !(*set)[at].pinned {
					tags.Drop(line)
					*set = append((*set)[:at], (*set)[at+1:]...)
				}
			}),
			"": func(t *rapid.T) {
				var held [3]int
				for n := range 31 {
					set, at := model.find(addrOf(n))
					line, hit := tags.Probe(addrOf(n), protocol.AllSectors)
					require.Equal(t, at == None, line == None)
					if at != None {
						l := (*set)[at]
						require.Equal(t, l.valid, hit)
						require.Equal(t, l.pinned, tags.Pinned(line))
						held[l.owner.Tenant()]++
					}
				}
				for k := range held {
					require.Equal(t, held[k], tags.Held(tenant.ID(k)))
				}
			},
		})
	})
}

// Lines in the ways that go are lost, the others stay, and new ones take what is left.
func TestResizeDropsTheLinesOfTheWaysThatGo(t *testing.T) {
	tags := NewTags(2, 4, Index{Function: Linear})
	line := func(i int) uint64 { return uint64(i) * 128 }
	held := func() (list []int) {
		for i := range 16 {
			if at, _ := tags.Probe(line(i), 0); at != None {
				list = append(list, i)
			}
		}
		return list
	}
	for i := range 8 {
		tags.Reserve(line(i), 0)
	}
	tags.Resize(3)
	require.Equal(t, []int{0, 1, 2, 3, 4, 5}, held())
	require.Equal(t, 6, tags.Held(0))
	tags.Reserve(line(8), 0)
	require.Equal(t, []int{1, 2, 3, 4, 5, 8}, held(), "the least recently used of three")
	require.Equal(t, 3, tags.Set(line(1)).Ways())
	tags.Resize(4)
	tags.Reserve(line(10), 0)
	require.Equal(t, []int{1, 2, 3, 4, 5, 8, 10}, held(), "the way is empty")
}
