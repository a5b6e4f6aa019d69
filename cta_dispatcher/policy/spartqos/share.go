package spartqos

// share is how many SMs one tenant has, and what the division goes by. Lists of
// them are in the order of arrival.
type share struct {
	tenant int
	sms    int
	goal   float64 // IPC; 0: none
	// ipc is what the tenant had in the last window, with measured SMs; with 0 if it
	// was not measured.
	ipc      float64
	measured int

	jumped  bool // has had its first step
	before  int  // SMs before the last step
	reached bool // had its goal then
	// It gives, and takes, no SM in a step before the windows of these numbers.
	holds, waits int
}

// known reports whether something can be predicted of a tenant with a goal: nothing
// follows from an IPC of 0.
func (s *share) known() bool { return s.goal > 0 && s.ipc > 0 && s.measured > 0 }

// part is what part of its goal a tenant is predicted to have with so many SMs, of
// which IPC is a linear function (QoS 5).
func (s *share) part(sms int) float64 {
	return s.ipc * float64(sms) / (s.goal * float64(s.measured))
}

// reaches reports whether a tenant is predicted to have its goal with so many SMs.
// With as many as were measured it is no prediction, and exact. One that was not
// measured is not said to miss it.
func (s *share) reaches(sms int) bool {
	return s.ipc*float64(sms) >= s.goal*float64(s.measured)
}

// short reports whether a tenant misses its goal.
func (s *share) short() bool { return s.known() && !s.reaches(s.sms) }

// harmed reports whether a tenant misses its goal after a step before which it had it.
// A silent tenant, which has issued nothing in a window that measured it, may have
// paused; only if it gave SMs is that taken for the step's doing.
func (s *share) harmed() bool {
	return s.reached && !s.reaches(s.sms) && (s.ipc > 0 || s.sms < s.before)
}

// spares reports whether a tenant is predicted to have its goal with an SM less,
// which it is not without any.
func (s *share) spares() bool { return s.known() && s.reaches(s.sms-1) }

// needs is the least number of SMs with which a tenant is predicted to have its
// goal, n' = ceil(n x goal / IPC), but no more than there are.
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

// deal gives SMs out that nobody has, one by one: to a tenant that has none; to the
// one that misses its goal by most; to the one with fewest of those that have no
// goal, or of which nothing is known; to the one with fewest.
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

// join gives the last of a list, which has just arrived, SMs of the others, one by
// one, each from the tenant with most of those that are not predicted to miss their
// goals for it, until none of them has two more than it. At the start, when nothing
// is known, shares are equal and the first have what is left over. It gets one in
// any case if anybody has two.
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

// most is the tenant with most SMs of those that are admitted, the last to arrive
// of equal ones; -1 if there is none.
func most(list []share, admitted func(*share) bool) int {
	best := -1
	for i := range list {
		if admitted(&list[i]) && (best < 0 || list[i].sms >= list[best].sms) {
			best = i
		}
	}
	return best
}
