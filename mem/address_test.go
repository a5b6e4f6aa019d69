package mem

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/protocol"
	"cotenant/tenant"
)

// layouts of the GPUs of the presets, and odd ones.
var layouts = []AddressSpec{
	{Slices: 16, Channels: 8, Banks: 16, InterleaveBytes: 256, RowBytes: 2048},  // gtx980
	{Slices: 16, Channels: 16, Banks: 16, InterleaveBytes: 256, RowBytes: 2048}, // ccbp16
	{Slices: 6, Channels: 6, Banks: 16, InterleaveBytes: 256, RowBytes: 2048},   // fermi16
	{Slices: 12, Channels: 6, Banks: 16, InterleaveBytes: 128, RowBytes: 2048},
	{Slices: 10, Channels: 5, Banks: 8, InterleaveBytes: 512, RowBytes: 1024},
	{Slices: 32, Channels: 16, Banks: 16, InterleaveBytes: 256, RowBytes: 2048},
	{Slices: 1, Channels: 1, Banks: 1, InterleaveBytes: 128, RowBytes: 128},
}

func (s AddressSpec) label() string {
	return fmt.Sprintf("%d slices %d channels %d banks %d interleave", s.Slices, s.Channels, s.Banks, s.InterleaveBytes)
}

func newMap(t require.TestingT, spec AddressSpec) *AddressMap {
	m, err := NewAddressMap(spec)
	require.NoError(t, err)
	return m
}

// crowding is the load of the fullest of n bins over the mean load.
func crowding(bins []int) float64 {
	most, sum := 0, 0
	for _, b := range bins {
		most, sum = max(most, b), sum+b
	}
	return float64(most) * float64(len(bins)) / float64(sum)
}

func TestEveryPowerOfTwoStrideLoadsAllSlicesAndBanksAlike(t *testing.T) {
	const accesses = 1 << 15
	for _, spec := range layouts {
		t.Run(spec.label(), func(t *testing.T) {
			m := newMap(t, spec)
			for shift := 7; shift < 36; shift++ {
				slices := make([]int, spec.Slices)
				channels := make([]int, spec.Channels)
				banks := make([]int, spec.Channels*spec.Banks)
				for i := range uint64(accesses) {
					at := m.Locate(i << shift)
					slices[m.Slice(i<<shift)]++
					channels[at.Channel]++
					banks[at.Channel*spec.Banks+at.Bank]++
				}
				assert.LessOrEqual(t, crowding(slices), 1.02, "slices, stride 1<<%d", shift)
				assert.LessOrEqual(t, crowding(channels), 1.02, "channels, stride 1<<%d", shift)
				assert.LessOrEqual(t, crowding(banks), 1.5, "banks, stride 1<<%d", shift)
			}
		})
	}
}

// A few warps' accesses are all that is in flight at once, so strides must
// spread within them, not over thousands of accesses only.
func TestShortRunsOfAPowerOfTwoStrideSpreadOverTheSlices(t *testing.T) {
	const accesses = 128
	for _, spec := range layouts {
		m := newMap(t, spec)
		for shift := 7; shift < 36; shift++ {
			slices := make([]int, spec.Slices)
			for i := range uint64(accesses) {
				slices[m.Slice((1000+i)<<shift)]++
			}
			assert.LessOrEqual(t, crowding(slices), 1.5, "%s, stride 1<<%d", spec.label(), shift)
		}
	}
}

// Walks in step, some rounds apart: how many of a round's slices lie between them changes from round
// to round if rounds are scattered, and else only where the hash of the rounds carries.
func TestWalksInStepMeetElsewhereWithScatteredRounds(t *testing.T) {
	spec := AddressSpec{Slices: 80, Channels: 80, Banks: 16, InterleaveBytes: 128, RowBytes: 1024}
	apart := func(spec AddressSpec) (distances map[int]int) {
		m := newMap(t, spec)
		distances = map[int]int{}
		for round := range uint64(64) {
			at := func(round uint64) int { return m.Slice(round * 80 * 128) }
			distances[(at(round+40)-at(round)+80)%80]++
		}
		return distances
	}
	assert.Equal(t, map[int]int{40: 64}, apart(spec))
	spec.ScatterRounds = true
	scattered := apart(spec)
	assert.Greater(t, len(scattered), 25)
	for _, rounds := range scattered {
		assert.Less(t, rounds, 8)
	}
}

