package components

// rooms are the free places of the incoming buffer of a laggard, in the order in which they
// became free. A laggard takes messages ahead of the engine's time if nothing else can
// happen before: the places are free from then on, and not now.
type rooms struct {
	since []Time // a ring: first instant at which a message may have the place
	head  int
	len   int
}

func newRooms(places int) *rooms { return &rooms{since: make([]Time, places), len: places} }

// free adds a place that may be used after an instant.
func (r *rooms) free(now Time) {
	at := r.head + r.len
	if at >= len(r.since) {
		at -= len(r.since)
	}
	r.since[at] = now + 1
	r.len++
}

// take takes the place that has been free for longest.
func (r *rooms) take() {
	if r.head++; r.head == len(r.since) {
		r.head = 0
	}
	r.len--
}

// first is the first instant at which a message may have a place; Never without one.
func (r *rooms) first() Time {
	if r.len == 0 {
		return Never
	}
	return r.since[r.head]
}
