package lsu

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/sm/tlb"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

// paged is a bench with address translation.
type paged struct {
	*bench
	translator *MockTranslator
	faults     *MockFaults
	taker      *MockTaker
	names      map[uint64]uint32 // by which the translator knows a line's access
}

func newPaged(t *testing.T, change ...func(*Spec, *Parts)) *paged {
	ctrl := gomock.NewController(t)
	p := &paged{bench: &bench{t: t, cache: NewMockCache(ctrl), parent: NewMockParent(ctrl)}, translator: NewMockTranslator(ctrl),
		faults: NewMockFaults(ctrl), taker: NewMockTaker(ctrl), names: map[uint64]uint32{}}
	spec := testSpec()
	parts := Parts{Cache: p.cache, Parent: p.parent, HitLatency: hitLatency, FirstWarp: 100,
		Banks: l1.Banks{Count: 1, Bytes: 32}, AccessBytes: 128, Translator: p.translator, Faults: p.faults, Taker: p.taker}
	for _, c := range change {
		c(&spec, &parts)
	}
	p.Unit = New(spec, parts)
	return p
}

// looks has a line be looked up to read, or to write. The first to wait of an
// operation is told of as a miss.
func (p *paged) looks(line uint64, write bool, outcome tlb.Outcome) {
	call := p.translator.EXPECT().LookUp(uint64(2)<<tenant.AddressShift|line*128, tenant.Account(2), write, gomock.Any())
	p.then(call.DoAndReturn(func(_ uint64, _ tenant.Account, _ bool, access uint32) tlb.Outcome {
		p.names[line] = access
		return outcome
	}))
}

// waits is a look-up of a line to read that waits, of an operation that has waited
// before or has not.
func (p *paged) waits(line uint64, op uint32, first bool) {
	p.looks(line, false, tlb.Waits)
	if first {
		p.misses(op)
	}
}

func (p *paged) misses(op uint32) { p.then(p.parent.EXPECT().Missed(op, gomock.Any(), gomock.Any())) }

// hits expects an access that hits in the TLB and that the L1 takes in the same cycle.
func (p *paged) hits(line, cycle uint64) {
	p.looks(line, false, tlb.Hit)
	p.accesses(line, cycle, l1.Posted)
}

func (p *paged) checked(op uint32, cycle uint64) { p.then(p.faults.EXPECT().Checked(op, cycle)) }
func (p *paged) faulted(op uint32, line uint64) {
	p.then(p.faults.EXPECT().Faulted(op, protocol.Migrate, uint64(0x10000), uint64(2)<<tenant.AddressShift|line*128))
}
func (p *paged) squashed(op uint32) { p.then(p.faults.EXPECT().Squashed(op)) }
func (p *paged) taken(op uint32)    { p.then(p.taker.EXPECT().Taken(op)) }
func (p *paged) performed(op uint32) {
	p.then(p.parent.EXPECT().Performed(op, gomock.Any(), gomock.Any()))
}

// comes has the translation of a line come, fails a fault.
func (p *paged) comes(line, cycle uint64) { p.Translated(p.names[line], cycle) }
func (p *paged) fails(line uint64)        { p.Faulted(p.names[line], protocol.Migrate, 0x10000) }

// of makes an instruction of a class of a load.
func of(class workload.Class, inst *workload.Inst) *workload.Inst {
	i := *inst
	i.Class = class
	if class == workload.Store || class == workload.Reduction {
		i.Dst = workload.NoRegs4
	}
	return &i
}

func TestPagesThatHitCostNoCycle(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, load(10, 3))
	for i := range uint64(3) {
		p.looks(10+i, false, tlb.Hit)
		if i == 2 { // looked up beside the cache, in the cycle after the unit has taken it
			p.checked(0, 53)
		}
		p.accesses(10+i, 50+i, l1.Hit)
		p.then(p.parent.EXPECT().DoneAt(50+i+hitLatency-1, uint32(0)))
		p.step(50+i, true)
	}
	require.Zero(t, p.Queued())
	p.AccessDone(0)
	p.AccessDone(0)
	p.performed(0)
	p.AccessDone(0)
	require.Zero(t, p.InFlight())
	p.step(60, false)
}

