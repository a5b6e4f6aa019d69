package lsu

import (
	"testing"

	"cotenant/sm/l1"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

const hitLatency = 30

// bench is a load-store unit between mocks. All calls to the mocks must come in the
// order in which they are expected.
type bench struct {
	*Unit
	t      *testing.T
	cache  *MockCache
	parent *MockParent
	last   *gomock.Call
}

func testSpec() Spec {
	return Spec{QueueDepth: 2, SharedLatency: 24, SharedBanks: 32, SharedAtomicInterval: 3, ConstantLatency: 8, TexelsPerCycle: 8,
		TextureLinesPerCycle: 4}
}

func newBench(t *testing.T) *bench {
	ctrl := gomock.NewController(t)
	b := &bench{t: t, cache: NewMockCache(ctrl), parent: NewMockParent(ctrl)}
	b.Unit = New(testSpec(), Parts{Cache: b.cache, Parent: b.parent, HitLatency: hitLatency, FirstWarp: 100,
		Banks: l1.Banks{Count: 1, Bytes: 32}, AccessBytes: 128})
	return b
}

// then puts a call behind the calls expected so far.
func (b *bench) then(call *gomock.Call) *gomock.Call {
	if b.last != nil {
		call.After(b.last)
	}
	b.last = call
	return call
}

// accesses has the cache asked for a line of tenant 2, by its number.
func (b *bench) accesses(line uint64, cycle uint64, outcome l1.Outcome) {
	call := b.cache.EXPECT().Access(gomock.Any(), gomock.Any(), cycle)
	b.then(call.DoAndReturn(func(_ *l1.Request, a *l1.Access, _ uint64) l1.Outcome {
		require.Equal(b.t, uint64(2)<<tenant.AddressShift|line*128, a.Line)
		return outcome
	}))
}

// step runs a cycle in which exactly the expected calls are made.
func (b *bench) step(cycle uint64, moved bool) {
	b.t.Helper()
	require.Equal(b.t, moved, b.Step(cycle), "cycle %d", cycle)
}

// load reads a word of as many lines by as many lanes, from a line on.
func load(line uint64, lines int) *workload.Inst {
	inst := script.Access(workload.Load, workload.Global, line*128, 128, 4, 1)
	inst.Active = 1<<lines - 1
	return &inst
}

var loaded = [4]uint8{1, workload.NoReg, workload.NoReg, workload.NoReg}

func TestUnitWithoutWorkAsksNobody(t *testing.T) {
	b := newBench(t)
	b.step(0, false)
	require.False(t, b.Full())
	require.Zero(t, b.Queued())
}

func TestRequestSaysWhatTheInstructionIs(t *testing.T) {
	for _, flags := range []workload.Flags{0, workload.BypassL1, workload.ReadOnly} {
		b := newBench(t)
		inst := load(5, 1)
		inst.Flags = flags
		b.Issue(3, 2, inst)
		want := &l1.Request{Op: 0, Account: 2, Class: workload.Load, Bypass: flags == workload.BypassL1, ReadOnly: flags == workload.ReadOnly}
		access := &l1.Access{Line: 2<<tenant.AddressShift | 5*128, Sectors: 1, Lanes: 1, Written: [2]uint64{0xf}}
		b.cache.EXPECT().Access(want, access, uint64(9)).Return(l1.Posted)
		b.step(9, true)
	}
}

func TestInstructionsGoInOrderOneLineACycle(t *testing.T) {
	b := newBench(t)
	b.Issue(3, 2, load(10, 3))
	b.Issue(4, 2, load(20, 1))
	require.True(t, b.Full())
	for i, line := range []uint64{10, 11, 12, 20} {
		b.accesses(line, 50+uint64(i), l1.Posted)
		b.step(50+uint64(i), true)
		require.Equal(t, i < 2, b.Full(), "a place is free once the first's last line has gone")
	}
	b.step(54, false)
	require.Equal(t, 2, b.InFlight(), "their accesses are not performed")
}

func TestHitIsDoneAfterItsLatency(t *testing.T) {
	b := newBench(t)
	b.Issue(3, 2, load(10, 2))
	for _, cycle := range []uint64{50, 51} {
		b.accesses(10+cycle-50, cycle, l1.Hit)
		b.then(b.parent.EXPECT().DoneAt(cycle+hitLatency-1, uint32(0)))
		b.step(cycle, true)
	}
	b.AccessDone(0)
	require.Equal(t, 1, b.InFlight())
	b.then(b.parent.EXPECT().Performed(gomock.Any(), 3, &loaded))
	b.AccessDone(0)
	require.Zero(t, b.InFlight())
}

func TestParentIsToldOnceThatAnOperationHasMissed(t *testing.T) {
	b := newBench(t)
	b.Issue(3, 2, load(10, 4))
	for i, outcome := range []l1.Outcome{l1.Hit, l1.Missed, l1.Missed, l1.Hit} {
		cycle := 50 + uint64(i)
		b.accesses(10+uint64(i), cycle, outcome)
		if outcome == l1.Hit {
			b.then(b.parent.EXPECT().DoneAt(cycle+hitLatency-1, uint32(0)))
		} else if i == 1 {
			b.then(b.parent.EXPECT().Missed(gomock.Any(), 3, &loaded))
		}
		b.step(cycle, true)
	}
	// Another operation is told of anew, in the same number when that is free.
	b.then(b.parent.EXPECT().Performed(gomock.Any(), 3, &loaded))
	for range 4 {
		b.AccessDone(0)
	}
	b.Issue(5, 2, load(30, 1))
	b.accesses(30, 60, l1.Missed)
	b.then(b.parent.EXPECT().Missed(gomock.Any(), 5, &loaded))
	b.step(60, true)
}

func TestOperationsAreDoneInAnyOrder(t *testing.T) {
	b := newBench(t)
	b.Issue(3, 2, load(10, 1))
	b.Issue(4, 2, load(20, 1))
	b.accesses(10, 1, l1.Posted)
	b.accesses(20, 2, l1.Posted)
	b.step(1, true)
	b.step(2, true)
	b.then(b.parent.EXPECT().Performed(gomock.Any(), 4, &loaded))
	b.AccessDone(1)
	b.then(b.parent.EXPECT().Performed(gomock.Any(), 3, &loaded))
	b.AccessDone(0)
}

func TestRefusedAccessIsTriedAgainAndCountedOnce(t *testing.T) {
	b := newBench(t)
	b.Issue(3, 2, load(10, 2))
	b.accesses(10, 1, l1.Refused)
	b.then(b.cache.EXPECT().Refused(tenant.Account(2)))
	b.step(1, false)
	for cycle := uint64(2); cycle < 5; cycle++ {
		b.accesses(10, cycle, l1.Refused)
		b.step(cycle, false)
	}
	b.accesses(10, 5, l1.Posted)
	b.step(5, true)
	// The next line's wait is another.
	b.accesses(11, 6, l1.Refused)
	b.then(b.cache.EXPECT().Refused(tenant.Account(2)))
	b.step(6, false)
	b.accesses(11, 7, l1.Posted)
	b.step(7, true)
}

func TestRefusedHeadHoldsUpTheOthers(t *testing.T) {
	b := newBench(t)
	b.Issue(3, 2, load(10, 1))
	b.Issue(4, 2, load(20, 1))
	b.accesses(10, 1, l1.Refused)
	b.then(b.cache.EXPECT().Refused(tenant.Account(2)))
	b.step(1, false)
	b.accesses(10, 2, l1.Refused)
	b.step(2, false)
}

// texture reads a texel of as many lines by as many lanes.
func texture(line uint64, lines int) *workload.Inst {
	inst := load(line, lines)
	inst.Space = workload.Texture
	return inst
}

func TestTexturesLookUpSeveralLinesACycle(t *testing.T) {
	b := newBench(t) // four lines, and eight texels
	b.Issue(3, 2, texture(10, 6))
	for line := uint64(10); line < 14; line++ {
		b.accesses(line, 1, l1.Posted)
	}
	b.step(1, true)
	b.accesses(14, 2, l1.Posted)
	b.accesses(15, 2, l1.Posted)
	b.step(2, true)
	require.Zero(t, b.Queued())
}

func TestTextureGoesOnAtTheLineThatWasRefused(t *testing.T) {
	b := newBench(t)
	b.Issue(3, 2, texture(10, 3))
	b.accesses(10, 1, l1.Posted)
	b.accesses(11, 1, l1.Refused)
	b.step(1, true) // one line has gone: no refusal is counted
	b.accesses(11, 2, l1.Refused)
	b.then(b.cache.EXPECT().Refused(tenant.Account(2)))
	b.step(2, false)
	b.accesses(11, 3, l1.Posted)
	b.accesses(12, 3, l1.Posted)
	b.step(3, true)
	require.Zero(t, b.Queued())
}

func TestTextureUnitsTakeTimeForTexelsBeyondThatForLines(t *testing.T) {
	b := newBench(t)
	inst := script.Access(workload.Load, workload.Texture, 10*128, 4, 4, 1) // 32 texels of a line
	b.Issue(3, 2, &inst)
	b.accesses(10, 1, l1.Hit)
	b.then(b.parent.EXPECT().DoneAt(uint64(1+hitLatency-1), uint32(0)))
	b.step(1, true)
	b.step(2, true)
	b.step(3, true)
	b.then(b.parent.EXPECT().DoneAt(uint64(4+hitLatency-1), uint32(0)))
	b.step(4, true)
	require.Zero(t, b.Queued())
	b.AccessDone(0) // the line
	b.then(b.parent.EXPECT().Performed(gomock.Any(), 3, &loaded))
	b.AccessDone(0) // the last texels
}

// A Titan V fetched texels of a Texture2D in 14.8 to 16.7 ms, but texels of 16 bytes in 29.4 to 30.0 ms, and texels
// of 8 bytes by lanes 0 or 4 texels apart as well (sebbbi/perftest at d75b3af, loadTexBody.hlsli): twice the cycles.
// The texels lie as workload.BlockLinear has them.
func TestTexelsOfABankComeOneAfterTheOther(t *testing.T) {
	b := newBench(t)
	b.spec.TexelsPerCycle, b.spec.TextureBanks, b.spec.TextureTags = 4, 32, 4
	lies := func(x, y int) uint64 { // bytes, rows
		const rowOfGroups = 4096
		return uint64(y/8*rowOfGroups + x/64*512 + x>>5&1<<8 + y>>1&3<<6 + x>>4&1<<5 + y&1<<4 + x&15)
	}
	apart := func(i int) int { return i * 0x3504f333 & 4 } // hash.hlsli
	each := func(i int) int { return i }
	for _, c := range []struct {
		texel          int
		linear, random float64
	}{{1, 8, 8}, {2, 8, 8}, {4, 8, 8}, {8, 8, 16}, {16, 16, 16}} {
		mean := func(start func(int) int) float64 {
			cycles := 0
			for warp := range 8 { // of 16 by 16 threads, in a loop over 16 by 16 texels
				for step := range 256 {
					var at [workload.WarpSize]uint64
					for lane := range at {
						at[lane] = lies((start(lane%16)+step%16)*c.texel, start(2*warp+lane/16)+step/16)
					}
					cycles += b.texelPasses(&workload.Inst{Class: workload.Load, Space: workload.Texture, Active: ^uint32(0), Width: uint8(c.texel), Lanes: &at})
				}
			}
			return float64(cycles) / (8 * 256)
		}
		require.Equal(t, []float64{c.linear, c.random}, []float64{mean(each), mean(apart)}, "%d bytes", c.texel)
	}
	inst := script.Access(workload.Load, workload.Texture, 0, 128, 4, 1)
	require.Equal(t, 32, b.texelPasses(&inst), "four words of a bank")
	inst.Active = 0xff
	require.Equal(t, 8, b.texelPasses(&inst))
	for _, stride := range []int32{0, 4, 8, 64} {
		inst = script.Access(workload.Load, workload.Texture, 0, stride, 4, 1)
		require.Equal(t, 8*max(1, int(stride)/32), b.texelPasses(&inst), "%d bytes apart", stride)
	}
}

// Four lines in a row have their tags in different memories; lines 4, 8, 16 and 32 move by 1, 2, 1 and 2.
func TestTagsOfAMemoryAreLookedUpOneAfterTheOther(t *testing.T) {
	for line, memory := range map[uint64]uint64{0: 0, 1: 1, 2: 2, 3: 3, 4: 1, 8: 2, 16: 1, 32: 2, 12: 3, 20: 0, 7: 0, 15: 2} {
		require.Equal(t, memory, tagMemory(line), "line %d", line)
	}
	b := newBench(t)
	b.spec.TexelsPerCycle, b.spec.TextureBanks, b.spec.TextureTags = 4, 32, 4
	fetch := func(lines ...uint64) int {
		var at [workload.WarpSize]uint64
		for lane := range at {
			at[lane] = 128*lines[lane%4] + 4*uint64(lane%4)
		}
		return b.texelPasses(&workload.Inst{Class: workload.Load, Space: workload.Texture, Active: ^uint32(0), Width: 4, Lanes: &at})
	}
	require.Equal(t, 8, fetch(0, 1, 2, 3))
	require.Equal(t, 8, fetch(5, 5, 5, 5))
	require.Equal(t, 16, fetch(0, 0, 20, 1))
	require.Equal(t, 24, fetch(0, 7, 20, 2))
	inst := script.Access(workload.Load, workload.Texture, 0, 4, 4, 1)
	require.Equal(t, 8, b.texelPasses(&inst))
}

func TestSharedMemoryAndConstantsAskNoCache(t *testing.T) {
	for name, c := range map[string]struct {
		inst   workload.Inst
		passes int
		done   uint64 // after the last pass
	}{
		"shared":           {script.Access(workload.Load, workload.Shared, 0, 4, 4, 1), 1, 24},
		"shared conflicts": {script.Access(workload.Load, workload.Shared, 0, 12*4, 4, 1), 4, 24},
		"shared atomic":    {script.Access(workload.Atomic, workload.Shared, 0, 8, 4, 1), 2 * 3, 24},
		"constant":         {script.Access(workload.Constant, workload.Constants, 0, 0, 4, 1), 1, 8},
		"constants":        {script.Access(workload.Constant, workload.Constants, 0, 1, 4, 1), 8, 8},
		"slow constants":   {script.Access(workload.Constant, workload.Constants, 0, 1, 4, 1), 1 + 7*2, 8},
	} {
		b := newBench(t)
		if name == "slow constants" {
			b.spec.ConstantInterval = 2
		}
		b.Issue(3, 2, &c.inst)
		for cycle := 1; cycle < c.passes; cycle++ {
			b.step(uint64(cycle), true)
			require.Equal(t, 1, b.Queued(), name)
		}
		last := uint64(c.passes)
		b.then(b.parent.EXPECT().DoneAt(last+c.done-1, uint32(0)))
		b.step(last, true)
		require.Zero(t, b.Queued(), name)
		b.then(b.parent.EXPECT().Performed(gomock.Any(), 3, &loaded))
		b.AccessDone(0)
	}
}

func TestSharedConflictsAreCountedForTheTenant(t *testing.T) {
	b := newBench(t)
	inst := script.Access(workload.Store, workload.Shared, 0, 8, 4, workload.NoReg)
	b.Issue(3, 2, &inst)
	b.Issue(3, 5, &inst)
	require.Equal(t, TenantStats{SharedAccesses: 1, SharedConflicts: 1}, *b.Stats(2))
	require.Equal(t, TenantStats{SharedAccesses: 1, SharedConflicts: 1}, *b.Stats(5))
}

func TestWarpsOfTwoSMsHaveLocalMemoriesOfTheirOwn(t *testing.T) {
	inst := script.Access(workload.Load, workload.Local, 0, 0, 4, 1)
	lines := map[uint64]bool{}
	for _, first := range []int{0, 1, 64} { // of three SMs with a slot, 63 and some
		b := newBench(t)
		b.Unit = New(testSpec(), Parts{Cache: b.cache, Parent: b.parent, HitLatency: hitLatency, FirstWarp: first,
			Banks: l1.Banks{Count: 1, Bytes: 32}, AccessBytes: 128})
		for _, id := range []tenant.Account{2, 3} {
			b.Issue(0, id, &inst)
			b.cache.EXPECT().Access(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(
				func(_ *l1.Request, a *l1.Access, _ uint64) l1.Outcome {
					lines[a.Line] = true
					return l1.Posted
				})
			b.step(1, true)
		}
	}
	require.Len(t, lines, 3*2)
}

// A request says what its instruction says to the L2, and what its account's launch does.
func TestRequestCarriesEvictionAndWindow(t *testing.T) {
	b := newBench(t)
	ask := func(inst *workload.Inst) (m l1.Request) {
		b.Issue(3, 2, inst)
		b.cache.EXPECT().Access(gomock.Any(), gomock.Any(), uint64(9)).DoAndReturn(func(r *l1.Request, _ *l1.Access, _ uint64) l1.Outcome {
			m = *r
			return l1.Posted
		})
		b.step(9, true)
		return m
	}
	hinted := load(5, 1)
	hinted.Barrier = uint8(workload.NewEviction(workload.EvictFirst, 0, 1))
	require.Equal(t, workload.EvictFirst, ask(hinted).Eviction.Of(0))
	copied := *hinted
	copied.Class = workload.Copy
	require.Zero(t, copied.Eviction(), "its Barrier is the number of a group")

	window := &workload.Window{Base: 0, Bytes: 1 << 30}
	b.Open(2, window)
	b.Open(3, nil)
	require.Same(t, window, ask(load(5, 1)).Window)
	b.Open(2, nil)
	require.Nil(t, ask(load(5, 1)).Window)
}
