package l2

import (
	"testing"

	"cotenant/components"
	"cotenant/mem"
	"cotenant/protocol"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

func TestValidateNamesTheFieldAndWhatWouldBeValid(t *testing.T) {
	s := spec()
	assert.NoError(t, s.Validate())
	for _, c := range []struct {
		change func(*Spec)
		err    string
	}{
		{func(s *Spec) { s.Sets = 0 }, "sets is 0, must be 1 to 16384"},
		{func(s *Spec) { s.Ways = 257 }, "ways is 257, must be 1 to 64"},
		{func(s *Spec) { s.MSHRs = -1 }, "mshrs is -1, must be 1 to 4096"},
		{func(s *Spec) { s.MSHRMerge = 0 }, "mshr_merge is 0, must be 1 to 256"},
		{func(s *Spec) { s.RequestQueue = 0 }, "request_queue is 0, must be 1 to 65536"},
		{func(s *Spec) { s.ReplyQueue = 0 }, "reply_queue is 0, must be 1 to 65536"},
		{func(s *Spec) { s.DRAMQueue = 1 }, "dram_queue is 1, must be 2 to 65536"},
		{func(s *Spec) { s.HitLatency = 0 }, "hit_latency is 0, must be 1 to 65536"},
		{func(s *Spec) { s.DRAMLatency = -1 }, "dram_latency is -1, must be 0 to 65536"},
		{func(s *Spec) { s.DataPortBytes = 48 }, "data_port_bytes is 48, must be 32, 64 or 128"},
		{func(s *Spec) { s.AtomicInterval = 0 }, "atomic_interval is 0, must be 1 to 65536"},
	} {
		s := spec()
		c.change(&s)
		assert.EqualError(t, s.Validate(), c.err)
	}
}

func TestBuildReportsWhatIsMissing(t *testing.T) {
	domain, err := components.NewEngine().AddDomain("core", 1_000_000_000)
	require.NoError(t, err)
	addresses, err := mem.NewAddressMap(mem.AddressSpec{Slices: 4, Channels: 2, Banks: 16, InterleaveBytes: 256, RowBytes: 2048})
	require.NoError(t, err)
	b := Builder{}.WithSpec(spec()).WithDomain(domain).WithPool(&components.Pool[protocol.DRAMRequest]{})

	_, err = b.Build("L2[0]")
	assert.EqualError(t, err, "L2[0]: needs a clock, an address map and a pool")
	_, err = b.WithAddresses(addresses, 4).Build("L2[4]")
	assert.EqualError(t, err, "L2[4]: number is 4, must be 0 to 3")
	_, err = b.WithAddresses(addresses, 3).WithSpec(Spec{}).Build("L2[3]")
	assert.EqualError(t, err, "L2[3]: sets is 0, must be 1 to 16384")
	s, err := b.WithAddresses(addresses, 3).Build("L2[3]")
	require.NoError(t, err)
	assert.Equal(t, "L2[3]", s.Name())
}

// TestSliceHoldsItsShareOfConsecutiveMemory reads, twice, as many consecutive lines
// as all slices hold, each slice's lines from that slice: it must keep all.
func TestSliceHoldsItsShareOfConsecutiveMemory(t *testing.T) {
	for _, slices := range []int{6, 16} {
		layout := mem.AddressSpec{Slices: slices, Channels: slices, Banks: 16, InterleaveBytes: 256, RowBytes: 2048}
		addresses, err := mem.NewAddressMap(layout)
		require.NoError(t, err)
		s := spec()
		s.Sets, s.Ways, s.MSHRs, s.RequestQueue = 32, 4, 16, 512
		r := newRigOf(t, s, addresses, slices-1)
		base := slices << 20 // at the start of a round, and of the sets
		for range 2 {
			for n := range s.Sets * s.Ways * slices {
				if addr := line(base + n); addresses.Slice(addr) == slices-1 {
					r.at(0, read(addr, 1))
				}
			}
		}
		r.run(t)
		total := r.slice.Stats().Total()
		assert.Equal(t, uint64(s.Sets*s.Ways), total.Misses, "%d slices", slices)
		assert.Equal(t, uint64(s.Sets*s.Ways), total.Hits, "%d slices", slices)
	}
}

func TestLinesASetsWidthApartAreKept(t *testing.T) {
	s := spec()
	s.Sets, s.RequestQueue = 32, 64
	r := newRig(t, s)
	for n := range 2 * s.Sets {
		r.at(uint64(n)*100, read(line(n%s.Sets*s.Sets), 1))
	}
	r.run(t)
	assert.Equal(t, uint64(s.Sets), r.slice.Stats().Total().Hits)
}

func TestSpecIsReadFromYAML(t *testing.T) {
	var s Spec
	require.NoError(t, yaml.Unmarshal([]byte(`
sets: 1
ways: 2
sectored: true
fetch_on_write: true
mshrs: 4
mshr_merge: 4
request_queue: 4
reply_queue: 4
dram_queue: 4
hit_latency: 10
dram_latency: 5
data_port_bytes: 32
atomic_interval: 3
`), &s))
	assert.Equal(t, fetching(true), s)
}
