package l2

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// source sends reads of ever new lines of a footprint, and turns every reply
// into the next.
type source struct {
	components.Module
	request, reply *components.Port

	fresh       []protocol.Packet // not sent yet
	line, lines int
	left        int
}

func (s *source) Tick(uint64) (moved bool) {
	p, ok := s.reply.Front().(*protocol.Packet)
	switch {
	case !s.request.CanPush() || s.left == 0:
		return false
	case ok:
		s.reply.Pop()
	case len(s.fresh) > 0:
		p, s.fresh = &s.fresh[0], s.fresh[1:]
	default:
		return false
	}
	p.Kind, p.Addr, p.Sectors = protocol.Read, line(s.line), 1
	if s.line++; s.line == s.lines {
		s.line = 0
	}
	s.left--
	s.request.Push(p)
	return true
}

// echo is a DRAM that answers at once.
type echo struct {
	components.Module
	port *components.Port
}

func (e *echo) Tick(uint64) bool {
	r, ok := e.port.Front().(*protocol.DRAMRequest)
	if !ok || !e.port.CanPush() {
		return false
	}
	e.port.Pop()
	e.port.Push(r)
	return true
}

// benchmarkReads times one read, the work of the source and of an immediate
// DRAM included, over a footprint in lines.
func benchmarkReads(b *testing.B, lines int) {
	b.ReportAllocs()
	s := spec()
	s.Sets, s.Ways, s.MSHRs, s.MSHRMerge = 128, 8, 256, 8
	s.RequestQueue, s.ReplyQueue, s.DRAMQueue, s.HitLatency = 8, 8, 32, 30
	r := rig.New(b, 1_000_000_000)
	slice := newSlice(b, r, s, oneSlice(b), 0, &components.Pool[protocol.DRAMRequest]{})

	src := source{lines: lines, left: b.N, fresh: make([]protocol.Packet, 256)}
	src.Init("Source", r.Clock, &src)
	src.request, src.reply = src.NewPort("Request", 1), src.NewPort("Reply", 8)
	end := echo{}
	end.Init("Echo", r.Clock, &end)
	end.port = end.NewPort("Port", 8)
	r.Join(src.request, slice.Request)
	r.Join(src.reply, slice.Reply)
	r.Join(end.port, slice.DRAM)
	src.Start()
	b.ResetTimer()
	require.NoError(b, r.Engine.Run())
	total := slice.Stats().Total()
	b.ReportMetric(float64(total.Hits)/float64(total.Accesses()), "hits/op")
	b.ReportMetric(float64(r.Cycle())/float64(b.N), "cycles/op")
}

func BenchmarkHit(b *testing.B)  { benchmarkReads(b, 512) }
func BenchmarkMiss(b *testing.B) { benchmarkReads(b, 1<<16) }
