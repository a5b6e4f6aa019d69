package components_test

import (
	"fmt"
	"testing"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// ping is a request or its answer.
type ping struct {
	sim.MsgMeta
	seq    int
	answer bool
}

func (p *ping) Meta() *sim.MsgMeta { return &p.MsgMeta }

// pinger is the behaviour of Akita's ticking ping example: it sends pings, answers
// received pings after some ticks, and records what it sees and when.
type pinger struct {
	name      string
	toSend    int // pings left to send
	think     int // ticks between a ping and its answer
	napEvery  int // number of sent pings between naps, 0 for never
	thinking  []thought
	nextSeq   int
	sent      []sim.VTimeInSec
	log       []string
	send      func(*ping, sim.VTimeInSec) bool
	peek      func() sim.Msg
	retrieve  func(sim.VTimeInSec)
	napped    bool
	pingsSeen int
}

type thought struct{ seq, left int }

func (p *pinger) note(now sim.VTimeInSec, format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf("%s %b ", p.name, float64(now))+fmt.Sprintf(format, args...))
}

func (p *pinger) tick(now sim.VTimeInSec) (progress bool) {
	if len(p.thinking) > 0 && p.thinking[0].left == 0 && p.send(&ping{seq: p.thinking[0].seq, answer: true}, now) {
		p.note(now, "answers %d", p.thinking[0].seq)
		p.thinking = p.thinking[1:]
		progress = true
	}
	switch {
	case p.toSend == 0:
	case p.napEvery > 0 && p.nextSeq%p.napEvery == p.napEvery-1 && !p.napped:
		p.napped, progress = true, true
	case p.send(&ping{seq: p.nextSeq}, now):
		p.note(now, "sends %d", p.nextSeq)
		p.sent = append(p.sent, now)
		p.nextSeq++
		p.toSend--
		p.napped, progress = false, true
	}
	for i := range p.thinking {
		if p.thinking[i].left > 0 {
			p.thinking[i].left--
			progress = true
		}
	}
	if msg, ok := p.peek().(*ping); ok {
		p.retrieve(now)
		progress = true
		if msg.answer {
			p.note(now, "gets answer %d after %b", msg.seq, float64(now-p.sent[msg.seq]))
		} else {
			p.pingsSeen++
			p.thinking = append(p.thinking, thought{msg.seq, p.think})
		}
	}
	return progress
}

// stockPinger is a pinger in a stock Akita component with a stock port.
type stockPinger struct {
	*sim.TickingComponent
	pinger
	port, dst sim.Port
}

func (s *stockPinger) Tick(now sim.VTimeInSec) bool { return s.tick(now) }

func newStockPinger(name string, e sim.Engine, freq sim.Freq, depth int) *stockPinger {
	s := &stockPinger{pinger: pinger{name: name}}
	s.TickingComponent = sim.NewTickingComponent(name, e, freq, s)
	s.port = sim.NewLimitNumMsgPort(s, depth, name+".Port")
	s.send = func(p *ping, now sim.VTimeInSec) bool {
		p.Src, p.Dst, p.SendTime = s.port, s.dst, now
		return s.port.Send(p) == nil
	}
	s.peek = s.port.Peek
	s.retrieve = func(now sim.VTimeInSec) { s.port.Retrieve(now) }
	return s
}

// modulePinger is a pinger in one of our modules.
type modulePinger struct {
	components.Module
	pinger
	port *components.Port
	dst  sim.Port
}

func (m *modulePinger) Tick(uint64) bool { return m.tick(m.Domain().Engine().CurrentTime()) }

func newModulePinger(name string, d *components.Domain, depth int) *modulePinger {
	m := &modulePinger{pinger: pinger{name: name}}
	m.Init(name, d, m)
	m.port = m.NewPort("Port", depth)
	m.send = func(p *ping, _ sim.VTimeInSec) bool {
		p.Dst = m.dst
		return m.port.Push(p)
	}
	m.peek = m.port.Front
	m.retrieve = func(sim.VTimeInSec) { m.port.Pop() }
	return m
}

