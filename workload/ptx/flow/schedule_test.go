package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
)

// machine is a guide for tests: loads of shared memory take 20 cycles, other loads
// 200, and everything else 6; copies and parameters are free.
func machine(f *ptx.Func, registers int) Guide {
	return Guide{Registers: registers, Cost: func(i int) Cost {
		switch in := &f.Insts[i]; {
		case in.Op == "mov" && in.Src[0].Kind != ptx.Special, in.Space == ptx.Param:
			return Cost{Free: true}
		case in.Op == "tex", loads(in) && in.Space != ptx.Shared:
			return Cost{Issue: 1, Latency: 200}
		case loads(in):
			return Cost{Issue: 1, Latency: 20}
		}
		return Cost{Issue: 1, Latency: 6}
	}}
}

// order is the numbers of the lines of a body in the order after scheduling.
func order(t *testing.T, registers int, lines ...string) string {
	t.Helper()
	f := function(t, "ld.param.u64 %rd8, [in];\n"+strings.Join(lines, "\n"))
	return lineNumbers(f.Insts[1].Line, Schedule(f, machine(f, registers)))
}

// lineNumbers are the numbers of a function's instructions from a line on.
func lineNumbers(first int, f *ptx.Func) string {
	var list []string
	for _, in := range f.Insts {
		if in.Line >= first {
			list = append(list, fmt.Sprint(in.Line-first))
		}
	}
	return strings.Join(list, " ")
}

func TestLoadsMoveUpWithWhatTheirAddressesNeed(t *testing.T) {
	require.Equal(t, "0 2 3 1 4", order(t, 255,
		"ld.global.f32 %f1, [%rd8];",
		"add.f32 %f2, %f1, %f1;",
		"add.u64 %rd1, %rd8, 64;",
		"ld.global.f32 %f3, [%rd1];",
		"fma.rn.f32 %f2, %f3, %f3, %f2;"))
}

func TestALoadFollowsTheLoadThatItsAddressComesFrom(t *testing.T) {
	require.Equal(t, "0 3 1 2 4", order(t, 255,
		"ld.global.u32 %r1, [%rd8];",
		"mad.wide.u32 %rd1, %r1, 4, %rd7;",
		"ld.global.u32 %r2, [%rd1];",
		"ld.global.u32 %r3, [%rd8+4];",
		"add.u32 %r4, %r2, %r3;"))
}

// Two chains of sums, and two loads of shared memory.
func TestArithmeticAndSharedLoadsAreScheduled(t *testing.T) {
	require.Equal(t, "0 2 1 3", order(t, 255,
		"add.u32 %r1, %r9, 1;", "add.u32 %r2, %r1, 1;",
		"add.u32 %r3, %r9, 2;", "add.u32 %r4, %r3, 1;"))
	require.Equal(t, "0 2 1 3", order(t, 255,
		"ld.shared.u32 %r1, [%rd8];", "add.u32 %r2, %r1, 1;",
		"ld.shared.u32 %r3, [%rd8+4];", "add.u32 %r4, %r3, 1;"))
}

func TestTheLongestPathGoesFirst(t *testing.T) {
	require.Equal(t, "1 0 2 3", order(t, 255,
		"add.u32 %r1, %r9, 1;", "add.u32 %r2, %r9, 2;", "mul.lo.u32 %r3, %r2, %r2;", "add.u32 %r4, %r3, %r1;"))
}

func TestNothingPassesWhatMayChangeItsValue(t *testing.T) {
	for _, between := range []string{
		"st.global.u32 [%rd7+4], %r1;", "st.u32 [%rd7+4], %r1;", "bar.sync 0;", "bar.warp.sync -1;", "membar.gl;", "fence.sc.gpu;",
		"red.global.add.u32 [%rd7], %r1;", "atom.shared.add.u32 %r3, [%rd7], %r1;", "ld.volatile.global.u32 %r3, [%rd7];",
		"ld.acquire.gpu.global.u32 %r3, [%rd7];", "mov.u32 %r3, %clock;", "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;",
		"vote.sync.ballot.b32 %r3, %p1, -1;", "activemask.b32 %r3;", "@%p1 exit;",
	} {
		require.Equal(t, "0 1 2 3", order(t, 255, "add.u32 %r1, %r10, 1;", between, "ld.global.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;"), between)
	}
	// Another space, memory that the kernel does not change, other words behind
	// the same base.
	for _, between := range []string{"st.shared.u32 [%rd7], %r1;", "st.global.u32 [%rd8+4], %r1;", "st.global.u32 [%rd8+-4], %r1;"} {
		require.Equal(t, "2 0 1 3", order(t, 255, "add.u32 %r1, %r10, 1;", between, "ld.global.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;"), between)
	}
	require.Equal(t, "2 0 1 3", order(t, 255, "add.u32 %r1, %r10, 1;", "st.global.u32 [%rd7+4], %r1;", "ld.global.nc.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;"))
	for _, store := range []string{"st.global.v2.u32 [%rd8+-4], {%r1, %r1};", "st.global.u8 [%rd8+3], %r1;"} {
		require.Equal(t, "0 1 2 3", order(t, 255, "add.u32 %r1, %r10, 1;", store, "ld.global.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;"), store)
	}
	// The base is another one by then.
	require.Equal(t, "0 1 2 3 4", order(t, 255, "add.u32 %r1, %r10, 1;", "st.global.u32 [%rd8+4], %r1;", "add.u64 %rd8, %rd8, 4;", "ld.global.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;"))
}

