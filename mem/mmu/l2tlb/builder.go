package l2tlb

import (
	"fmt"
	"math/bits"

	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
)

// Builder makes TLBs. Spec, clock, page size and number of SMs are all needed.
type Builder struct {
	spec      Spec
	domain    *components.Domain
	pageBytes int
	sms       int
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the clock, that of the SMs.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithPageBytes sets the size of a page, a power of two.
func (b Builder) WithPageBytes(n int) Builder { b.pageBytes = n; return b }

// WithSMs sets the number of SMs.
func (b Builder) WithSMs(n int) Builder { b.sms = n; return b }

// Build makes a TLB, or returns what is wrong with its parameters.
func (b Builder) Build(name string) (*TLB, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if b.domain == nil || b.pageBytes < protocol.LineBytes || b.sms < 1 {
		return nil, fmt.Errorf("%s: needs a clock, pages of at least %d bytes and an SM", name, protocol.LineBytes)
	}
	width := b.spec.LookupsPerCycle
	if most := b.sms * b.spec.Queue; width == 0 || width > most {
		width = most // all that can come in a cycle
	}
	t := &TLB{
		spec:      b.spec,
		width:     width,
		pageShift: uint(bits.TrailingZeros(uint(b.pageBytes))),
		tags:      cache.NewTags(b.spec.Entries/b.spec.Ways, b.spec.Ways, cache.Index{}),
		readOnly:  make([]bool, b.spec.Entries),
		mshrs:     cache.NewMSHRs(b.spec.MSHRs, 1),
		misses:    make([]miss, b.spec.MSHRs),
		answered:  make([]int32, 0, b.spec.MSHRs),
		free:      cache.None,
		lookups:   components.NewFIFO[lookup](width * (b.spec.Latency - 1)),
	}
	t.Init(name, b.domain, t)
	for i := range b.sms {
		t.SMs = append(t.SMs, t.NewPort(fmt.Sprintf("SM[%d]", i), b.spec.Queue))
	}
	// All walks may come back at once, and news of a region beside them.
	t.Fill = t.NewPort("Fill", b.spec.MSHRs+1)
	return t, nil
}
