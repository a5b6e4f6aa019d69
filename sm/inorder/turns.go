package inorder

import (
	"math/bits"

	"cotenant/sm/ews"
	"cotenant/sm/pipes"
	"cotenant/sm/residency"
	"cotenant/sm/warps"
)

// Schedulers take turns at the resources that they share: pipes, and the load-store
// unit's queue or the way to it. A resource serves schedulers round robin and skips a
// scheduler without a warp for it. A scheduler that picks such a warp before its turn
// lets the schedulers ahead of it act first, at the same edge, and takes what they leave.
// So no turn leaves a pipe idle.

// turns are the turns of the schedulers at the resources that they share. A resource
// has the number of its unit.
type turns struct {
	shared  uint16 // resources that schedulers share, one bit each; 0: none
	always  uint16 // shared resources that may be scarce at any edge, one bit each
	asked   uint16 // shared resources that may be scarce at this edge, one bit each
	queue   bool   // schedulers share the load-store unit's queue alone, not the way to it
	all     uint8  // schedulers, one bit each
	left    uint8  // schedulers that have not acted at this edge
	waiting uint8  // schedulers that wait for their turns, since the last one acted
	seconds uint8  // schedulers with a second instruction that waits for its turn
	at      [warps.NumUnits]rotation
	second  [warps.MaxSchedulers]*residency.Warp // of the schedulers in seconds
}

// rotation says which scheduler has its turn at a resource.
type rotation struct {
	edge  uint64 // the last at which the resource was asked for
	first uint8  // scheduler that had its turn at that edge
	reach uint8  // number of schedulers, from first on, that used their turns at that edge
}

// turn is the scheduler that has its turn at an edge.
func (r *rotation) turn(edge uint64, schedulers int) int {
	if r.edge != edge {
		r.edge = edge
		if r.first += r.reach; int(r.first) >= schedulers {
			r.first -= uint8(schedulers)
		}
		r.reach = 0
	}
	return int(r.first)
}

// served ends the turns of a scheduler, and of those ahead of it, at an edge.
func (r *rotation) served(edge uint64, number, schedulers int) {
	ahead := number - r.turn(edge, schedulers)
	if ahead < 0 {
		ahead += schedulers
	}
	r.reach = max(r.reach, uint8(ahead+1))
}

// later is the slot of a scheduler that waits for its turn.
const later = -2

// newTurns says what the schedulers of an SM share.
func newTurns(schedulers int, p *pipes.Pipes) (t turns) {
	if schedulers == 1 {
		return t
	}
	for u := range warps.NumUnits {
		if p.Shared(u) {
			t.shared |= 1 << u
		}
	}
	t.always = t.shared
	t.queue = !p.Shared(warps.LSU)
	t.shared |= 1 << warps.LSU
	t.all = uint8(1)<<schedulers - 1
	return t
}

// openTurns begins an edge. The load-store unit's queue is scarce if it does not take
// an instruction from each scheduler.
func (p *Pipeline) openTurns() {
	t := &p.turns
	t.left, t.asked = t.all, t.always
	if t.queue && p.lsu.Room() < len(p.Schedulers) {
		t.asked |= 1 << warps.LSU
	}
}

// rest is the first scheduler, from a number on, that has yet to act at this edge, and
// the number of schedulers to ask before the next rest: 1, or 0 if all have acted.
func (t *turns) rest(from int) (number, count int) {
	if t.asked == 0 || t.left == 0 {
		return 0, 0
	}
	return t.restOf(from)
}

func (t *turns) restOf(from int) (number, count int) {
	rest := t.left &^ t.waiting
	if rest == 0 {
		rest = t.left
	}
	if ahead := rest >> from << from; ahead != 0 {
		rest = ahead
	}
	return bits.TrailingZeros8(rest), 1
}

// acted notes that a scheduler has acted at this edge.
func (t *turns) acted(number int) { t.left &^= 1 << (number & (warps.MaxSchedulers - 1)) }

// tookTurn ends a scheduler's turn at a resource.
func (p *Pipeline) tookTurn(resource warps.Unit, number uint8) {
	if p.turns.shared>>(resource%16)&1 != 0 {
		p.served(resource, number)
	}
}

func (p *Pipeline) served(resource warps.Unit, number uint8) {
	p.turns.at[resource].served(p.Cycle, int(number), len(p.Schedulers))
}

