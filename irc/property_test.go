package irc

import (
	"slices"
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is a controller written plainly.
type model struct {
	spec            Spec
	core, noc       uint64
	stores          int
	queues          [tenant.Max][]departure
	order           []tenant.ID
	limited, coming [tenant.Max]bool
	left            [tenant.Max]int
	carry, rate     [tenant.Max]int // in parts of protocol.RateOne
	sensitive       [tenant.Max]bool
	last            map[bool]int // by class
	interval        uint64
	sent, given     [tenant.Max]int // in this interval
	demand          [tenant.Max]int
}

// advance ends intervals.
func (m *model) advance(cycle uint64) {
	for cycle*m.noc/(m.core*uint64(m.spec.IntervalCycles)) > m.interval {
		m.interval++
		for t := range m.queues {
			m.demand[t] += m.sent[t] + len(m.queues[t])
			m.limited[t] = m.coming[t]
			if m.limited[t] {
				m.carry[t] += m.rate[t]
				m.left[t], m.carry[t] = m.carry[t]/256, m.carry[t]%256
			} else {
				m.carry[t] = 0
			}
			m.given[t], m.sent[t] = m.left[t], 0
		}
	}
}

func (m *model) room(write bool, t tenant.ID) bool {
	writes, own := 0, 0
	for id, q := range m.queues {
		for _, d := range q {
			if d.packet.Kind != protocol.Read {
				writes++
				if id == int(t) {
					own++
				}
			}
		}
	}
	slot, k := slices.Index(m.order, t), len(m.order)
	if slot < 0 {
		return false
	}
	// Each tenant has an equal part of the store buffer, and one entry at least.
	stores := max(m.stores, k)
	part := stores / k
	if slot < stores%k {
		part++
	}
	if write && (own >= part || writes >= stores) {
		return false
	}
	n, unit := m.spec.SubQueues, m.spec.Depth
	if k > n {
		n, unit = m.spec.SubQueues*m.spec.Depth, 1
	}
	share := n / k
	if slot < n%k {
		share++
	}
	all := 0
	for _, q := range m.queues {
		all += len(q)
	}
	return len(m.queues[t]) < share*unit && all < m.spec.SubQueues*m.spec.Depth
}

// ready are the tenants that may be served at a cycle.
func (m *model) ready(cycle uint64) (list []int) {
	for t, q := range m.queues {
		if len(q) > 0 && q[0].from <= cycle && (!m.limited[t] || m.left[t] > 0) {
			list = append(list, t)
		}
	}
	return list
}

// front is the tenant that is served next, -1 for none.
func (m *model) front(cycle uint64) int {
	list := m.ready(cycle)
	for _, sensitive := range []bool{true, false} {
		first := -1
		for _, t := range list {
			if m.sensitive[t] != sensitive {
				continue
			}
			if t > m.last[sensitive] {
				return t
			}
			if first < 0 {
				first = t
			}
		}
		if first >= 0 {
			return first
		}
	}
	return -1
}

func (m *model) pop(t int) *protocol.Packet {
	p := m.queues[t][0].packet
	m.queues[t] = m.queues[t][1:]
	m.left[t]--
	m.sent[t]++
	m.last[m.sensitive[t]] = t
	return p
}

func TestControllerIsThePlainModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(t, name) }
		spec := Spec{SubQueues: number("sub-queues", 1, 3, 8), Depth: number("depth", 16, 21), Latency: number("latency", 1, 2, 4), IntervalCycles: number("interval", 5, 20, 200)}
		core, noc := number("core", 1, 1800, 7), number("noc", 1, 1200, 9)
		m := &model{spec: spec, core: uint64(core), noc: uint64(noc), stores: number("stores", 1, 4, 100), last: map[bool]int{false: -1, true: -1}}
		b := newBenchOf(t, Builder{}.WithSpec(spec).WithClocks(core, noc).WithStoreBuffer(m.stores))
		tenants := []tenant.ID{0, 1, 5, 15}
		var pushed, got [tenant.Max][]*protocol.Packet
		cycle := uint64(0)
		for range rapid.IntRange(1, 120).Draw(t, "edges") {
			interval := m.interval
			before, given, most := m.sent, m.given, m.limited
			b.Advance(cycle)
			m.advance(cycle)
			if m.interval > interval {
				for _, id := range tenants {
					if most[id] {
						require.LessOrEqual(t, before[id], given[id], "requests in an interval")
					}
				}
			}
			require.Equal(t, m.interval, b.stats.Intervals)
			for _, id := range tenants {
				require.Equal(t, uint64(m.demand[id]), b.stats.Tenants[id].Demand)
			}
			// The request's way out, then the L1, then commands.
			front := b.Front(cycle)
			if who := m.front(cycle); who < 0 {
				require.Nil(t, front)
			} else {
				require.Same(t, m.queues[who][0].packet, front)
				if rapid.IntRange(0, 4).Draw(t, "taken") > 0 {
					b.Pop()
					got[who] = append(got[who], m.pop(who))
				}
			}
			for range rapid.IntRange(0, 12).Draw(t, "accesses") {
				id := rapid.SampledFrom(tenants).Draw(t, "tenant")
				kind := rapid.SampledFrom([]protocol.Kind{protocol.Read, protocol.Write, protocol.Atomic}).Draw(t, "kind")
				room := m.room(kind != protocol.Read, id)
				require.Equal(t, room, b.Room(kind, id))
				if !room {
					continue
				}
				p := &protocol.Packet{Kind: kind, Account: id.Account(0)}
				from := cycle + uint64(rapid.IntRange(1, 30).Draw(t, "lookup"))
				b.Push(p, from)
				m.queues[id] = append(m.queues[id], departure{p, from + uint64(spec.Latency) - 1})
				pushed[id] = append(pushed[id], p)
			}
			switch rapid.IntRange(0, 9).Draw(t, "event") {
			case 0, 1:
				id := rapid.SampledFrom(tenants).Draw(t, "comes or goes")
				if i := slices.Index(m.order, id); i >= 0 {
					m.order = slices.Delete(m.order, i, i+1)
					b.Leave(id)
				} else {
					m.order = append(m.order, id)
					b.Arrive(id)
				}
			case 2:
				r := &protocol.Rates{On: rapid.IntRange(0, 3).Draw(t, "on") > 0}
				for _, id := range tenants {
					if rapid.Bool().Draw(t, "given") {
						r.Of[id] = protocol.Rate{Given: true, Limited: rapid.IntRange(0, 3).Draw(t, "limited") > 0,
							Requests:  uint32(number("rate", 0, 77, 256, 922, 5*256)),
							Sensitive: rapid.Bool().Draw(t, "sensitive")}
					}
				}
				b.Control(r)
				for id, rate := range r.Of {
					if !r.On {
						m.limited[id], m.coming[id], m.carry[id], m.sensitive[id] = false, false, 0, false
					} else if rate.Given {
						m.coming[id], m.rate[id], m.sensitive[id] = rate.Limited, int(rate.Requests), rate.Sensitive
					}
				}
			}
			sum := 0
			for _, q := range m.queues {
				sum += len(q)
			}
			require.Equal(t, sum, b.Len())
			cycle = next(t, b, m, cycle)
		}
		b.Control(&protocol.Rates{})
		for ; b.Len() > 0; cycle++ {
			b.Advance(cycle)
			if p := b.Front(cycle); p != nil {
				b.Pop()
				got[p.Tenant()] = append(got[p.Tenant()], p)
			}
		}
		require.Equal(t, pushed, got, "nothing is lost, doubled or overtaken in its queue")
	})
}

