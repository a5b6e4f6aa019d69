package sm

import (
	"math/bits"

	"cotenant/sm/ews"
	"cotenant/sm/warps"
)

// Schedulers that share a pipe, or the load-store unit's queue or the way to it, take
// them in turn. Each of these resources serves next the first scheduler behind the last
// one served that has a warp for it. A scheduler that picks such a warp before its turn
// lets the schedulers ahead of it act first, at the same edge, and takes what they leave.
// So no turn leaves a pipe idle.

// turns are the turns of the schedulers at the resources that they share. A resource
// has the number of its unit.
type turns struct {
	shared  uint8 // resources that schedulers share, one bit each; 0: none
	always  uint8 // shared resources that may be scarce at any edge, one bit each
	asked   uint8 // shared resources that may be scarce at this edge, one bit each
	queue   bool  // schedulers share the load-store unit's queue alone, not the way to it
	all     uint8 // schedulers, one bit each
	left    uint8 // those that have not acted at this edge
	waiting uint8 // those that have let others act first since one has acted
	seconds uint8 // those whose second instruction waits for its turn
	at      [warps.NumUnits]rotation
	second  [maxSchedulers]*warp // of the schedulers in seconds
}

// rotation is whose turn it is at a resource.
type rotation struct {
	edge  uint64 // the last at which the resource was asked for
	first uint8  // scheduler whose turn it was at that edge
	reach uint8  // how many from the first on have had their turns then
}

// turn is the scheduler whose turn it is at an edge, of so many schedulers.
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

// later is the slot of a scheduler that lets others act first.
const later = -2

// newTurns says what the schedulers of an SM share.
func newTurns(spec *Spec, p *pipes) (t turns) {
	if spec.Schedulers == 1 {
		return t
	}
	for u, shared := range p.shared {
		if shared {
			t.shared |= 1 << u
		}
	}
	t.always = t.shared
	t.queue = !p.shared[warps.LSU]
	t.shared |= 1 << warps.LSU
	t.all = uint8(1)<<spec.Schedulers - 1
	return t
}

// openTurns begins an edge. The load-store unit's queue is scarce if it does not take
// an instruction from each scheduler.
func (s *SM) openTurns() {
	t := &s.turns
	t.left, t.asked = t.all, t.always
	if t.queue && s.lsu.Room() < len(s.schedulers) {
		t.asked |= 1 << warps.LSU
	}
}

// rest is a scheduler that has yet to act at this edge, the first from a number on,
// and how many to ask before the next: 1, or 0 if all have acted.
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
func (t *turns) acted(number int) { t.left &^= 1 << number }

// tookTurn ends a scheduler's turn at a resource.
func (s *SM) tookTurn(resource warps.Unit, number uint8) {
	if s.turns.shared>>resource&1 != 0 {
		s.turns.at[resource].served(s.cycle, int(number), len(s.schedulers))
	}
}

// inTurn is the slot that a scheduler issues from that has picked one out of
// candidates, or later. If all schedulers that are left wait for each other, at
// different resources, it picks among the candidates that need not wait. A scheduler
// with such candidates is left: the first at a resource for which another one waits.
func (s *SM) inTurn(p *scheduler, slot int, candidates warps.Mask) int {
	t := &s.turns
	bit := uint8(1) << p.number
	if slot != ews.None && t.left != bit && s.waits(p, s.warps[p.first+slot].unit) {
		if t.waiting |= bit; t.left&^t.waiting != 0 {
			return later
		}
		if candidates = s.mayGo(p, candidates); candidates == 0 {
			return later
		}
		slot = p.policy.Pick(candidates, p.signals.Long)
		if s.order != nil {
			slot = s.inOrder(p, slot, candidates)
		}
	}
	t.left &^= bit
	t.waiting = 0
	return slot
}

// mayGo are those of a scheduler's candidates that need not wait for their turns.
func (s *SM) mayGo(p *scheduler, candidates warps.Mask) warps.Mask {
	for u := range warps.NumUnits {
		if needs := candidates & p.signals.Needs[u]; needs != 0 && s.waits(p, u) {
			candidates &^= needs
		}
	}
	return candidates
}

// waits reports whether a scheduler waits for its turn with an instruction for a unit.
func (s *SM) waits(p *scheduler, u warps.Unit) bool {
	return s.turns.asked>>u&1 != 0 && s.behind(p, u)
}

// behind reports whether schedulers that have not acted yet are ahead of a scheduler
// at a resource and may leave nothing of it.
func (s *SM) behind(p *scheduler, resource warps.Unit) bool {
	t := &s.turns
	ahead := 0
	for i := t.at[resource].turn(s.cycle, len(s.schedulers)); i != p.number; {
		if t.left>>i&1 != 0 && s.wants(&s.schedulers[i], resource) {
			ahead++
		}
		if i++; i == len(s.schedulers) {
			i = 0
		}
	}
	return ahead > 0 && s.room(resource) < (ahead+1)*s.most(resource)
}

// wants reports whether a scheduler has a warp for a resource that could issue now.
func (s *SM) wants(p *scheduler, resource warps.Unit) bool {
	ready := s.ready(p)
	if p.freeAt[resource] > s.cycle {
		return false
	}
	ready &= p.signals.Needs[resource]
	return ready != 0 && (resource != warps.LSU || ready&^s.lsuFull(p) != 0)
}

// room is how many instructions a resource that takes one takes at this edge.
func (s *SM) room(resource warps.Unit) (n int) {
	if resource == warps.LSU && s.turns.queue {
		return s.lsu.Room()
	}
	if s.pipes.several[resource] == nil {
		return 1
	}
	for _, at := range s.pipes.several[resource][0] {
		if at <= s.cycle {
			n++
		}
	}
	return n
}

// most is how many instructions for a resource a scheduler issues at an edge at most.
func (s *SM) most(resource warps.Unit) int {
	if s.spec.IssueSameUnit && arithmetic(resource) {
		return s.spec.IssueWidth
	}
	return 1
}

// secondInTurn reports whether a warp may issue its second instruction of an edge,
// behind one for a unit. If not, it waits for those ahead to act. Two instructions
// for the same resource are one turn.
func (s *SM) secondInTurn(p *scheduler, w *warp, first warps.Unit) bool {
	t := &s.turns
	if t.left == 0 || w.unit == first || !s.waits(p, w.unit) {
		return true
	}
	t.seconds |= 1 << p.number
	t.second[p.number] = w
	return false
}

// issueSeconds issues the second instructions that have waited for others to act,
// of those that issue still, in turn.
func (s *SM) issueSeconds(cycle uint64) {
	t := &s.turns
	for u := warps.Control + 1; u < warps.NumUnits; u++ {
		i := t.at[u].turn(cycle, len(s.schedulers))
		for range s.schedulers {
			if p, w := &s.schedulers[i], t.second[i]; t.seconds>>i&1 != 0 && w.unit == u {
				t.seconds &^= 1 << i
				if p.signals.Ready()&w.bit != 0 && s.takes(p, w, cycle) && (s.order == nil || s.goesFirst(p, w)) {
					s.issueWarp(w, 0, cycle)
					s.afterIssue(p, w, 1)
				}
			}
			if i++; i == len(s.schedulers) {
				i = 0
			}
		}
	}
}