// inTurn is the slot that a scheduler issues from, or later, once it has picked a slot
// of the candidates. If all schedulers that are left wait for each other, at different
// resources, it picks among the candidates that need not wait. Some scheduler has such
// candidates: the first at a resource for which another scheduler waits.
func (p *Pipeline) inTurn(s *residency.Scheduler, slot int, candidates warps.Mask) int {
	t := &p.turns
	bit := uint8(1) << s.Number
	if slot != ews.None && t.left != bit && p.waits(s, s.Warps[slot].Unit) {
		if t.waiting |= bit; t.left&^t.waiting != 0 {
			return later
		}
		if candidates = p.mayGo(s, candidates); candidates == 0 {
			return later
		}
		slot = p.pick(s, candidates)
	}
	t.left &^= bit
	t.waiting = 0
	return slot
}

// mayGo are the candidates of a scheduler that need not wait for their turns.
func (p *Pipeline) mayGo(s *residency.Scheduler, candidates warps.Mask) warps.Mask {
	for u := range warps.NumUnits {
		if needs := candidates & s.Signals.Needs[u]; needs != 0 && p.waits(s, u) {
			candidates &^= needs
		}
	}
	return candidates
}

// waits reports whether a scheduler waits for its turn with an instruction for a unit.
func (p *Pipeline) waits(s *residency.Scheduler, u warps.Unit) bool {
	return p.turns.asked>>u&1 != 0 && p.behind(s, u)
}

// behind reports whether schedulers that have not acted yet are ahead of a scheduler
// at a resource and may leave nothing of it.
func (p *Pipeline) behind(s *residency.Scheduler, resource warps.Unit) bool {
	t := &p.turns
	ahead := 0
	for i := t.at[resource].turn(p.Cycle, len(p.Schedulers)); i != s.Number; {
		if t.left>>i&1 != 0 && p.wants(&p.Schedulers[i], resource) {
			ahead++
		}
		if i++; i == len(p.Schedulers) {
			i = 0
		}
	}
	return ahead > 0 && p.room(resource) < (ahead+1)*p.most(resource)
}

// wants reports whether a scheduler has a warp for a resource that could issue now.
func (p *Pipeline) wants(s *residency.Scheduler, resource warps.Unit) bool {
	ready := p.ready(s)
	if !p.pipes.CanTake(s.Number, resource, p.Cycle) {
		return false
	}
	ready &= s.Signals.Needs[resource]
	return ready != 0 && (resource != warps.LSU || ready&^p.lsuFull(s) != 0)
}

// room is the number of instructions that a resource takes at this edge if it takes
// one.
func (p *Pipeline) room(resource warps.Unit) int {
	if resource == warps.LSU && p.turns.queue {
		return p.lsu.Room()
	}
	return p.pipes.Room(resource, p.Cycle)
}

// most is the largest number of instructions for a resource that a scheduler issues at
// an edge.
func (p *Pipeline) most(resource warps.Unit) int {
	if p.spec.IssueSameUnit && pipes.Arithmetic(resource) {
		return p.spec.IssueWidth
	}
	return 1
}

// secondInTurn reports whether a warp may issue its second instruction of an edge,
// behind an instruction for a unit. If not, it waits for the schedulers ahead to act.
// Two instructions for the same resource are one turn.
func (p *Pipeline) secondInTurn(s *residency.Scheduler, w *residency.Warp, first warps.Unit) bool {
	t := &p.turns
	if t.left == 0 || w.Unit == first || !p.waits(s, w.Unit) {
		return true
	}
	t.seconds |= 1 << s.Number
	t.second[s.Number] = w
	return false
}

// issueSeconds issues the second instructions that have waited for their turns and can
// still issue.
func (p *Pipeline) issueSeconds(cycle uint64) {
	t := &p.turns
	for u := warps.Control + 1; u < warps.NumUnits; u++ {
		i := t.at[u].turn(cycle, len(p.Schedulers))
		for range p.Schedulers {
			if s, w := &p.Schedulers[i], t.second[i]; t.seconds>>i&1 != 0 && w.Unit == u {
				t.seconds &^= 1 << i
				if s.Signals.Ready()&w.Bit != 0 && p.takes(s, w, cycle) && (p.order == nil || p.goesFirst(s, w)) {
					p.issueWarp(s, w, 0, cycle)
					p.afterIssue(s, w, 1)
				}
			}
			if i++; i == len(p.Schedulers) {
				i = 0
			}
		}
	}
}
