package issuequeue

import (
	"regexp"
	"strconv"
	"strings"

	"cotenant/sm/operandlog"
	"cotenant/sm/warps"
	"cotenant/workload"
)

// row is one instruction of a table: its stages by cycle, which start at cycle 1.
type row struct {
	Instruction string
	Stages      []string
}

// release is when the registers of an instruction are released, nil: never.
type release struct {
	Instruction         string
	SourcesReleased     *uint64 `json:"sources_released"`
	DestinationReleased *uint64 `json:"destination_released"`
	LastTLBCheck        *uint64 `json:"last_tlb_check"`
}

// step is an instruction of the program on the rig, and how it went.
type step struct {
	text                   string
	id                     ID
	entered, issued, stuck bool
	committed              bool
	at                     uint64 // of its last issue
	stages                 map[uint64]string
	sources, written       *uint64
	entries                int // of the log
}

// rig runs a program of the figures on one warp: one fetch and one issue a cycle, seven
// cycles of execution for loads and stores and one for other instructions.
type rig struct {
	q        *Queue
	log      *operandlog.Log // nil but in the scheme with the log
	scheme   string
	checkAt  uint64 // cycles from issue to the last check
	program  []*step
	next     int
	limit    int // instructions that may be fetched
	now      uint64
	faulting uint64 // cycle in which the first load faults; 0: none does
	quiet    uint64 // cycle in which everything else has drained
}

var schemes = map[string]string{"baseline": "stall", "wd-commit": "wd-commit", "wd-lastcheck": "wd-lastcheck",
	"rq": "replay-queue", "ol": "operand-log"}

func newQueue(scheme, issue, commit string) *Queue {
	rules, err := RulesOf(scheme)
	if err != nil {
		panic(err)
	}
	order := map[string]string{"": outOfOrder, "inorder": inOrder, "/inorder": inOrderCommit, "inorder/inorder": inOrderBoth}
	name := issue
	if commit != "" {
		name += "/" + commit
	}
	return New(Spec{Entries: 96, Width: 1, FetchWidth: 1, Order: order[name]}, rules, warps.Slots{Schedulers: 1, Each: 4})
}

// slot of the rig's warp.
const slot = 2

func newRig(q *Queue, scheme string, program []string, logEntries int) *rig {
	r := &rig{q: q, scheme: scheme, checkAt: 8, limit: len(program)}
	for _, text := range program {
		r.program = append(r.program, &step{text: text, stages: map[uint64]string{}})
	}
	if scheme == "operand-log" {
		r.log = operandlog.New(logEntries, 1)
		r.log.Open(0, logEntries)
	}
	q.Start(slot)
	return r
}

var register = regexp.MustCompile(`R(\d+)`)

// parse reads an instruction of the figures.
func parse(text string) (inst workload.Inst, kind Kind, unit warps.Unit, execute uint64) {
	inst = workload.Inst{Class: workload.Int, Dst: workload.NoRegs4, Src: workload.NoRegs10}
	dst, what, writes := strings.Cut(text, " <- ")
	if !writes {
		dst, what = "", text
	}
	for i, m := range register.FindAllStringSubmatch(dst, -1) {
		inst.Dst[i] = number(m[1])
	}
	for i, m := range register.FindAllStringSubmatch(what, -1) {
		inst.Src[i] = number(m[1])
	}
	switch {
	case strings.HasPrefix(what, "ld "):
		inst.Class = workload.Load
	case strings.HasPrefix(what, "st "):
		inst.Class = workload.Store
	default:
		return inst, Arithmetic, warps.ALU, 1
	}
	return inst, Memory, warps.LSU, 7
}

func number(digits string) uint8 {
	n, err := strconv.Atoi(digits)
	if err != nil {
		panic(err)
	}
	return uint8(n)
}

