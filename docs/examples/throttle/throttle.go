// Package throttle limits how many memory packets each tenant sends from an SM.
// A Throttle sits between the SM's Request port and the request crossbar; it is
// the example of docs/adding-a-block.md.
//
// In each interval of time every tenant has credit for the same number of
// packets. Packets stay in order, so a packet without credit also delays the
// packets behind it.
package throttle

import (
	"fmt"

	"cotenant/components"
	"cotenant/components/limits"
	"cotenant/platform/blocks"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Spec holds the parameters of a Throttle.
type Spec struct {
	// Interval is the length of an interval in cycles of the block's clock, 1 to
	// 1048576. Intervals begin at its multiples.
	Interval int `yaml:"interval" range:"1..1<<20"`
	// Credits is the number of packets that each tenant may send in an interval,
	// 0 to 1048576; 0: no limit.
	Credits int `yaml:"credits" range:"0..1<<20"`
	// Depth is the number of packets that wait at the input, 1 to 4096. With 2
	// or more a packet can pass in every cycle; with 1 in every other cycle,
	// because the room that it leaves can be used only from the next edge on.
	Depth int `yaml:"depth" range:"1..1<<12"`
}

// Validate returns an error that names the first field that is out of range.
func (s Spec) Validate() error { return limits.Check(s) }

func init() {
	blocks.Register(blocks.Descriptor[Spec]{
		Key:     "throttle",
		About:   "credits for each tenant's packets",
		Joint:   blocks.SMToRequestNoC,
		Default: Spec{Interval: 200, Credits: 0, Depth: 2},
		Make: func(p blocks.Place, s Spec) (blocks.Block, error) {
			t, err := Builder{}.WithSpec(s).WithDomain(p.Clock).Build(p.Name)
			if err != nil {
				return blocks.Block{}, err
			}
			return blocks.Block{Module: t, Up: t.In, Down: t.Out, Stats: t.Stats()}, nil
		},
	})
}

// TenantStats counts one tenant's packets.
type TenantStats struct {
	Packets uint64 // passed on
	// WaitCycles is the time that packets spent first in line, without credit or
	// with the crossbar's input full. A wait is counted when it ends.
	WaitCycles uint64
}

// Stats counts a Throttle's work.
type Stats struct {
	Tenants [tenant.Max]TenantStats
}

// Throttle passes packets on from In to Out, at most one in a cycle.
type Throttle struct {
	components.Module

	// In takes *protocol.Packet from an SM.
	In *components.Port
	// Out gives them to the request crossbar.
	Out *components.Port

	interval uint64 // cycles
	credits  uint64 // packets; 0: no limit
	spentIn  uint64 // number of the interval that spent belongs to
	spent    [tenant.Max]uint64
	next     uint64 // cycle after the last packet went on
	stats    Stats
}

// Builder makes Throttles.
type Builder struct {
	spec   Spec
	domain *components.Domain
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// Build makes a Throttle, or returns what is wrong with its parameters.
func (b Builder) Build(name string) (*Throttle, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Throttle{interval: uint64(b.spec.Interval), credits: uint64(b.spec.Credits)}
	t.Init(name, b.domain, t)
	t.In = t.NewPort("In", b.spec.Depth)
	t.Out = t.NewPort("Out", 1) // nothing comes in by it
	return t, nil
}

// Tick is one edge of the clock.
func (t *Throttle) Tick(cycle uint64) bool {
	p, ok := t.In.Front().(*protocol.Packet)
	if !ok {
		t.In.Unknown()
		return false
	}
	interval := cycle / t.interval
	if t.credits > 0 && t.spentIn == interval && t.spent[p.Tenant()] == t.credits {
		t.WakeAt((interval + 1) * t.interval)
		return false
	}
	if !t.Out.Push(p) {
		return false
	}
	t.count(p, interval, cycle)
	t.In.Pop()
	return true
}

// count books a packet that goes on.
func (t *Throttle) count(p *protocol.Packet, interval, cycle uint64) {
	if t.spentIn != interval {
		t.spentIn, t.spent = interval, [tenant.Max]uint64{}
	}
	t.spent[p.Tenant()]++
	seen := uint64(t.In.FrontSince() / t.Domain().Period())
	k := &t.stats.Tenants[p.Tenant()]
	k.Packets++
	k.WaitCycles += cycle - max(seen, t.next)
	t.next = cycle + 1
}

// Stats returns the counters, up to date after every edge.
func (t *Throttle) Stats() *Stats { return &t.stats }