func TestPageIsLookedUpOnceThoughTheCacheRefuses(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, load(10, 2))
	p.looks(10, false, tlb.Hit)
	p.accesses(10, 1, l1.Refused)
	p.then(p.cache.EXPECT().Refused(tenant.Account(2)))
	p.step(1, false)
	p.accesses(10, 2, l1.Refused)
	p.step(2, false)
	p.accesses(10, 3, l1.Posted)
	p.step(3, true)
	p.looks(11, false, tlb.Refused)
	p.step(4, false)
	p.looks(11, false, tlb.Hit)
	p.checked(0, 6)
	p.accesses(11, 5, l1.Posted)
	p.step(5, true)
}

func TestAccessWhosePageIsMissingStepsAside(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, load(10, 3))
	p.Issue(4, 2, load(20, 1))
	p.waits(10, 0, true)
	p.step(1, true)
	p.hits(11, 2)
	p.step(2, true)
	p.waits(12, 0, false)
	p.step(3, true)
	require.Equal(t, 1, p.Queued(), "all of the first has been looked at")
	p.looks(20, false, tlb.Hit)
	p.checked(1, 5)
	p.accesses(20, 4, l1.Posted)
	p.step(4, true)
	p.comes(12, 9)
	p.checked(0, 10)
	p.comes(10, 10)
	p.accesses(12, 10, l1.Posted) // in the order of the translations
	p.step(10, true)
	p.accesses(10, 11, l1.Posted)
	p.step(11, true)
	p.step(12, false)
	p.AccessDone(0)
	p.AccessDone(0)
	p.performed(0)
	p.AccessDone(0)
	p.performed(1)
	p.AccessDone(1)
}

func TestTranslatedAccessesGoBeforeTheQueueAndWaitForTheCacheInOrder(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, load(10, 2))
	p.Issue(4, 2, load(20, 1))
	p.waits(10, 0, true)
	p.step(1, true)
	p.waits(11, 0, false)
	p.step(2, true)
	p.comes(10, 3)
	p.checked(0, 3)
	p.comes(11, 3)
	p.accesses(10, 3, l1.Refused)
	p.then(p.cache.EXPECT().Refused(tenant.Account(2)))
	p.step(3, false)
	p.accesses(10, 4, l1.Posted)
	p.step(4, true)
	p.accesses(11, 5, l1.Posted)
	p.step(5, true)
	p.looks(20, false, tlb.Hit)
	p.checked(1, 7)
	p.accesses(20, 6, l1.Posted)
	p.step(6, true)
}

func TestAtomicsLeaveOnceAllTheirPagesAreThere(t *testing.T) {
	for _, class := range []workload.Class{workload.Atomic, workload.Reduction} {
		for name, missing := range map[string][]bool{"none": {false, false, false}, "first": {true, false, false}, "last": {false, false, true},
			"all": {true, true, true}, "middle": {false, true, false}} {
			p := newPaged(t)
			p.Issue(3, 2, of(class, load(10, 3)))
			cycle, waiting := uint64(1), 0
			for i, m := range missing {
				outcome := tlb.Hit
				if m {
					outcome = tlb.Waits
				}
				p.looks(10+uint64(i), true, outcome)
				if m {
					if waiting++; waiting == 1 {
						p.misses(0)
					}
				}
				if i == 2 && waiting == 0 {
					p.checked(0, cycle+1)
					p.accesses(10, cycle, l1.Posted)
				}
				p.step(cycle, true)
				cycle++
			}
			from := uint64(11)
			if waiting > 0 {
				from = 10
				require.Zero(t, p.Queued(), name)
				p.step(cycle, false)
			}
			for i, m := range missing {
				if m {
					if waiting--; waiting == 0 {
						p.checked(0, 20)
					}
					p.comes(10+uint64(i), 20)
				}
			}
			for line := from; line < 13; line++ {
				p.accesses(line, 20+line, l1.Posted)
				if line == 12 && class == workload.Reduction {
					p.taken(0)
				}
				p.step(20+line, true)
			}
			p.step(50, false)
			p.AccessDone(0)
			p.AccessDone(0)
			p.performed(0)
			p.AccessDone(0)
		}
	}
}