// tick is one cycle.
func (r *rig) tick() {
	r.now++
	r.q.Edge(r.now)
	if r.log != nil {
		r.log.Edge()
	}
	r.observe()
	for i, s := range r.program {
		if !s.issued || s.committed {
			continue
		}
		_, kind, _, execute := parse(s.text)
		if i == 0 && r.faulting != 0 { // the load that faults
			if r.now == r.faulting+1 {
				r.q.Fault(slot)
			}
			continue
		}
		if kind == Memory && r.now == s.at+r.checkAt+1 {
			r.q.Checked(s.id, r.now)
			if r.log != nil {
				r.log.Release(0, s.entries)
			}
		}
		r.observe()
		if r.now == s.at+execute+3 && !s.stuck {
			r.q.Commit(s.id, r.now)
		}
		r.observe()
	}
	if r.faulting != 0 && r.quiet == 0 && r.now > r.faulting {
		if _, flying := r.q.Len(slot); flying == 1 {
			r.program[0].issued = false
			r.q.Squash(r.program[0].id)
			r.quiet = r.now - 1
		}
	}
	r.issue()
	if r.next < r.limit && open(r.q, slot) {
		s := r.program[r.next]
		inst, kind, unit, _ := parse(s.text)
		s.id, s.entered = r.q.Enter(slot, &inst, unit, kind), true
		s.stages[r.now] = "F"
		r.next++
	}
}

func (r *rig) issue() {
	id, ok := r.q.Pick(slot, 1<<warps.ALU|1<<warps.LSU)
	if !ok {
		return
	}
	s := r.step(id)
	if r.log != nil && r.q.Unit(id) == warps.LSU && !r.q.Replayed(id) {
		s.entries = operandlog.Entries(r.q.Inst(id).Class)
		if !r.log.Alloc(0, s.entries) {
			if id, ok = r.q.Pick(slot, 1<<warps.ALU); !ok {
				return
			}
			s = r.step(id)
		}
	}
	r.q.Issue(id, r.now)
	s.issued, s.at = true, r.now
	s.stages[r.now], s.stages[r.now+1] = "I", "O"
	_, _, _, execute := parse(s.text)
	for k := range execute {
		s.stages[r.now+2+k] = "E"
	}
}

func (r *rig) step(id ID) *step {
	for _, s := range r.program {
		if s.entered && !s.committed && s.id == id {
			return s
		}
	}
	panic("no such instruction")
}

// observe notes what the queue has released.
func (r *rig) observe() {
	there := map[ID]bool{}
	for id := r.q.warps[slot].head; id != none; id = r.q.at(id).next {
		there[id] = true
	}
	for _, s := range r.program {
		if !s.entered || s.committed {
			continue
		}
		if e := r.q.at(s.id); there[s.id] && e.state != waiting && e.free != never {
			s.sources = cycle(e.free - 1)
		}
		if !there[s.id] {
			s.committed, s.written = true, cycle(r.now-1)
			_, _, _, execute := parse(s.text)
			for c := s.at + 2 + execute; c < r.now-1; c++ {
				s.stages[c] = "w"
			}
			s.stages[r.now-1] = "C"
			if s.sources == nil {
				s.sources = cycle(r.now - 1)
			}
		}
	}
}

func cycle(c uint64) *uint64 { return &c }

// table is what has happened since a cycle, in as many columns.
func (r *rig) table(since uint64, columns int) (rows []row) {
	for _, s := range r.program {
		line := row{s.text, make([]string, columns)}
		for c := range line.Stages {
			line.Stages[c] = s.stages[since+uint64(c)]
		}
		rows = append(rows, line)
	}
	return rows
}

// texts are the instructions of a list of numbers.
func (r *rig) texts(ids []ID) (list []string) {
	for _, id := range ids {
		list = append(list, r.step(id).text)
	}
	return list
}

// open reports whether an instruction of the warp can enter now.
func open(q *Queue, slot int) bool { return q.Wanted()&bitOf(slot) != 0 }

// blocked reports whether a warp's instructions wait and none can issue, and whether it
// waits for a result from beyond the L1.
func blocked(q *Queue, slot int) (hazard, long bool) {
	waits, far := q.Hazards()
	return waits&bitOf(slot) != 0, far&bitOf(slot) != 0
}
