package packed

import (
	"math/bits"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// flat is an instruction with the addresses of its active lanes, lowest first,
// in place of the form that they are in.
type flat struct {
	workload.Inst
	addresses []uint64
}

func flatten(in workload.Inst) flat {
	f := flat{Inst: in}
	f.Lanes, f.Base, f.Stride = nil, 0, 0
	if !workload.Addressed(in.Class, in.Space) {
		return f
	}
	low := bits.TrailingZeros32(in.Active)
	for m := in.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		addr := in.Base + uint64(int64(in.Stride)*int64(lane-low))
		if in.Lanes != nil {
			addr = in.Lanes[lane]
		}
		f.addresses = append(f.addresses, addr)
	}
	return f
}

func drain(s *Stream) (all []flat) {
	var in workload.Inst
	for s.Fetch(&in) {
		all = append(all, flatten(in))
	}
	return all
}

func draw(t *rapid.T) workload.Inst {
	in := workload.Inst{
		PC: 16 * rapid.Uint32Range(0, 300).Draw(t, "pc"), Dst: workload.NoRegs4, Src: workload.NoRegs10,
		Class:  workload.Class(rapid.IntRange(0, int(workload.NumClasses)-1).Draw(t, "class")),
		Active: rapid.OneOf(rapid.Uint32(), rapid.Just(^uint32(0)), rapid.Uint32Range(0, 3)).Draw(t, "active"),
		Flags:  workload.Flags(rapid.IntRange(0, 7).Draw(t, "flags")),
	}
	in.Dst[0] = rapid.Byte().Draw(t, "register")
	if in.Class == workload.Barrier {
		in.Barrier = rapid.Uint8Range(0, workload.Barriers-1).Draw(t, "barrier")
		in.Warps = rapid.Uint8Range(0, 32).Draw(t, "warps")
	}
	if in.Class == workload.Nop && rapid.Bool().Draw(t, "sleeps") {
		in.Space, in.Base = workload.Time, uint64(rapid.Uint32().Draw(t, "nanoseconds"))
	}
	constant := in.Class == workload.Constant && rapid.Bool().Draw(t, "addressed")
	if constant || in.Class.IsMemory() {
		in.Width = rapid.SampledFrom([]uint8{1, 2, 4, 8, 16}).Draw(t, "width")
		in.Space = rapid.SampledFrom([]workload.Space{workload.Global, workload.Shared, workload.Local, workload.Texture}).Draw(t, "space")
		if constant {
			in.Space = workload.Constants
		}
		in.Base = rapid.Uint64().Draw(t, "base")
		in.Stride = rapid.OneOf(rapid.Int32(), rapid.Int32Range(-16, 16)).Draw(t, "stride")
		if rapid.Bool().Draw(t, "scattered") {
			in.Lanes = new([workload.WarpSize]uint64)
			for i := range in.Lanes {
				in.Lanes[i] = rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 1000)).Draw(t, "address")
			}
		}
	}
	return in
}

// Warps execute in any order; each is read back as it was, also from bytes and
// behind thread blocks that were recycled.
func TestCapturedWarpsAreReadBackAsTheyExecuted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const warps = 3
		c := NewCapture()
		var pool Pool
		packer := NewPacker(&pool)
		block := NewBlock(c.Table, warps)
		for range rapid.IntRange(1, 3).Draw(t, "thread blocks") {
			tb := c.Begin(warps)
			var want [warps][]flat
			add := func(w int, in workload.Inst) {
				tb.Add(w, &in)
				want[w] = append(want[w], flatten(in))
			}
			for range rapid.IntRange(0, 40).Draw(t, "instructions") {
				add(rapid.IntRange(0, warps-1).Draw(t, "warp"), draw(t))
			}
			if rapid.Bool().Draw(t, "long") { // more than a chunk
				in := draw(t)
				for range 10_000 {
					in.Base += 12345
					add(1, in)
				}
			}
			data := tb.AppendTo(nil)
			for w, s := range tb.Streams(nil) {
				require.Equal(t, want[w], drain(s))
			}
			c.Recycle(tb)
			require.NoError(t, packer.Load(block, data))
			for w := range want {
				require.Equal(t, want[w], drain(&block.Streams[w]))
			}
			block.Recycle(&pool)
		}
	})
}

func TestBytesThatEndEarlyAreAnError(t *testing.T) {
	c := NewCapture()
	tb := c.Begin(1)
	for range 100 {
		tb.Add(0, &workload.Inst{Class: workload.Load, Active: 1, Base: 1 << 40, Width: 4})
	}
	data := tb.AppendTo(nil)
	var pool Pool
	packer := NewPacker(&pool)
	for n := range data {
		require.Error(t, packer.Load(NewBlock(c.Table, 1), data[:n]), "%d bytes of %d", n, len(data))
	}
}

func TestRepeatedCodeIsOneEntryEach(t *testing.T) {
	c := NewCapture()
	for range 3 {
		tb := c.Begin(2)
		for range 10 {
			for pc := range uint32(5) {
				for w := range 2 {
					tb.Add(w, &workload.Inst{PC: 16 * pc, Active: ^uint32(0)})
				}
			}
		}
		require.Less(t, len(tb.AppendTo(nil)), 2*(50+8), "a byte for each instruction")
		c.Recycle(tb)
	}
	require.Len(t, c.Table.Insts, 5)
}
