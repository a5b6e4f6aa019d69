package interconnect

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// Tier is a tier of a hierarchical crossbar: ports of one side in groups, and those of the other
// in parts. Each pair of a group and a part has a link of its own, which all packets between
// them share. NVIDIA's GPUs have such tiers, TPCs and GPCs; what is known of their widths is
// measured (Jin et al., Uncovering Real GPU NoC Characteristics, MICRO 2024, section IV).
type Tier struct {
	// Bytes is the width of a link in bytes per cycle, from 1 to 65536. Flits count with all
	// their bytes.
	Bytes int
	// Inputs and Outputs are the numbers of the ports' groups or parts, from 0, as many as
	// there are ports.
	Inputs, Outputs []int
	// Behind places the links between the switch and the outputs. A packet then takes its
	// turn on its link when the switch has moved it, and waits in its output's buffer.
	// Else the links are before the switch: a packet takes its turn when it becomes the first
	// of its input, and wants its output once it has come through.
	Behind bool
}

// LinkStats count what has passed a link.
type LinkStats struct {
	Packets uint64
	Flits   uint64
	// WaitCycles counts the cycles for which packets wait for packets before them on the link,
	// from the moment at which they take their turns.
	WaitCycles uint64
}

// links are the links of a Tier. They serve packets in the order in which these take their
// turns, so that none waits for ever.
type links struct {
	width           uint64
	inputs, outputs []uint32 // the number of a port's first link; what to add to it
	// taken is the time up to which a link is taken, in parts of a cycle in each of which a
	// byte passes.
	taken []uint64
	stats []LinkStats
}

// newLinks makes the links of a tier for a crossbar.
func newLinks(t Tier, s Spec) (*links, error) {
	if t.Bytes < 1 || t.Bytes > maxLinkBytes {
		return nil, fmt.Errorf("a link of %d bytes, must have 1 to %d", t.Bytes, maxLinkBytes)
	}
	if len(t.Inputs) != s.Inputs || len(t.Outputs) != s.Outputs {
		return nil, fmt.Errorf("a tier of %d inputs and %d outputs, must have %d and %d", len(t.Inputs), len(t.Outputs), s.Inputs, s.Outputs)
	}
	l := &links{width: uint64(t.Bytes)}
	groups := func(of []int, scale int) (list []uint32, n int) {
		for _, g := range of {
			list, n = append(list, uint32(g*scale)), max(n, g+1)
		}
		return list, n
	}
	var parts, all int
	l.outputs, parts = groups(t.Outputs, 1)
	l.inputs, all = groups(t.Inputs, parts)
	l.taken, l.stats = make([]uint64, all*parts), make([]LinkStats, all*parts)
	return l, nil
}

// maxLinkBytes is the largest width of a link.
const maxLinkBytes = 1 << 16

// book takes a packet's turn on its link, and returns the cycle in which it begins to pass,
// no earlier than a given one.
func (l *links) book(cycle uint64, i, j int, flits, flitBytes uint32) uint64 {
	n := l.inputs[i] + l.outputs[j]
	at := max(l.taken[n], cycle*l.width)
	l.taken[n] = at + uint64(flits*flitBytes)
	passes := at / l.width
	s := &l.stats[n]
	s.Packets++
	s.Flits += uint64(flits)
	s.WaitCycles += passes - cycle
	return passes
}

// booking is the turn of an input's first packet on its links, or of the packet before it.
type booking struct {
	turn   uint64 // its number
	passes uint64 // cycle at which the links let it through
	output int
}

// book gives the packets that have become the first of their inputs their turns on the links.
// Of several in a cycle the one comes first that follows the earliest turn on its input.
func (x *Crossbar) book(cycle uint64) {
	slices.SortStableFunc(x.arrivals, func(a, b int) int { return cmp.Compare(x.bookings[a].turn, x.bookings[b].turn) })
	for _, i := range x.arrivals {
		b := &x.bookings[i]
		x.turns++
		b.turn, b.passes = x.turns, cycle
		for _, t := range x.before {
			b.passes = max(b.passes, t.book(cycle, i, b.output, x.inputs[i].flits, x.flitBytes))
		}
		x.queued.add(i)
	}
	x.arrivals = x.arrivals[:0]
}

// delay is when a packet from an input is ready to leave its output, if without links it were
// at some cycle. It leaves behind the packets before it there.
func (x *Crossbar) delay(readyAt uint64, i, j int) uint64 {
	at := readyAt
	for _, t := range x.behind {
		at = max(at, t.book(readyAt, i, j, x.inputs[i].flits, x.flitBytes))
	}
	return at
}

// release lets packets through when their turns on the links have come.
func (x *Crossbar) release(cycle uint64) {
	for w, word := range x.queued {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			b := &x.bookings[i]
			if b.passes > cycle {
				x.next = min(x.next, b.passes)
				continue
			}
			x.queued.remove(i)
			x.outputs[b.output].requests.add(i)
			x.wanted.add(b.output)
		}
	}
}
