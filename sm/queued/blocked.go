package queued

import (
	"slices"

	"cotenant/protocol"
	"cotenant/sm/residency"
)

// awayTB is a thread block that has left the SM and waits for faults to be served.
type awayTB struct {
	serial  uint64
	regions []uint64
}

// tellIfBlocked tells the SM driver of a thread block that waits as a whole.
func (p *Pipeline) tellIfBlocked(b *residency.Block) {
	if p.parts.Notify == nil || b.Faulted == 0 || b.Blocked || b.Leaving {
		return
	}
	waits := p.Signals[0].Waits
	for _, n := range b.Warps {
		w := &p.Warps[n]
		if !w.InUse || w.TB != b {
			continue
		}
		if !p.quiet(int(n)) {
			return
		}
		if p.slots[n].faulted {
			continue
		}
		if waiting, _ := p.queue.Len(int(n)); waiting > 0 || waits&w.Bit == 0 {
			return
		}
	}
	b.Blocked = true
	p.parts.Notify(&protocol.TBBlocked{Serial: b.Serial, On: true})
}

// unblocked tells it that a warp goes on. A blocked thread block is quiet, so it is gone
// as soon as it is told to leave.
func (p *Pipeline) unblocked(b *residency.Block) {
	b.Faulted--
	if b.Blocked {
		b.Blocked = false
		p.parts.Notify(&protocol.TBBlocked{Serial: b.Serial})
	}
}

// goAway notes the regions that a blocked thread block waits for when it leaves the SM.
// There is at least one: a warp without any goes on as soon as it is quiet.
func (p *Pipeline) goAway(b *residency.Block) {
	away := awayTB{serial: b.Serial}
	for _, n := range b.Warps {
		if w := &p.Warps[n]; !w.InUse || w.TB != b {
			continue
		}
		for _, r := range p.slots[n].regions {
			if !slices.Contains(away.regions, r) {
				away.regions = append(away.regions, r)
			}
		}
	}
	p.away = append(p.away, away)
}

// servedAway tells the SM driver of thread blocks off the chip that waited for this
// region last.
func (p *Pipeline) servedAway(region uint64) {
	for i := 0; i < len(p.away); {
		a := &p.away[i]
		if k := slices.Index(a.regions, region); k >= 0 {
			a.regions = slices.Delete(a.regions, k, k+1)
		}
		if len(a.regions) > 0 {
			i++
			continue
		}
		p.parts.Notify(&protocol.TBBlocked{Serial: a.serial})
		p.away = slices.Delete(p.away, i, i+1)
	}
}

// Away is the number of thread blocks off the SM that wait for faults to be served.
func (p *Pipeline) Away() int { return len(p.away) }