// The presets' 80 slices, and the 10 of an instance: whatever the stride, no slice has much more than
// its part of many accesses.
func TestScatteredRoundsSpreadEveryPowerOfTwoStride(t *testing.T) {
	const accesses = 1 << 15
	for _, slices := range []int{80, 10} {
		m := newMap(t, AddressSpec{Slices: slices, Channels: slices, Banks: 16, InterleaveBytes: 128, RowBytes: 1024, ScatterRounds: true})
		for shift := 7; shift < 36; shift++ {
			loads := make([]int, slices)
			for i := range uint64(accesses) {
				loads[m.Slice(i<<shift)]++
			}
			assert.LessOrEqual(t, crowding(loads), 1.02, "%d slices, stride 1<<%d", slices, shift)
		}
	}
}

func TestLinearLayoutHasNoRoundsToScatter(t *testing.T) {
	spec := layouts[4]
	spec.Linear = true
	linear := newMap(t, spec)
	spec.ScatterRounds = true
	scattered := newMap(t, spec)
	for addr := uint64(0); addr < 1<<20; addr += 512 {
		require.Equal(t, linear.Locate(addr), scattered.Locate(addr))
	}
}

func TestConsecutiveChunksWalkAllChannelsBeforeOneRepeats(t *testing.T) {
	for _, spec := range layouts {
		m := newMap(t, spec)
		for round := range uint64(64) {
			seen := make([]bool, spec.Slices)
			for i := range uint64(spec.Slices) {
				first := (round*uint64(spec.Slices) + i) * uint64(spec.InterleaveBytes)
				slice := m.Slice(first)
				assert.False(t, seen[slice], spec.label())
				seen[slice] = true
				assert.Equal(t, slice, m.Slice(first+uint64(spec.InterleaveBytes)-1), "a chunk stays in one slice")
				assert.Equal(t, m.Channel(slice), m.Locate(first).Channel)
			}
		}
	}
}

func TestStreamFillsARowOfAChannelBeforeItOpensTheNext(t *testing.T) {
	for _, spec := range layouts {
		m := newMap(t, spec)
		type openRow struct {
			Location
			lines int
		}
		rows := make([]openRow, spec.Channels)
		opened, sameBank := 0, 0
		for line := range uint64(1 << 14) {
			at := m.Locate(line * protocol.LineBytes)
			row := &rows[at.Channel]
			if row.lines > 0 && (row.Bank != at.Bank || row.Row != at.Row) {
				require.Equal(t, spec.RowBytes/protocol.LineBytes, row.lines, spec.label())
				opened++
				if row.Bank == at.Bank {
					sameBank++
				}
				row.lines = 0
			}
			row.Location = at
			row.lines++
		}
		if spec.Banks > 1 {
			assert.Less(t, sameBank*20, opened, "the next row is in another bank, but for the odd turn of the hash")
		}
	}
}

func TestSliceRanksNumberTheSlicesOfEachChannel(t *testing.T) {
	m := newMap(t, AddressSpec{Slices: 12, Channels: 6, Banks: 16, InterleaveBytes: 256, RowBytes: 2048})
	for s := range 12 {
		assert.Equal(t, s%6, m.Channel(s))
		assert.Equal(t, s/6, m.Rank(s))
	}
}

func drawLayout(t *rapid.T) AddressSpec {
	channels := rapid.IntRange(1, 24).Draw(t, "channels")
	interleave := rapid.IntRange(7, 12).Draw(t, "log2 of interleave")
	banks := rapid.IntRange(0, 6).Draw(t, "log2 of banks")
	return AddressSpec{
		Slices:          channels * rapid.IntRange(1, 4).Draw(t, "slices per channel"),
		Channels:        channels,
		Banks:           1 << banks,
		InterleaveBytes: 1 << interleave,
		RowBytes:        1 << rapid.IntRange(interleave, 13).Draw(t, "log2 of row"),
		Linear:          rapid.Bool().Draw(t, "linear"),
		LinearBanks:     rapid.Bool().Draw(t, "linear banks"),
		InterleaveBanks: 1 << rapid.IntRange(0, banks).Draw(t, "log2 of interleaved banks"),
		TenantHash:      rapid.Bool().Draw(t, "tenant hash"),
		ScatterRounds:   rapid.Bool().Draw(t, "scatter rounds"),
	}
}

func TestNoTwoLinesShareAPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawLayout(t)
		m := newMap(t, spec)
		mark := rapid.Uint64Range(0, tenant.Max-1).Draw(t, "tenant") << tenant.AddressShift
		seen := map[Location]uint64{}
		check := func(line uint64) {
			at := m.Locate(line*protocol.LineBytes | mark)
			if other, found := seen[at]; found && other != line {
				t.Fatalf("lines %#x and %#x are both at %+v", line, other, at)
			}
			seen[at] = line
			if slice := m.Slice(line*protocol.LineBytes | mark); m.Channel(slice) != at.Channel {
				t.Fatalf("line %#x is in slice %d and channel %d", line, slice, at.Channel)
			}
			if at.Channel >= spec.Channels || at.Bank >= spec.Banks || at.Column >= spec.RowBytes || at.Column%protocol.LineBytes != 0 {
				t.Fatalf("line %#x is outside the memory: %+v", line, at)
			}
		}
		base := rapid.Uint64Range(0, 1<<(tenant.AddressShift-7)-1<<12).Draw(t, "base")
		for i := range uint64(1 << 11) {
			check(base + i)
		}
		stride := uint64(1) << rapid.IntRange(0, 37).Draw(t, "log2 of stride")
		for i := range uint64(1 << 11) {
			check(i * stride)
		}
	})
}

func TestTenantChangesOnlyTheRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := drawLayout(t)
		layout.TenantHash = false
		m := newMap(t, layout)
		addr := rapid.Uint64Range(0, 1<<tenant.AddressShift-1).Draw(t, "addr")
		mark := rapid.Uint64Range(1, tenant.Max-1).Draw(t, "tenant") << tenant.AddressShift
		alone, shared := m.Locate(addr), m.Locate(addr|mark)
		if m.Slice(addr) != m.Slice(addr|mark) || alone.Row == shared.Row {
			t.Fatalf("%+v and %+v", alone, shared)
		}
		shared.Row = alone.Row
		if alone != shared {
			t.Fatalf("%+v and %+v", alone, shared)
		}
	})
}

func TestLinearLayoutTakesSlicesAndBanksInTurn(t *testing.T) {
	for _, spec := range layouts {
		spec.Linear = true
		m := newMap(t, spec)
		for _, first := range []uint64{0, 12_345, 1 << 40} {
			for chunk := first; chunk < first+5000; chunk++ {
				addr := chunk * uint64(spec.InterleaveBytes)
				slice, round := chunk%uint64(spec.Slices), chunk/uint64(spec.Slices)
				require.Equal(t, int(slice), m.Slice(addr), spec.label())
				perChannel := uint64(spec.Slices / spec.Channels)
				ofChannel := round*perChannel + slice/uint64(spec.Channels)
				row := ofChannel * uint64(spec.InterleaveBytes) / uint64(spec.RowBytes)
				at := m.Locate(addr)
				require.Equal(t, row%uint64(spec.Banks), uint64(at.Bank), spec.label())
				require.Equal(t, row/uint64(spec.Banks), at.Row, spec.label())
			}
		}
	}
}

func TestLinearBanksKeepTheHashOfSlicesAlone(t *testing.T) {
	for _, spec := range layouts {
		hashed := newMap(t, spec)
		spec.LinearBanks = true
		m := newMap(t, spec)
		for n := range uint64(5000) {
			addr := n * 0x9E3779B97F4A7C15 >> (64 - tenant.AddressShift)
			require.Equal(t, hashed.Slice(addr), m.Slice(addr), spec.label())
			at, other := m.Locate(addr), hashed.Locate(addr)
			rowOfChannel := at.Row*uint64(spec.Banks) + uint64(at.Bank)
			chunk := addr / uint64(spec.InterleaveBytes)
			ofChannel := chunk/uint64(spec.Slices)*uint64(spec.Slices/spec.Channels) + uint64(m.Rank(m.Slice(addr)))
			require.Equal(t, ofChannel*uint64(spec.InterleaveBytes)/uint64(spec.RowBytes), rowOfChannel, spec.label())
			require.Equal(t, other.Row, at.Row)
			require.Equal(t, other.Column, at.Column)
		}
	}
}

