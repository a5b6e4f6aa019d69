package spartqos

// patience is the number of windows for which a step that had to be undone is not
// tried again.
const patience = 5

// climber divides SMs by hill climbing, one step at the end of each window.
type climber struct {
	window  int  // number of the present one
	stepped bool // it began with a step, which may have to be undone
}

// step takes the step that the window that has ended suggests, and reports whether
// it has changed shares. The list has what was measured in that window.
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

// undo takes the last step back if a tenant misses its goal now that had it
// before, and reports whether that was so. If the tenant had given SMs, it will give
// none for a while; else those who took some will take none.
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
	best = -1
	for i := range list {
		s := &list[i]
		if !s.short() {
			continue
		}
		short = true
		if c.window >= s.waits && (best < 0 || s.part(s.sms) < list[best].part(list[best].sms)) {
			best = i
		}
	}
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

// lower takes an SM from the tenant whose goal leaves most over, or in its first
// step as many as the linear model says, for those without a goal that have fewest.
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

// giver is who gives an SM to a tenant that misses its goal: the one without a goal
// that has most, else the one whose goal leaves most over; -1 if nobody can.
func (c *climber) giver(list []share) int {
	if i := most(list, func(s *share) bool { return s.goal == 0 && s.sms > 1 }); i >= 0 {
		return i
	}
	return c.richest(list)
}

// richest is the tenant that with an SM less is predicted to exceed its goal by
// most, among those that may give one, the last to arrive of equal ones; -1 if none
// would have its goal.
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

// poorest is the tenant with fewest SMs of those that have no goal and may take
// one, the first to arrive of equal ones; -1 if there is none.
func (c *climber) poorest(list []share) int {
	best := -1
	for i := range list {
		s := &list[i]
		if s.goal == 0 && c.window >= s.waits && (best < 0 || s.sms < list[best].sms) {
			best = i
		}
	}
	return best
}

func total(list []share) (sms int) {
	for i := range list {
		sms += list[i].sms
	}
	return sms
}