// next draws the next edge that ticks, and checks that sleeping until the cycle of Next misses
// nothing.
func next(t *rapid.T, b *bench, m *model, cycle uint64) uint64 {
	at, ok := b.Next(cycle)
	if ok {
		require.Greater(t, at, cycle)
	}
	step := uint64(rapid.SampledFrom([]int{1, 1, 1, 2, 5, 40, 900}).Draw(t, "step"))
	last := cycle + step
	if ok {
		last = min(last, at-1)
	}
	ahead := *m // with slices of its own where advance writes: it writes none
	before := ahead.ready(cycle)
	for c := cycle + 1; c <= last && c < cycle+100; c++ {
		ahead.advance(c)
		for _, who := range ahead.ready(c) {
			require.Contains(t, before, who, "it may leave at %d, and nobody was told", c)
		}
	}
	return cycle + step
}

// With queues that are never empty every interval sends its full rate, to the request.
func TestSaturatedTenantsSpendAllTheirCredits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBenchOf(t, Builder{}.WithSpec(testSpec()).WithClocks(1800, 1200), 0, 1, 2)
		m := &protocol.Rates{On: true}
		list := map[tenant.ID]uint32{0: 0, 1: 0, 2: 0}
		for id := range list {
			list[id] = rapid.Uint32Range(0, 60*protocol.RateOne).Draw(t, "rate")
			m.Of[id] = protocol.Rate{Given: true, Limited: true, Requests: list[id], Sensitive: rapid.Bool().Draw(t, "sensitive")}
		}
		b.Control(m)
		carry := map[tenant.ID]uint32{}
		var sent [tenant.Max]uint64
		for cycle := range uint64(300 * 6) {
			b.Advance(cycle)
			if p := b.Front(cycle); p != nil {
				b.Pop()
				if b.sensitive>>p.Tenant()&1 == 0 {
					for id := range list {
						require.False(t, b.sensitive>>id&1 != 0 && b.credits[id].Some(), "a sensitive request waits behind another")
					}
				}
			}
			for id := range list {
				for b.Room(protocol.Read, id) {
					b.push(1, id, protocol.Read, cycle)
				}
			}
			if (cycle+1)%300 == 0 {
				for id, rate := range list {
					n := b.stats.Tenants[id].Requests - sent[id]
					sent[id] += n
					if cycle > 300 {
						sum := carry[id] + rate
						require.Equal(t, uint64(sum/256), n)
						carry[id] = sum % 256
					}
				}
			}
		}
	})
}
