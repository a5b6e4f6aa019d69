package programs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	ptxexec "cotenant/workload/ptx/exec"
)

// Session is one run of a program: its process, and what its calls have made on the device. It is a
// workload.Host.
type Session struct {
	spec Spec
	peer peer
	// ahead lets the program queue launches and run ahead of them.
	ahead   bool
	memory  *ptxexec.Memory
	check   *ptxexec.Checker // nil if nothing is looked for
	machine machine

	allocations map[uint64]allocation
	allocated   uint64                 // bytes
	onDevice    uint64                 // of allocated: bytes of device memory
	calls       [managedMemory + 1]int // of allocations so far, by kind of memory
	managed     map[uint64]bool        // addresses of managed variables
	modules     []*module
	separate    []ptx.File // what is still to be linked
	unlinked    []*module  // of separate
	functions   []*function
	streams     map[uint64]*stream
	residency   residency
	events      map[uint64]*event
	handles     uint64 // the last number of a stream or an event
	textures    textures

	// answering is the request that waits for its reply, 0 if none does.
	answering kind
	reply     reply
	// finally completes the reply when the operation has been done; nil if it is complete.
	finally func(*reply)
	// asked is the query that the last call was, so that a repetition is known.
	asked query
	// follower compares the calls with the program's first run; nil if that is not asked for. tell is given
	// what it finds.
	follower *follower
	tell     func(string)
	// spent is the time of the host since the last operation, pending the operation behind it.
	spent   time.Duration
	pending *workload.Op
	// spoiled is the error that all calls return since a kernel has failed.
	spoiled cudaError
	// faulty is the first fault that the checks have found, if it ends the run.
	faulty string
	err    error
	ended  bool
}

// machine makes kernels of launches.
type machine interface {
	Kernel(*kernels.Launch) (*workload.Kernel, error)
	Registers(*ptxexec.Program) (int, error)
}

// allocation is memory that the program has asked for.
type allocation struct {
	bytes uint64
	kind  uint64
}

// query is a question whether something has completed.
type query struct {
	kind   kind
	number uint64
}

// startSession starts a program, a run of a sequence. tell is given what differs from the first run.
func startSession(spec Spec, m machine, runs *sequence, tell func(string)) (*Session, error) {
	p, err := start(&spec)
	if err != nil {
		return nil, err
	}
	s := newSession(spec, p, m)
	s.follower, s.tell = runs.follow(), tell
	// A program that is told of a fault, or charged for its own time, learns from each call when it happens.
	s.ahead = !spec.Sticky && spec.Device.CPUFactor == 0
	return s, nil
}

// newSession serves a peer.
func newSession(spec Spec, p peer, m machine) *Session {
	s := &Session{spec: spec, peer: p, machine: m}
	s.forget()
	return s
}

// forget makes the device as it is at first.
func (s *Session) forget() {
	s.memory = ptxexec.NewMemoryIn(s.peer.device())
	s.memory.OutsideIsZero = s.spec.OutsideIsZero
	if c := s.spec.Check; c != (Check{}) {
		s.check = ptxexec.NewChecker(s.memory, c.Uninitialized, c.Races, s.found)
	}
	s.allocations = map[uint64]allocation{}
	s.allocated, s.onDevice = 0, 0
	s.events = map[uint64]*event{}
	s.streams = map[uint64]*stream{0: {}, perThread: {}}
	s.residency = residency{asked: s.residency.asked, reset: s.residency.asked}
	s.handles = perThread
	s.textures = textures{references: map[string]ptxexec.Texture{}}
}

// found tells a fault, if no run of the program has had it.
func (s *Session) found(f ptxexec.Finding) {
	if s.follower != nil && !s.follower.new(f.Key) {
		return
	}
	switch {
	case s.spec.Strict && s.spec.Found == nil:
		s.faulty = cmp.Or(s.faulty, f.Text)
	case s.spec.Found != nil:
		s.spec.Found(f.Text)
	case s.tell != nil:
		s.tell(f.Text)
	}
}

