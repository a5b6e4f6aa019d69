// Package stockakita puts stock Akita components on joints of the GPU; it is the
// example of docs/stock-akita.md. A Meter, a component as Akita's users write
// them, stands between SM and request crossbar. Akita's own ideal memory
// controller in place of DRAM channels is in memory_test.go.
package stockakita

import (
	"cotenant/platform/blocks"
	"cotenant/protocol"
	"cotenant/tenant"
	"fmt"

	"github.com/sarchlab/akita/v3/sim"
)

// TenantStats counts one tenant's packets.
type TenantStats struct{ Packets, Bytes uint64 }

// Stats counts what has passed a Meter.
type Stats struct {
	Tenants [tenant.Max]TenantStats
}

// Meter counts packets and their data, and passes on one packet in a cycle.
type Meter struct {
	*sim.TickingComponent
	in, out sim.Port
	stats   Stats
}

// NewMeter makes a Meter with room for depth packets at its input.
func NewMeter(name string, engine sim.Engine, freq sim.Freq, depth int) *Meter {
	m := &Meter{}
	m.TickingComponent = sim.NewTickingComponent(name, engine, freq, m)
	m.in = sim.NewLimitNumMsgPort(m, depth, name+".In")
	m.out = sim.NewLimitNumMsgPort(m, 1, name+".Out")
	m.AddPort("In", m.in)
	m.AddPort("Out", m.out)
	return m
}

// Tick is one edge of the clock.
func (m *Meter) Tick(now sim.VTimeInSec) bool {
	p, ok := m.in.Peek().(*protocol.Packet)
	if !ok {
		return false
	}
	p.Src, p.SendTime = m.out, now
	if m.out.Send(p) != nil {
		return false
	}
	m.in.Retrieve(now)
	_, bytes := p.Route()
	m.stats.Tenants[p.Tenant()].Packets++
	m.stats.Tenants[p.Tenant()].Bytes += uint64(bytes)
	return true
}

// Spec holds the parameters of a Meter.
type Spec struct {
	// Depth is the number of packets that wait at the input, at least 1.
	Depth int `yaml:"depth"`
}

// Validate returns an error if Depth is out of range.
func (s Spec) Validate() error {
	if s.Depth < 1 {
		return fmt.Errorf("depth is %d, must be at least 1", s.Depth)
	}
	return nil
}

func init() {
	blocks.Register(blocks.Descriptor[Spec]{
		Key: "meter", About: "a stock Akita component that counts an SM's packets",
		Joint:   blocks.SMToRequestNoC,
		Default: Spec{Depth: 4},
		Make: func(p blocks.Place, s Spec) (blocks.Block, error) {
			m := NewMeter(p.Name, p.Clock.Engine(), sim.Freq(p.Clock.Hz()), s.Depth)
			return blocks.Block{Module: m, Up: m.in, Down: m.out, Stats: &m.stats}, nil
		},
	})
}
