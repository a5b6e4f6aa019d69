package flow

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/workload/ptx"
)

// A Row holds what a RegSet holds, whatever is done to it.
func TestRowsAreSets(t *testing.T) {
	f := &ptx.Func{Regs: make([]ptx.Type, 300)}
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.IntRange(0, len(f.Regs)-1), 0, 12)
		draw := func(name string) (Row, RegSet) {
			var r Row
			s := newRegSet(f)
			for _, reg := range numbers.Draw(t, name) {
				r.add(reg)
				s.add(reg)
			}
			return r, s
		}
		equal := func(r Row, s RegSet) {
			var in, want []int
			r.Each(func(reg int) { in = append(in, reg) })
			s.Each(func(reg int) { want = append(want, reg) })
			require.Equal(t, want, in)
			dense := newRegSet(f)
			dense.is(r)
			require.Equal(t, s, dense)
			for reg := range f.Regs {
				require.Equal(t, s.Has(reg), r.Has(reg))
			}
		}
		r, s := draw("row")
		other, set := draw("other")
		equal(r, s)
		equal(r.With(other), set.with(s))

		for _, reg := range numbers.Draw(t, "removed") {
			r.remove(reg)
			s.remove(reg)
		}
		equal(r, s)
		grown := append(Row(nil), r...)
		news := false
		set.Each(func(reg int) { news = news || !s.Has(reg) })
		require.Equal(t, news, grown.union(set))
		equal(grown, set.with(s))
		r.intersect(other)
		s.intersect(set)
		equal(r, s)
	})
}

// with is a set with the members of both.
func (s RegSet) with(t RegSet) RegSet {
	both := append(RegSet(nil), s...)
	t.Each(both.add)
	return both
}
