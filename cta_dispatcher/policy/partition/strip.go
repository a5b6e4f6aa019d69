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

// highest is the highest place of a plot that does not end behind to.
func (p *plot) highest(to int) (at int, ok bool) {
	if !p.stays {
		return to - p.size(), true
	}
	to -= p.size()
	at = p.base + max(0, p.held-p.tbs)*p.unit
	if at > to {
		at -= (at - to + p.unit - 1) / p.unit * p.unit
	}
	return at, at >= p.base+min(0, p.held-p.tbs)*p.unit
}

// mostPermuted bounds the plots that are tried in all orders.
const mostPermuted = 5

// strip is one resource of an SM, addressed linearly (SMK 6.1), with plots on it.
type strip struct {
	limit int
	plots []plot
	// low is, by set of plots, the lowest end when they are laid from the bottom up, and high
	// the highest beginning when they are laid from the top down. A set that cannot be laid so
	// ends above the limit, or begins below 0.
	low, high []int
}

// lay gives all plots their places, from the bottom or from the top, with the largest possible
// room in between for the next plot. It reports false if they cannot be laid.
func (s *strip) lay(at []int) bool {
	all := 1<<len(s.plots) - 1
	s.chain()
	if s.fromBottom(); s.low[all] > s.limit {
		return false
	}
	s.fromTop()
	best, room := -1, -1
	for i := range s.low {
		// The first alone is laid from the bottom if nothing speaks against it.
		bottom := (i + 1) & all
		if s.low[bottom] > s.limit {
			continue
		}
		if between := s.high[all^bottom] - s.low[bottom]; between > room {
			best, room = bottom, between
		}
	}
	s.stack(best, at)
	s.hang(all^best, at)
	return true
}

// fromBottom fills low, from smaller sets to larger ones.
func (s *strip) fromBottom() {
	s.low = append(s.low[:0], 0)
	for range 1<<len(s.plots) - 1 {
		s.low = append(s.low, s.limit+1)
	}
	for set := range s.low {
		end := s.low[set]
		if end > s.limit {
			continue
		}
		for i := range s.plots {
			if with := set | 1<<i; with != set && s.plots[i].below&^set == 0 {
				if at, ok := s.plots[i].lowest(end); ok {
					s.low[with] = min(s.low[with], at+s.plots[i].size())
				}
			}
		}
	}
}

// fromTop fills high.
func (s *strip) fromTop() {
	s.high = append(s.high[:0], s.limit)
	for range 1<<len(s.plots) - 1 {
		s.high = append(s.high, -1)
	}
	for set := range s.high {
		begin := s.high[set]
		if begin < 0 {
			continue
		}
		for i := range s.plots {
			if with := set | 1<<i; with != set && s.plots[i].above&^set == 0 {
				if at, ok := s.plots[i].highest(begin); ok {
					s.high[with] = max(s.high[with], at)
				}
			}
		}
	}
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

// stack places a set from the bottom up, as fromBottom has found it.
func (s *strip) stack(set int, at []int) {
	for i := len(s.plots) - 1; set > 0; i-- {
		rest := set &^ (1 << i)
		if rest == set || s.low[rest] > s.limit {
			continue
		}
		if from, ok := s.plots[i].lowest(s.low[rest]); ok && from+s.plots[i].size() == s.low[set] {
			at[i], set, i = from, rest, len(s.plots)
		}
	}
}

// hang places a set from the top down, as fromTop has found it.
func (s *strip) hang(set int, at []int) {
	for i := len(s.plots) - 1; set > 0; i-- {
		rest := set &^ (1 << i)
		if rest == set || s.high[rest] < 0 {
			continue
		}
		if from, ok := s.plots[i].highest(s.high[rest]); ok && from == s.high[set] {
			at[i], set, i = from, rest, len(s.plots)
		}
	}
}
