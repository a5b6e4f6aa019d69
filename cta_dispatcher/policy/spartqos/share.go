package spartqos

// share holds a tenant's number of SMs, and the figures that the division needs. Lists are in
// the order of arrival.
type share struct {
	tenant int
	sms    int
	goal   float64 // IPC; 0: none
	// ipc is the tenant's IPC in the last window on measured SMs; measured is 0 if it was not
	// measured.
	ipc      float64
	measured int

	jumped  bool // has had its first step
	before  int  // SMs before the last step
	reached bool // had its goal then
	// It gives, and takes, no SM in a step before the windows of these numbers.
	holds, waits int
}

// known reports whether a prediction exists for a tenant with a goal; an IPC of 0 allows none.
func (s *share) known() bool { return s.goal > 0 && s.ipc > 0 && s.measured > 0 }

// part is the predicted part of its goal with some SMs; IPC is a linear function of their
// number (QoS 5).
func (s *share) part(sms int) float64 {
	return s.ipc * float64(sms) / (s.goal * float64(s.measured))
}

// reaches reports whether a tenant is predicted to reach its goal with some SMs. With the
// measured number the answer is exact. A tenant without a measurement does not miss its goal.
func (s *share) reaches(sms int) bool {
	return s.ipc*float64(sms) >= s.goal*float64(s.measured)
}

// short reports whether a tenant misses its goal.
func (s *share) short() bool { return s.known() && !s.reaches(s.sms) }

// harmed reports whether the last step cost a tenant its goal. A silent tenant, without an
// instruction in a window that measured it, may have paused; the step is blamed only if the
// tenant gave SMs.
func (s *share) harmed() bool {
	return s.reached && !s.reaches(s.sms) && (s.ipc > 0 || s.sms < s.before)
}

// spares reports whether a tenant is predicted to have its goal with an SM less,
// which it is not without any.
func (s *share) spares() bool { return s.known() && s.reaches(s.sms-1) }

// needs is the least number of SMs with which a tenant is predicted to reach its goal, n' =
// ceil(n x goal / IPC), total at most.
func (s *share) needs(total int) int {
	n := 1
	for n < total && !s.reaches(n) {
		n++
	}
	return n
}

// move hands one SM over.
func move(list []share, from, to int) {
	list[from].sms--
	list[to].sms++
}

// deal gives out free SMs one by one: to a tenant without any; to the tenant that misses its
// goal by most; to the tenant with fewest among tenants without a goal or a prediction; to the
// tenant with fewest.
func deal(list []share, free int) {
	for ; free > 0 && len(list) > 0; free-- {
		best := 0
		for i := range list {
			if a, b := rank(&list[i]), rank(&list[best]); a < b || a == b && before(&list[i], &list[best], a) {
				best = i
			}
		}
		list[best].sms++
	}
}

// The ranks of deal.
const (
	rankEmpty = iota
	rankShort
	rankFree
	rankKept
)

func rank(s *share) int {
	switch {
	case s.sms == 0:
		return rankEmpty
	case s.short():
		return rankShort
	case !s.known():
		return rankFree
	}
	return rankKept
}

// before reports whether one tenant gets an SM before another of its rank that
// arrived before it.
func before(a, b *share, rank int) bool {
	if rank == rankShort {
		return a.part(a.sms) < b.part(b.sms)
	}
	return a.sms < b.sms
}

// join gives the new last tenant of a list SMs of the other tenants, one by one, until no
// giver has two more than it. The giver is the tenant with most SMs among tenants that keep
// their goals by the prediction. At the start, without predictions, shares become equal, and
// the first have the remainder. The tenant gets one SM in any case if another tenant has two.
func join(list []share) {
	last := len(list) - 1
	for {
		from := most(list[:last], func(s *share) bool { return !s.known() || s.spares() })
		if from < 0 || list[from].sms < list[last].sms+2 {
			break
		}
		move(list, from, last)
	}
	if list[last].sms > 0 {
		return
	}
	if from := most(list[:last], func(*share) bool { return true }); from >= 0 && list[from].sms > 1 {
		move(list, from, last)
	}
}

// most is the admitted tenant with most SMs, the last to arrive among equals; -1 for none.
func most(list []share, admitted func(*share) bool) int {
	best := -1
	for i := range list {
		if admitted(&list[i]) && (best < 0 || list[i].sms >= list[best].sms) {
			best = i
		}
	}
	return best
}
