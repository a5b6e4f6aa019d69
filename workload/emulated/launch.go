package emulated

import (
	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// source is one launch. It computes in the memory of its application, so it is
// opened once.
type source struct {
	launch kernels.Launch
	code   *code
}

// Open makes source a workload.Source.
func (s *source) Open() (workload.Launch, error) {
	if err := s.launch.Program.Bind(&s.launch.Config); err != nil {
		return nil, err
	}
	return &launch{source: s, size: s.launch.Config.ClusterTBs()}, nil
}

// launch is a launch that runs.
type launch struct {
	*source
	next int
	free []*block
	size int      // of a cluster, in thread blocks
	made []*block // of a cluster of several, and not handed out yet
	idle [][]*block
	// fault is the first error of a thread: an access outside memory, a trap.
	fault error
}

// block is a thread block with its warps' streams.
type block struct {
	tb      *exec.TB
	streams []stream
	// Of a cluster of several: its thread blocks, and how many of them have ended, which the first knows.
	cluster []*block
	ended   int
}

// Placed makes block a workload.Resident.
func (b *block) Placed(sm, sms int, clock workload.Clock) { b.tb.Place(sm, sms, clock) }

// Next makes the next thread block, in a finished one if there is any.
func (l *launch) Next(tb *workload.TB) error {
	if err := l.Close(); err != nil {
		return err
	}
	var b *block
	if l.size > 1 {
		b = l.member()
	} else if last := len(l.free) - 1; last >= 0 {
		b = l.free[last]
		l.free = l.free[:last]
		b.tb.Reset(l.next)
	} else {
		b = &block{tb: l.source.launch.Program.NewTB(&l.source.launch.Config, l.next)}
		b.streams = make([]stream, len(b.tb.Warps))
	}
	tb.ID, tb.Data, tb.Resident = l.next, b, b
	tb.Warps = tb.Warps[:0]
	for i, w := range b.tb.Warps {
		b.streams[i] = stream{warp: w, launch: l}
		tb.Warps = append(tb.Warps, &b.streams[i])
	}
	l.next++
	return nil
}

// member is the next thread block of a cluster. The thread blocks of a cluster are made together.
func (l *launch) member() (b *block) {
	if len(l.made) == 0 {
		if last := len(l.idle) - 1; last >= 0 {
			l.made, l.idle = l.idle[last], l.idle[:last]
		} else {
			for range l.size {
				tb := l.source.launch.Program.NewTB(&l.source.launch.Config, 0)
				l.made = append(l.made, &block{tb: tb, streams: make([]stream, len(tb.Warps))})
			}
		}
		var tbs []*exec.TB
		for rank, m := range l.made {
			m.tb.Reset(l.source.launch.Config.Member(l.next/l.size, rank))
			m.cluster, m.ended = l.made, 0
			tbs = append(tbs, m.tb)
		}
		exec.Join(tbs)
	}
	b, l.made = l.made[0], l.made[1:]
	return b
}

// Restart puts a thread block that was flushed back to its beginning.
func (l *launch) Restart(tb *workload.TB) error {
	b := tb.Data.(*block)
	b.tb.Reset(tb.ID)
	for i, w := range b.tb.Warps {
		b.streams[i] = stream{warp: w, launch: l}
	}
	return l.Close()
}

// Recycle keeps a finished thread block's memory for another.
func (l *launch) Recycle(tb *workload.TB) {
	b := tb.Data.(*block)
	if b.cluster == nil {
		l.free = append(l.free, b)
		return
	}
	// The rest of the cluster may still reach its shared memory.
	if first := b.cluster[0]; first.ended+1 < len(b.cluster) {
		first.ended++
	} else {
		l.idle = append(l.idle, b.cluster)
	}
}

// Close reports the first fault of a thread, unless the application takes it.
func (l *launch) Close() error {
	if l.source.launch.Fault != nil {
		return nil
	}
	return l.fault
}

// stream is a warp on its way through its program. An instruction that touches
// memory that other warps write, or a barrier, is executed when the first of its
// sequence issues, so in the order in which the timing model issues; what no
// order changes before it as soon as it is next.
type stream struct {
	warp   *exec.Warp
	launch *launch
	rest   []workload.Inst // of the current sequence, the fetched one first
	begun  bool            // the current sequence's effect has happened
	off    bool            // the current sequence has no active lane, and no effect
	result exec.Result
	// barrier says that the last instruction was a barrier: nothing behind it
	// may be executed before it has opened.
	barrier bool
	// ahead are instructions that have been executed; those up to taken have
	// been fetched, too.
	taken int
	wait  uint8  // kind of the last Await
	tell  func() // see Tell, of the last bulk copy
	own   bool
	ahead exec.Ahead
}

// waiting is issued before a free instruction behind a barrier: when it issues
// the barrier has opened.
var waiting = []workload.Inst{{Class: workload.Nop, Dst: workload.NoRegs4, Src: workload.NoRegs10}}

// Fetch makes stream a workload.Stream.
func (s *stream) Fetch(inst *workload.Inst) bool {
	for len(s.rest) == 0 {
		if s.launch.fault != nil {
			return false
		}
		if s.taken == s.ahead.Len() && !s.barrier {
			s.run()
		}
		if s.taken < s.ahead.Len() {
			var pc int32
			pc, s.result = s.ahead.At(s.taken)
			s.taken++
			s.begun, s.off = true, false
			if s.rest = s.launch.code.at[pc]; len(s.rest) == 0 && s.result.Redirect {
				s.skip(pc)
			}
			continue
		}
		if _, ok := s.warp.Next(); !ok {
			return false
		}
		s.begun, s.off = false, false
		pc := int32(s.warp.PC())
		s.rest = s.launch.code.at[pc]
		if len(s.rest) == 0 && s.barrier {
			s.rest, s.begun, s.barrier = waiting, true, false
		} else if len(s.rest) == 0 {
			if s.step(); s.result.Redirect {
				s.skip(pc)
			}
		}
	}
	*inst = s.rest[0]
	s.rest = s.rest[1:]
	if inst.Class == workload.Await {
		s.wait = inst.Warps
		switch inst.Warps {
		case workload.PhaseWaits:
			s.await(inst)
		case workload.ClusterWaits:
			if !s.warp.Held() {
				inst.Flags &^= workload.Unmet
			}
		}
	}
	return true
}

// Waits makes stream a workload.Waiter.
func (s *stream) Waits() bool { return s.wait == workload.ClusterWaits || s.launch.size > 1 }

// Tell makes stream a workload.Sender.
func (s *stream) Tell() (tell func(), own bool) { return s.tell, s.own }

// Over makes stream a workload.Waiter.
func (s *stream) Over() bool {
	if s.launch.fault != nil {
		return true
	}
	if s.wait == workload.ClusterWaits {
		return !s.warp.Held()
	}
	return s.warp.Told()
}

// await fills in which phase an Await is about. It is behind the look at the mbarrier in its
// sequence.
func (s *stream) await(inst *workload.Inst) {
	a := s.result.Access
	switch {
	case !s.begun || a == nil, s.result.Retries && inst.Flags&workload.Unmet == 0: // test_wait waits for nothing
		inst.Class = workload.Nop
	case !s.result.Retries:
		inst.Flags &^= workload.Unmet
	}
	if a != nil {
		inst.Barrier = workload.MBarrier(lowest(a))
	}
}

// lowest is the address of the lowest active lane of an access by one warp to one place.
func lowest(a *exec.Access) uint64 {
	if a.Lanes == nil {
		return a.Base
	}
	return a.Lanes[0]
}

// Place makes stream a workload.Locator.
func (s *stream) Place(pc uint32) workload.Place { return s.launch.code.place(pc) }

// Spins makes stream a workload.Spinner.
func (s *stream) Spins() (string, bool) {
	if s.launch.fault != nil {
		return "", false
	}
	return s.warp.Spins()
}

// skip goes on with what is issued in vain because a branch was taken that is
// predication.
func (s *stream) skip(pc int32) {
	s.rest = s.launch.code.skipped[pc]
	s.off = true
}

// run executes what the warp does on its own.
func (s *stream) run() {
	s.taken = 0
	if err := s.warp.RunAhead(&s.ahead, exec.AheadSteps); err != nil {
		s.fail(err)
	}
}

// step executes the next instruction.
func (s *stream) step() {
	var err error
	if s.result, err = s.warp.Step(); err != nil {
		s.fail(err)
	}
	s.barrier = s.result.Barrier
}

func (s *stream) fail(err error) {
	if s.launch.fault != nil {
		return
	}
	s.launch.fault = err
	if take := s.launch.source.launch.Fault; take != nil {
		take(err)
	}
}

// Execute lets the instruction take effect and fills in what only that tells.
func (s *stream) Execute(inst *workload.Inst) {
	if s.off {
		inst.Active = 0
		return
	}
	if !s.begun {
		s.begun = true
		s.step()
	}
	inst.Active = s.result.Active
	if s.result.Redirect {
		inst.Flags |= workload.Redirect
	}
	if inst.Class == workload.Barrier {
		s.meet(inst)
		return
	}
	if s.result.Nanoseconds != 0 {
		inst.Space, inst.Base = workload.Time, uint64(s.result.Nanoseconds)
		return
	}
	if !workload.Addressed(inst.Class, inst.Space) {
		return
	}
	access := s.result.Access
	if access == nil {
		inst.Active = 0
		return
	}
	inst.Lanes, inst.Base, inst.Stride, inst.Width = access.Lanes, access.Base, access.Stride, access.Width
	if access.Rows > 0 {
		inst.Warps, inst.Barrier = access.Rows, access.MBarrier
		if s.launch.size > 1 && inst.Class == workload.Copy {
			if s.tell, s.own = s.warp.Tell(); s.tell != nil {
				inst.Flags |= workload.Remote
			}
		}
	} else if inst.Warps > 0 {
		inst.Barrier = workload.MBarrier(lowest(access))
	} else if inst.Class != workload.Copy {
		inst.Barrier = uint8(access.Eviction())
	}
	switch access.Space {
	case ptx.Shared:
		inst.Space = workload.Shared
		if s.launch.size > 1 && s.warp.Remote(access, inst.Active) {
			inst.Flags |= workload.Remote
		}
	case ptx.Local:
		inst.Space = workload.Local
	}
}

// meet fills in what a barrier is about.
func (s *stream) meet(inst *workload.Inst) {
	inst.Barrier = s.result.BarrierID
	inst.Warps = uint8(min(s.result.BarrierWarps, 255))
	if s.result.Arrive {
		inst.Flags |= workload.Arrive
	}
}
