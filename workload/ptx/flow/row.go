package flow

import (
	"math/bits"
	"slices"
)

// Row is a set of a function's registers that has few members for the function's size:
// the words of a RegSet that are not zero, in their order. A long function has many
// registers, but each meets only the registers that are in use around it.
type Row []rowWord

// rowWord has a bit for each of the registers from 64*at on.
type rowWord struct {
	at   int32
	bits uint64
}

// word finds the word that has a register, or the place for it.
func (r Row) word(at int32) (i int, found bool) {
	return slices.BinarySearchFunc(r, at, func(w rowWord, at int32) int { return int(w.at - at) })
}

// Has reports whether a register is in the set.
func (r Row) Has(reg int) bool {
	i, found := r.word(int32(reg / 64))
	return found && r[i].bits>>(reg%64)&1 != 0
}

func (r *Row) add(reg int) {
	i, found := r.word(int32(reg / 64))
	if !found {
		*r = slices.Insert(*r, i, rowWord{at: int32(reg / 64)})
	}
	(*r)[i].bits |= 1 << (reg % 64)
}

func (r Row) remove(reg int) {
	if i, found := r.word(int32(reg / 64)); found {
		r[i].bits &^= 1 << (reg % 64)
	}
}

// union adds the members of a set and reports whether one was new.
func (r *Row) union(s RegSet) (grew bool) {
	i := 0
	for at, w := range s {
		if w == 0 {
			continue
		}
		for i < len(*r) && (*r)[i].at < int32(at) {
			i++
		}
		if i == len(*r) || (*r)[i].at > int32(at) {
			*r = slices.Insert(*r, i, rowWord{at: int32(at)})
		}
		grew = grew || w&^(*r)[i].bits != 0
		(*r)[i].bits |= w
	}
	return grew
}

// addTo adds the members to a set.
func (r Row) addTo(s RegSet) {
	for _, w := range r {
		s[w.at] |= w.bits
	}
}

// intersect removes the members that another set does not have.
func (r Row) intersect(other Row) {
	for k := range r {
		i, found := other.word(r[k].at)
		if !found {
			r[k].bits = 0
			continue
		}
		r[k].bits &= other[i].bits
	}
}

// With is a set with the members of both.
func (r Row) With(other Row) Row {
	both := make(Row, 0, len(r)+len(other))
	for len(r) > 0 && len(other) > 0 {
		switch a, b := r[0], other[0]; {
		case a.at < b.at:
			both, r = append(both, a), r[1:]
		case a.at > b.at:
			both, other = append(both, b), other[1:]
		default:
			both, r, other = append(both, rowWord{a.at, a.bits | b.bits}), r[1:], other[1:]
		}
	}
	return append(append(both, r...), other...)
}

// Each calls do for each register of the set. do may add registers to other sets only.
func (r Row) Each(do func(reg int)) {
	for _, w := range r {
		for b := w.bits; b != 0; b &= b - 1 {
			do(64*int(w.at) + bits.TrailingZeros64(b))
		}
	}
}
