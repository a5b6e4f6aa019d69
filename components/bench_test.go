package components_test

import (
	"fmt"
	"testing"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
)

// Each benchmark runs the same behaviour on this package and on stock Akita;
// the stock line shows how many times as long it takes. Targets: 20 times for
// a tick, 10 times for a message.

func BenchmarkTick64Modules(b *testing.B) {
	compare(b,
		func(b *testing.B) sim.Engine {
			e := components.NewEngine()
			startSpinners(b, e, 64, b.N/64+1)
			return e
		},
		func(b *testing.B) sim.Engine {
			e := sim.NewSerialEngine()
			for i := range 64 {
				s := &stockSpinner{left: b.N/64 + 1}
				s.TickingComponent = sim.NewTickingComponent(fmt.Sprintf("S[%d]", i), e, 1*sim.GHz, s)
				s.TickNow(0)
			}
			return e
		})
}

func BenchmarkMessage(b *testing.B) {
	compare(b,
		func(b *testing.B) sim.Engine {
			e := components.NewEngine()
			startMatch(b, e, b.N)
			return e
		},
		func(b *testing.B) sim.Engine {
			e := sim.NewSerialEngine()
			startStockMatch(e, b.N)
			return e
		})
}

// BenchmarkIdleEdge measures a cycle in which one module of 64 in four
// clock domains wakes up by a timer and finds nothing to do.
func BenchmarkIdleEdge(b *testing.B) {
	b.ReportAllocs()
	e := components.NewEngine()
	var domains []*components.Domain
	for _, mhz := range []uint64{1216, 1753, 700, 924} {
		d, err := e.AddDomain("clock", mhz*1_000_000)
		if err != nil {
			b.Fatal(err)
		}
		domains = append(domains, d)
	}
	for i := range 64 {
		s := &sleeper{left: b.N/64 + 1}
		s.Init(fmt.Sprintf("S[%d]", i), domains[i%4], s)
		s.WakeAt(uint64(i))
	}
	b.ResetTimer()
	_ = e.Run()
}

// sleeper wakes itself every 64 cycles.
type sleeper struct {
	components.Module
	left int
}

func (s *sleeper) Tick(cycle uint64) bool {
	if s.left--; s.left > 0 {
		s.WakeAt(cycle + 64)
	}
	return false
}

func compare(b *testing.B, ours, stock func(*testing.B) sim.Engine) {
	var oursNs float64
	measure := func(b *testing.B, setUp func(*testing.B) sim.Engine) float64 {
		b.ReportAllocs()
		e := setUp(b)
		b.ResetTimer()
		_ = e.Run()
		return float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	}
	b.Run("cotenant", func(b *testing.B) { oursNs = measure(b, ours) })
	b.Run("stock", func(b *testing.B) {
		ns := measure(b, stock)
		if oursNs > 0 {
			b.ReportMetric(ns/oursNs, "x-cotenant")
		}
	})
}

// spinner makes progress at every edge until it has ticked often enough.
type spinner struct {
	components.Module
	left int
}

func (s *spinner) Tick(uint64) bool { s.left--; return s.left > 0 }

func startSpinners(tb testing.TB, e *components.Engine, modules, ticks int) {
	tb.Helper()
	d, err := e.AddDomain("core", 1_000_000_000)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range modules {
		s := &spinner{left: ticks}
		s.Init(fmt.Sprintf("S[%d]", i), d, s)
		s.Start()
	}
}

// stockSpinner is spinner as a stock Akita component.
type stockSpinner struct {
	*sim.TickingComponent
	left int
}

func (s *stockSpinner) Tick(sim.VTimeInSec) bool { s.left--; return s.left > 0 }

type ball struct{ sim.MsgMeta }

func (b *ball) Meta() *sim.MsgMeta { return &b.MsgMeta }

// player returns every ball that it gets.
type player struct {
	components.Module
	port  *components.Port
	left  int
	serve *ball
}

func (p *player) Tick(uint64) bool {
	if p.serve != nil {
		p.port.Push(p.serve)
		p.serve = nil
		return true
	}
	msg := p.port.Front()
	if msg == nil || p.left == 0 {
		return false
	}
	p.left--
	p.port.Push(msg)
	p.port.Pop()
	return true
}

// startMatch lets two players, joined by a Link, return a ball that many times.
func startMatch(tb testing.TB, e *components.Engine, returns int) {
	tb.Helper()
	d, err := e.AddDomain("core", 1_000_000_000)
	if err != nil {
		tb.Fatal(err)
	}
	players := [2]player{{left: returns / 2}, {left: returns / 2}}
	for i := range players {
		p := &players[i]
		p.Init(fmt.Sprintf("P[%d]", i), d, p)
		p.port = p.NewPort("Port", 4)
	}
	if _, err := components.Connect(players[0].port, players[1].port, 1); err != nil {
		tb.Fatal(err)
	}
	players[0].serve = &ball{}
	players[0].Start()
}

// stockPlayer is player as a stock Akita component.
type stockPlayer struct {
	*sim.TickingComponent
	port, opponent sim.Port
	left           int
	serve          *ball
}

func (p *stockPlayer) send(now sim.VTimeInSec, b *ball) {
	b.Src, b.Dst, b.SendTime = p.port, p.opponent, now
	p.port.Send(b)
}

func (p *stockPlayer) Tick(now sim.VTimeInSec) bool {
	if p.serve != nil {
		p.send(now, p.serve)
		p.serve = nil
		return true
	}
	msg := p.port.Peek()
	if msg == nil || p.left == 0 {
		return false
	}
	p.left--
	p.port.Retrieve(now)
	p.send(now, msg.(*ball))
	return true
}

func startStockMatch(e sim.Engine, returns int) {
	conn := sim.NewDirectConnection("Conn", e, 1*sim.GHz)
	var players [2]*stockPlayer
	for i := range players {
		p := &stockPlayer{left: returns / 2}
		p.TickingComponent = sim.NewTickingComponent(fmt.Sprintf("P[%d]", i), e, 1*sim.GHz, p)
		p.port = sim.NewLimitNumMsgPort(p, 4, p.Name()+".Port")
		conn.PlugIn(p.port, 1)
		players[i] = p
	}
	players[0].opponent, players[1].opponent = players[1].port, players[0].port
	players[0].serve = &ball{}
	players[0].TickNow(0)
}
