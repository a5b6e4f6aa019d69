package pcie

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// k20c is the bus of the thesis' Table 5.1.
var k20c = Spec{ClockMHz: 500, Lanes: 32, LaneBits: 8, BurstBytes: 4096, Queue: 32, Scheduler: "fcfs"}

type send struct {
	at   uint64
	copy protocol.Copy
}

type answer struct {
	tag uint32
	at  uint64
}

// run has a command dispatcher send copies, and take answers from cycle deaf on.
func run(t rig.T, s Spec, l Listener, deaf uint64, sends ...send) (seen []answer, e *Engines) {
	b := rig.New(t, uint64(s.ClockMHz)*1_000_000)
	e, err := Builder{}.WithSpec(s).WithDomain(b.Clock).WithListener(l).Build("PCIe")
	require.NoError(t, err)
	h := rig.NewPeer[sim.Msg](b, "Host", 1, e.Host)
	h.Width, h.Deaf = s.Queue, rig.Before(deaf)
	h.Answer = func(cycle uint64, m sim.Msg) { seen = append(seen, answer{m.(*protocol.CopyDone).Tag, cycle}) }
	for i := range sends {
		h.Send(sends[i].at, rig.Copy(&sends[i].copy))
	}
	b.Run()
	require.False(t, e.Busy())
	return seen, e
}

func TestCopyTakesACycleForEveryLanesBytes(t *testing.T) {
	for _, c := range []struct{ bytes, cycles uint64 }{
		{0, 1}, {1, 1}, {32, 1}, {33, 2}, {4096, 128}, {4097, 129}, {200_000, 6250}, {1 << 20, 32768},
	} {
		require.Equal(t, c.cycles, k20c.Cycles(c.bytes), c.bytes)
		// Sent at 10, it is seen at 11, and its answer a cycle after it was given.
		seen, e := run(t, k20c, Listener{}, 0, send{10, protocol.Copy{Bytes: c.bytes, Tag: 7}})
		require.Equal(t, []answer{{7, 11 + c.cycles + 1}}, seen, c.bytes)
		require.Equal(t, TenantStats{Copies: 1, BytesToDevice: c.bytes, Bursts: k20c.Bursts(c.bytes), BusyCycles: c.cycles}, e.Stats().Tenants[0])
	}
}

func TestBurstGapIsPaidForEachBurst(t *testing.T) {
	s := k20c
	s.BurstGap, s.BurstBytes = 10, 1024
	require.Equal(t, uint64(10), s.Cycles(0))
	require.Equal(t, uint64(32+10), s.Cycles(1024))
	require.Equal(t, uint64(2*(32+10)+1+10), s.Cycles(2049))
	require.Equal(t, uint64(3), s.Bursts(2049))
	s.Lanes, s.LaneBits, s.BurstGap = 1, 1, 0
	require.Equal(t, uint64(8*2049), s.Cycles(2049))
}

// four copies that wait for the bus while another holds it.
func four(scheduler string) []uint32 {
	s := k20c
	s.Scheduler = scheduler
	seen, _ := run(&testing.T{}, s, Listener{}, 0, send{0, protocol.Copy{Bytes: 3200, Tag: 0}}, send{20, protocol.Copy{Bytes: 64, Tag: 1, Priority: 1}},
		send{21, protocol.Copy{Bytes: 64, Tag: 2, Priority: 5}}, send{22, protocol.Copy{Bytes: 64, Tag: 3, Priority: -1}}, send{23, protocol.Copy{Bytes: 64, Tag: 4, Priority: 5}})
	var order []uint32
	for _, a := range seen {
		order = append(order, a.tag)
	}
	return order
}

func TestPriorityOvertakesWhereFCFSKeepsTheOrder(t *testing.T) {
	require.Equal(t, []uint32{0, 1, 2, 3, 4}, four("fcfs"))
	require.Equal(t, []uint32{0, 2, 4, 1, 3}, four("npq"), "what has started is not interrupted")
}

