package summary

import (
	"math/bits"

	"cotenant/workload"
)

const (
	sectorShift = 5 // 32 bytes
	pageShift   = sectorShift + 6 + 3
	pageWords   = 8
)

// sectors is a set of sectors, a bit for each.
type sectors struct {
	pages  map[uint64]*[pageWords]uint64
	page   *[pageWords]uint64 // looked up last
	number uint64
}

func (s *sectors) access(inst *workload.Inst) {
	low := bits.TrailingZeros32(inst.Active)
	if dense(inst) {
		last := inst.Base + uint64(inst.Stride)*uint64(bits.OnesCount32(inst.Active)-1) + uint64(inst.Width) - 1
		for at := inst.Base >> sectorShift; at <= last>>sectorShift; at++ {
			s.add(at << sectorShift)
		}
		return
	}
	for m := inst.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		addr := inst.Base + uint64(int64(inst.Stride)*int64(lane-low))
		if inst.Lanes != nil {
			addr = inst.Lanes[lane]
		}
		s.add(addr)
		if inst.Width > 0 {
			s.add(addr + uint64(inst.Width) - 1)
		}
	}
}

// dense reports whether an access touches every sector from its first byte to its last:
// neighbouring lanes are active, and no further apart than a sector.
func dense(inst *workload.Inst) bool {
	run := inst.Active >> bits.TrailingZeros32(inst.Active)
	return inst.Lanes == nil && inst.Active != 0 && run&(run+1) == 0 && inst.Width > 0 &&
		inst.Stride >= 0 && inst.Stride <= 1<<sectorShift && inst.Base < 1<<63
}

func (s *sectors) add(addr uint64) {
	if number := addr >> pageShift; s.page == nil || number != s.number {
		p := s.pages[number]
		if p == nil {
			p = new([pageWords]uint64)
			s.pages[number] = p
		}
		s.page, s.number = p, number
	}
	sector := addr >> sectorShift
	s.page[sector>>6%pageWords] |= 1 << (sector & 63)
}

func (s *sectors) bytes() (n uint64) {
	for _, p := range s.pages {
		for _, w := range p {
			n += uint64(bits.OnesCount64(w)) << sectorShift
		}
	}
	return n
}

// merge adds another set's sectors, and returns the bytes of the sectors that are new.
func (s *sectors) merge(from *sectors) (n uint64) {
	for number, p := range from.pages {
		mine := s.pages[number]
		if mine == nil {
			mine = new([pageWords]uint64)
			s.pages[number] = mine
		}
		for i, w := range p {
			n += uint64(bits.OnesCount64(w&^mine[i])) << sectorShift
			mine[i] |= w
		}
	}
	return n
}
