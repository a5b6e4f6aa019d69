package contract

import (
	"fmt"
	"testing"

	"cotenant/cta_dispatcher/policy"
)

// BenchmarkThreadBlockFinishes is the time for a cycle in which thread blocks
// finish on 16 SMs and are replaced.
func BenchmarkThreadBlockFinishes(b *testing.B) {
	for _, d := range policy.All() {
		for _, tenants := range []int{2, 8} {
			b.Run(fmt.Sprintf("%s/%d", d.Name, tenants), func(b *testing.B) {
				s := steady(b, d.Name, make([]float64, tenants)...)
				before := s.driver.Stats().PolicyCalls
				b.ReportAllocs()
				for b.Loop() {
					s.step(1)
				}
				b.ReportMetric(float64(s.driver.Stats().PolicyCalls-before)/float64(b.N), "decisions/op")
			})
		}
	}
}
