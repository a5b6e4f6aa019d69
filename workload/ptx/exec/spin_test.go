package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// executed runs a kernel of some thread blocks of 64 threads with Execute, on an array of two words.
func executed(t *testing.T, body string, blocks, resident int) error {
	t.Helper()
	p, _ := compileText(t, kernel(body))
	m := NewMemory()
	array := m.Alloc(8, 0)
	m.Name(array, "flags")
	_, err := Execute(t.Context(), p, &LaunchConfig{Grid: workload.Dim3{X: blocks, Y: 1, Z: 1}, Block: workload.Dim3{X: 64, Y: 1, Z: 1},
		Mem: m, Params: params(array)}, resident)
	return err
}

func TestWarpsThatSpinInVainAreNamed(t *testing.T) {
	const never = "test.ptx:4: kernel k never ends: all warps wait in loops or at barriers for what nothing is left to do: "
	for body, what := range map[string]string{
		"L: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;":                        "ld.volatile.global.u32 at test.ptx:15 waits for a change of 0x10000000 in flags (8 bytes at 0x10000000)",
		"L: atom.global.cas.b32 %r1, [%out+4], 1, 2; nanosleep.u32 20; setp.ne.u32 %p1, %r1, 1; @%p1 bra L;": "atom.global.cas.b32 at test.ptx:15 waits for a change of 0x10000004 in flags (8 bytes at 0x10000000)",
		"L: bra L;": "a loop reads no memory",
		"setp.ne.u32 %p2, %tid, 0; @%p2 bra M; L: atom.global.add.u32 %r1, [%out], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; M: bar.sync 0;": "atom.global.add.u32 at test.ptx:15 waits for a change of 0x10000000 in flags (8 bytes at 0x10000000)",
	} {
		require.EqualError(t, executed(t, body, 2, 4), never+what, body)
	}
}

// A phase that nothing is left to end is named with its mbarrier and what it lacks.
func TestWarpsThatWaitForAnMBarrierInVainAreNamed(t *testing.T) {
	const never = "test.ptx:4: kernel k never ends: all warps wait in loops or at barriers for what nothing is left to do: "
	start := ".shared .align 8 .b64 full[2]; .reg .b64 %s; setp.ne.u32 %p2, %tid, 0;\n @%p2 bra N; mbarrier.init.shared.b64 [full+8], 65; mbarrier.expect_tx.relaxed.cta.shared.b64 [full+8], 48;\n" +
		"N: bar.sync 0; mbarrier.arrive.shared.b64 %s, [full+8];\n"
	state := "the end of a phase of the mbarrier in full (16 bytes of shared memory; byte 8), with 1 arrival and 48 bytes pending"
	for body, what := range map[string]string{
		"L: mbarrier.try_wait.parity.shared.b64 %p1, [full+8], 0;\n @!%p1 bra L;":                          "mbarrier.try_wait.parity.shared.b64 at test.ptx:18 waits for " + state,
		"L: mbarrier.test_wait.shared.b64 %p1, [full+8], %s; nanosleep.u32 20;\n @!%p1 bra L;":             "mbarrier.test_wait.shared.b64 at test.ptx:18 waits for " + state,
		"@%p2 bra M; L: mbarrier.try_wait.parity.shared.b64 %p1, [full+8], 0; @!%p1 bra L; M: bar.sync 0;": "mbarrier.try_wait.parity.shared.b64 at test.ptx:18 waits for " + state,
		"@%p2 bra M; L: mbarrier.try_wait.parity.shared.b64 %p1, [full+8], 0; @!%p1 bra L; M: barrier.cluster.arrive; barrier.cluster.wait;": "mbarrier.try_wait.parity.shared.b64 at test.ptx:18 waits for " + state +
			"; barrier.cluster.wait at test.ptx:18 waits for the other warps of its cluster",
	} {
		require.EqualError(t, executed(t, start+body, 2, 4), never+what, body)
	}
	require.NoError(t, executed(t, start+"L: mbarrier.try_wait.parity.shared.b64 %p1, [full+8], 1; @!%p1 bra L;", 2, 4), "the phase before has ended")
	late := "@%p2 bra L; mov.u32 %r3, 0; K: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 600000; @%p1 bra K; mbarrier.complete_tx.relaxed.cta.shared.b64 [full+8], 48; mbarrier.arrive.shared.b64 %s, [full+8];\n"
	require.NoError(t, executed(t, start+late+"L: mbarrier.try_wait.parity.shared.b64 %p1, [full+8], 0; @!%p1 bra L;", 2, 4), "a late arrival")
}

// Each of the loops executes more than spinInstructions, so that Execute looks at it.
func TestWarpsThatGoOnAreNotTakenForSpinning(t *testing.T) {
	const release = "mov.u32 %r2, %ctaid.x; setp.ne.u32 %p2, %r2, 5; @%p2 bra L;\n" +
		"K: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 300000; @%p1 bra K;\n st.volatile.global.u32 [%out], 1;\n" +
		"L: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"
	require.NoError(t, executed(t, "mov.u32 %r3, 0;\n"+release, 6, 8), "a late release")
	require.NoError(t, executed(t, "mov.u32 %r3, 0;\n"+release, 6, 2), "of a thread block that is not resident at first")
	require.NoError(t, executed(t, "mov.u32 %r3, 0; L: ld.volatile.global.u32 %r1, [%out]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 700000; @%p1 bra L;", 1, 1), "a wait with an end")
	require.NoError(t, executed(t, "setp.ne.u32 %p2, %tid, 0; @%p2 bra M; L: atom.global.add.u32 %r1, [%out], 1; setp.lt.u32 %p1, %r1, 1500000; @%p1 bra L; M: ret;", 1, 1), "a counter in memory")
}

// What a look tries leaves memory as it is.
func TestSpinsChangesNothing(t *testing.T) {
	p, _ := compileText(t, kernel("L: atom.global.add.u32 %r1, [%out], 1; st.global.u32 [%out+4], %tid; bra L;"))
	m := NewMemory()
	array := m.Alloc(8, 0)
	tb := p.NewTB(&LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: m, Params: params(array)}, 0)
	w := tb.Warps[0]
	for range 5 {
		_, err := w.Step()
		require.NoError(t, err)
		before, pc := append([]byte(nil), m.mustBytes(t, array, 8)...), w.PC()
		_, spins := w.Spins()
		require.False(t, spins)
		require.Equal(t, before, m.mustBytes(t, array, 8))
		require.Equal(t, pc, w.PC())
	}
}

func (m *Memory) mustBytes(t *testing.T, addr uint64, n int) []byte {
	t.Helper()
	b, err := m.Bytes(addr, n)
	require.NoError(t, err)
	return b
}
