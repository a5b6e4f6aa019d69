package traceg

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
	"pgregory.net/rapid"
)

// naive reads PC, mask and addresses of an instruction line, in the plainest
// way and with no care for faults.
func naive(line string) (pc, mask uint64, addresses []uint64) {
	f := strings.Fields(line)
	number := func(s string, base int) uint64 {
		u, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), base, 64)
		if err != nil {
			i, err := strconv.ParseInt(s, base, 64)
			if err != nil {
				panic(err)
			}
			u = uint64(i)
		}
		return u
	}
	pc, mask = number(f[0], 16), number(f[1], 16)
	f = f[3+number(f[2], 10):] // opcode first
	f = f[2+number(f[1], 10):] // width first
	if f[0] == "0" || mask == 0 {
		return pc, mask, nil
	}
	mode := f[1]
	f = f[2:]
	var addr uint64
	for i := range bits.OnesCount64(mask) {
		switch {
		case mode == "0":
			addr = number(f[i], 16)
		case i == 0:
			addr = number(f[0], 16)
		case mode == "1":
			addr += number(f[1], 10)
		case mode == "2":
			addr += number(f[i], 10)
		}
		addresses = append(addresses, addr)
	}
	return pc, mask, addresses
}

func requireNaive(t require.TestingT, line string, got executed) {
	pc, mask, addresses := naive(line)
	if !got.Class.IsMemory() {
		addresses = nil
	}
	if uint32(pc) != got.PC || uint32(mask) != got.Active || !slices.Equal(addresses, got.addresses) {
		t.Errorf("%s\nis read as %+v", line, got)
	}
}

// TestTraceFilesMatchNaiveDecoder reads whole files twice.
func TestTraceFilesMatchNaiveDecoder(t *testing.T) {
	files, err := filepath.Glob("testdata/small/*.traceg*")
	require.NoError(t, err)
	real, err := filepath.Glob("../../../shared/traces/*/*.traceg*")
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, path := range append(files, real...) {
		f, err := os.Open(path)
		require.NoError(t, err)
		var text io.Reader = f
		if strings.HasSuffix(path, ".xz") {
			text, err = xz.NewReader(f)
			require.NoError(t, err)
		}
		k, err := openKernel(path, memory("list", ""), Options{})
		require.NoError(t, err)
		launch, err := k.Source.Open()
		require.NoError(t, err)
		var tb workload.TB
		var insts []executed
		for s := bufio.NewScanner(text); s.Scan(); {
			line := s.Text()
			switch {
			case line == "#BEGIN_TB":
				require.Empty(t, insts)
				launch.Recycle(&tb)
				require.NoError(t, launch.Next(&tb), path)
				insts = drain(&tb)
			case strings.Count(line, " ") > 3 && !strings.Contains(line, "="):
				// TestGenericAddressesResolveByWindow checks generic addresses.
				if !strings.Contains(line, " LD.E ") {
					requireNaive(t, line, insts[0])
				}
				insts = insts[1:]
			}
		}
		require.NoError(t, launch.Close())
		require.NoError(t, f.Close())
	}
}

// TestAddressesMatchNaiveDecoder tries all modes, masks and distances.
func TestAddressesMatchNaiveDecoder(t *testing.T) {
	distance := rapid.OneOf(rapid.Int64Range(-4, 4), rapid.Int64Range(-200, 200), rapid.Int64Range(-40000, 40000),
		rapid.Int64Range(-1<<24, 1<<24), rapid.Int64Range(-1<<32, 1<<32), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		var insts []string
		immediate, exit := "", "fff0 ffffffff 0 EXIT 0 0 "
		if rapid.Bool().Draw(t, "immediate") {
			immediate = "-12 "
		}
		for i := range rapid.IntRange(1, 60).Draw(t, "instructions") {
			mask := rapid.OneOf(rapid.Uint32(), rapid.Just(^uint32(0)), rapid.Uint32Range(0, 3)).Draw(t, "mask")
			n := bits.OnesCount32(mask)
			base := rapid.Uint64().Draw(t, "base")
			line := fmt.Sprintf("%04x %08x 1 R1 LDG.E 1 R2 4 ", 16*rapid.IntRange(0, 100).Draw(t, "pc"), mask)
			switch rapid.IntRange(0, 3).Draw(t, "mode") {
			case 0:
				line += "0 "
				for range n {
					line += fmt.Sprintf("0x%016x ", base)
					base += uint64(distance.Draw(t, "distance"))
				}
			case 1:
				line += fmt.Sprintf("1 0x%x %d ", base, distance.Draw(t, "stride"))
			case 2:
				line += fmt.Sprintf("2 0x%x ", base)
				for range n - 1 {
					line += fmt.Sprintf("%d ", distance.Draw(t, "delta"))
				}
			case 3:
				line = fmt.Sprintf("%04x %08x 1 R%d MOV 0 0 ", 16*i, mask, i)
			}
			insts = append(insts, line+immediate)
		}
		for i, got := range ampere.read(t, append(insts, exit+immediate)...)[:len(insts)] {
			requireNaive(t, insts[i], got)
		}
	})
}

