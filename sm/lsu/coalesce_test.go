package lsu

import (
	"math/bits"
	"testing"

	"cotenant/protocol"
	"cotenant/sm/l1"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// testLocal is where the tests put a warp's local memory.
var testLocal = localMap{localRegion + 5*localBytes*workload.WarpSize}

// coalesced is coalesce for tenant 3.
func coalesced(inst workload.Inst) []l1.Access {
	var list [maxAccesses]l1.Access
	return list[:coalesce(&inst, &list, 3<<tenant.AddressShift, &testLocal)]
}

// naive is coalesce byte by byte: lines in the order in which lanes reach them.
func naive(inst workload.Inst) []l1.Access {
	var list []l1.Access
	touch := func(addr uint64) *l1.Access {
		line := addr &^ 127
		for i := range list {
			if list[i].Line == line {
				return &list[i]
			}
		}
		list = append(list, l1.Access{Line: line})
		return &list[len(list)-1]
	}
	first := bits.TrailingZeros32(inst.Active)
	for lane := range workload.WarpSize {
		if inst.Active>>lane&1 == 0 {
			continue
		}
		addr := inst.Base + uint64(int64(inst.Stride)*int64(lane-first))
		if inst.Lanes != nil {
			addr = inst.Lanes[lane]
		}
		for i := range uint64(inst.Width) {
			at := addr%localRegion + i
			if inst.Space == workload.Local {
				at = testLocal.base + at%localBytes/4*128 + uint64(lane)*4 + at%4
			}
			a := touch(3<<tenant.AddressShift | at)
			if i == 0 || inst.Space == workload.Local && (addr+i)%4 == 0 {
				a.Lanes++
			}
			a.Sectors |= 1 << (at % 128 / 32)
			a.Written[at%128/64] |= 1 << (at % 64)
		}
	}
	return list
}

func anyAccess(t *rapid.T, space workload.Space) workload.Inst {
	inst := script.Access(workload.Load, space, rapid.Uint64Range(0, 1<<rapid.IntRange(8, 50).Draw(t, "bits")).Draw(t, "base"), 0,
		rapid.SampledFrom([]uint8{1, 2, 4, 8, 16}).Draw(t, "width"), 1)
	inst.Active = rapid.SampledFrom([]uint32{^uint32(0), 0xffff, 0xff00, 1, 1 << 31, 0x55555555,
		rapid.Uint32Range(1, ^uint32(0)).Draw(t, "mask")}).Draw(t, "active")
	switch rapid.IntRange(0, 4).Draw(t, "pattern") {
	case 0:
		inst.Stride = int32(inst.Width)
	case 3: // all lanes have one address
	case 1:
		inst.Stride = int32(rapid.IntRange(-300, 300).Draw(t, "stride"))
	case 2:
		inst.Stride = rapid.Int32().Draw(t, "any stride")
	default:
		inst.Lanes = new([workload.WarpSize]uint64)
		reach := rapid.Uint64Range(1, 1<<20).Draw(t, "reach")
		for i := range inst.Lanes {
			inst.Lanes[i] = inst.Base + rapid.Uint64Range(0, reach).Draw(t, "address")
		}
	}
	return inst
}

func TestCoalescerAgreesWithCountingEveryByte(t *testing.T) {
	for _, space := range []workload.Space{workload.Global, workload.Texture, workload.Local} {
		rapid.Check(t, func(t *rapid.T) {
			inst := anyAccess(t, space)
			require.Equal(t, naive(inst), coalesced(inst))
		})
	}
}

func TestCoalescerMakesTheFewestLines(t *testing.T) {
	for _, c := range []struct {
		name          string
		base          uint64
		stride        int32
		width         uint8
		active        uint32
		lines, lanes0 int
	}{
		{"32 words in one line", 0x1000, 4, 4, ^uint32(0), 1, 32},
		{"32 words across two lines", 0x1040, 4, 4, ^uint32(0), 2, 16},
		{"32 double words", 0x1000, 8, 8, ^uint32(0), 2, 16},
		{"32 quadruple words", 0x1000, 16, 16, ^uint32(0), 4, 8},
		{"32 bytes", 0x1000, 1, 1, ^uint32(0), 1, 32},
		{"one address", 0x1000, 0, 4, ^uint32(0), 1, 32},
		{"a line each", 0x1000, 128, 4, ^uint32(0), 32, 1},
		{"downwards", 0x107c, -4, 4, ^uint32(0), 1, 32},
		{"upper half", 0x1000, 4, 4, 0xffff0000, 1, 16},
		{"every other lane", 0x1000, 4, 4, 0x55555555, 1, 16},
		{"a lane across two lines", 0x107e, 0, 4, 1, 2, 1},
		{"every lane across two lines", 0x107e, 128, 4, ^uint32(0), 33, 1},
		{"every lane across two lines of its own", 0x107e, 256, 4, ^uint32(0), 64, 1},
	} {
		inst := script.Access(workload.Load, workload.Global, c.base, c.stride, c.width, 1)
		inst.Active = c.active
		list := coalesced(inst)
		require.Len(t, list, c.lines, c.name)
		require.Equal(t, uint8(c.lanes0), list[0].Lanes, c.name)
	}
}

func TestSameLocalVariableOfAllLanesIsOneLine(t *testing.T) {
	list := coalesced(script.Access(workload.Load, workload.Local, 0x40, 0, 4, 1))
	require.Equal(t, []l1.Access{{Line: 3<<tenant.AddressShift | testLocal.base + 0x40/4*128, Sectors: protocol.AllSectors,
		Written: [2]uint64{^uint64(0), ^uint64(0)}, Lanes: 32}}, list)
}

func TestLocalDoubleIsTwoLines(t *testing.T) {
	require.Len(t, coalesced(script.Access(workload.Load, workload.Local, 0x40, 0, 8, 1)), 2)
}

func TestEveryWordOfScatteredLocalAccessesIsALine(t *testing.T) {
	require.Len(t, coalesced(script.Access(workload.Load, workload.Local, 0x40, 1024, 16, 1)), 32*4)
}

func TestAddressesStayInTheTenantsGlobalMemory(t *testing.T) {
	for _, base := range []uint64{^uint64(3), ^uint64(63), 1 << 56, localRegion, 16} {
		for _, stride := range []int32{-4, 4, 1 << 30} {
			list := coalesced(script.Access(workload.Load, workload.Global, base, stride, 4, 1))
			require.NotEmpty(t, list)
			for _, a := range list {
				require.Equal(t, uint64(3), a.Line>>tenant.AddressShift, "base %#x", base)
				require.Zero(t, a.Line&localRegion, "base %#x", base)
			}
		}
	}
}

func TestOnlyWhollyWrittenSectorsAreFull(t *testing.T) {
	for _, c := range []struct {
		base          uint64
		stride        int32
		width         uint8
		sectors, full uint8
	}{
		{0, 4, 4, 0b1111, 0b1111},
		{0, 2, 2, 0b0011, 0b0011},
		{32, 1, 1, 0b0010, 0b0010},
		{33, 1, 1, 0b0110, 0b0000},
		{16, 2, 2, 0b0111, 0b0010},
		{0, 2, 1, 0b0011, 0b0000},
		{0, 4, 2, 0b1111, 0b0000},
	} {
		a := coalesced(script.Access(workload.Store, workload.Global, c.base, c.stride, c.width, workload.NoReg))[0]
		require.Equal(t, c.sectors, a.Sectors, "%+v", c)
		require.Equal(t, c.full, a.FullSectors(), "%+v", c)
	}
}