// Next makes Session a workload.Host: it answers the last call, and serves calls up to an operation of the
// GPU.
func (s *Session) Next() (op workload.Op, ok bool, err error) {
	if s.pending != nil {
		op := *s.pending
		s.pending = nil
		return op, true, nil
	}
	if s.ended || s.err != nil {
		return workload.Op{}, false, s.err
	}
	if s.faulty != "" {
		return workload.Op{}, false, s.fail(errors.New(s.faulty))
	}
	for {
		s.answer()
		var r request
		if err := s.ask(&r); errors.Is(err, io.EOF) {
			if err := s.end(); err != nil || s.spent == 0 {
				return workload.Op{}, false, err
			}
			return s.compute(nil), true, nil
		} else if err != nil {
			return workload.Op{}, false, s.fail(err)
		}
		if err := s.compare(&r); err != nil {
			return workload.Op{}, false, s.fail(err)
		}
		s.answering, s.reply = r.kind, reply{}
		if r.queued {
			s.answering = 0
		}
		if s.spoiled != success {
			s.reply.error = s.spoiled
			continue
		}
		op, err := s.serve(&r)
		if err != nil {
			return workload.Op{}, false, s.fail(err)
		}
		if r.queued && s.reply.error != success {
			return workload.Op{}, false, s.fail(fmt.Errorf("queues a call %v that fails with error %d; valid: calls that succeed", r.kind, s.reply.error))
		}
		if op != nil {
			s.track(op)
			if s.spent > 0 {
				return s.compute(op), true, nil
			}
			return *op, true, nil
		}
	}
}

// ask waits for the next request, and counts the time that the host takes for it.
func (s *Session) ask(r *request) error {
	d := &s.spec.Device
	before := time.Duration(0)
	if d.CPUFactor > 0 {
		before = s.peer.computed()
	}
	err := s.peer.request(r)
	if err == nil {
		s.spent += d.CallTime
	}
	if d.CPUFactor > 0 {
		s.spent += time.Duration(float64(max(0, s.peer.computed()-before)) * d.CPUFactor)
	}
	return err
}

// compute is the CPU phase of the time that has been counted; then follows op.
func (s *Session) compute(op *workload.Op) workload.Op {
	phase := workload.Op{CPU: s.spent}
	s.spent, s.pending = 0, op
	return phase
}

// compare compares a call with the first run's, or, without one, the end. It returns an error if they differ and
// must not.
func (s *Session) compare(r *request) error {
	if s.follower == nil {
		return nil
	}
	text := ""
	if r != nil {
		text = s.follower.call(r)
	} else {
		text = s.follower.end()
	}
	switch {
	case text == "":
	case s.spec.Strict:
		return errors.New(text)
	case s.tell != nil:
		s.tell(fmt.Sprintf("%s: %s; --strict makes this an error", s.spec.Program, text))
	}
	return nil
}

// serve carries out a request. An operation, if it is one, is to be done before the reply.
func (s *Session) serve(r *request) (*workload.Op, error) {
	if q := (query{r.kind, r.args[0]}); q != s.asked {
		s.asked = query{}
	}
	if r.kind != moduleLoad {
		if err := s.link(); err != nil {
			return nil, err
		}
	}
	return handlers[r.kind](s, r)
}

// answer sends the reply of the last request.
func (s *Session) answer() {
	if s.answering == 0 {
		return
	}
	if s.finally != nil {
		s.finally(&s.reply)
		s.finally = nil
	}
	if s.spoiled != success && s.reply.error == success && s.answering != launchKernel { // a launch does not wait for its kernel
		s.reply.error = s.spoiled
	}
	s.peer.answer(s.answering, &s.reply)
	s.answering = 0
}

// track counts a command of a stream until it completes.
func (s *Session) track(op *workload.Op) {
	if op.Kernel == nil && op.Bytes == 0 && !op.Mark {
		return
	}
	st := s.streams[uint64(op.StreamOf())]
	st.commands++
	done := op.Done
	op.Done = func(ns uint64) {
		st.commands--
		if done != nil {
			done(ns)
		}
	}
}

// end takes the end of a program that makes no request any more.
func (s *Session) end() error {
	s.ended = true
	if err := s.peer.ended(); err != nil {
		return s.fail(err)
	}
	if err := s.compare(nil); err != nil {
		return s.fail(err)
	}
	return nil
}

// fail ends the program with an error.
func (s *Session) fail(err error) error {
	text := ""
	if line := s.peer.stop(); line != "" {
		text = fmt.Sprintf("; its last output: %s", line)
	}
	s.err = fmt.Errorf("%s: %w%s", s.spec.Program, err, text)
	return s.err
}

// faulted takes the error of a kernel that has failed on a GPU.
func (s *Session) faulted(err error) {
	if s.spoiled == success {
		s.spoiled = spoils(err)
		fmt.Fprintf(s.spec.Stderr, "%v\n", err)
	}
}

// Close ends the program, if it has not ended.
func (s *Session) Close() error { return s.peer.Close() }
