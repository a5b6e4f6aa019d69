package programs

import "cotenant/workload"

// perThread is the number of the stream that cudaStreamPerThread names.
const perThread = 2

// maxHandles bounds streams and events.
const maxHandles = 1 << 18

// highestPriority is the greatest priority of a stream, with the smallest number, as on GPUs
// of compute capability 7.0 and later. runtime/device.c tells programs the range.
const highestPriority = -5

// stream is a stream of the program.
type stream struct {
	commands int // that have not completed
	priority int // the smaller goes first
}

// event is a point in a stream.
type event struct {
	recorded, completed uint64 // number of the last record, and of the last that has completed
	ns                  uint64 // simulated time of the latter
}

func (e *event) ready() bool { return e.completed == e.recorded }

// since reports whether what had been recorded by then has completed.
func (e *event) since(recorded uint64) func() bool {
	return func() bool { return e.completed >= recorded }
}

// handle is a new number for a stream or an event.
func (s *Session) handle() (uint64, bool) {
	if len(s.streams)+len(s.events) > maxHandles {
		return 0, false
	}
	s.handles++
	return s.handles, true
}

// createStream makes a stream. A priority outside the range is taken as the nearest in it.
func (s *Session) createStream(r *request) (*workload.Op, error) {
	number, ok := s.handle()
	if !ok {
		return s.refuse(outOfMemory)
	}
	s.streams[number] = &stream{priority: int(min(max(int64(r.args[1]), highestPriority), 0))}
	return s.give(number)
}

func (s *Session) tellPriority(r *request) (*workload.Op, error) {
	st := s.streams[r.args[0]]
	if st == nil {
		return s.refuse(invalidHandle)
	}
	return s.give(uint64(st.priority))
}

func (s *Session) destroyStream(r *request) (*workload.Op, error) {
	if number := r.args[0]; number <= perThread || s.streams[number] == nil {
		return s.refuse(invalidHandle)
	}
	delete(s.streams, r.args[0])
	return nil, nil
}

// synchronizeStream lets the program wait for a stream, or for all.
func (s *Session) synchronizeStream(r *request) (*workload.Op, error) {
	number := r.args[0]
	if number == allStreams {
		return &workload.Op{Sync: true}, nil
	}
	st := s.streams[number]
	switch {
	case st == nil:
		return s.refuse(invalidHandle)
	case number == 0: // which waits for the other streams
		return &workload.Op{Sync: true}, nil
	}
	return &workload.Op{Until: func() bool { return st.commands == 0 }}, nil
}

// again reports whether a query is the same as the call before. The program can only be waiting then, and
// no time passes between its calls.
func (s *Session) again(r *request) bool {
	q := query{r.kind, r.args[0]}
	repeated := s.asked == q
	s.asked = q
	return repeated
}

func (s *Session) queryStream(r *request) (*workload.Op, error) {
	st := s.streams[r.args[0]]
	switch {
	case st == nil:
		return s.refuse(invalidHandle)
	case st.commands == 0:
		return nil, nil
	case s.again(r):
		return &workload.Op{Until: func() bool { return st.commands == 0 }}, nil
	}
	return s.refuse(notReady)
}

// waitInStream holds a stream back until what an event has recorded so far has completed.
func (s *Session) waitInStream(r *request) (*workload.Op, error) {
	st, e := s.streams[r.args[0]], s.events[r.args[1]]
	switch {
	case st == nil || e == nil:
		return s.refuse(invalidHandle)
	case e.ready():
		return nil, nil
	}
	return &workload.Op{Stream: int(r.args[0]), Mark: true, Async: true, After: e.since(e.recorded)}, nil
}

func (s *Session) createEvent(*request) (*workload.Op, error) {
	number, ok := s.handle()
	if !ok {
		return s.refuse(outOfMemory)
	}
	s.events[number] = &event{}
	return s.give(number)
}

func (s *Session) destroyEvent(r *request) (*workload.Op, error) {
	if s.events[r.args[0]] == nil {
		return s.refuse(invalidHandle)
	}
	delete(s.events, r.args[0])
	return nil, nil
}

// recordEvent puts an event into a stream.
func (s *Session) recordEvent(r *request) (*workload.Op, error) {
	e := s.events[r.args[0]]
	if e == nil || s.streams[r.args[1]] == nil {
		return s.refuse(invalidHandle)
	}
	e.recorded++
	number := e.recorded
	return &workload.Op{Stream: int(r.args[1]), Mark: true, Async: true, Done: func(ns uint64) {
		e.completed, e.ns = max(e.completed, number), ns
	}}, nil
}

func (s *Session) synchronizeEvent(r *request) (*workload.Op, error) {
	e := s.events[r.args[0]]
	switch {
	case e == nil:
		return s.refuse(invalidHandle)
	case e.ready():
		return nil, nil
	}
	return &workload.Op{Until: e.since(e.recorded)}, nil
}

func (s *Session) queryEvent(r *request) (*workload.Op, error) {
	e := s.events[r.args[0]]
	switch {
	case e == nil:
		return s.refuse(invalidHandle)
	case e.ready():
		return nil, nil
	case s.again(r):
		return &workload.Op{Until: e.since(e.recorded)}, nil
	}
	return s.refuse(notReady)
}

// elapsed tells the simulated time between two events.
func (s *Session) elapsed(r *request) (*workload.Op, error) {
	start, end := s.events[r.args[0]], s.events[r.args[1]]
	switch {
	case start == nil || end == nil || start.recorded == 0 || end.recorded == 0:
		return s.refuse(invalidHandle)
	case !start.ready() || !end.ready():
		return s.refuse(notReady)
	}
	return s.give(end.ns - start.ns)
}