// pairOptions describe two pingers and what joins them.
type pairOptions struct {
	hzA, hzB       uint64
	depth, thinkB  int
	pingsA, pingsB int
	napA           int
}

var pairCases = map[string]pairOptions{
	"one clock, as in Akita's example": {hzA: 1e9, hzB: 1e9, depth: 4, thinkB: 2, pingsA: 2},
	"both directions":                  {hzA: 1e9, hzB: 1e9, depth: 4, thinkB: 3, pingsA: 40, pingsB: 30, napA: 3},
	"two clocks":                       {hzA: 1216e6, hzB: 700e6, depth: 16, thinkB: 1, pingsA: 100, pingsB: 50, napA: 2},
	"receiver slower than sender":      {hzA: 1753e6, hzB: 924e6, depth: 2, thinkB: 5, pingsA: 200},
}

// runStockPair runs two stock components over a stock connection.
func runStockPair(t *testing.T, e sim.Engine, conn sim.Freq, o pairOptions) (a, b []string) {
	t.Helper()
	pa := newStockPinger("A", e, sim.Freq(o.hzA), o.depth)
	pb := newStockPinger("B", e, sim.Freq(o.hzB), o.depth)
	c := sim.NewDirectConnection("Conn", e, conn)
	c.PlugIn(pa.port, 1)
	c.PlugIn(pb.port, 1)
	pa.dst, pb.dst = pb.port, pa.port
	setUpPair(&pa.pinger, &pb.pinger, o)
	pa.TickNow(0)
	pb.TickNow(0)
	require.NoError(t, e.Run())
	return pa.log, pb.log
}

func setUpPair(a, b *pinger, o pairOptions) {
	a.toSend, a.napEvery = o.pingsA, o.napA
	b.toSend, b.think = o.pingsB, o.thinkB
}

func engineWith(t testing.TB, hz ...uint64) (*components.Engine, []*components.Domain) {
	t.Helper()
	e := components.NewEngine()
	var domains []*components.Domain
	for i, f := range hz {
		d, err := e.AddDomain(fmt.Sprintf("clock%d", i), f)
		require.NoError(t, err)
		domains = append(domains, d)
	}
	return e, domains
}

func TestStockComponentsBehaveTheSameOnBothEngines(t *testing.T) {
	for name, o := range pairCases {
		t.Run(name, func(t *testing.T) {
			wantA, wantB := runStockPair(t, sim.NewSerialEngine(), sim.Freq(o.hzA), o)
			require.NotEmpty(t, wantA)
			for _, hz := range [][]uint64{{o.hzA}, {o.hzB, 333e6}, {o.hzA, o.hzB}, {123e6}, nil} {
				e, _ := engineWith(t, hz...)
				gotA, gotB := runStockPair(t, e, sim.Freq(o.hzA), o)
				require.Equal(t, wantA, gotA, "domains %v", hz)
				require.Equal(t, wantB, gotB, "domains %v", hz)
			}
		})
	}
}

func TestPingOfAkitasExampleTakesFiveCycles(t *testing.T) {
	e, _ := engineWith(t, 1e9)
	a, _ := runStockPair(t, e, 1*sim.GHz, pairCases["one clock, as in Akita's example"])
	var answers int
	for _, line := range a {
		var name string
		var mantissa, exponent, seq int
		if n, _ := fmt.Sscanf(line, "%s %dp%d gets answer %d", &name, &mantissa, &exponent, &seq); n == 4 {
			answers++
		}
	}
	require.Equal(t, 2, answers)
	require.Contains(t, a[len(a)-2], fmt.Sprintf("gets answer 0 after %b", 5e-9))
}