func TestAtomicGoesOnInTheQueueIfItsPagesComeBeforeItsLastLookUp(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, of(workload.Atomic, load(10, 2)))
	p.looks(10, true, tlb.Waits)
	p.misses(0)
	p.step(1, true)
	p.comes(10, 2)
	p.looks(11, true, tlb.Hit)
	p.checked(0, 3)
	p.accesses(10, 2, l1.Refused) // the cache has no room
	p.then(p.cache.EXPECT().Refused(tenant.Account(2)))
	p.step(2, true)
	p.accesses(10, 3, l1.Refused)
	p.step(3, false)
	p.accesses(10, 4, l1.Posted)
	p.step(4, true)
	p.accesses(11, 5, l1.Posted)
	p.step(5, true)
	require.Zero(t, p.Queued())
}

func TestStoreIsTakenWithItsLastAccessWhicheverThatIs(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, of(workload.Store, load(10, 2)))
	p.looks(10, true, tlb.Waits)
	p.misses(0)
	p.step(1, true)
	p.looks(11, true, tlb.Hit)
	p.accesses(11, 2, l1.Posted)
	p.step(2, true)
	p.checked(0, 9)
	p.comes(10, 9)
	p.accesses(10, 9, l1.Posted)
	p.taken(0)
	p.step(9, true)
}

func TestOperationThatFaultsIsSquashedOnceNothingOfItIsInFlight(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, load(10, 5))
	p.hits(10, 1) // in the cache for long
	p.step(1, true)
	for i := range uint64(3) {
		p.waits(11+i, 0, i == 0)
		p.step(2+i, true)
	}
	p.comes(11, 5) // it could go on
	p.faulted(0, 12)
	p.fails(12)
	p.step(5, true) // the translated access is dropped
	p.step(6, true) // nor does what is left in the queue
	require.Zero(t, p.Queued())
	p.step(7, false)
	p.AccessDone(0)
	p.squashed(0)
	p.comes(13, 8) // nor this
	p.step(9, false)
	require.Equal(t, 1, p.InFlight())
}

func TestSquashComesLastWhateverThatIs(t *testing.T) {
	for _, last := range []string{"cache", "queue", "translation", "fault"} {
		p := newPaged(t)
		p.Issue(3, 2, load(10, 4))
		p.hits(10, 1)
		p.step(1, true)
		p.waits(11, 0, true)
		p.step(2, true)
		p.waits(12, 0, false)
		p.step(3, true)
		p.faulted(0, 11)
		p.fails(11)
		for _, what := range []string{"cache", "queue", "translation"} {
			if what == last || last == "fault" && what == "translation" {
				continue
			}
			p.end(what)
		}
		if last == "fault" {
			p.faulted(0, 12)
		}
		p.squashed(0)
		p.end(last)
	}
}

// end ends what the operation of TestSquashComesLastWhateverThatIs has in one place.
func (p *paged) end(what string) {
	switch what {
	case "cache":
		p.AccessDone(0)
	case "queue":
		p.step(4, true)
	case "translation":
		p.comes(12, 5)
	case "fault":
		p.fails(12)
	}
}

// squash issues an instruction of several lines. The first two are accessed, and the
// third faults.
func (p *paged) squash(inst *workload.Inst, writes bool) {
	p.Issue(3, 2, inst)
	for i := range uint64(2) {
		p.looks(10+i, writes, tlb.Hit)
		p.accesses(10+i, 1+i, l1.Posted)
		p.step(1+i, true)
	}
	p.looks(12, writes, tlb.Waits)
	p.misses(0)
	p.step(3, true)
	p.AccessDone(0)
	p.AccessDone(0)
	p.faulted(0, 12)
	p.squashed(0)
	p.fails(12)
}

