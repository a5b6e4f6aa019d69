package programs

import (
	"errors"
	"fmt"
	"io"
	"os/exec"

	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	ptxexec "cotenant/workload/ptx/exec"
)

// Session is one run of a program: its process, and what its calls have made on the device. It is a
// workload.Host.
type Session struct {
	spec    Spec
	process *process
	memory  *ptxexec.Memory
	machine machine

	allocations map[uint64]allocation
	allocated   uint64 // bytes
	modules     []*module
	separate    []ptx.File // what is still to be linked
	unlinked    []*module  // of separate
	functions   []*function
	streams     map[uint64]*stream
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
	// spoiled is the error that all calls return since a kernel has failed.
	spoiled cudaError
	err     error
	ended   bool
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

// newSession starts a program.
func newSession(spec Spec, m machine) (*Session, error) {
	p, err := start(&spec)
	if err != nil {
		return nil, err
	}
	s := &Session{spec: spec, process: p, machine: m}
	s.forget()
	return s, nil
}

// forget makes the device as it is at first.
func (s *Session) forget() {
	s.memory = ptxexec.NewMemoryIn(s.process.memory)
	s.allocations = map[uint64]allocation{}
	s.allocated = 0
	s.events = map[uint64]*event{}
	s.streams = map[uint64]*stream{0: {}, perThread: {}}
	s.handles = perThread
	s.textures = textures{references: map[string]ptxexec.Texture{}}
}

// Next makes Session a workload.Host: it answers the last call, and serves calls up to an operation of the
// GPU.
func (s *Session) Next() (op workload.Op, ok bool, err error) {
	if s.ended || s.err != nil {
		return workload.Op{}, false, s.err
	}
	for {
		if err := s.answer(); err != nil {
			return workload.Op{}, false, s.fail(err)
		}
		var r request
		if err := readRequest(s.process, &r); errors.Is(err, io.EOF) {
			return workload.Op{}, false, s.end()
		} else if err != nil {
			return workload.Op{}, false, s.fail(err)
		}
		s.process.called()
		s.answering, s.reply = r.kind, reply{}
		if s.spoiled != success {
			s.reply.error = s.spoiled
			continue
		}
		op, err := s.serve(&r)
		if err != nil {
			return workload.Op{}, false, s.fail(err)
		}
		if op != nil {
			s.track(op)
			return *op, true, nil
		}
	}
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
func (s *Session) answer() error {
	if s.answering == 0 {
		return nil
	}
	if s.finally != nil {
		s.finally(&s.reply)
		s.finally = nil
	}
	if s.spoiled != success && s.reply.error == success {
		s.reply.error = s.spoiled
	}
	k := s.answering
	s.answering = 0
	if err := writeReply(s.process.socket, k, &s.reply); err != nil {
		return nil // it has ended, as the next read tells
	}
	return nil
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

// end takes the exit status of a process that has closed its socket.
func (s *Session) end() error {
	s.ended = true
	err := s.process.wait(false)
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	if errors.Is(err, errClosed) {
		return s.fail(err)
	}
	return s.fail(&ExitError{Status: s.process.cmd.ProcessState.ExitCode(), text: err.Error()})
}

// ExitError is of a program that ends with a status other than 0.
type ExitError struct {
	// Status is its exit status, -1 if a signal has ended it.
	Status int
	text   string
}

// Error says so.
func (e *ExitError) Error() string { return "the program has ended with " + e.text }

// fail ends the program with an error.
func (s *Session) fail(err error) error {
	_ = s.process.wait(true) // however it ends
	text := ""
	if line := s.process.output.last(); line != "" {
		text = fmt.Sprintf("; its last output: %s", line)
	}
	s.err = fmt.Errorf("%s: %w%s", s.spec.Program, err, text)
	return s.err
}

// Close ends the program, if it has not ended.
func (s *Session) Close() error { return s.process.Close() }
