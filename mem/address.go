package mem

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"cotenant/protocol"
	"cotenant/tenant"
)

// AddressSpec is the layout of memory: how many slices, channels and banks
// there are, and how much consecutive memory each gets.
type AddressSpec struct {
	// Slices is the number of L2 slices of the GPU, a multiple of Channels, at
	// most 1024. It need not be a power of two.
	Slices int `yaml:"slices"`
	// Channels is the number of DRAM channels; each serves Slices/Channels
	// slices. It need not be a power of two (Fermi has 6).
	Channels int `yaml:"channels"`
	// Banks is the number of banks of one channel, a power of two up to 64
	// (GDDR5: 16).
	Banks int `yaml:"banks"`
	// InterleaveBytes is the consecutive memory that stays in one slice, a
	// power of two of at least one line (usual: 256).
	InterleaveBytes int `yaml:"interleave_bytes"`
	// RowBytes is the size of a DRAM row of one channel, a power of two of at
	// least InterleaveBytes (GDDR5: 2048).
	RowBytes int `yaml:"row_bytes"`
	// Linear turns both hashes off: consecutive chunks go to consecutive slices, and
	// consecutive rows of a channel to consecutive banks (GPGPU-Sim 3.2.2). A stride of
	// all slices then stays in one slice, and arrays at a distance of a multiple of all
	// banks' rows meet in one bank. False: see AddressMap.
	Linear bool `yaml:"linear"`
	// LinearBanks turns the hash of banks off and leaves the hash of slices on: a stride
	// of all banks' rows then stays in one bank, and its rows conflict. Linear includes
	// it. False: see AddressMap.
	LinearBanks bool `yaml:"linear_banks"`
	// ScatterRounds begins each round at a slice that is as good as random: a shuffled table gives
	// it by the round's hash. Walks through memory that are some rounds apart then meet at the same
	// slices now and then. False: the hash itself says where, so that rounds that follow one another
	// begin one slice apart, and walks in step that meet keep meeting. Without effect if Linear.
	ScatterRounds bool `yaml:"scatter_rounds,omitempty" json:",omitempty"`
	// InterleaveBanks is the number of neighbouring banks that consecutive chunks of a
	// channel are dealt out to, a power of two up to Banks. A stream then moves between
	// bank groups from chunk to chunk, and keeps as many rows open. 0 or 1: a row fills
	// before the next bank's begins.
	InterleaveBanks int `yaml:"interleave_banks"`
	// TenantHash makes the tenant's number part of the hashes that choose slice and
	// bank. Equal addresses of two tenants with numbers below Banks then never meet in
	// one slice and bank; nor in one slice, if Slices is a power of two above the
	// numbers. False: they share slice, channel and bank, and lie in two rows.
	TenantHash bool `yaml:"tenant_hash"`
}

const (
	maxSlices = 1024
	maxBanks  = 64
)

// Validate returns an error that names the first field that is out of range.
func (s AddressSpec) Validate() error {
	switch {
	case s.Slices < 1 || s.Slices > maxSlices:
		return fmt.Errorf("slices is %d, must be 1 to %d", s.Slices, maxSlices)
	case s.Channels < 1 || s.Slices%s.Channels != 0:
		return fmt.Errorf("channels is %d, must be at least 1 and divide slices, which is %d", s.Channels, s.Slices)
	case !powerOfTwo(s.Banks) || s.Banks > maxBanks:
		return fmt.Errorf("banks is %d, must be a power of two, 1 to %d", s.Banks, maxBanks)
	case !powerOfTwo(s.InterleaveBytes) || s.InterleaveBytes < protocol.LineBytes:
		return fmt.Errorf("interleave_bytes is %d, must be a power of two, at least %d", s.InterleaveBytes, protocol.LineBytes)
	case s.InterleaveBanks != 0 && !powerOfTwo(s.InterleaveBanks) || s.InterleaveBanks > s.Banks:
		return fmt.Errorf("interleave_banks is %d, must be 0 or a power of two up to banks, which is %d", s.InterleaveBanks, s.Banks)
	case !powerOfTwo(s.RowBytes) || s.RowBytes < s.InterleaveBytes:
		return fmt.Errorf("row_bytes is %d, must be a power of two, at least interleave_bytes, which is %d", s.RowBytes, s.InterleaveBytes)
	}
	return nil
}

func powerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// Location is where a line lies in DRAM. Channel, Bank, Row and Column
// together belong to one line only.
type Location struct {
	Channel int
	Bank    int
	// Row of the bank; the tenant is in the bits from tenant.AddressShift, so rows of
	// two tenants always differ.
	Row uint64
	// Column is the offset of the line in the row, in bytes.
	Column int
}

// AddressMap says which slice, channel, bank, row and column hold an address.
// It does not change once made and may be shared.
//
// Memory is cut into chunks of InterleaveBytes, dealt out to the slices in
// rounds. Each round starts at another slice, given by a hash of the round's
// number, so that no stride stays on a few slices. Slice s belongs to channel
// s mod Channels, so consecutive chunks walk the channels. The chunks of a
// channel fill its rows one after another, or with InterleaveBanks several rows
// together, and consecutive rows lie in different banks, again permuted by a hash
// of the row's number (permutation-based page interleaving, Zhang, Zhu and Zhang,
// MICRO 2000). A Linear layout
// has neither hash, one with LinearBanks only that of slices. With TenantHash
// the tenant's number is part of both hashes.
type AddressMap struct {
	spec AddressSpec

	slices           uint64
	reciprocal       uint64 // of slices: 2^63/slices rounded up
	slicesPerChannel uint64
	start            []uint16     // slice that begins a round, by the round's hash
	place            []slicePlace // by number, in a part among its slices

	// number is the GPU's number of each slice of a part; nil for a map of all slices.
	number []uint16

	interleaveBits      uint // of an offset in a chunk
	chunkBits, bankBits uint // of a chunk's number in its row, of a bank's number
	turnBits            uint // lowest bits of a chunk's number that choose a bank
	sliceHash, bankHash folding
	tenantPart          uint64 // of an address, that the hashes take: its tenant, or nothing
}

// slicePlace is a slice's channel and its number among that channel's slices.
type slicePlace struct{ channel, rank uint16 }

// NewAddressMap returns the map for a layout, or the layout's error.
func NewAddressMap(spec AddressSpec) (*AddressMap, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	m := &AddressMap{
		spec:             spec,
		slices:           uint64(spec.Slices),
		reciprocal:       1<<63/uint64(spec.Slices) + 1,
		slicesPerChannel: uint64(spec.Slices / spec.Channels),
		interleaveBits:   log2(spec.InterleaveBytes),
		chunkBits:        log2(spec.RowBytes / spec.InterleaveBytes),
		bankBits:         log2(spec.Banks),
		turnBits:         log2(max(spec.InterleaveBanks, 1)),
	}
	for s := range spec.Slices {
		m.place = append(m.place, slicePlace{uint16(s % spec.Channels), uint16(s / spec.Channels)})
	}
	sliceFold := max(minFold, uint(bits.Len(uint(spec.Slices-1))))
	for h := range 1 << sliceFold {
		m.start = append(m.start, uint16(h%spec.Slices))
	}
	if spec.ScatterRounds && !spec.Linear {
		rand.New(rand.NewPCG(1, 0)).Shuffle(len(m.start), func(i, j int) {
			m.start[i], m.start[j] = m.start[j], m.start[i]
		})
	}
	if spec.TenantHash {
		m.tenantPart = ^uint64(tenantMask)
	}
	// Were the widths to have a common factor, one address bit could move
	// slice and bank together, and a stride would meet few banks of a channel.
	bankFold := max(minFold, m.bankBits+1)
	for gcd(sliceFold, bankFold) != 1 {
		bankFold++
	}
	if !spec.Linear {
		m.sliceHash = newFolding(sliceFold)
	}
	if !spec.Linear && !spec.LinearBanks {
		m.bankHash = newFolding(bankFold)
	}
	return m, nil
}

