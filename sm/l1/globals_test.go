package l1

import (
	"testing"

	"cotenant/protocol"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestGlobalsSaysWhichLoadsTheL1Caches(t *testing.T) {
	for name, caches := range map[string]struct{ plain, readOnly bool }{
		"cached": {true, true}, "read_only": {false, true}, "bypass": {false, false},
	} {
		for _, c := range []struct {
			space    workload.Space
			readOnly bool
			cached   bool
		}{
			{workload.Global, false, caches.plain},
			{workload.Global, true, caches.readOnly},
			{workload.Local, false, true},
			{workload.Texture, false, true},
		} {
			spec := testSpec()
			spec.Globals = name
			b := newBench(t, spec)
			b.sends(protocol.Read, 2)
			if c.cached {
				b.picks(2, 0)
			}
			m := &Request{Op: 5, Account: 2, Class: workload.Load, Space: c.space, ReadOnly: c.readOnly}
			require.Equal(t, Missed, b.Access(m, &Access{Line: 6 * protocol.LineBytes, Sectors: 0b0100}, 100))
			if c.cached {
				require.Equal(t, TenantStats{Accesses: 1, Misses: 1, Sectors: 1, FetchedSectors: 1}, *b.Stats(2), "%s %+v", name, c)
			} else {
				require.Equal(t, TenantStats{Bypasses: 1}, *b.Stats(2), "%s %+v", name, c)
				require.Equal(t, uint32(direct|5), b.sent[0].Tag)
			}
			require.Equal(t, uint8(0b0100), b.sent[0].Sectors)
		}
	}
}

func TestUnknownGlobalsIsAnError(t *testing.T) {
	spec := testSpec()
	spec.Globals = "some"
	spec.Victim, spec.Banks, spec.BankBytes, spec.AccessBytes = "lru", 1, 32, 128
	require.EqualError(t, spec.Validate(), `globals is "some", must be one of cached, read_only, bypass`)
}

func TestStoreDropsTheLineThatItHitsIfToldSo(t *testing.T) {
	store := func(b *bench, space workload.Space) Outcome {
		return b.Access(&Request{Op: 9, Account: 2, Class: workload.Store, Space: space}, &Access{Line: 6 * protocol.LineBytes, Sectors: 0b1000}, 200)
	}
	for _, c := range []struct {
		evict bool
		space workload.Space
		stays bool
	}{{false, workload.Global, true}, {true, workload.Global, false}, {true, workload.Local, true}} {
		spec := testSpec()
		spec.WriteEvict = c.evict
		b := newBench(t, spec)
		b.miss(1, 6, 0b0001, 0)
		b.reply(6, 0b0001, 1)
		b.room(protocol.Write, 2, false)
		require.Equal(t, Refused, store(b, c.space))
		require.Equal(t, Hit, b.load(2, 6, 0b0001), "one that is refused drops nothing")
		b.sends(protocol.Write, 2)
		require.Equal(t, Posted, store(b, c.space))
		if c.stays {
			require.Equal(t, Hit, b.load(2, 6, 0b0001), "%+v", c)
		} else {
			require.Zero(t, b.tags.Held(2))
			b.miss(3, 6, 0b0001, 1)
		}
	}
}

func TestStoreDropsNoLineThatIsOnItsWay(t *testing.T) {
	spec := testSpec()
	spec.WriteEvict = true
	b := newBench(t, spec)
	b.miss(1, 6, 0b0001, 0)
	b.sends(protocol.Write, 2)
	require.Equal(t, Posted, b.Access(&Request{Op: 9, Account: 2, Class: workload.Store}, &Access{Line: 6 * protocol.LineBytes, Sectors: 1}, 200))
	b.reply(6, 0b0001, 1)
	require.Equal(t, Hit, b.load(2, 6, 0b0001))
}