func TestCarriesStayWithTheirSum(t *testing.T) {
	require.Equal(t, "1 0 2 3 4", order(t, 255,
		"add.u32 %r9, %r9, 1;",
		"add.cc.u32 %r1, %r10, %r11;", "addc.u32 %r2, %r12, %r13;",
		"add.cc.u32 %r3, %r2, %r11;", "addc.u32 %r4, %r12, %r13;"))
}

func TestFreeInstructionsComeWhereTheyAreNeeded(t *testing.T) {
	require.Equal(t, "1 3 0 2 4", order(t, 255,
		"mov.u32 %r1, 5;", "ld.global.u32 %r2, [%rd8];", "add.u32 %r3, %r2, %r1;", "ld.global.u32 %r4, [%rd8+4];", "add.u32 %r5, %r4, %r3;"))
}

func TestRegistersThatShareKeepTheirOrder(t *testing.T) {
	f := function(t, "add.u32 %r1, %r9, 1;\nadd.u32 %r2, %r1, 1;\nld.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r3, 1;")
	first := f.Insts[0].Line
	g := machine(f, 255)
	require.Equal(t, "2 0 1 3", lineNumbers(first, Schedule(f, g)))
	g.Class = make([]int, len(f.Regs))
	for i := range g.Class {
		g.Class[i] = i
	}
	r3, r1 := f.Insts[2].Dst[0].Reg, f.Insts[0].Dst[0].Reg
	g.Class[r3] = r1
	require.Equal(t, "0 1 2 3", lineNumbers(first, Schedule(f, g)), "the load writes the register of the sum")
}

func TestWhatIsPartOfAnInstructionComesRightBeforeIt(t *testing.T) {
	f := function(t, "mul.wide.u32 %rd1, %r1, 4;\nadd.u32 %r1, %r1, 1;\nmul.lo.u32 %r3, %r1, %r1;\nadd.u64 %rd2, %rd3, %rd1;\nld.global.u32 %r4, [%rd2];\nadd.u32 %r5, %r4, %r3;")
	first, g := f.Insts[0].Line, machine(f, 255)
	require.Equal(t, "0 1 3 2 4 5", lineNumbers(first, Schedule(f, g)))
	f.Insts[1].Dst[0].Reg = f.Insts[2].Dst[0].Reg // so that nothing writes %r1
	g.Joins = map[int]int{0: 3}
	require.Equal(t, "0 3 1 4 2 5", lineNumbers(first, Schedule(f, g)))
}

func TestASequenceKeepsItsWarp(t *testing.T) {
	c := Cost{Issue: 20, Latency: 6}
	require.Equal(t, 25, c.after(edge{waits: true}), "its last issues in cycle 19")
	require.Equal(t, 20, c.after(edge{}))
	require.Equal(t, 0, Cost{Free: true}.after(edge{waits: true}))
}

// sums are a number of loads, each added to a register.
func sums(t *testing.T, n int) *ptx.Func {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("ld.global.u32 %%r%d, [%%rd8+%d];", i+1, 4*i), fmt.Sprintf("add.u32 %%r39, %%r39, %%r%d;", i+1))
	}
	return function(t, "ld.param.u64 %rd8, [in];\nmov.u32 %r39, 0;\n"+strings.Join(lines, "\n")+"\nst.global.u32 [%rd8], %r39;")
}

