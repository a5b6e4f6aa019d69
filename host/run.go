package host

import (
	"time"

	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// step moves a process by one step and reports whether it did.
func (h *Host) step(number int) bool {
	p := &h.processes[number]
	switch p.phase {
	case absent:
		return h.arrive(number, p)
	case between:
		return h.begin(p)
	case advancing:
		op, ok, err := p.program.Next()
		if err != nil {
			h.fail(err)
			return false
		}
		p.op, p.phase = op, stepping
		if !ok {
			p.phase = draining
		}
		return true
	case stepping:
		return h.take(number, p)
	case forCPU:
		return h.compute(number, p)
	case computing:
		if h.cycle < p.until {
			h.WakeAt(p.until)
			return false
		}
		h.charge(number, p.until)
		h.running--
		p.phase = advancing
		return true
	case draining:
		return p.outstanding() == 0 && h.end(number, p)
	case leaving:
		if !h.Driver.CanPush() {
			return false
		}
		h.Driver.Push(&protocol.Process{Tenant: tenant.ID(number), Attributes: p.Attributes})
		p.phase = ended
		return true
	}
	return false // forCommand: its completion moves it on; ended
}

// arrive announces a process whose time has come.
func (h *Host) arrive(number int, p *process) bool {
	if h.cycle < p.arrival {
		h.WakeAt(p.arrival)
		return false
	}
	if !h.Driver.CanPush() {
		return false
	}
	h.Driver.Push(&protocol.Process{Tenant: tenant.ID(number), Present: true, Attributes: p.Attributes})
	h.stats.Processes[number].Arrived = h.cycle
	if h.listener.Arrived != nil {
		h.listener.Arrived(h.cycle, number)
	}
	p.phase = between
	return true
}

// begin starts a run of the application.
func (h *Host) begin(p *process) bool {
	var err error
	if p.program, err = p.App.Start(); err != nil {
		h.fail(err)
		return false
	}
	p.phase, p.started, p.launches = advancing, h.cycle, 0
	return true
}

// take begins the process' current step.
func (h *Host) take(number int, p *process) bool {
	op := &p.op
	if op.Sync && p.outstanding() > 0 {
		return false
	}
	if op.Until != nil && !op.Until() {
		return false
	}
	op.Mark = op.Mark || h.spec.Ideal && op.Done != nil && op.Kernel == nil
	switch {
	case op.Kernel != nil, op.Mark:
		return h.submit(number, p)
	case h.spec.Ideal, op.CPU == 0 && op.Bytes == 0:
		p.phase = advancing
		return true
	case op.CPU != 0:
		cycles := h.cyclesOf(op.CPU)
		if op.CPU < 0 || cycles > h.horizon-h.cycle {
			h.failf(p, "a CPU phase of %v; valid: from 0 to the end of what can be simulated, %d cycles from the start", op.CPU, h.horizon)
			return false
		}
		p.phase, p.until = forCPU, h.cycle
		h.forCPU = append(h.forCPU, number)
		return true
	}
	if cycles := h.bus.Cycles(op.Bytes); cycles > (h.horizon-h.cycle)/h.copyRatio {
		h.failf(p, "a copy of %s takes %d cycles of the bus; valid: no more than can be simulated, %d cycles from the start",
			workload.Count(op.Bytes, "byte"), cycles, h.horizon)
		return false
	}
	return h.submit(number, p)
}

// submit puts the process' command into the queue of its stream.
func (h *Host) submit(number int, p *process) bool {
	stream := p.op.StreamOf()
	if !p.mayFollow(stream) {
		return false
	}
	q := h.queueOf(p, stream)
	if len(q.commands) == h.spec.QueueDepth {
		return false
	}
	h.submitted++
	p.last = h.submitted
	q.push(command{op: p.op, process: number, run: h.stats.Processes[number].Completions, order: p.last, submitted: h.cycle})
	p.count(stream, 1)
	if p.op.Kernel != nil {
		p.launches++
	}
	p.phase = advancing
	if !p.op.Async {
		p.phase = forCommand
	}
	p.op = workload.Op{}
	return true
}

// queueOf is the queue of a stream of a process; a new stream gets the next queue.
func (h *Host) queueOf(p *process, stream int) *queue {
	number, known := p.queues[stream]
	if !known {
		number, p.queues[stream] = h.nextQueue, h.nextQueue
		h.nextQueue = (number + 1) % len(h.queues)
	}
	return &h.queues[number]
}

// compute starts a CPU phase if a hardware thread is free and the process is the first
// to wait for it.
func (h *Host) compute(number int, p *process) bool {
	if h.running == h.spec.CPUThreads || h.forCPU[0] != number {
		return false
	}
	h.forCPU = h.forCPU[:copy(h.forCPU, h.forCPU[1:])]
	h.running++
	s, cycles := &h.stats.Processes[number], h.cyclesOf(p.op.CPU)
	s.CPUWaitCycles += h.cycle - p.until
	p.phase, p.charged, p.until = computing, h.cycle, h.cycle+cycles
	if h.listener.CPU != nil {
		h.listener.CPU(number, h.cycle, p.until)
	}
	return true
}

// charge counts the cycles of a CPU phase before a cycle.
func (h *Host) charge(number int, cycle uint64) {
	if p := &h.processes[number]; cycle > p.charged {
		h.stats.Processes[number].CPUCycles += cycle - p.charged
		p.charged = cycle
	}
}

// cyclesOf is a duration in core cycles, rounded up.
func (h *Host) cyclesOf(d time.Duration) uint64 {
	return tenant.CyclesOf(d, h.Domain().Hz())
}

// end ends a run and starts the next, or the process leaves.
func (h *Host) end(number int, p *process) bool {
	if p.launches == 0 {
		h.failf(p, "the application launches no kernel")
		return false
	}
	s := &h.stats.Processes[number]
	turnaround := h.cycle - p.started
	s.Completions++
	s.TurnaroundCycles += turnaround
	if len(s.Turnarounds) < maxTurnarounds {
		s.Turnarounds = append(s.Turnarounds, turnaround)
	}
	if s.Completions == 1 {
		s.FirstCompletion = h.cycle
	}
	if h.listener.RunEnded != nil {
		h.listener.RunEnded(number, p.started, h.cycle)
	}
	p.close()
	p.phase = between
	if !p.Restart && p.satisfied(s.Completions) {
		p.phase = leaving
	}
	if h.Done() {
		h.Domain().Engine().Stop()
	}
	return true
}
