package components

// Laggard is a module that works behind the time of the engine: what it does between the
// messages that it sends is done when someone needs to know, many edges at once. It
// brings its messages in by Port.FrontAt and Port.PopAt, each at an edge of the past.
type Laggard interface {
	// CatchUp does all that the module does at its edges before an instant. It may stop
	// earlier, before an edge at which it cannot know yet what others send. It sets the next
	// deadline by Lag.Until.
	CatchUp(before Time)
	// Last is the instant of the last edge before an instant at which the module has done
	// anything, or would have looked whether there was anything to do.
	Last(before Time) Time
}

// Lag says how far a module may lag behind.
type Lag struct {
	engine   *Engine
	who      Laggard
	deadline Time // the engine calls CatchUp before it passes this instant
	slack    Time // the deadline of a message is this long after the instant at which it can be seen
}

// Lag makes the module a laggard. A message need not be looked at until slack edges after
// the first at which it can be seen. It must be called before the module has messages.
func (m *Module) Lag(who Laggard, slack uint64) *Lag {
	m.lag = &Lag{engine: m.domain.engine, who: who, deadline: Never, slack: m.domain.At(slack)}
	m.domain.engine.lags = append(m.domain.engine.lags, m.lag)
	for _, p := range m.ports {
		p.rooms = newRooms(p.Depth())
	}
	return m.lag
}

// Until sets the instant before which the engine calls CatchUp next.
func (l *Lag) Until(deadline Time) {
	l.deadline = deadline
	l.engine.lagging = min(l.engine.lagging, deadline)
}

// catchUpFirst brings the laggard with the first deadline up to an instant, if the deadline
// is not after it, but not past the deadline of another laggard: what that one does then may
// end in a message for this one.
func (e *Engine) catchUpFirst(before Time) {
	var first *Lag
	second := Never
	for _, l := range e.lags {
		switch {
		case first == nil || l.deadline < first.deadline:
			if first != nil {
				second = first.deadline
			}
			first = l
		case l.deadline < second:
			second = l.deadline
		}
	}
	if first.deadline <= before {
		first.deadline = Never
		first.who.CatchUp(min(before, second))
	}
	e.lagging = min(first.deadline, second)
}

// settle brings everything to the state that it has before an instant, and makes the
// instant of the last event before it the present one.
func (e *Engine) settle(before Time) {
	e.reached = before
	for _, l := range e.lags {
		l.who.CatchUp(before)
		e.now = max(e.now, l.who.Last(before))
	}
	for _, o := range e.outlets {
		e.now = max(e.now, o.lastBefore(before))
	}
}
