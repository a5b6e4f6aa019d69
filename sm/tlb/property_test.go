package tlb

import (
	"slices"
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is the simplest MMU, with the accesses that wait for it: pages that are there or
// not, and a list of the requests.
type model struct {
	asked   []protocol.Translation
	open    bool            // the way to the MMU
	there   map[uint64]bool // by region
	waits   map[uint32]uint64
	held    map[uint32]bool
	told    map[uint32]bool // accesses that have faulted
	entered map[uint64]bool // pages that may be in the TLB
	t       *rapid.T
}

func (m *model) Ask(page uint64, a tenant.Account, write bool) bool {
	if m.open {
		m.asked = append(m.asked, protocol.Translation{Page: page, Account: a, Write: write})
	}
	return m.open
}

func (m *model) Translated(access uint32) {
	page, ok := m.waits[access]
	require.True(m.t, ok, "access %d does not wait", access)
	require.True(m.t, m.there[region(page)])
	require.False(m.t, m.held[access])
	m.entered[page] = true
	delete(m.waits, access)
}

func (m *model) Faulted(access uint32, fault protocol.Fault, r uint64) {
	page, ok := m.waits[access]
	require.True(m.t, ok)
	require.Equal(m.t, region(page), r)
	m.told[access] = true
	delete(m.waits, access)
}

func (m *model) Held(access uint32, on bool) {
	require.NotEqual(m.t, on, m.held[access], "told twice")
	m.held[access] = on
}

func region(page uint64) uint64 { return page &^ 0xffff }

// answer answers a request, with the state of the page at the time at which it is
// found, which may be long before the answer comes.
func (m *model) answer(n *protocol.Translation) {
	if !m.there[region(n.Page)] {
		n.Fault, n.Region = protocol.Migrate, region(n.Page)
	}
}

// TestEveryAccessGoesOnOrIsTold has accesses of few pages wait in any order of answers
// and of regions served. No fault comes behind the news that its region is served.
func TestEveryAccessGoesOnOrIsTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		holds := rapid.Bool().Draw(t, "holds")
		m := &model{t: t, open: true, there: map[uint64]bool{}, waits: map[uint32]uint64{}, held: map[uint32]bool{},
			told: map[uint32]bool{}, entered: map[uint64]bool{}}
		x := New(small, Parts{PageBytes: 4096, HoldFaults: holds, Waiter: m, Network: m})
		var coming []protocol.Translation // answers, found already
		next := uint32(0)
		step := func(what int) {
			switch what {
			case 0, 1, 2:
				page := uint64(rapid.IntRange(0, 5).Draw(t, "page")) * 0x8000
				m.waits[next] = page
				switch x.LookUp(page+uint64(next%4096), 0, rapid.Bool().Draw(t, "write"), next) {
				case Hit:
					require.True(t, m.entered[page])
					delete(m.waits, next)
				case Refused:
					require.Equal(t, small.MSHRs, x.Waiting())
					delete(m.waits, next)
				}
				next++
			case 3:
				if len(m.asked) > 0 { // the MMU finds an answer
					n := m.asked[0]
					m.asked = slices.Delete(m.asked, 0, 1)
					m.answer(&n)
					coming = append(coming, n)
				}
			case 4:
				if len(coming) > 0 {
					i := rapid.IntRange(0, len(coming)-1).Draw(t, "which")
					n := coming[i]
					coming = slices.Delete(coming, i, i+1)
					x.Answer(&n)
				}
			case 5:
				r := region(uint64(rapid.IntRange(0, 5).Draw(t, "served")) * 0x8000)
				if !m.there[r] {
					m.there[r] = true
					for i := range coming { // the L2 TLB hears of it first
						if n := &coming[i]; n.Region == r {
							n.Fault = protocol.NoFault
						}
					}
					x.Served(&protocol.RegionServed{Region: r})
				}
			case 6:
				m.open = !m.open
			case 7:
				x.Step()
			}
		}
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			step(rapid.IntRange(0, 7).Draw(t, "what"))
		}
		m.open = true
		for page := range uint64(6) {
			if r := region(page * 0x8000); !m.there[r] {
				m.there[r] = true
				for i := range coming {
					if n := &coming[i]; n.Region == r {
						n.Fault = protocol.NoFault
					}
				}
				x.Served(&protocol.RegionServed{Region: r})
			}
		}
		for range 20 {
			x.Step()
			step(3)
			for len(coming) > 0 {
				x.Answer(&coming[0])
				coming = coming[1:]
			}
		}
		require.Empty(t, m.waits)
		require.Zero(t, x.Waiting())
		if holds {
			require.Empty(t, m.told)
		}
		for _, on := range m.held {
			require.False(t, on)
		}
		s := x.Stats(0)
		require.GreaterOrEqual(t, uint64(next), s.Hits+s.Misses+s.Merges)
	})
}