// Lines of a channel lie in two neighbouring banks in turn, and the banks' rows fill together.
func TestInterleavedBanksTakeConsecutiveChunksInTurn(t *testing.T) {
	spec := AddressSpec{Slices: 2, Channels: 2, Banks: 4, InterleaveBytes: 128, RowBytes: 512, Linear: true, InterleaveBanks: 2}
	m := newMap(t, spec)
	type place struct {
		bank   int
		row    uint64
		column int
	}
	var got []place
	for line := range uint64(20) {
		at := m.Locate(line * 2 * protocol.LineBytes) // every second line is of channel 0
		require.Equal(t, 0, at.Channel)
		got = append(got, place{at.Bank, at.Row, at.Column})
	}
	require.Equal(t, []place{
		{0, 0, 0}, {1, 0, 0}, {0, 0, 128}, {1, 0, 128}, {0, 0, 256}, {1, 0, 256}, {0, 0, 384}, {1, 0, 384},
		{2, 0, 0}, {3, 0, 0}, {2, 0, 128}, {3, 0, 128}, {2, 0, 256}, {3, 0, 256}, {2, 0, 384}, {3, 0, 384},
		{0, 1, 0}, {1, 1, 0}, {0, 1, 128}, {1, 1, 128},
	}, got)
}

// GPGPU-Sim 3.2.2, configs/GTX480: dramid@8;...RRRRRRRR.BBBCCCCB.CCSSSSSS, and two
// sub-partitions of a channel by the lowest bit of the bank (addrdec.cc). The channel is the
// remainder of the address above bit 8 by their number, and the rest follows from the quotient.
func TestLinearLayoutWithTwoBanksInTurnIsGPGPUSims(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		channels := rapid.SampledFrom([]int{4, 6}).Draw(t, "channels")
		m := newMap(t, AddressSpec{Slices: 2 * channels, Channels: channels, Banks: 16, InterleaveBytes: 256, RowBytes: 4096,
			Linear: true, InterleaveBanks: 2})
		addr := rapid.Uint64Range(0, 1<<28-1).Draw(t, "line") &^ (protocol.LineBytes - 1)
		chunk := addr >> 8
		rest := chunk/uint64(channels)<<8 | addr&255
		at := m.Locate(addr)
		require.Equal(t, int(chunk%uint64(channels)), at.Channel)
		require.Equal(t, int(rest>>8&1|rest>>13&7<<1), at.Bank)
		require.Equal(t, rest>>16, at.Row)
		require.Equal(t, int(rest&255|rest>>9&15<<8), at.Column)
		require.Equal(t, at.Bank&1, m.Rank(m.Slice(addr)))
		require.Equal(t, at.Channel, m.Channel(m.Slice(addr)))
	})
}

func TestTenantHashTakesPartInSliceAndBank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawLayout(t)
		spec.TenantHash = false
		plain := newMap(t, spec)
		spec.TenantHash = true
		m := newMap(t, spec)
		addr := rapid.Uint64Range(0, 1<<tenant.AddressShift-1).Draw(t, "addr")
		id := rapid.IntRange(0, tenant.Max-1).Draw(t, "tenant")
		marked := addr | tenant.ID(id).Base()
		assert.Equal(t, m.Channel(m.Slice(marked)), m.Locate(marked).Channel)
		assert.Equal(t, plain.Locate(addr), m.Locate(addr), "tenant 0 has what it had")
		if spec.Slices == spec.Channels { // else another slice can mean another row
			before, after := plain.Locate(addr), m.Locate(marked)
			assert.Equal(t, before.Bank^id&(spec.Banks-1), after.Bank)
			assert.Equal(t, before.Row|tenant.ID(id).Base(), after.Row)
			assert.Equal(t, before.Column, after.Column)
		}
	})
}

func TestEqualAddressesOfTwoTenantsDoNotMeetWithTenantHash(t *testing.T) {
	type place struct{ slice, bank int }
	for _, spec := range layouts {
		if spec.Banks < tenant.Max {
			continue
		}
		spec.TenantHash = true
		m := newMap(t, spec)
		for n := range uint64(1000) {
			places, slices := map[place]bool{}, map[int]bool{}
			for id := range tenant.ID(tenant.Max) {
				addr := n*0x9E3779B97F4A7C15>>(64-tenant.AddressShift) | id.Base()
				at := place{m.Slice(addr), m.Locate(addr).Bank}
				require.False(t, places[at], "%s, %#x of tenant %d", spec.label(), addr, id)
				places[at], slices[at.slice] = true, true
			}
			if powerOfTwo(spec.Slices) && spec.Slices >= tenant.Max {
				require.Len(t, slices, tenant.Max)
			}
		}
	}
}