func TestNextCopyStartsAtTheEdgeAtWhichTheOneBeforeEnds(t *testing.T) {
	type span struct {
		tag        uint32
		start, end uint64
	}
	var spans []span
	l := Listener{Copied: func(c *protocol.Copy, start, end uint64) { spans = append(spans, span{c.Tag, start, end}) }}
	_, e := run(t, k20c, l, 0, send{0, protocol.Copy{Bytes: 320, Tag: 1, Tenant: 3}}, send{5, protocol.Copy{Bytes: 320, Tag: 2, Tenant: 3, ToHost: true}})
	require.Equal(t, []span{{1, 1, 11}, {2, 11, 21}}, spans)
	require.Equal(t, TenantStats{Copies: 2, BytesToDevice: 320, BytesToHost: 320, Bursts: 2, BusyCycles: 20, WaitCycles: 5}, e.Stats().Tenants[3])
}

func TestAnswerWaitsForADispatcherThatIsFull(t *testing.T) {
	// The mock's port holds one answer: the second copy holds the bus until it
	// has been taken.
	seen, _ := run(t, k20c, Listener{}, 500, send{0, protocol.Copy{Bytes: 32, Tag: 1}}, send{0, protocol.Copy{Bytes: 32, Tag: 2}}, send{0, protocol.Copy{Bytes: 32, Tag: 3}})
	require.Equal(t, []answer{{1, 500}, {2, 502}, {3, 504}}, seen)
}

func TestEveryCopyIsAnsweredOnceAndThoseOfAPriorityInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := k20c
		s.Scheduler = rapid.SampledFrom([]string{"fcfs", "npq"}).Draw(t, "scheduler")
		s.Queue = rapid.IntRange(1, 5).Draw(t, "queue")
		s.BurstGap = rapid.IntRange(0, 3).Draw(t, "gap")
		n := rapid.IntRange(1, 30).Draw(t, "copies")
		var sends []send
		at, busy := uint64(0), uint64(0)
		for i := range n {
			at += rapid.Uint64Range(0, 200).Draw(t, "pause")
			c := protocol.Copy{Bytes: rapid.Uint64Range(0, 9000).Draw(t, "bytes"), Priority: rapid.IntRange(0, 2).Draw(t, "priority"), Tag: uint32(i)}
			busy += s.Cycles(c.Bytes)
			sends = append(sends, send{at, c})
		}
		seen, e := run(t, s, Listener{}, rapid.Uint64Range(0, 3000).Draw(t, "deaf"), sends...)
		require.Len(t, seen, n)
		last := map[int]int{}
		for _, a := range seen {
			p := sends[a.tag].copy.Priority
			if s.Scheduler == "fcfs" {
				p = 0
			}
			before, ok := last[p]
			require.True(t, !ok || before < int(a.tag), "copies of one priority are overtaken")
			last[p] = int(a.tag)
		}
		require.Equal(t, busy, e.Stats().Tenants[0].BusyCycles)
	})
}

func TestSpecNamesTheFieldThatIsOutOfRange(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"clock_mhz is 0, must be 1 to 100000":           func(s *Spec) { s.ClockMHz = 0 },
		"lanes is 65, must be 1 to 64":                  func(s *Spec) { s.Lanes = 65 },
		"lane_bits is 0, must be 1 to 64":               func(s *Spec) { s.LaneBits = 0 },
		"burst_bytes is 0, must be 1 to 1073741824":     func(s *Spec) { s.BurstBytes = 0 },
		"burst_gap is -1, must be 0 to 1000000":         func(s *Spec) { s.BurstGap = -1 },
		"queue is 0, must be 1 to 65536":                func(s *Spec) { s.Queue = 0 },
		`scheduler is "lifo", must be one of fcfs, npq`: func(s *Spec) { s.Scheduler = "lifo" },
	} {
		s := k20c
		change(&s)
		require.EqualError(t, s.Validate(), want)
	}
	clock, _ := components.NewEngine().AddDomain("slow", 1_000_000)
	_, err := Builder{}.WithSpec(k20c).WithDomain(clock).Build("PCIe")
	require.EqualError(t, err, "PCIe: no clock of 500000000 Hz")
}

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	b := rig.New(t, 500_000_000)
	e, err := Builder{}.WithSpec(k20c).WithDomain(b.Clock).Build("PCIe")
	require.NoError(t, err)
	rig.RefusesStrangers(b, e.Host)
}
