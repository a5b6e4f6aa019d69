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
