package components

// Pool recycles messages of one type within a simulation, so that sending one
// allocates nothing in steady state. It is not shared between simulations and
// not safe for concurrent use.
type Pool[T any] struct{ free []*T }

// Get returns a recycled message, its old contents included, or a new one.
func (p *Pool[T]) Get() *T {
	if last := len(p.free) - 1; last >= 0 {
		t := p.free[last]
		p.free = p.free[:last]
		return t
	}
	return new(T)
}

// Put gives a message back. The caller must not use it afterwards.
func (p *Pool[T]) Put(t *T) { p.free = append(p.free, t) }