func TestTenantHashKeepsAllSlicesLoadedAlike(t *testing.T) {
	for _, spec := range layouts {
		spec.TenantHash = true
		m := newMap(t, spec)
		for id := range tenant.ID(tenant.Max) {
			slices := make([]int, spec.Slices)
			for chunk := range uint64(100 * spec.Slices) {
				slices[m.Slice(chunk*uint64(spec.InterleaveBytes)|id.Base())]++
			}
			assert.Equal(t, 1.0, crowding(slices), spec.label())
		}
	}
}

func TestAddressSpecErrorsNameTheField(t *testing.T) {
	good := layouts[0]
	_, err := NewAddressMap(good)
	require.NoError(t, err)
	for want, change := range map[string]func(*AddressSpec){
		"slices is 0, must be 1 to 1024":                                                      func(s *AddressSpec) { s.Slices = 0 },
		"channels is 0, must be at least 1 and divide slices, which is 16":                    func(s *AddressSpec) { s.Channels = 0 },
		"channels is 6, must be at least 1 and divide slices, which is 16":                    func(s *AddressSpec) { s.Channels = 6 },
		"banks is 12, must be a power of two, 1 to 64":                                        func(s *AddressSpec) { s.Banks = 12 },
		"banks is 128, must be a power of two, 1 to 64":                                       func(s *AddressSpec) { s.Banks = 128 },
		"interleave_bytes is 64, must be a power of two, at least 128":                        func(s *AddressSpec) { s.InterleaveBytes = 64 },
		"row_bytes is -2048, must be a power of two, at least interleave_bytes, which is 256": func(s *AddressSpec) { s.RowBytes = -2048 },
		"row_bytes is 128, must be a power of two, at least interleave_bytes, which is 256":   func(s *AddressSpec) { s.RowBytes = 128 },
		"interleave_bytes is 300, must be a power of two, at least 128":                       func(s *AddressSpec) { s.InterleaveBytes = 300 },
		"interleave_banks is 3, must be 0 or a power of two up to banks, which is 16":         func(s *AddressSpec) { s.InterleaveBanks = 3 },
		"interleave_banks is 32, must be 0 or a power of two up to banks, which is 16":        func(s *AddressSpec) { s.InterleaveBanks = 32 },
		"interleave_banks is -2, must be 0 or a power of two up to banks, which is 16":        func(s *AddressSpec) { s.InterleaveBanks = -2 },
		"slices is 1025, must be 1 to 1024":                                                   func(s *AddressSpec) { s.Slices = 1025 },
	} {
		spec := good
		change(&spec)
		_, err := NewAddressMap(spec)
		assert.EqualError(t, err, want)
	}
}

func BenchmarkSlice(b *testing.B) {
	m := newMap(b, layouts[2])
	sum := 0
	for i := range b.N {
		sum += m.Slice(uint64(i) * 0x9E3779B97F4A7C15)
	}
	_ = sum
}

func BenchmarkLocate(b *testing.B) {
	m := newMap(b, layouts[2])
	sum := 0
	for i := range b.N {
		sum += m.Locate(uint64(i) * 0x9E3779B97F4A7C15).Bank
	}
	_ = sum
}

// A part has the lines of its addresses in its own channels, each in a place of its own, and
// deals them out as a GPU of its size does.
func TestAPartIsAMapOfItsOwnChannels(t *testing.T) {
	whole := AddressSpec{Slices: 16, Channels: 8, Banks: 16, InterleaveBytes: 512, RowBytes: 1024, InterleaveBanks: 4}
	own := whole
	own.Channels, own.Slices = 2, 4
	alone, err := NewAddressMap(own)
	require.NoError(t, err)
	part, err := NewPart(whole, 6, 2)
	require.NoError(t, err)
	require.Equal(t, 4, part.Dealt())
	seen := map[Location]bool{}
	for addr := uint64(0); addr < 1<<20; addr += 128 {
		slice, at := part.Slice(addr), part.Locate(addr)
		require.Contains(t, []int{6, 7, 14, 15}, slice)
		require.Equal(t, part.Channel(slice), at.Channel)
		require.False(t, seen[at])
		seen[at] = true
		same := alone.Locate(addr)
		same.Channel += 6
		require.Equal(t, same, at)
		require.Equal(t, alone.Slice(addr)%2+6, slice%8)
		require.Equal(t, alone.Slice(addr)/2, part.Rank(slice))
	}
	_, err = NewPart(whole, 7, 2)
	require.EqualError(t, err, "channels 7 to 8 are a part; valid: from 0 to 7")
}
