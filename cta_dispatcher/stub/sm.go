package stub

import (
	"slices"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// SM is an SM and its preemption engine.
type SM struct {
	components.Module
	gpu            *GPU
	number         int
	driver, engine *components.Port
	limit          *occupancy.Capacity
	taken          occupancy.Demand
	blocks         []block    // in the order in which they came
	toDriver       []outgoing // by time
	toPreEng       []outgoing // by time
	issued         [tenant.Max]account
	sampling       sampling
	controller     controller
	away           []away
}

// block is a thread block on the SM.
type block struct {
	serial    uint64
	tb        *workload.TB
	tenant    tenant.ID
	launch    uint64
	kernel    Kernel
	demand    occupancy.Demand
	from, end uint64 // cycles in which it runs; from is in the future while its context is loaded
	// It waits for a fault from cycle fault to cycle served, before end; 0: no fault comes.
	fault, served uint64
	blocked       bool // it waits
}

// outgoing is a message for the driver.
type outgoing struct {
	at  uint64
	msg sim.Msg
}

// account is a tenant's sum of instructions up to a cycle.
type account struct{ thousandths, at uint64 }

// sampling counts idle warps from time to time.
type sampling struct {
	every, at uint64 // cycles
	samples   uint64
	idle      [tenant.Max]uint64
}

// Tick is one core cycle.
func (s *SM) Tick(cycle uint64) bool {
	n := s.accept(cycle)
	if n > 1 {
		s.gpu.fail(cycle, "SM %d is sent %d messages in one cycle", s.number, n)
	}
	moved := s.faults(cycle) || n > 0
	moved = s.endBlocks(cycle) || moved
	moved = post(s.driver, &s.toDriver, cycle) || moved
	moved = post(s.engine, &s.toPreEng, cycle) || moved
	s.sleep(cycle)
	return moved
}

// endBlocks reports the thread blocks that have ended, the first placed first.
func (s *SM) endBlocks(cycle uint64) (moved bool) {
	for i := 0; i < len(s.blocks); {
		b := &s.blocks[i]
		if b.end > cycle || s.returns(b.serial) || !s.driver.CanPush() {
			i++
			continue
		}
		s.count(cycle)
		r := s.gpu.reports.Get()
		*r = protocol.TBFinished{TB: b.tb, SM: s.number, Tenant: b.tenant, Serial: b.serial}
		s.driver.Push(r)
		s.take(i)
		moved = true
	}
	return moved
}

// returns reports whether the message that a thread block's context is back waits.
func (s *SM) returns(serial uint64) bool {
	return slices.ContainsFunc(s.toPreEng, func(o outgoing) bool {
		r, ok := o.msg.(*protocol.TBRestored)
		return ok && r.Serial == serial
	})
}

// take takes a thread block off the SM.
func (s *SM) take(i int) block {
	b := s.blocks[i]
	s.blocks = slices.Delete(s.blocks, i, i+1)
	s.taken = s.taken.Sub(b.demand)
	return b
}

func post(port *components.Port, list *[]outgoing, cycle uint64) (moved bool) {
	for len(*list) > 0 && (*list)[0].at <= cycle && port.Push((*list)[0].msg) {
		*list = slices.Delete(*list, 0, 1)
		moved = true
	}
	return moved
}

// later queues a message for a cycle, behind the other messages of the cycle.
func later(list *[]outgoing, at uint64, msg sim.Msg) {
	i := len(*list)
	for i > 0 && (*list)[i-1].at > at {
		i--
	}
	*list = slices.Insert(*list, i, outgoing{at, msg})
}

// accept carries out the messages that have arrived and returns their number.
func (s *SM) accept(cycle uint64) (n int) {
	for ; ; n++ {
		switch m := s.driver.Pop().(type) {
		case nil:
			return n + s.acceptOrders(cycle)
		case *protocol.PlaceTB:
			if s.gpu.Placed != nil {
				s.gpu.Placed(cycle, s.number, m)
			}
			run := s.gpu.Times.Run(m.Account.Tenant(), m.Launch, m.TB.ID)
			s.put(cycle, block{serial: m.Serial, tb: m.TB, tenant: m.Account.Tenant(), launch: m.Launch, demand: m.Demand, from: cycle, end: cycle + run})
			s.gpu.placements.Put(m)
		case protocol.Control:
			if o, ok := m.(*protocol.SampleIdle); ok {
				s.countIdle(cycle)
				s.sampling.every = o.Every
			}
			s.steer(m, cycle)
		case *protocol.Sample:
			later(&s.toDriver, cycle, &protocol.Sampled{Counters: s.counters(cycle)})
		default:
			s.gpu.fail(cycle, "SM %d is sent a %T", s.number, m)
		}
	}
}

func (s *SM) acceptOrders(cycle uint64) (n int) {
	for ; ; n++ {
		switch o := s.engine.Pop().(type) {
		case nil:
			return n
		case *protocol.SaveTB:
			s.save(o, cycle)
		case *protocol.LoadTB:
			s.load(o, cycle)
		default:
			s.gpu.fail(cycle, "PreEng %d is sent a %T", s.number, o)
		}
	}
}

// put puts a thread block on the SM.
func (s *SM) put(cycle uint64, b block) {
	s.count(cycle)
	b.kernel = s.gpu.Kernel(b.tenant, b.launch)
	s.expectFault(&b, b.from)
	s.blocks = append(s.blocks, b)
	s.taken = s.taken.Add(b.demand)
	shared := 0
	if n := len(s.limit.SharedOptions); n > 0 {
		shared = s.limit.SharedOptions[n-1]
	}
	if t := s.taken; t.TBs > s.limit.TBs || t.Threads > s.limit.Threads || t.Warps > s.limit.Warps || t.Registers > s.limit.Registers || t.SharedBytes > shared {
		s.gpu.fail(cycle, "SM %d is overfilled with %+v", s.number, t)
	}
}

// save takes a thread block off the SM unless it has finished or is about to finish.
func (s *SM) save(o *protocol.SaveTB, cycle uint64) {
	i := slices.IndexFunc(s.blocks, func(b block) bool { return b.serial == o.Serial })
	if s.gpu.Saving != nil {
		s.gpu.Saving(cycle, s.number, o, i >= 0)
	}
	if i < 0 {
		return
	}
	duration, acknowledge := uint64(0), uint64(0)
	if !o.Free {
		duration = s.gpu.Times.Save()
	}
	if b := &s.blocks[i]; !b.blocked && b.end <= cycle+duration/4 {
		return
	}
	s.count(cycle)
	b := s.take(i)
	left, extra := s.leaves(&b, cycle)
	at := max(cycle, b.from) + duration
	if o.Drop {
		later(&s.toPreEng, at, &protocol.TBPreempted{SM: s.number, Serial: o.Serial, Dropped: true})
		return
	}
	bytes := 0
	if !o.Free {
		acknowledge = s.gpu.Times.Acknowledge()
		bytes = s.gpu.ContextBytes(o.Demand) + extra
		s.gpu.SavedBytes[o.Account.Tenant()] += uint64(bytes)
		if bytes > 0 && s.gpu.memory[o.Addr] {
			s.gpu.fail(cycle, "SM %d saves a context of tenant %d to %#x, where another one is", s.number, o.Account.Tenant(), o.Addr)
		}
		s.gpu.memory[o.Addr] = true
	}
	context := &protocol.Context{Extra: extra}
	s.gpu.left[context] = left
	later(&s.toPreEng, at, &protocol.TBPreempted{SM: s.number, Serial: o.Serial, Context: context, Bytes: bytes})
	later(&s.toPreEng, at+acknowledge, &protocol.TBSaved{SM: s.number, Serial: o.Serial})
}

// load brings a thread block back.
func (s *SM) load(o *protocol.LoadTB, cycle uint64) {
	if s.gpu.Loading != nil {
		s.gpu.Loading(cycle, s.number, o)
	}
	left, ok := s.gpu.left[o.Context]
	if !ok {
		s.gpu.fail(cycle, "SM %d is to load a context that is not there", s.number)
	}
	delete(s.gpu.left, o.Context)
	at, bytes := cycle, 0
	if !o.Free {
		at += s.gpu.Times.Load()
		bytes = s.gpu.ContextBytes(o.Demand) + o.Context.Extra
		s.gpu.LoadedBytes[o.Account.Tenant()] += uint64(bytes)
		if bytes > 0 && !s.gpu.memory[o.Addr] {
			s.gpu.fail(cycle, "SM %d loads a context of tenant %d from %#x, where none is", s.number, o.Account.Tenant(), o.Addr)
		}
		delete(s.gpu.memory, o.Addr)
	}
	s.put(cycle, block{serial: o.Serial, tb: o.TB, tenant: o.Account.Tenant(), launch: o.Launch, demand: o.Demand, from: at, end: at + left})
	later(&s.toPreEng, at, &protocol.TBRestored{SM: s.number, Serial: o.Serial, Bytes: bytes})
}

// count brings the tenants' instructions up to date.
func (s *SM) count(cycle uint64) {
	s.issue(cycle)
	for i := range s.blocks {
		b := &s.blocks[i]
		a := &s.issued[b.tenant]
		if b.blocked || b.kernel.Flat && s.follows(i) {
			continue
		}
		if from := max(a.at, b.from); from < cycle {
			a.thousandths += (cycle - from) * b.kernel.Rate
		}
	}
	for i := range s.issued {
		s.issued[i].at = cycle
	}
}

// follows reports whether a thread block of the same tenant came before.
func (s *SM) follows(i int) bool {
	return slices.ContainsFunc(s.blocks[:i], func(b block) bool { return b.tenant == s.blocks[i].tenant })
}

// counters gives the counts up to a cycle.
func (s *SM) counters(cycle uint64) (c protocol.SMCounters) {
	s.count(cycle)
	s.countIdle(cycle)
	c.IdleSamples = s.sampling.samples
	for i := range s.issued {
		t := &c.Tenants[i]
		t.WarpInstructions = s.issued[i].thousandths / 1000
		t.ThreadInstructions = t.WarpInstructions * workload.WarpSize
		t.IdleWarps = s.sampling.idle[i]
	}
	s.requests(cycle, &c)
	return c
}

// countIdle makes the samples that are due, with the present thread blocks.
func (s *SM) countIdle(cycle uint64) {
	m := &s.sampling
	if m.every > 0 {
		n := cycle/m.every - m.at/m.every
		m.samples += n
		for i := range s.blocks {
			m.idle[s.blocks[i].tenant] += n * s.blocks[i].kernel.Idle
		}
	}
	m.at = cycle
}

// sleep wakes the SM when the next thing is due.
func (s *SM) sleep(cycle uint64) {
	next := s.nextFault()
	for i := range s.blocks {
		next = min(next, s.blocks[i].end)
	}
	for _, list := range [...][]outgoing{s.toDriver, s.toPreEng} {
		if len(list) > 0 {
			next = min(next, list[0].at)
		}
	}
	if next > cycle && next < ^uint64(0) {
		s.WakeAt(next)
	}
}

// Finish ends the first placed of a tenant's thread blocks on the SM at the next edge. It
// reports whether the tenant has a thread block there.
func (s *SM) Finish(id tenant.ID) bool {
	i := slices.IndexFunc(s.blocks, func(b block) bool { return b.tenant == id })
	if i >= 0 {
		s.blocks[i].end = 0
		s.Wake()
	}
	return i >= 0
}

// TBs is the number of a tenant's thread blocks on the SM.
func (s *SM) TBs(id tenant.ID) (n int) {
	for i := range s.blocks {
		if s.blocks[i].tenant == id {
			n++
		}
	}
	return n
}
