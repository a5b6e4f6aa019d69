package lsu

import (
	"math/bits"
	"slices"

	"cotenant/components"
	"cotenant/tenant"
)

// turns is the queue of a unit that may skip (Spec.Skip). A tenant's instructions stay
// in their order; when the oldest instruction of all is refused, the oldest of another
// tenant goes. Each tenant has a share of the entries, so a tenant with waiting
// instructions leaves the other tenants their shares.
type turns struct {
	of      [tenant.Max]components.FIFO[*instruction]
	share   [tenant.Max]int
	waiting uint16      // tenants with instructions, one bit each
	full    uint16      // tenants on the SM with as many as their shares
	order   []tenant.ID // on the SM, by arrival
	depth   int
	issued  uint64
}

func newTurns(depth int) *turns {
	t := &turns{depth: depth}
	for id := range t.of {
		t.of[id] = components.NewFIFO[*instruction](depth)
	}
	return t
}

// arrive gives a tenant that has come to the SM its share, leave takes it away.
func (t *turns) arrive(id tenant.ID) {
	t.order = append(t.order, id)
	t.divide()
}

func (t *turns) leave(id tenant.ID) {
	i := slices.Index(t.order, id)
	t.order = slices.Delete(t.order, i, i+1)
	t.divide()
}

// divide makes the shares anew. With more tenants than entries each has one, as long
// as there are any.
func (t *turns) divide() {
	for i, id := range t.order {
		t.share[id] = max(1, tenant.Share(t.depth, len(t.order), i))
		t.note(id)
	}
}

// note brings the sets up to date with a tenant's queue.
func (t *turns) note(id tenant.ID) {
	n := t.of[id].Len()
	t.waiting &^= 1 << id
	t.full &^= 1 << id
	if n > 0 {
		t.waiting |= 1 << id
	}
	if s := t.share[id]; s > 0 && n >= s {
		t.full |= 1 << id
	}
}

// room is that of the tenant that has the least.
func (t *turns) room() int {
	least := t.depth
	for _, id := range t.order {
		least = min(least, t.share[id]-t.of[id].Len())
	}
	return least
}

func (t *turns) push(m *instruction) {
	m.number = t.issued
	t.issued++
	id := m.Account.Tenant()
	t.of[id].Push(m)
	t.note(id)
}

// oldest is the tenant with the oldest instruction, of a set of tenants with
// instructions that is not empty.
func (t *turns) oldest(set uint16) tenant.ID {
	best := tenant.ID(bits.TrailingZeros16(set))
	for set &= set - 1; set != 0; set &= set - 1 {
		if id := tenant.ID(bits.TrailingZeros16(set)); (*t.of[id].Front()).number < (*t.of[best].Front()).number {
			best = id
		}
	}
	return best
}

// skip does one cycle's work. It tries the tenants' oldest instructions, the oldest
// first, and reports whether it could work on any. The tenants in held have to wait.
func (u *Unit) skip(cycle uint64, held uint16) bool {
	for left := u.turns.waiting &^ held; left != 0; {
		id := u.turns.oldest(left)
		q := &u.turns.of[id]
		m := *q.Front()
		if u.work(m, cycle) {
			if m.done() {
				q.Pop()
				u.turns.note(id)
				u.retire(m)
			}
			return true
		}
		left &^= 1 << id
	}
	return false
}

// Arrive: a tenant has come to the SM.
func (u *Unit) Arrive(id tenant.ID) {
	u.opened++
	if u.turns != nil {
		u.turns.arrive(id)
	}
}

// Leave is Arrive's counterpart: nothing of the tenant is in the queue.
func (u *Unit) Leave(id tenant.ID) {
	u.opened++
	if u.turns != nil {
		u.turns.leave(id)
	}
}

// FullFor are the tenants, one bit each, with their own shares full: the unit takes no
// instruction of theirs, though it is not Full. Unless the unit may skip, it is 0.
func (u *Unit) FullFor() uint16 {
	if u.turns == nil {
		return 0
	}
	return u.turns.full
}
