package l2

import (
	"fmt"

	"cotenant/components"
	"cotenant/mem"
	"cotenant/mem/cache"
	"cotenant/protocol"
)

// Builder makes slices. Spec, clock, address map and pool are all needed.
type Builder struct {
	spec      Spec
	domain    *components.Domain
	addresses *mem.AddressMap
	number    int
	pool      *components.Pool[protocol.DRAMRequest]
	packets   *components.Pool[protocol.Packet]
	holders   []int
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the clock.
func (b Builder) WithDomain(domain *components.Domain) Builder { b.domain = domain; return b }

// WithAddresses tells how memory is dealt out to the slices, and which of them,
// from 0, this one is.
func (b Builder) WithAddresses(m *mem.AddressMap, number int) Builder {
	b.addresses, b.number = m, number
	return b
}

// WithPool sets where messages to the DRAM come from.
func (b Builder) WithPool(pool *components.Pool[protocol.DRAMRequest]) Builder {
	b.pool = pool
	return b
}

// WithCopies lets the slice hold copies of other slices' lines, and lists the slices, up
// to 16, that hold copies of its own. Packets between slices come from a pool.
func (b Builder) WithCopies(holders []int, packets *components.Pool[protocol.Packet]) Builder {
	b.holders, b.packets = holders, packets
	return b
}

// Build makes a slice, or returns what is wrong with its parameters.
func (b Builder) Build(name string) (*Slice, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if b.domain == nil || b.addresses == nil || b.pool == nil {
		return nil, fmt.Errorf("%s: needs a clock, an address map and a pool", name)
	}
	layout := b.addresses.Spec()
	if b.number < 0 || b.number >= layout.Slices {
		return nil, fmt.Errorf("%s: number is %d, must be 0 to %d", name, b.number, layout.Slices-1)
	}
	if len(b.holders) > maxHolders {
		return nil, fmt.Errorf("%s: %d slices hold copies of its lines, must be at most %d", name, len(b.holders), maxHolders)
	}
	index, _ := cache.ParseFunction(b.spec.SetIndex, b.spec.Sets) // validated above
	s := &Slice{
		spec:      b.spec,
		number:    uint16(b.number),
		addresses: b.addresses,
		pool:      b.pool,
		tags: cache.NewTags(b.spec.Sets, b.spec.Ways, cache.Index{
			Function:   index,
			Slices:     b.addresses.Dealt(),
			BlockLines: layout.InterleaveBytes / protocol.LineBytes,
		}),
		mshrs:    cache.NewEntries(b.spec.MSHRs, b.spec.MSHRMerge),
		missOf:   make([]uint16, b.spec.Sets*b.spec.Ways),
		lookups:  components.NewFIFO[timed[protocol.Packet]](b.spec.HitLatency),
		portHeld: 1,
		filled:   cache.None,
	}
	s.tags.SetAside(b.spec.SetAsideWays)
	for n := range s.portCycles {
		bytes := n * protocol.SectorBytes
		s.portCycles[n] = uint64(max(1, (bytes+b.spec.DataPortBytes-1)/b.spec.DataPortBytes))
	}
	s.Init(name, b.domain, s)
	s.Request = s.NewPort("Request", b.spec.RequestQueue)
	s.Reply = s.NewPort("Reply", 1) // nothing comes in by it
	s.replies = components.NewOutlet(s.Reply, b.spec.ReplyQueue)
	s.DRAM = s.NewPort("DRAM", b.spec.DRAMQueue)
	s.memory = components.NewOutlet(s.DRAM, b.spec.DRAMQueue)
	if b.packets != nil {
		s.Copies = b.newCopies(s)
	}
	return s, nil
}
