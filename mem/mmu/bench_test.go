package mmu_test

import (
	"testing"

	"cotenant/protocol"
)

// BenchmarkTranslations is the time of a request, of which one in sixteen is walked
// for: four SMs ask as fast as they are answered.
func BenchmarkTranslations(b *testing.B) {
	s := pagefault()
	s.L2TLB.Entries = 64
	r := newRig(b, s, nvlink, 4)
	n := 0
	for i, p := range r.sms {
		p.Keep = nil
		p.Width = 1
		page := uint64(i) << 30
		for range 16 {
			p.Send(0, &protocol.Translation{Page: page, SM: uint16(i)})
		}
		p.Answer = func(cycle uint64, m *protocol.Translation) {
			p.Got = p.Got[:0]
			p.Sent = p.Sent[:0]
			if n++; n >= b.N {
				r.Engine.Stop()
				return
			}
			if n%16 == 0 {
				page += 4096
			}
			m.Page = page
			p.Send(cycle+1, m)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	if err := r.Engine.Run(); err != nil {
		b.Fatal(err)
	}
}