func TestSchedulingKeepsToTheRegisters(t *testing.T) {
	f := sums(t, 16)
	alone := MaxLive(f)
	for limit, want := range map[int]int{0: 1, alone + 3: 4, alone + 4: 5, 255: 16} {
		h := Schedule(f, machine(f, limit))
		require.LessOrEqual(t, MaxLive(h), max(limit, alone))
		require.Equal(t, want, inFlight(h), "loads before the first result is used, in %d registers", limit)
	}
}

// inFlight is the largest number of loads that a warp has issued before it
// waits for the first of them.
func inFlight(f *ptx.Func) (most int) {
	pending := map[int]bool{}
	for _, in := range f.Insts {
		waits := false
		EachRegister(in.Src, func(reg int) { waits = waits || pending[reg] })
		if waits {
			clear(pending)
		}
		if slowLoad(&in) {
			EachRegister(in.Dst, func(reg int) { pending[reg] = true })
		}
		most = max(most, len(pending))
	}
	return most
}

// A loop of streaming loads that was unrolled by hand: the address moves on by a
// stride between them, in the same registers. So one load was in flight at a
// time.
func TestUnrolledStreamingLoadsAreInFlightTogether(t *testing.T) {
	var body strings.Builder
	body.WriteString("ld.param.u64 %rd8, [in];\nmov.u64 %rd1, %rd8;\nmov.f32 %f8, 0f00000000;\nmov.u32 %r1, 0;\nH:\n")
	for range 8 {
		body.WriteString("ld.global.f32 %f1, [%rd1];\nfma.rn.f32 %f8, %f1, %f1, %f8;\nadd.u32 %r2, %r1, 64;\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd1, %rd1, %rd2;\n")
	}
	body.WriteString("add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra H;\nst.global.f32 [%rd8], %f8;")
	f := function(t, body.String())
	require.Equal(t, 1, inFlight(f))
	g := Rename(f)
	require.Equal(t, 8, inFlight(Schedule(g, machine(g, 32))))
}

func TestSchedulesAreTheSameEveryTime(t *testing.T) {
	f := Rename(sums(t, 30))
	first := Schedule(f, machine(f, 12))
	for range 5 {
		require.Equal(t, first.Insts, Schedule(f, machine(f, 12)).Insts)
	}
	numbers := make([]int, len(f.Insts))
	for i, in := range first.Insts {
		numbers[i] = in.Line
	}
	slices.Sort(numbers)
	require.Len(t, slices.Compact(numbers), len(f.Insts), "every instruction once")
}

// cycles is how long a warp takes for code of one block on the machine of these
// tests.
func cycles(f *ptx.Func) (now int) {
	g := machine(f, 0)
	there := map[int]int{} // when a register's value is
	for i, in := range f.Insts {
		c := g.Cost(i)
		EachRegister(in.Src, func(reg int) { now = max(now, there[reg]) })
		EachRegister(in.Dst, func(reg int) { there[reg] = now + c.Latency })
		now += c.Issue
	}
	return now
}

func TestRegistersAreTakenAgainAsSoonAsTheyAreFree(t *testing.T) {
	f := sums(t, 24)
	alone := MaxLive(f)
	require.Equal(t, 4830, cycles(f))
	require.Equal(t, 1230, cycles(Schedule(f, machine(f, alone+4))))
	require.Equal(t, 345, cycles(Schedule(f, machine(f, 255))))
}

// A lane's matrix comes from what the addresses of other lanes say, so that offsets from the
// same register prove nothing.
func TestMatricesFollowStoresOfSharedMemory(t *testing.T) {
	lines := func(load string) []string {
		return []string{"add.u32 %r1, %r9, 1;", "st.shared.u32 [%r8], %r1;", load, "add.u32 %r3, %r2, 1;"}
	}
	require.Equal(t, "2 0 1 3", order(t, 255, lines("ld.shared.u32 %r2, [%r8+64];")...))
	require.Equal(t, "0 1 2 3", order(t, 255, lines("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r8+64];")...))
	require.Equal(t, "2 0 1 3", order(t, 255, "add.u32 %r1, %r9, 1;", "st.global.u32 [%rd8], %r1;",
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r8+64];", "add.u32 %r3, %r2, 1;"))
}

func TestNothingPassesAsynchronousCopiesAndStoresOfMatrices(t *testing.T) {
	for _, fixed := range []string{"cp.async.ca.shared.global [%r8], [%rd8], 4;", "cp.async.commit_group;", "cp.async.wait_group 0;",
		"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r7};"} {
		require.Equal(t, "0 1 2 3", order(t, 255, "add.u32 %r1, %r9, 1;", fixed, "ld.shared.u32 %r2, [%r8+64];", "add.u32 %r3, %r2, 1;"))
	}
}
