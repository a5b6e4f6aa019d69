package lsu

import (
	"testing"

	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// banked is a bench with an L1 of 32-byte banks, and accesses of at most accessBytes.
func banked(t *testing.T, banks, accessBytes int) *bench {
	b := newBench(t)
	b.Unit = New(testSpec(), Parts{Cache: b.cache, Parent: b.parent, HitLatency: hitLatency,
		Banks: l1.Banks{Count: banks, Bytes: 32}, AccessBytes: accessBytes})
	return b
}

// sectors reads a word of each of the sectors, by their numbers, by a lane each.
func sectors(numbers ...uint64) *workload.Inst {
	inst := script.Access(workload.Load, workload.Global, 0, 0, 4, 1)
	inst.Active, inst.Lanes = 1<<len(numbers)-1, &[workload.WarpSize]uint64{}
	for i, n := range numbers {
		inst.Lanes[i] = n * protocol.SectorBytes
	}
	return &inst
}

func TestAccessesGoTogetherWhileTheirBanksDiffer(t *testing.T) {
	b := banked(t, 2, 128)
	// Lines 1, 2, 3 and 4: an even sector, an odd one, another odd one and both.
	b.Issue(3, 2, sectors(4, 9, 13, 16, 17))
	b.accesses(1, 10, l1.Posted)
	b.accesses(2, 10, l1.Posted)
	b.step(10, true)
	b.accesses(3, 11, l1.Posted)
	b.step(11, true)
	b.accesses(4, 12, l1.Posted)
	b.step(12, true)
	require.Zero(t, b.Queued())
}

func TestInstructionsDoNotShareACycleOfTheBanks(t *testing.T) {
	b := banked(t, 2, 128)
	b.Issue(3, 2, sectors(4))
	b.Issue(3, 2, sectors(9))
	b.accesses(1, 10, l1.Posted)
	b.step(10, true)
	b.accesses(2, 11, l1.Posted)
	b.step(11, true)
}

func TestAccessBehindARefusedOneWaitsThoughItsBankIsFree(t *testing.T) {
	b := banked(t, 4, 128)
	b.Issue(3, 2, sectors(4, 9, 14))
	b.accesses(1, 10, l1.Posted)
	b.accesses(2, 10, l1.Refused)
	b.step(10, true)
	b.accesses(2, 11, l1.Posted)
	b.accesses(3, 11, l1.Posted)
	b.step(11, true)
}

func TestTexturesTakeNoHeedOfBanks(t *testing.T) {
	b := banked(t, 2, 32)
	inst := sectors(4, 8, 12, 13)
	inst.Space = workload.Texture
	b.Issue(3, 2, inst)
	for line := uint64(1); line < 4; line++ {
		b.accesses(line, 10, l1.Posted)
	}
	b.step(10, true)
	require.Zero(t, b.Queued())
}

func TestLineOfFourSectorsIsFourAccessesOfASector(t *testing.T) {
	b := banked(t, 1, 32)
	inst := script.Access(workload.Store, workload.Global, 5*128+16, 4, 4, workload.NoReg)
	inst.Active = 1<<20 - 1 // 80 bytes: sectors 0 to 2, the first in part
	b.Issue(3, 2, &inst)
	require.Equal(t, 3, b.front().n)
	for s, written := range [][2]uint64{{0xffff_0000}, {0xffff_ffff << 32}, {0, 0xffff_ffff}} {
		a := b.front().list[s]
		require.Equal(t, uint64(2)<<tenant.AddressShift|5*128, a.Line)
		require.Equal(t, uint8(1<<s), a.Sectors)
		require.Equal(t, written, a.Written)
	}
	for s := range uint64(3) {
		b.accesses(5, 10+s, l1.Posted)
		b.step(10+s, true)
	}
	require.Zero(t, b.Queued())
}

// front is the instruction that the unit works on.
func (b *bench) front() *instruction { return *b.queue.Front() }

func TestAtomicsStayAccessesOfALine(t *testing.T) {
	b := banked(t, 2, 32)
	inst := sectors(4, 5, 6)
	inst.Class = workload.Atomic
	b.Issue(3, 2, inst)
	require.Equal(t, 1, b.front().n)
	require.Equal(t, uint8(0b111), b.front().list[0].Sectors)
	require.Equal(t, uint8(3), b.front().list[0].Lanes)
}

func TestEverySectorOfTheWidestLoadsFits(t *testing.T) {
	b := banked(t, 1, 32)
	inst := script.Access(workload.Load, workload.Local, 2, 0, 16, 1)
	var at [workload.WarpSize]uint64
	for lane := range at {
		at[lane] = uint64(lane)*64 + 2
	}
	inst.Lanes = &at
	b.Issue(3, 2, &inst)
	require.Equal(t, maxAccesses, b.front().n, "five words of each lane")
	global := inst
	global.Space = workload.Global
	for lane := range at {
		at[lane] = uint64(lane)*4096 + 24
	}
	b.Issue(3, 2, &global)
	b.queue.Pop()
	require.Equal(t, 64, b.front().n)
}

func TestSectorsOfALoadGoTogetherOnTwoBanks(t *testing.T) {
	b := banked(t, 2, 32)
	inst := script.Access(workload.Load, workload.Global, 5*128, 4, 4, 1) // a whole line
	b.Issue(3, 2, &inst)
	for cycle := range uint64(2) {
		b.accesses(5, 10+cycle, l1.Posted)
		b.accesses(5, 10+cycle, l1.Posted)
		b.step(10+cycle, true)
	}
	require.Zero(t, b.Queued())
}