func TestSquashedOperationMakesAllItsAccessesAgain(t *testing.T) {
	for _, moved := range []bool{false, true} {
		for _, class := range []workload.Class{workload.Load, workload.Store} {
			p, store := newPaged(t), class == workload.Store
			p.squash(of(class, load(10, 3)), store)
			op, warp := uint32(0), 3
			if moved {
				saved := p.Save(0)
				require.Zero(t, p.InFlight())
				require.Equal(t, tenant.Account(2), saved.Account)
				p = newPaged(t)
				p.Issue(5, 2, load(90, 1)) // another has the number here
				op, warp = p.Restore(7, saved), 7
				require.Equal(t, uint32(1), op)
				p.looks(90, false, tlb.Hit)
				p.checked(0, 2)
				p.accesses(90, 1, l1.Posted)
				p.step(1, true)
			}
			require.Zero(t, p.Queued())
			p.Again(op)
			for i := range uint64(3) {
				p.looks(10+i, store, tlb.Hit)
				if i == 2 {
					p.checked(op, 23)
				}
				p.accesses(10+i, 20+i, l1.Missed)
				if i == 0 {
					p.misses(op)
				}
				if i == 2 && store {
					p.taken(op)
				}
				p.step(20+i, true)
			}
			p.AccessDone(op)
			p.AccessDone(op)
			p.then(p.parent.EXPECT().Performed(op, warp, gomock.Any()))
			p.AccessDone(op)
		}
	}
}

func TestOperationCanFaultAgain(t *testing.T) {
	p := newPaged(t)
	p.squash(load(10, 3), false)
	for range 3 {
		p.Again(0)
		p.waits(10, 0, true)
		p.step(30, true)
		p.faulted(0, 10)
		p.fails(10)
		p.squashed(0)
		p.step(31, true)
		require.Zero(t, p.Queued())
	}
}

func TestAtomicThatFaultsHasMadeNoAccess(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, of(workload.Atomic, load(10, 3)))
	p.looks(10, true, tlb.Hit)
	p.step(1, true)
	p.looks(11, true, tlb.Waits)
	p.misses(0)
	p.step(2, true)
	p.faulted(0, 11)
	p.fails(11)
	p.squashed(0)
	p.step(3, true)
	p.Again(0)
	for i := range uint64(3) {
		p.looks(10+i, true, tlb.Hit)
		if i == 2 {
			p.checked(0, 13)
			p.accesses(10, 12, l1.Posted)
		}
		p.step(10+i, true)
	}
}

// A texture fetch takes its passes through the texture units each time that it is begun: also
// when its page came late, and where its thread block has come back to another SM.
func TestReplayedTextureFetchTakesItsPassesAgain(t *testing.T) {
	const textureLatency = 70
	for _, c := range []struct {
		moved, cached bool
		latency       uint64
	}{{false, false, hitLatency}, {true, false, hitLatency}, {false, true, textureLatency}, {true, true, textureLatency}} {
		var textures *MockCache
		fresh := func() *paged {
			p := newPaged(t, func(spec *Spec, parts *Parts) {
				if c.cached {
					textures = NewMockCache(gomock.NewController(t))
					spec.TextureCache.HitLatency, parts.Textures = textureLatency, textures
				}
			})
			if c.cached {
				p.cache = textures
			}
			return p
		}
		p := fresh()
		inst := script.Access(workload.Load, workload.Texture, 10*128, 4, 4, 1) // 32 texels of a line: three passes more
		p.Issue(3, 2, &inst)
		p.waits(10, 0, true)
		p.step(1, true)
		takesPasses := func(op uint32, cycle uint64) {
			p.step(cycle, true)
			p.step(cycle+1, true)
			p.then(p.parent.EXPECT().DoneAt(cycle+2+c.latency-1, op))
			p.step(cycle+2, true)
			require.Zero(t, p.Queued())
			p.step(cycle+3, false)
		}
		takesPasses(0, 2)
		p.AccessDone(0) // the last texels
		for range 2 {
			p.faulted(0, 10)
			p.squashed(0)
			p.fails(10)
			op := uint32(0)
			if c.moved {
				saved := p.Save(0)
				p = fresh()
				op = p.Restore(7, saved)
			}
			p.Again(op)
			p.waits(10, op, true)
			p.step(100, true)
			takesPasses(op, 101)
			p.AccessDone(op)
		}
		p.checked(0, 200)
		p.comes(10, 200)
		p.accesses(10, 201, l1.Posted)
		p.step(201, true)
		p.performed(0)
		p.AccessDone(0)
	}
}

