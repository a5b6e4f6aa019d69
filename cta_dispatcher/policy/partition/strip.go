package partition

// plot is a partition's part of one resource of an SM.
type plot struct {
	unit int // demand of one TB
	tbs  int // capacity in TBs
	// stays: its TBs must not move. Of the partition's place, from base on with room for held
	// TBs, it keeps its need, and it grows only at the ends. Otherwise it is laid anywhere.
	stays      bool
	base, held int
	// below and above are sets of plots that must lie below and above it.
	below, above int
}

func (p *plot) size() int { return p.unit * p.tbs }

// lowest is the lowest place of a plot that does not begin before from. It is
// not ok if there is none.
func (p *plot) lowest(from int) (at int, ok bool) {
	if !p.stays {
		return from, true
	}
	at = p.base + min(0, p.held-p.tbs)*p.unit
	if at < from {
		at += (from - at + p.unit - 1) / p.unit * p.unit
	}
	return at, at <= p.base+max(0, p.held-p.tbs)*p.unit
}

// mirrored is the plot seen from the top of a strip.
func (p plot) mirrored(limit int) plot {
	p.base = limit - p.base - p.held*p.unit
	p.below, p.above = p.above, p.below
	return p
}

// mostPermuted bounds the plots that are tried in all orders.
const mostPermuted = 5

// strip is one resource of an SM, addressed linearly (SMK 6.1), with plots on it.
type strip struct {
	limit     int
	plots     []plot
	mirrored  []plot // plots seen from the top
	low, high []int  // by set of plots: the ends of stacks from the bottom, and from the top
}

// lay gives all plots their places, from the bottom or from the top, with the largest possible
// room in between for the next plot. It reports false if they cannot be laid.
func (s *strip) lay(at []int) bool {
	all := 1<<len(s.plots) - 1
	s.chain()
	if s.low = stacked(s.low, s.plots, s.limit); s.low[all] > s.limit {
		return false
	}
	s.mirrored = s.mirrored[:0]
	for _, p := range s.plots {
		s.mirrored = append(s.mirrored, p.mirrored(s.limit))
	}
	s.high = stacked(s.high, s.mirrored, s.limit)
	best, room := -1, -1
	for i := range s.low {
		// The first alone is laid from the bottom if nothing speaks against it.
		bottom := (i + 1) & all
		if s.low[bottom] > s.limit {
			continue
		}
		if between := s.limit - s.high[all^bottom] - s.low[bottom]; between > room {
			best, room = bottom, between
		}
	}
	stack(s.plots, s.low, s.limit, best, func(i, from int) { at[i] = from })
	stack(s.mirrored, s.high, s.limit, all^best, func(i, from int) { at[i] = s.limit - from - s.plots[i].size() })
	return true
}

// stacked fills ends with the lowest end of each set of plots laid from the bottom up, from
// smaller sets to larger ones. A set that cannot be laid so ends above the limit.
func stacked(ends []int, plots []plot, limit int) []int {
	ends = append(ends[:0], 0)
	for range 1<<len(plots) - 1 {
		ends = append(ends, limit+1)
	}
	for set := range ends {
		end := ends[set]
		if end > limit {
			continue
		}
		for i := range plots {
			if with := set | 1<<i; with != set && plots[i].below&^set == 0 {
				if at, ok := plots[i].lowest(end); ok {
					ends[with] = min(ends[with], at+plots[i].size())
				}
			}
		}
	}
	return ends
}

// chain orders the plots that may lie anywhere, except the first few, which are tried in all
// orders.
func (s *strip) chain() {
	last, n := 0, 0
	for i := range s.plots {
		if s.plots[i].stays {
			continue
		}
		if n++; n > mostPermuted {
			s.plots[i].below |= 1 << last
			s.plots[last].above |= 1 << i
		}
		last = i
	}
}

// stack calls place with the places of a set, laid from the bottom up with the ends of stacked.
func stack(plots []plot, ends []int, limit, set int, place func(i, from int)) {
	for i := len(plots) - 1; set > 0; i-- {
		rest := set &^ (1 << i)
		if rest == set || ends[rest] > limit {
			continue
		}
		if from, ok := plots[i].lowest(ends[rest]); ok && from+plots[i].size() == ends[set] {
			place(i, from)
			set, i = rest, len(plots)
		}
	}
}
