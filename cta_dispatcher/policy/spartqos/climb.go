package spartqos

import "cotenant/cta_dispatcher/policy"

// patience is the number of windows before an undone step is tried again.
const patience = 5

// climber divides SMs by hill climbing, one step at the end of each window.
type climber struct {
	window  int  // number of the present one
	stepped bool // it began with a step, which undo may take back
}

// step takes the step that the ended window suggests, and reports whether shares have changed.
// The list has that window's measurements.
func (c *climber) step(list []share) bool {
	c.window++
	if c.stepped && c.undo(list) {
		c.stepped = false
		return true
	}
	for i := range list {
		s := &list[i]
		s.before, s.reached = s.sms, s.known() && s.reaches(s.sms)
	}
	to, short := c.shortest(list)
	if short {
		c.stepped = to >= 0 && c.raise(list, to)
	} else {
		c.stepped = c.lower(list)
	}
	return c.stepped
}

// undo takes the last step back if it cost a tenant its goal, and reports whether it did. If
// such a tenant had given SMs, it gives none for a while; otherwise the takers take none.
func (c *climber) undo(list []share) bool {
	harmed, gave := false, false
	for i := range list {
		if s := &list[i]; s.harmed() {
			harmed = true
			if s.sms < s.before {
				gave = true
				s.holds = c.window + patience
			}
		}
	}
	if !harmed {
		return false
	}
	for i := range list {
		s := &list[i]
		if !gave && s.sms > s.before {
			s.waits = c.window + patience
		}
		s.sms = s.before
	}
	return true
}

// shortest is the tenant that misses its goal by most and may take SMs, -1 if none
// may, and reports whether any tenant misses its goal.
func (c *climber) shortest(list []share) (best int, short bool) {
	best = policy.Least(len(list), func(i int) (part float64, may bool) {
		s := &list[i]
		if !s.short() {
			return 0, false
		}
		short = true
		return s.part(s.sms), c.window >= s.waits
	})
	return best, short
}

// raise gives a tenant that misses its goal an SM more, or in its first step as many
// as the linear model says.
func (c *climber) raise(list []share, to int) (changed bool) {
	s := &list[to]
	want := s.sms + 1
	if !s.jumped {
		want = max(want, s.needs(total(list)))
	}
	for s.sms < want {
		from := c.giver(list)
		if from < 0 {
			break
		}
		move(list, from, to)
		s.jumped, changed = true, true
	}
	return changed
}

// lower takes an SM from the tenant with the largest margin over its goal, or in its first
// step as many as the linear model says, for the tenants without a goal that have fewest.
func (c *climber) lower(list []share) (changed bool) {
	from := c.richest(list)
	if from < 0 {
		return false
	}
	s := &list[from]
	want := s.sms - 1
	if !s.jumped {
		want = min(want, s.needs(total(list)))
	}
	for s.sms > want {
		to := c.poorest(list)
		if to < 0 {
			break
		}
		move(list, from, to)
		s.jumped, changed = true, true
	}
	return changed
}

// giver is the tenant that gives an SM to a tenant short of its goal: the tenant without a
// goal that has most SMs, else the tenant with the largest margin; -1 for none.
func (c *climber) giver(list []share) int {
	if i := most(list, func(s *share) bool { return s.goal == 0 && s.sms > 1 }); i >= 0 {
		return i
	}
	return c.richest(list)
}

// richest is the tenant with the largest predicted margin over its goal with an SM less, among
// tenants that may give one, the last to arrive among equals; -1 if none would keep its goal.
func (c *climber) richest(list []share) int {
	best := -1
	for i := range list {
		s := &list[i]
		if s.spares() && c.window >= s.holds && (best < 0 || s.part(s.sms-1) >= list[best].part(list[best].sms-1)) {
			best = i
		}
	}
	return best
}

// poorest is the tenant with fewest SMs among tenants without a goal that may take one, the
// first to arrive among equals; -1 for none.
func (c *climber) poorest(list []share) int {
	return policy.Least(len(list), func(i int) (int, bool) { return list[i].sms, list[i].goal == 0 && c.window >= list[i].waits })
}

func total(list []share) (sms int) {
	for i := range list {
		sms += list[i].sms
	}
	return sms
}