// A page that faults while the fetch takes its passes does not end them.
func TestTextureFetchIsSquashedAfterItsPasses(t *testing.T) {
	p := newPaged(t)
	inst := script.Access(workload.Load, workload.Texture, 10*128, 4, 4, 1) // 32 texels of a line: three passes more
	p.Issue(3, 2, &inst)
	p.looks(10, false, tlb.Waits)
	p.misses(0)
	p.step(1, true)
	p.faulted(0, 10)
	p.fails(10)
	p.step(2, true)
	p.step(3, true)
	p.then(p.parent.EXPECT().DoneAt(uint64(4+hitLatency-1), uint32(0)))
	p.step(4, true)
	p.squashed(0)
	p.AccessDone(0) // the last texels
	p.Again(0)
	p.looks(10, false, tlb.Hit)
	p.checked(0, 11)
	p.accesses(10, 10, l1.Posted)
	p.step(10, true)
	p.AccessDone(0)
	p.step(11, true)
	p.step(12, true)
	p.then(p.parent.EXPECT().DoneAt(uint64(13+hitLatency-1), uint32(0)))
	p.step(13, true)
	p.performed(0)
	p.AccessDone(0)
}

func TestReadOnlyLoadGoesToTheTextureCacheWhereItComesBack(t *testing.T) {
	ctrl := gomock.NewController(t)
	textures := NewMockCache(ctrl)
	with := func(spec *Spec, parts *Parts) { spec.ReadOnlyLoads, parts.Textures = true, textures }
	p := newPaged(t, with)
	inst := load(10, 1)
	inst.Flags = workload.ReadOnly
	p.Issue(3, 2, inst)
	p.waits(10, 0, true)
	p.step(1, true)
	p.faulted(0, 10)
	p.squashed(0)
	p.fails(10)
	saved := p.Save(0)
	p = newPaged(t, with)
	op := p.Restore(3, saved)
	p.Again(op)
	p.looks(10, false, tlb.Hit)
	p.checked(0, 2)
	p.then(textures.EXPECT().Access(gomock.Any(), gomock.Any(), uint64(1)).Return(l1.Posted))
	p.step(1, true)
}

func TestOperationKnowsWhoIssuedItWhereItComesBackToo(t *testing.T) {
	p := newPaged(t)
	issuer := func(op uint32) []int {
		warp, pc := p.Issuer(op)
		return []int{warp, int(pc)}
	}
	first, second := load(10, 1), load(10, 1)
	first.PC, second.PC = 0x110, 0x220
	p.Issue(3, 2, first)
	p.Issue(5, 2, second)
	require.Equal(t, []int{3, 0x110}, issuer(0))
	require.Equal(t, []int{5, 0x220}, issuer(1))
	p.waits(10, 0, true)
	p.step(1, true)
	p.faulted(0, 10)
	p.squashed(0)
	p.fails(10)
	p.Again(0)
	require.Equal(t, []int{3, 0x110}, issuer(0))
	p.waits(10, 1, true)
	p.step(2, true)
	p.faulted(1, 10)
	p.squashed(1)
	p.fails(10)
	saved := p.Save(1)
	p = newPaged(t)
	require.Equal(t, []int{7, 0x220}, issuer(p.Restore(7, saved)))
}

