package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/protocol"
	"cotenant/tenant"
)

// drain removes every request of an entry that is ready.
func drain(m *MSHRs, entry int) (tokens []uint32) {
	for {
		token, ok := m.Next(entry)
		if !ok {
			return tokens
		}
		tokens = append(tokens, token)
	}
}

func TestMergedRequestsLeaveInOrderOfArrival(t *testing.T) {
	m := NewMSHRs(2, 3)
	e := m.Allocate(addrOf(7), 42)
	m.Wait(e, 0b0001, 0b0001, 30)
	m.Wait(e, 0b0001, 0, 10)
	m.Wait(e, 0b0001, 0, 20)
	assert.True(t, m.MergeFull(e))
	assert.Equal(t, e, m.Lookup(addrOf(7)))
	assert.Equal(t, 42, m.Line(e))
	assert.Empty(t, drain(m, e), "nothing has arrived")

	m.Arrive(e, 0b0001)
	assert.Equal(t, []uint32{30, 10, 20}, drain(m, e))
	assert.True(t, m.Free(e))
	assert.Equal(t, None, m.Lookup(addrOf(7)))
	assert.Zero(t, m.Len())
}

func TestRequestWaitsForItsOwnSectorsAndForOlderRequests(t *testing.T) {
	m := NewMSHRs(1, 4)
	e := m.Allocate(addrOf(1), 0)
	m.Wait(e, 0b0001, 0b0001, 1)
	m.Wait(e, 0b0011, 0b0010, 2)
	m.Wait(e, 0b0001, 0, 3)
	m.Arrive(e, 0b0001)
	assert.Equal(t, []uint32{1}, drain(m, e), "3 is behind 2, which lacks a sector")
	assert.False(t, m.Free(e))
	assert.Equal(t, uint8(0b0010), m.Missing(e))
	assert.Equal(t, uint8(0b0011), m.Sectors(e))

	m.Arrive(e, 0b0010)
	assert.Equal(t, []uint32{2, 3}, drain(m, e))
}

func TestEntryIsNotFreedWhileASectorIsMissing(t *testing.T) {
	m := NewMSHRs(1, 1)
	e := m.Allocate(addrOf(1), 0)
	m.Wait(e, 0b0001, protocol.AllSectors, 1)
	m.Arrive(e, 0b0001)
	assert.Equal(t, []uint32{1}, drain(m, e))
	assert.False(t, m.Free(e))
	assert.True(t, m.Full())
	m.Arrive(e, 0b1110)
	assert.True(t, m.Free(e))
	assert.False(t, m.Full())
}

type naiveRequest struct {
	token   uint32
	sectors uint8
}

type naiveEntry struct {
	addr             uint64
	waiting          []naiveRequest
	sectors, missing uint8
}

func TestMSHRsBehaveAsListsOfRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.IntRange(1, 9).Draw(t, "entries")
		merge := rapid.IntRange(1, 4).Draw(t, "merge")
		m := NewMSHRs(entries, merge)
		model := map[uint64]*naiveEntry{}
		// Few slots and many lines, tenants apart, so that runs form and wrap.
		addr := rapid.Custom(func(t *rapid.T) uint64 {
			return addrOf(rapid.IntRange(0, 40).Draw(t, "line")) |
				uint64(rapid.IntRange(0, 1).Draw(t, "tenant"))<<tenant.AddressShift
		})
		mask := rapid.Uint8Range(1, protocol.AllSectors)
		next := uint32(0)

		t.Repeat(map[string]func(*rapid.T){
			"request": func(t *rapid.T) {
				a, sectors := addr.Draw(t, "addr"), mask.Draw(t, "sectors")
				e, want := m.Lookup(a), model[a]
				require.Equal(t, want == nil, e == None)
				if want == nil {
					require.Equal(t, len(model) == entries, m.Full())
					if m.Full() {
						return
					}
					e, want = m.Allocate(a, int(a%97)), &naiveEntry{addr: a}
					model[a] = want
				}
				require.Equal(t, len(want.waiting) == merge, m.MergeFull(e))
				if m.MergeFull(e) {
					return
				}
				fetch := sectors &^ want.missing
				m.Wait(e, sectors, fetch, next)
				want.waiting = append(want.waiting, naiveRequest{next, sectors})
				want.sectors |= sectors
				want.missing |= fetch
				next++
			},
			"arrive": func(t *rapid.T) {
				a, sectors := addr.Draw(t, "addr"), mask.Draw(t, "sectors")
				want := model[a]
				if want == nil {
					return
				}
				e := m.Lookup(a)
				m.Arrive(e, sectors)
				want.missing &^= sectors
				for len(want.waiting) > 0 && want.waiting[0].sectors&want.missing == 0 {
					require.True(t, m.Ready(e))
					token, ok := m.Next(e)
					require.True(t, ok)
					require.Equal(t, want.waiting[0].token, token)
					want.waiting = want.waiting[1:]
				}
				_, ok := m.Next(e)
				require.False(t, ok)
				done := len(want.waiting) == 0 && want.missing == 0
				require.Equal(t, done, m.Free(e))
				if done {
					delete(model, a)
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(model), m.Len())
				for a, want := range model {
					e := m.Lookup(a)
					require.NotEqual(t, None, e)
					require.Equal(t, int(a%97), m.Line(e))
					require.Equal(t, want.sectors, m.Sectors(e))
					require.Equal(t, want.missing, m.Missing(e))
				}
			},
		})
	})
}