// NewPart returns the map of a part of a GPU's memory: some of the channels, from first on, with
// their slices. Slices and channels keep the numbers that they have in the whole layout.
func NewPart(whole AddressSpec, first, channels int) (*AddressMap, error) {
	if err := whole.Validate(); err != nil {
		return nil, err
	}
	if first < 0 || channels < 1 || first+channels > whole.Channels {
		return nil, fmt.Errorf("channels %d to %d are a part; valid: from 0 to %d", first, first+channels-1, whole.Channels-1)
	}
	part := whole
	part.Channels, part.Slices = channels, whole.Slices/whole.Channels*channels
	m, err := NewAddressMap(part)
	if err != nil {
		return nil, err
	}
	m.spec = whole
	for s := range m.place {
		m.place[s].channel += uint16(first)
		m.number = append(m.number, m.place[s].channel+m.place[s].rank*uint16(whole.Channels))
	}
	return m, nil
}

func log2(n int) uint { return uint(bits.TrailingZeros(uint(n))) }

func gcd(a, b uint) uint {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// minFold is the least width of a hash: fold joins 16 groups, so this reaches
// 48 bits of a chunk's number.
const minFold = 3

// folding is a hash: the exclusive or of all groups of bits, of one width, of a number
// below 1<<63. It holds the shifts that make it, each below 64. The zero value hashes
// every number to 0.
type folding [4]uint

func newFolding(width uint) folding {
	return folding{min(8*width, 63), min(4*width, 63), min(2*width, 63), width}
}

// of is the hash of x, with garbage above the lowest group. The masks change
// nothing; they spare the processor what Go does about larger shifts.
func (f *folding) of(x uint64) uint64 {
	x ^= x >> (f[0] & 63)
	x ^= x >> (f[1] & 63)
	x ^= x >> (f[2] & 63)
	return x ^ x>>(f[3]&63)
}

// Spec is the layout that the map was made from.
func (m *AddressMap) Spec() AddressSpec { return m.spec }

// Dealt is the number of slices among which the map deals out memory.
func (m *AddressMap) Dealt() int { return int(m.slices) }

const tenantMask = 1<<tenant.AddressShift - 1

// deal is the round in which an address's chunk is dealt out, and the slice
// that gets it.
func (m *AddressMap) deal(addr uint64) (round, slice uint64) {
	chunk := addr & tenantMask >> (m.interleaveBits & 63)
	// Exact for chunk < 2^49 and up to maxSlices slices.
	round, _ = bits.Mul64(chunk<<1, m.reciprocal)
	position := chunk - round*m.slices
	hash := m.sliceHash.of(round) ^ m.tenantHash(addr)
	slice = position + uint64(m.start[hash&uint64(len(m.start)-1)])
	return round, min(slice, slice-m.slices) // the difference wraps if negative
}

// tenantHash is what an address's tenant adds to the hashes of slice and bank: 0
// unless the layout has TenantHash.
func (m *AddressMap) tenantHash(addr uint64) uint64 {
	return addr & m.tenantPart >> tenant.AddressShift
}

// Slice is the L2 slice of an address. The tenant takes no part in it, unless
// the layout has TenantHash.
func (m *AddressMap) Slice(addr uint64) int {
	_, slice := m.deal(addr)
	if m.number != nil {
		return int(m.number[slice])
	}
	return int(slice)
}

// Channel is the DRAM channel that a slice belongs to.
func (m *AddressMap) Channel(slice int) int { return slice % m.spec.Channels }

// Rank is a slice's number among the slices of its channel, from 0.
func (m *AddressMap) Rank(slice int) int { return slice / m.spec.Channels }

// Locate is the place of an address's line in DRAM.
func (m *AddressMap) Locate(addr uint64) Location {
	round, slice := m.deal(addr)
	place := m.place[slice]
	chunk := round*m.slicesPerChannel + uint64(place.rank)
	// The number of the row, over all banks of the channel.
	index := chunk>>(m.chunkBits+m.turnBits)<<m.turnBits | chunk&(1<<m.turnBits-1)
	row := index >> m.bankBits
	bank := (index ^ m.bankHash.of(row) ^ m.tenantHash(addr)) & (1<<m.bankBits - 1)
	column := chunk>>m.turnBits&(1<<m.chunkBits-1)<<m.interleaveBits | addr&(1<<m.interleaveBits-1)&^(protocol.LineBytes-1)
	return Location{
		Channel: int(place.channel),
		Bank:    int(bank),
		Row:     addr&^uint64(tenantMask) | row,
		Column:  int(column),
	}
}