func TestLocalMemoryIsTranslatedAndNeverFaults(t *testing.T) {
	p := newPaged(t)
	inst := script.Access(workload.Load, workload.Local, 0, 0, 4, 1)
	p.Issue(3, 2, &inst)
	p.translator.EXPECT().LookUp(gomock.Any(), tenant.Account(2), false, gomock.Any()).Return(tlb.Hit)
	p.cache.EXPECT().Access(gomock.Any(), gomock.Any(), uint64(1)).Return(l1.Posted)
	p.step(1, true) // the parent does not hear of the check
}

func TestSharedMemoryAndConstantsAreNotTranslated(t *testing.T) {
	for _, inst := range []workload.Inst{script.Access(workload.Store, workload.Shared, 0, 4, 4, workload.NoReg),
		script.Access(workload.Constant, workload.Constants, 0, 0, 4, 1), script.Access(workload.Constant, workload.Global, 0, 0, 4, 1)} {
		p := newPaged(t)
		p.Issue(3, 2, &inst)
		p.parent.EXPECT().DoneAt(gomock.Any(), uint32(0))
		p.step(1, true)
		p.performed(0)
		p.AccessDone(0)
		require.Zero(t, p.InFlight())
	}
}

func TestMeterIsToldOfAReplayAsOfAnotherInstruction(t *testing.T) {
	m := NewMockMeter(gomock.NewController(t))
	p := newPaged(t, func(_ *Spec, parts *Parts) { parts.Meter = m })
	p.then(m.EXPECT().Sent(tenant.ID(2), 2))
	p.Issue(3, 2, load(10, 2))
	p.hits(10, 1)
	p.then(m.EXPECT().Accessed(tenant.ID(2), 1, uint64(0)))
	p.step(1, true)
	p.AccessDone(0)
	p.waits(11, 0, true)
	p.step(2, true)
	p.faulted(0, 11)
	p.then(m.EXPECT().Done(tenant.ID(2)))
	p.squashed(0)
	p.fails(11)
	p.then(m.EXPECT().Sent(tenant.ID(2), 2))
	p.Again(0)
	for i := range uint64(2) {
		p.looks(10+i, false, tlb.Hit)
		if i == 1 {
			p.checked(0, 12)
		}
		p.accesses(10+i, 10+i, l1.Posted)
		p.then(m.EXPECT().Accessed(tenant.ID(2), 1, uint64(0)))
		p.step(10+i, true)
	}
	p.AccessDone(0)
	p.then(m.EXPECT().Done(tenant.ID(2)))
	p.performed(0)
	p.AccessDone(0)
}

func TestHeldAccessIsToldByItsOperation(t *testing.T) {
	p := newPaged(t)
	p.Issue(3, 2, load(10, 1))
	p.Issue(3, 2, load(20, 1))
	p.waits(10, 0, true)
	p.step(1, true)
	p.waits(20, 1, true)
	p.step(2, true)
	for _, on := range []bool{true, false} {
		p.then(p.faults.EXPECT().Held(uint32(1), on))
		p.Held(p.names[20], on)
	}
}

func TestUnitThatMaySkipGoesOnWithAnotherTenantWhereNoMSHRIsFree(t *testing.T) {
	p := newPaged(t, func(s *Spec, _ *Parts) { s.Skip = true })
	p.Arrive(2)
	p.Arrive(5)
	p.Issue(3, 2, load(10, 1))
	p.Issue(4, 5, load(20, 1))
	p.looks(10, false, tlb.Refused)
	p.then(p.translator.EXPECT().LookUp(tenant.Account(5).Base()|20*128, tenant.Account(5), false, gomock.Any()).Return(tlb.Hit))
	p.checked(1, 2)
	p.then(p.cache.EXPECT().Access(gomock.Any(), gomock.Any(), uint64(1)).Return(l1.Posted))
	p.step(1, true)
	require.Equal(t, 1, p.Queued())
	p.waits(10, 0, true)
	p.step(2, true)
	p.faulted(0, 10)
	p.squashed(0)
	p.fails(10)
	p.Again(0)
	require.Equal(t, 1, p.Queued())
	p.looks(10, false, tlb.Hit)
	p.checked(0, 4)
	p.accesses(10, 3, l1.Posted)
	p.step(3, true)
	require.Zero(t, p.Queued())
}
