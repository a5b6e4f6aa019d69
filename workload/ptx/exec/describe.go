package exec

import (
	"encoding/binary"
	"fmt"
	"sort"

	"cotenant/workload"
)

// Name names the array at an address, for messages.
func (m *Memory) Name(addr uint64, name string) {
	if a := m.find(addr); a != nil {
		a.name = name
	}
}

// describe says where an address lies that an access may not touch, and near to which array.
func (m *Memory) describe(addr uint64) string {
	above := sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].addr > addr })
	var nearest *allocation
	text, distance := "", uint64(near)
	if above < len(m.allocs) && m.allocs[above].addr-addr <= distance {
		nearest, distance = &m.allocs[above], m.allocs[above].addr-addr
		text = workload.Count(distance, "byte") + " in front of"
	}
	if above > 0 {
		a := &m.allocs[above-1]
		switch {
		case addr >= a.end() && addr-a.end() <= distance:
			nearest, distance = a, addr-a.end()
			text = workload.Count(distance, "byte") + " behind"
			if distance == 0 {
				text = "directly behind"
			}
		case addr >= a.end():
		case addr-a.addr < uint64(a.margin) || a.end()-addr <= uint64(a.margin):
			return fmt.Sprintf("in the margin of the array of %d bytes at %#x, which can only be read", len(a.data)-2*a.margin, a.addr+uint64(a.margin))
		default:
			return "past the end of " + a.String()
		}
	}
	if nearest == nil {
		return "not in any array"
	}
	return fmt.Sprintf("not in any array; %s %s", text, nearest)
}

// around is what a read outside the arrays gives: zeroes, but for bytes that lie in one; nil if no array is near.
func (m *Memory) around(addr, n uint64) []byte {
	above := sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].addr > addr })
	if !(above < len(m.allocs) && m.allocs[above].addr-addr <= near) && !(above > 0 && addr <= m.allocs[above-1].end()+near) {
		return nil
	}
	data := make([]byte, n)
	if above > 0 {
		if a := &m.allocs[above-1]; addr < a.end() {
			copy(data, a.data[addr-a.addr:])
		}
	}
	return data
}

// String names the array.
func (a *allocation) String() string {
	if a.name == "" {
		return fmt.Sprintf("the array of %s at %#x", workload.Count(len(a.data), "byte"), a.addr)
	}
	return fmt.Sprintf("%s (%s at %#x)", a.name, workload.Count(len(a.data), "byte"), a.addr)
}

// argument says which of the kernel's arguments points to the array nearest to an address, "" if none does.
func (w *Warp) argument(addr uint64) string {
	distance, best := uint64(near), 0
	for i, offset := range w.program.params {
		if w.program.kernel.Params[i].Bytes != 8 || offset+8 > len(w.params) {
			continue
		}
		to := w.memory.find(binary.LittleEndian.Uint64(w.params[offset:]))
		if to == nil {
			continue
		}
		d := min(addr-to.end(), to.addr-addr) // the wrong side gives a huge distance
		if d < distance {
			distance, best = d, i+1
		}
	}
	if best == 0 {
		return ""
	}
	return fmt.Sprintf(", which argument %d points to", best)
}
