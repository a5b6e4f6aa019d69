package tlb

import (
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

// bench is a TLB between mocks. Every call that is not expected fails the test.
type bench struct {
	*TLB
	t       *testing.T
	waiter  *MockWaiter
	network *MockNetwork
}

// small has two sets of two ways, and two MSHRs.
var small = Spec{Entries: 4, Ways: 2, MSHRs: 2}

// who looks up, on a bench.
const who = tenant.Account(2)

func newBench(t *testing.T, holds bool) *bench {
	ctrl := gomock.NewController(t)
	b := &bench{t: t, waiter: NewMockWaiter(ctrl), network: NewMockNetwork(ctrl)}
	b.TLB = New(small, Parts{PageBytes: 4096, HoldFaults: holds, Waiter: b.waiter, Network: b.network})
	return b
}

// asks has the network take, or refuse, a request for a page.
func (b *bench) asks(page uint64, write, taken bool) {
	b.network.EXPECT().Ask(page, who, write).Return(taken)
}

// reads looks an address up to read, writes to write.
func (b *bench) reads(addr uint64, access uint32, want Outcome) {
	b.t.Helper()
	require.Equal(b.t, want, b.LookUp(addr, who, false, access))
}

func (b *bench) writes(addr uint64, access uint32, want Outcome) {
	b.t.Helper()
	require.Equal(b.t, want, b.LookUp(addr, who, true, access))
}

// granted answers for a page that can be read and written, faulted for a missing page.
func granted(page uint64) *protocol.Translation {
	return &protocol.Translation{Page: page, Account: who}
}

func faulted(page uint64, fault protocol.Fault) *protocol.Translation {
	return &protocol.Translation{Page: page, Account: who, Fault: fault, Region: page &^ 0xffff}
}

// fill brings a page into the TLB.
func (b *bench) fill(page uint64, access uint32) {
	b.t.Helper()
	b.asks(page, false, true)
	b.reads(page, access, Waits)
	b.waiter.EXPECT().Translated(access)
	b.Answer(granted(page))
}

func TestPageHitsOnceItHasBeenTranslated(t *testing.T) {
	b := newBench(t, true)
	b.asks(0x5000, false, true)
	b.reads(0x5678, 7, Waits)
	require.Equal(t, 1, b.Waiting())
	b.waiter.EXPECT().Translated(uint32(7))
	b.Answer(granted(0x5000))
	require.Zero(t, b.Waiting())
	b.reads(0x5fff, 8, Hit)
	b.writes(0x5000, 9, Hit)
	require.Equal(t, TenantStats{Hits: 2, Misses: 1}, *b.Stats(who))
	require.Zero(t, *b.Stats(3))
}

func TestAnyNumberOfAccessesWaitInAnMSHR(t *testing.T) {
	b := newBench(t, true)
	b.asks(0x5000, true, true)
	b.writes(0x5000, 0, Waits)
	var calls []*gomock.Call
	for i := uint32(1); i < 100; i++ {
		b.reads(0x5000+uint64(i), i, Waits)
	}
	for i := range uint32(100) {
		calls = append(calls, b.waiter.EXPECT().Translated(i))
	}
	gomock.InOrder(calls...)
	require.Equal(t, TenantStats{Misses: 1, Merges: 99}, *b.Stats(who))
	b.Answer(&protocol.Translation{Page: 0x5000, Account: who, Write: true})
}

func TestWithoutAnMSHRALookUpIsRefused(t *testing.T) {
	b := newBench(t, true)
	b.fill(0x1000, 1)
	b.asks(0x5000, false, true)
	b.reads(0x5000, 2, Waits)
	b.asks(0x6000, false, true)
	b.reads(0x6000, 3, Waits)
	b.reads(0x7000, 4, Refused)
	b.reads(0x6004, 5, Waits)
	b.reads(0x1000, 6, Hit)
	require.Equal(t, TenantStats{Hits: 1, Misses: 3, Merges: 1}, *b.Stats(who))
	b.waiter.EXPECT().Translated(uint32(2))
	b.Answer(granted(0x5000))
	b.asks(0x7000, false, true)
	b.reads(0x7000, 4, Waits)
}

func TestLeastRecentlyUsedPageOfTheSetGoes(t *testing.T) {
	b := newBench(t, true)
	b.fill(0x2000, 1) // even pages are in set 0
	b.fill(0x4000, 2)
	b.fill(0x1000, 3)
	b.reads(0x2000, 4, Hit)
	b.fill(0x6000, 5) // in place of 0x4000
	b.reads(0x2000, 6, Hit)
	b.reads(0x6000, 7, Hit)
	b.reads(0x1000, 8, Hit)
	b.asks(0x4000, false, true)
	b.reads(0x4000, 9, Waits)
}

func TestWriteOfAPageKnownAsReadOnlyAsks(t *testing.T) {
	b := newBench(t, true)
	b.asks(0x5000, false, true)
	b.reads(0x5000, 1, Waits)
	b.waiter.EXPECT().Translated(uint32(1))
	b.Answer(&protocol.Translation{Page: 0x5000, Account: who, ReadOnly: true})
	b.reads(0x5000, 2, Hit)
	b.asks(0x5000, true, true)
	b.writes(0x5000, 3, Waits)
	b.reads(0x5000, 4, Hit)
	b.waiter.EXPECT().Translated(uint32(3))
	b.Answer(&protocol.Translation{Page: 0x5000, Account: who, Write: true})
	b.writes(0x5000, 5, Hit)
	b.fill(0x7000, 6) // the page was filled again where it lay
	b.reads(0x5000, 7, Hit)
}

func TestWriteDoesNotWaitWithReads(t *testing.T) {
	b := newBench(t, false)
	b.asks(0x5000, false, true)
	b.reads(0x5000, 1, Waits)
	b.asks(0x5000, true, true)
	b.writes(0x5000, 2, Waits)
	b.waiter.EXPECT().Faulted(uint32(2), protocol.ReadOnly, uint64(0))
	b.Answer(&protocol.Translation{Page: 0x5000, Account: who, Write: true, Fault: protocol.ReadOnly})
	b.waiter.EXPECT().Translated(uint32(1))
	b.Answer(&protocol.Translation{Page: 0x5000, Account: who, ReadOnly: true})
}

func TestHeldFaultIsAskedForAgainOnceItsRegionHasBeenServed(t *testing.T) {
	b := newBench(t, true)
	b.asks(0x15000, false, true)
	b.reads(0x15000, 1, Waits)
	b.waiter.EXPECT().Held(uint32(1), true)
	b.Answer(faulted(0x15000, protocol.Migrate))
	b.waiter.EXPECT().Held(uint32(2), true)
	b.reads(0x15004, 2, Waits)
	b.Served(&protocol.RegionServed{Region: 0x20000})
	require.Equal(t, 1, b.Waiting())
	b.asks(0x15000, false, true)
	b.Served(&protocol.RegionServed{Region: 0x10000})
	b.waiter.EXPECT().Held(uint32(3), true) // it waits for the same fault's end
	b.reads(0x15008, 3, Waits)
	var calls []*gomock.Call
	for i := range uint32(3) {
		calls = append(calls, b.waiter.EXPECT().Held(i+1, false), b.waiter.EXPECT().Translated(i+1))
	}
	gomock.InOrder(calls...)
	b.Answer(granted(0x15000))
	b.reads(0x15000, 4, Hit)
	require.Equal(t, TenantStats{Hits: 1, Misses: 1, Merges: 2, Faults: 1}, *b.Stats(who))
}

func TestHeldFaultThatComesAgainIsToldOnce(t *testing.T) {
	b := newBench(t, true)
	b.asks(0x15000, false, true)
	b.reads(0x15000, 1, Waits)
	b.waiter.EXPECT().Held(uint32(1), true)
	b.Answer(faulted(0x15000, protocol.Migrate))
	for range 3 { // the page has gone again each time
		b.asks(0x15000, false, true)
		b.Served(&protocol.RegionServed{Region: 0x10000})
		b.Answer(faulted(0x15000, protocol.Migrate))
	}
	require.Equal(t, uint64(4), b.Stats(who).Faults)
}

func TestFaultIsToldWhereItIsNotHeld(t *testing.T) {
	b := newBench(t, false)
	b.asks(0x15000, false, true)
	b.reads(0x15000, 1, Waits)
	b.reads(0x15004, 2, Waits)
	gomock.InOrder(b.waiter.EXPECT().Faulted(uint32(1), protocol.Allocate, uint64(0x10000)),
		b.waiter.EXPECT().Faulted(uint32(2), protocol.Allocate, uint64(0x10000)))
	b.Answer(faulted(0x15000, protocol.Allocate))
	require.Zero(t, b.Waiting())
	b.Served(&protocol.RegionServed{Region: 0x10000}) // no access waits here
	b.asks(0x15000, false, true)
	b.reads(0x15000, 3, Waits)
}

func TestAbortingFaultIsToldAtOnce(t *testing.T) {
	for _, holds := range []bool{false, true} {
		for _, f := range []protocol.Fault{protocol.Invalid, protocol.ReadOnly} {
			b := newBench(t, holds)
			b.Served(&protocol.RegionServed{Region: 0x10000})
			b.asks(0x15000, false, true)
			b.reads(0x15000, 1, Waits)
			b.waiter.EXPECT().Faulted(uint32(1), f, uint64(0x10000))
			b.Answer(faulted(0x15000, f))
			require.Zero(t, b.Waiting())
		}
	}
}

func TestWhatTheNetworkRefusesIsAskedAtTheNextSteps(t *testing.T) {
	b := newBench(t, true)
	require.False(t, b.Step())
	b.asks(0x5000, false, false)
	b.reads(0x5000, 1, Waits)
	b.asks(0x6000, false, false)
	b.reads(0x6000, 2, Waits)
	b.reads(0x5004, 3, Waits)
	b.asks(0x5000, false, false)
	require.False(t, b.Step())
	gomock.InOrder(b.network.EXPECT().Ask(uint64(0x5000), who, false).Return(true),
		b.network.EXPECT().Ask(uint64(0x6000), who, false).Return(false))
	require.True(t, b.Step())
	b.asks(0x6000, false, true)
	require.True(t, b.Step())
	require.False(t, b.Step())
	b.waiter.EXPECT().Translated(uint32(2))
	b.Answer(granted(0x6000))
}

func TestRegionServedWhileTheWayIsBarredIsAskedForLater(t *testing.T) {
	b := newBench(t, true)
	b.asks(0x15000, false, true)
	b.reads(0x15000, 1, Waits)
	b.waiter.EXPECT().Held(uint32(1), true)
	b.Answer(faulted(0x15000, protocol.Migrate))
	b.asks(0x15000, false, false)
	b.Served(&protocol.RegionServed{Region: 0x10000})
	b.asks(0x15000, false, true)
	require.True(t, b.Step())
}

func TestTenantsHavePagesOfTheirOwn(t *testing.T) {
	b := newBench(t, true)
	b.fill(who.Base()+0x5000, 1)
	other := tenant.Account(3)
	b.network.EXPECT().Ask(other.Base()+0x5000, other, false).Return(true)
	require.Equal(t, Waits, b.LookUp(other.Base()+0x5000, other, false, 2))
	require.Equal(t, uint64(1), b.Stats(3).Misses)
}

func TestSpecNamesWhatIsOutOfRange(t *testing.T) {
	for text, s := range map[string]Spec{
		"":                                  {Entries: 32, Ways: 8, MSHRs: 32},
		"entries is -1, must be 1 to 65536": {Entries: -1, Ways: 8, MSHRs: 32},
		"ways is 33, must be 1 to 32":       {Entries: 32, Ways: 33, MSHRs: 32},
		"mshrs is 0, must be 1 to 1024":     {Entries: 32, Ways: 8},
		"entries is 33, must be a multiple of ways, which is 8": {Entries: 33, Ways: 8, MSHRs: 1},
	} {
		err := s.Validate()
		if text == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, text)
	}
	require.NoError(t, (&Spec{Ways: -5}).Validate(), "without a TLB the others count for nothing")
}