// A module stands in for stock component B. With buffers deep enough never to
// be full it must be indistinguishable from it. The connection's clock is fast,
// since a slow one holds messages back, which a Link does not.
func TestModuleWithAStockPartnerBehavesAsAStockComponent(t *testing.T) {
	const connFreq = 1000 * sim.GHz
	connections := map[string]func(e sim.Engine) sim.Connection{
		"Link":             func(sim.Engine) sim.Connection { return &components.Link{} },
		"DirectConnection": func(e sim.Engine) sim.Connection { return sim.NewDirectConnection("Conn", e, connFreq) },
	}
	for name, o := range pairCases {
		o.depth = 1000
		wantA, wantB := runStockPair(t, sim.NewSerialEngine(), connFreq, o)
		for connName, newConnection := range connections {
			t.Run(name+", "+connName, func(t *testing.T) {
				e, d := engineWith(t, o.hzA, o.hzB)
				a := newStockPinger("A", e, sim.Freq(o.hzA), o.depth)
				b := newModulePinger("B", d[1], o.depth)
				conn := newConnection(e)
				conn.PlugIn(a.port, 1)
				conn.PlugIn(b.port, 1)
				a.dst, b.dst = b.port, a.port
				setUpPair(&a.pinger, &b.pinger, o)
				b.Start()
				a.TickNow(0)
				require.NoError(t, e.Run())
				require.Equal(t, wantA, a.log)
				require.Equal(t, wantB, b.log)
			})
		}
	}
}

// Both sides push into buffers of one message that are nearly always full: a
// wake-up that gets lost on either side would end the run early.
func TestFullBuffersBetweenModuleAndStockComponentLoseNothing(t *testing.T) {
	for _, link := range []bool{true, false} {
		for _, hz := range [][2]uint64{{1e9, 1e9}, {1216e6, 700e6}, {700e6, 1753e6}} {
			t.Run(fmt.Sprintf("link %v, clocks %v", link, hz), func(t *testing.T) {
				e, d := engineWith(t, hz[0], hz[1])
				a := newStockPinger("A", e, sim.Freq(hz[0]), 1)
				b := newModulePinger("B", d[1], 1)
				var conn sim.Connection = &components.Link{}
				if !link {
					conn = sim.NewDirectConnection("Conn", e, sim.Freq(hz[0]))
				}
				conn.PlugIn(a.port, 1)
				conn.PlugIn(b.port, 1)
				a.dst, b.dst = b.port, a.port
				setUpPair(&a.pinger, &b.pinger, pairOptions{pingsA: 50, pingsB: 60})
				a.think = 2
				b.Start()
				a.TickNow(0)
				require.NoError(t, e.Run())
				require.Zero(t, a.toSend+b.toSend)
				require.Equal(t, 60, a.pingsSeen)
				require.Equal(t, 50, b.pingsSeen)
				require.Empty(t, a.thinking)
				require.Empty(t, b.thinking)
			})
		}
	}
}

func TestJoinTakesPortsOfAnyKindOfWhichOneIsAPort(t *testing.T) {
	e, d := engineWith(t, 1e9)
	a, b := newModulePinger("A", d[0], 1), newModulePinger("B", d[0], 1)
	s, r := newStockPinger("S", e, 1*sim.GHz, 1), newStockPinger("R", e, 1*sim.GHz, 1)
	require.Nil(t, a.port.Other())
	_, err := components.Join(a.port, b.port)
	require.NoError(t, err)
	require.Same(t, b.port, a.port.Peer())
	require.Equal(t, b.port, a.port.Other())
	require.Equal(t, a.port, b.port.Other())

	c := newModulePinger("C", d[0], 1)
	_, err = components.Join(s.port, c.port)
	require.NoError(t, err)
	require.Nil(t, c.port.Peer())
	require.Equal(t, s.port, c.port.Other())

	_, err = components.Join(r.port, s.port)
	require.EqualError(t, err, "link R.Port to S.Port: both are foreign ports, which a connection of their own kind joins")
	for _, taken := range []sim.Port{a.port, c.port} {
		_, err = components.Join(taken, r.port)
		require.ErrorContains(t, err, "a port is connected already")
		_, err = components.Join(r.port, taken)
		require.ErrorContains(t, err, "a port is connected already")
	}
}