func TestAffineAccessesNeedNoLanes(t *testing.T) {
	for _, c := range []struct {
		mask, addresses string
		base            uint64
		stride          int32
	}{
		{"ffffffff", "1 0x7f00 4", 0x7f00, 4},
		{"ffffffff", "1 0x7f00 -1024", 0x7f00, -1024},
		{"0000ff00", "1 0x7f00 8", 0x7f00, 8},
		{"f000000f", "1 0x7f00 0", 0x7f00, 0},
		{"00000100", "2 0x7f00", 0x7f00, 0},
		{"00000111", "2 0x7f00 32 32", 0x7f00, 8},
		{"00000007", "0 0x7f00 0x7e00 0x7d00", 0x7f00, -256},
	} {
		got := ampere.read(t, "0000 "+c.mask+" 1 R1 LDG.E 1 R2 4 "+c.addresses+" 0")[0]
		require.Nil(t, got.Lanes, c)
		require.Equal(t, c.base, got.Base, c)
		require.Equal(t, c.stride, got.Stride, c)
	}
}

func TestStrideOverHolesIsPerActiveLane(t *testing.T) {
	got := ampere.read(t, "0000 00000107 1 R1 LDG.E 1 R2 4 1 0x7f00 4 0")[0]
	require.NotNil(t, got.Lanes)
	require.Equal(t, []uint64{0x7f00, 0x7f04, 0x7f08, 0x7f0c}, got.addresses)
}

func TestPredicatedOffAccessHasNoAddresses(t *testing.T) {
	got := ampere3.read(t, "0000 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0")[0]
	require.Equal(t, workload.Load, got.Class)
	require.Zero(t, got.Active)
	require.Nil(t, got.Lanes)
}

func TestGenericAddressesResolveByWindow(t *testing.T) {
	for _, c := range []struct {
		addresses string
		space     workload.Space
		want      []uint64
	}{
		{"1 0x7f0041000000 4", workload.Shared, []uint64{0, 4, 8}},
		{"1 0x7f0041fffff4 4", workload.Shared, []uint64{0xfffff4, 0xfffff8, 0xfffffc}},
		{"1 0x7f0042000000 4", workload.Global, []uint64{0x7f0042000000, 0x7f0042000004, 0x7f0042000008}},
		{"1 0x7f0040fffffc 4", workload.Global, []uint64{0x7f0040fffffc, 0x7f0041000000, 0x7f0041000004}},
		{"2 0x7f003ffffbd0 0 -16", workload.Local, []uint64{0xfffbd0, 0xfffbd0, 0xfffbc0}},
		// A lane outside its neighbour's window stays inside as an offset.
		{"1 0x7f0041000000 -4", workload.Shared, []uint64{0, 0xfffffc, 0xfffff8}},
	} {
		got := ampere.read(t, "0000 00000007 1 R1 LD.E 1 R2 4 "+c.addresses+" 0")[0]
		require.Equal(t, c.space, got.Space, c.addresses)
		require.Equal(t, c.want, got.addresses, c.addresses)
	}
}

func TestGenericAddressIsGlobalWithoutWindows(t *testing.T) {
	text := ampere.kernel("0000 00000001 1 R1 LD.E 1 R2 4 1 0x10 4 0")
	text = strings.Replace(text, "0x00007f0041000000", "0x0", 1)
	text = strings.Replace(text, "-local mem base_addr = 0x00007f003f000000\n", "", 1)
	all, err := readAll(text)
	require.NoError(t, err)
	require.Equal(t, workload.Global, all[0].Space)
	require.Equal(t, uint64(0x10), all[0].Base)
}

func TestBulkCopyIsCheckedButMovesNothing(t *testing.T) {
	for _, operands := range []string{"0 0", "16 0 2 0x100 0x200 0", "16 3 1 0x100 0", "16 2 0x100 3 64 -64 0", "16 4 0x100 0 0"} {
		got := hopper.read(t, "0000 00000001 0 UTMALDG.2D 0 "+operands)[0]
		require.Equal(t, workload.Nop, got.Class, operands)
		require.Equal(t, uint32(1), got.Active, operands)
	}
	require.Equal(t, `k.traceg:15: the instruction ends before its address; valid is as many as their number says`,
		hopper.errorOf("0000 00000001 0 UTMALDG.2D 0 16 0 3 0x100 0x200"))
	require.Equal(t, `k.traceg:15: malformed bulk address mode "1"; valid is 0 or 3 (list), 2 or 4 (base and deltas)`,
		hopper.errorOf("0000 00000001 0 UBLKCP.S.G 0 16 1 0x100 4"))
}
