package host

import (
	"fmt"
	"math"
	"math/bits"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Host holds the processes, their command queues and the command dispatcher.
type Host struct {
	components.Module

	// Driver is the port to the SM driver: protocol.Process and protocol.Launch
	// out, protocol.KernelDone in.
	Driver *components.Port
	// Copies is the port to the copy engines: protocol.Copy out, protocol.CopyDone in. An
	// ideal host has none.
	Copies *components.Port

	spec     Spec
	bus      Bus
	listener Listener
	// kernels is the largest number of one process' kernels in the execution engine.
	kernels   int
	processes []process
	queues    []queue
	nextQueue int    // for the next stream
	submitted uint64 // commands
	running   int    // CPU phases
	forCPU    []int  // processes that wait for a hardware thread, in order
	horizon   uint64 // last cycle that the engine can tell
	copyRatio uint64 // core cycles in a cycle of the bus, rounded up
	cycle     uint64
	marked    bool // a mark has completed at this turn
	stats     Stats
	err       error
}

// Tick is one edge of the core clock.
func (h *Host) Tick(cycle uint64) bool {
	if h.err != nil {
		return false
	}
	h.cycle = cycle
	moved := h.receive()
	for {
		for h.advance() {
			moved = true
		}
		h.marked = false
		moved = h.dispatch() || moved
		if !h.marked {
			return moved
		}
		// Marks take no time: what waits for them goes on at this edge.
	}
}

// advance moves each process as far as it can go. A process may unblock another, so
// the caller repeats advance until it reports false.
func (h *Host) advance() (moved bool) {
	for i := range h.processes {
		for h.err == nil && h.step(i) {
			moved = true
		}
	}
	return moved
}

// receive takes the answers of the engines.
func (h *Host) receive() (moved bool) {
	for {
		m, ok := h.Driver.Front().(*protocol.KernelDone)
		if !ok {
			h.Driver.Unknown()
			break
		}
		h.Driver.Pop()
		h.processes[m.Tenant].inEngine--
		h.completed(int(m.Tag))
		moved = true
	}
	for h.Copies != nil {
		m, ok := h.Copies.Front().(*protocol.CopyDone)
		if !ok {
			h.Copies.Unknown()
			break
		}
		h.Copies.Pop()
		h.completed(int(m.Tag))
		moved = true
	}
	return moved
}

// completed retires the first command of a queue.
func (h *Host) completed(number int) {
	c := h.queues[number].complete(h.cycle)
	p, s := &h.processes[c.process], &h.stats.Processes[c.process]
	p.count(c.op.StreamOf(), -1)
	switch {
	case c.op.Mark:
	case c.op.Kernel != nil:
		s.KernelCycles += h.cycle - c.issued
	default:
		s.CopyCycles += h.cycle - c.issued
	}
	if p.phase == forCommand && c.order == p.last {
		p.phase = advancing
	}
	c.op.Complete(nanoseconds(h.cycle, h.Domain().Hz()))
	if h.listener.Completed != nil && !c.op.Mark {
		h.listener.Completed(h.event(number, &c))
	}
}

// nanoseconds is the time of a cycle.
func nanoseconds(cycle, hz uint64) uint64 {
	high, low := bits.Mul64(cycle, 1e9)
	ns, _ := bits.Div64(high%hz, low, hz)
	return ns
}

// dispatch issues the first commands of queues to their engines.
func (h *Host) dispatch() (moved bool) {
	for h.err == nil {
		number := h.oldest()
		if number < 0 {
			break
		}
		h.issue(number)
		moved = true
	}
	return moved
}

// oldest is the queue with the earliest submitted command among first commands that
// can be issued, -1 if there is none.
func (h *Host) oldest() int {
	best, order := -1, uint64(math.MaxUint64)
	for i := range h.queues {
		q := &h.queues[i]
		if q.stalled || len(q.commands) == 0 {
			continue
		}
		if c := &q.commands[0]; c.order < order && h.ready(q, c) {
			best, order = i, c.order
		}
	}
	return best
}

// ready reports whether the engine takes the first command of a queue now.
func (h *Host) ready(q *queue, c *command) bool {
	if c.op.Mark {
		return c.op.After == nil || c.op.After()
	}
	if at := q.first + h.spec.Latency(&c.op); at > h.cycle {
		h.WakeAt(at)
		return false
	}
	if c.op.Kernel == nil {
		return h.Copies.CanPush()
	}
	p := &h.processes[c.process]
	return p.inEngine < h.kernels && h.Driver.CanPush()
}

// issue sends the first command of a queue to its engine.
func (h *Host) issue(number int) {
	q := &h.queues[number]
	c := &q.commands[0]
	p, s := &h.processes[c.process], &h.stats.Processes[c.process]
	q.stalled = true
	c.issued = h.cycle
	if c.op.Mark {
		h.marked = true
		h.completed(number)
		return
	}
	s.QueueCycles += h.cycle - c.submitted
	if c.op.Kernel != nil {
		s.Launches++
		p.inEngine++
		h.Driver.Push(&protocol.Launch{Tenant: tenant.ID(c.process), Kernel: c.op.Kernel, Run: c.run, Tag: uint32(number)})
	} else {
		s.Copies++
		if c.op.ToHost {
			s.BytesToHost += c.op.Bytes
		} else {
			s.BytesToDevice += c.op.Bytes
		}
		h.Copies.Push(&protocol.Copy{Tenant: tenant.ID(c.process), Priority: p.Priority, Bytes: c.op.Bytes, ToHost: c.op.ToHost, Tag: uint32(number)})
	}
	if h.listener.Issued != nil {
		h.listener.Issued(h.event(number, c))
	}
}

func (h *Host) event(number int, c *command) CommandEvent {
	return CommandEvent{Cycle: h.cycle, Process: c.process, Queue: number, Stream: c.op.StreamOf(), Op: &c.op}
}

// fail ends the simulation with an error of the input.
func (h *Host) fail(err error) {
	if h.err == nil {
		h.err = err
	}
	h.Domain().Engine().Stop()
}

// failf is fail for an application.
func (h *Host) failf(p *process, format string, args ...any) {
	h.fail(fmt.Errorf("%s: %s", p.App.Name, fmt.Sprintf(format, args...)))
}

// Close ends the host programs that are still under way.
func (h *Host) Close() {
	for i := range h.processes {
		h.processes[i].close()
	}
}

// Err is the error that ended the simulation, nil if none did.
func (h *Host) Err() error { return h.err }

// Done reports whether every process has completed its required runs.
func (h *Host) Done() bool {
	for i := range h.processes {
		if !h.Satisfied(i) {
			return false
		}
	}
	return true
}

// Satisfied reports whether a process has completed its required runs.
func (h *Host) Satisfied(process int) bool {
	return h.processes[process].satisfied(h.stats.Processes[process].Completions)
}

// Waiting reports whether time alone will move the host: a process will arrive or
// computes, a copy is under way, or a command waits for its latency.
func (h *Host) Waiting() bool {
	for i := range h.processes {
		if p := h.processes[i].phase; p == absent || p == computing {
			return true
		}
	}
	for i := range h.queues {
		q := &h.queues[i]
		if len(q.commands) == 0 {
			continue
		}
		op := &q.commands[0].op
		if q.stalled && op.Kernel == nil || !q.stalled && q.first+h.spec.Latency(op) > h.cycle {
			return true
		}
	}
	return false
}

// Processes lists the host's processes, by tenant.
func (h *Host) Processes() []Process {
	var list []Process
	for i := range h.processes {
		list = append(list, h.processes[i].Process)
	}
	return list
}

// Spec returns the host's parameters.
func (h *Host) Spec() Spec { return h.spec }

// Stats brings the counters up to the edges before a cycle and returns them.
func (h *Host) Stats(cycle uint64) *Stats {
	for i := range h.processes {
		if p := &h.processes[i]; p.phase == computing {
			h.charge(i, min(cycle, p.until))
		}
	}
	return &h.stats
}
