package cache

import (
	"testing"

	"cotenant/protocol"
)

// addresses are 4096 lines in a scattered but fixed order.
func addresses(lines int) []uint64 {
	addrs := make([]uint64, 4096)
	x := uint64(1)
	for i := range addrs {
		x = x*6364136223846793005 + 1442695040888963407
		addrs[i] = addrOf(int(x>>33) % lines)
	}
	return addrs
}

func BenchmarkProbeHit(b *testing.B) {
	b.ReportAllocs()
	const sets, ways = 64, 16
	tags := NewTags(sets, ways, Index{Function: Hash})
	for n := range sets * ways {
		line, _, _ := tags.Reserve(addrOf(n), 0)
		tags.Fill(line, protocol.AllSectors)
	}
	addrs := addresses(sets * ways)
	for i := 0; b.Loop(); i++ {
		line, hit := tags.Probe(addrs[i%len(addrs)], 1)
		if hit == 0 {
			b.Fatal("miss")
		}
		tags.Touch(line)
	}
}

func BenchmarkReserve(b *testing.B) {
	b.ReportAllocs()
	tags := NewTags(64, 16, Index{})
	for i := 0; b.Loop(); i++ {
		tags.Reserve(addrOf(i), 0)
	}
}

func BenchmarkMSHRLookup(b *testing.B) {
	b.ReportAllocs()
	m := NewMSHRs(256, 8)
	for n := range 256 {
		m.Allocate(addrOf(n*3), 0)
	}
	addrs := addresses(256 * 3)
	for i := 0; b.Loop(); i++ {
		m.Lookup(addrs[i%len(addrs)])
	}
}

func BenchmarkMSHRMissOfTwoRequests(b *testing.B) {
	b.ReportAllocs()
	m := NewMSHRs(256, 8)
	addrs := addresses(1 << 20)
	for i := 0; b.Loop(); i++ {
		e := m.Allocate(addrs[i%len(addrs)], 0)
		m.Wait(e, 1, 1, 1)
		m.Wait(e, 1, 0, 2)
		m.Arrive(e, 1)
		m.Next(e)
		m.Next(e)
		m.Free(e)
	}
}
