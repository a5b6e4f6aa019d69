package exec

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/workload"
)

// acrossLanes runs an instruction on all lanes of a warp and compares it with a
// model of the whole warp.
func acrossLanes(t *testing.T, text, dst string, srcs []string, gen *rapid.Generator[uint64], model func(v *[32][]uint64) [32]uint64) {
	t.Helper()
	n := newInstruction(t, text, dst, srcs...)
	rapid.Check(t, func(rt *rapid.T) {
		var in [32][]uint64
		for i := range in {
			for range srcs {
				in[i] = append(in[i], gen.Draw(rt, "operand"))
			}
		}
		got, want := n.run(t, allLanes, &in), model(&in)
		for i := range got {
			if uint32(got[i]) != uint32(want[i]) {
				rt.Fatalf("%s in lane %d of %v: %#x; want %#x", text, i, in, uint32(got[i]), uint32(want[i]))
			}
		}
	})
}

func TestShufflesTakeTheLaneThatTheirDefinitionNames(t *testing.T) {
	// The definition in the PTX ISA, in its own terms.
	source := map[string]func(lane, b, maxLane, minLane, mask int) (j int, p bool){
		"up":   func(lane, b, maxLane, _, _ int) (int, bool) { return lane - b, lane-b >= maxLane },
		"down": func(lane, b, maxLane, _, _ int) (int, bool) { return lane + b, lane+b <= maxLane },
		"bfly": func(lane, b, maxLane, _, _ int) (int, bool) { return lane ^ b, lane^b <= maxLane },
		"idx": func(_, b, maxLane, minLane, mask int) (int, bool) {
			j := minLane | b&^mask
			return j, j <= maxLane
		},
	}
	gen := rapid.Custom(func(t *rapid.T) uint64 {
		return rapid.Uint64Range(0, 31).Draw(t, "low") | rapid.SampledFrom([]uint64{0, 0x1000, 0x1800, 0x1c00, 0x1f00}).Draw(t, "segment")
	})
	for mode, f := range source {
		shuffle := func(v *[32][]uint64) (values, valid [32]uint64) {
			for i := range v {
				b, c := int(v[i][1]&31), int(v[i][2])
				mask := c >> 8 & 31
				j, p := f(i, b, i&mask|c&31&^mask, i&mask, mask)
				if !p {
					j = i
				}
				values[i], valid[i] = v[j][0], bit(p)
			}
			return
		}
		srcs := []string{"b32", "b32", "b32"}
		acrossLanes(t, "shfl.sync."+mode+".b32 $d, $a, $b, $c, -1", "b32", srcs, gen, func(v *[32][]uint64) [32]uint64 {
			values, _ := shuffle(v)
			return values
		})
		acrossLanes(t, "shfl."+mode+".b32 _|$d, $a, $b, $c", "pred", srcs, gen, func(v *[32][]uint64) [32]uint64 {
			_, valid := shuffle(v)
			return valid
		})
	}
}

func TestVotesAndMatchesSeeTheLanesThatTakePart(t *testing.T) {
	votes := func(v *[32][]uint64) (m uint32) {
		for i := range v {
			m |= uint32(v[i][0]&1) << i
		}
		return m
	}
	all := func(r uint64) (d [32]uint64) { return broadcast(r) }
	rare := rapid.SampledFrom([]uint64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})
	often := rapid.Map(rare, func(v uint64) uint64 { return 1 - v })
	for _, gen := range []*rapid.Generator[uint64]{rare, often} {
		pred := []string{"pred"}
		acrossLanes(t, "vote.sync.ballot.b32 $d, $a, 0xffffffff", "b32", pred, gen, func(v *[32][]uint64) [32]uint64 { return all(uint64(votes(v))) })
		acrossLanes(t, "vote.sync.ballot.b32 $d, !$a, 0xff", "b32", pred, gen, func(v *[32][]uint64) [32]uint64 { return all(uint64(^votes(v) & 0xff)) })
		acrossLanes(t, "vote.ballot.sync.b32 $d, $a, 0xff", "b32", pred, gen, func(v *[32][]uint64) [32]uint64 { return all(uint64(votes(v) & 0xff)) })
		acrossLanes(t, "vote.all.pred $d, $a", "pred", pred, gen, func(v *[32][]uint64) [32]uint64 { return all(bit(votes(v) == allLanes)) })
		acrossLanes(t, "vote.any.pred $d, $a", "pred", pred, gen, func(v *[32][]uint64) [32]uint64 { return all(bit(votes(v) != 0)) })
		acrossLanes(t, "vote.uni.pred $d, $a", "pred", pred, gen, func(v *[32][]uint64) [32]uint64 {
			return all(bit(votes(v) == 0 || votes(v) == allLanes))
		})
		same := func(v *[32][]uint64, i int) (m uint32) {
			for k := range v {
				m |= uint32(bit(v[k][0] == v[i][0])) << k
			}
			return m
		}
		acrossLanes(t, "match.any.sync.b32 $d, $a, -1", "b32", []string{"b32"}, gen, func(v *[32][]uint64) (d [32]uint64) {
			for i := range d {
				d[i] = uint64(same(v, i))
			}
			return d
		})
		acrossLanes(t, "match.all.sync.b32 $d|%on, $a, -1", "b32", []string{"b32"}, gen, func(v *[32][]uint64) (d [32]uint64) {
			return all(uint64(uint32(-bit(same(v, 0) == allLanes))))
		})
	}
}

func TestReductionsJoinTheLanesThatTakePart(t *testing.T) {
	joins := map[string]func(a, b uint64) uint64{
		"add.s32": func(a, b uint64) uint64 { return a + b },
		"min.s32": func(a, b uint64) uint64 { return uint64(min(int32(a), int32(b))) },
		"max.u32": func(a, b uint64) uint64 { return uint64(max(uint32(a), uint32(b))) },
		"and.b32": func(a, b uint64) uint64 { return a & b },
		"or.b32":  func(a, b uint64) uint64 { return a | b },
		"xor.b32": func(a, b uint64) uint64 { return a ^ b },
	}
	for op, join := range joins {
		acrossLanes(t, "redux.sync."+op+" $d, $a, 0x7fffff", "b32", []string{"b32"}, rapid.Uint64(), func(v *[32][]uint64) [32]uint64 {
			r := v[0][0]
			for _, x := range v[1:23] {
				r = join(r, x[0])
			}
			return broadcast(r)
		})
	}
}

func TestConstantPredicates(t *testing.T) {
	for text, want := range map[string]uint32{
		"selp.u32 %r1, 3, 4, 1;":                                                          3,
		"selp.u32 %r1, 3, 4, 0;":                                                          4,
		"vote.sync.ballot.b32 %r1, 1, 0xff;":                                              0xff,
		"setp.eq.or.u32 %p1|%p2, %tid, 99, -1; selp.u32 %r1, 5, 6, %p1;":                  5,
		"mov.pred %p1, 0; setp.eq.xor.u32 %p1, %tid, %tid, %p1; selp.u32 %r1, 5, 6, %p1;": 5,
		"bar.red.popc.u32 %r1, 0, 1;":                                                     32,
	} {
		require.Equal(t, want, outputOf(t, kernel(text+store), 32, 32)[0], text)
	}
}

func TestAMemberMaskThatNamesAbsentThreadsIsAnError(t *testing.T) {
	_, err := tryOutput(t, kernel(`
	setp.lt.u32 %p1, %tid, 16;
	@!%p1 bra $end;
	shfl.sync.down.b32 %r1, %tid, 1, 31, 0xffffffff;
$end:`+store), LaunchConfig{Block: workload.Dim3{X: 32, Y: 1, Z: 1}}, 32)
	require.ErrorContains(t, err, "shfl.sync.down.b32 in kernel k, thread (0,0,0) of thread block (0,0,0): member mask 0xffffffff names the lanes 0xffff0000")
	// Threads that have ended, or never were, do not count.
	_, err = tryOutput(t, kernel(`
	setp.lt.u32 %p1, %tid, 16;
	@!%p1 exit;
	vote.sync.ballot.b32 %r1, %p1, 0xffffffff;`+store), LaunchConfig{Block: workload.Dim3{X: 20, Y: 1, Z: 1}}, 32)
	require.NoError(t, err)
}

func TestABarrierMakesStoresOfAllWarpsVisible(t *testing.T) {
	out := outputOf(t, ".shared .align 4 .b8 s[1024];\n"+kernel(`
	mov.u32 %r2, s;
	mad.lo.u32 %r3, %tid, 4, %r2;
	st.shared.u32 [%r3], %tid;
	bar.sync 0;
	sub.u32 %r4, 255, %tid;
	mad.lo.u32 %r4, %r4, 4, %r2;
	ld.shared.u32 %r1, [%r4];
	bar.sync 0;
	st.shared.u32 [%r3], %r1;
	barrier.sync 1, 256;
	ld.shared.u32 %r1, [%r4];`+store), 256, 256)
	for i := range out {
		require.EqualValues(t, i, out[i])
	}
}

func TestABarrierReductionCoversTheThreadBlock(t *testing.T) {
	// Warps use the barrier again and again, at a pace of their own between.
	out := outputOf(t, kernel(`
	mov.u32 %r1, 0;
	mov.u32 %r5, 0;
$loop:
	shl.b32 %r2, 1, %r5;
	and.b32 %r3, %tid, %r2;
	setp.ne.u32 %p1, %r3, 0;
	bar.red.popc.u32 %r4, 0, %p1;
	add.u32 %r1, %r1, %r4;
	bar.red.and.pred %p2, 1, !%p1;
	@%p2 add.u32 %r1, %r1, 1000;
	bar.red.or.pred %p3, 1, 100, %p1;
	@%p3 add.u32 %r1, %r1, 10000;
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p4, %r5, 8;
	@%p4 bra $loop;`+store), 100, 100)
	want := 0
	for r := range 8 {
		n := 0
		for tid := range 100 {
			n += tid >> r & 1
		}
		want += n
		if n == 0 {
			want += 1000
		} else {
			want += 10000
		}
	}
	for i := range out {
		require.EqualValues(t, want, out[i], i)
	}
}

func TestWarpsThatUsedABarrierMoreOftenStillShareItsReductions(t *testing.T) {
	out := outputOf(t, kernel(`
	setp.ge.u32 %p1, %tid, 64;
	mov.u32 %r1, 0;
	@%p1 bra $all;
	bar.red.popc.u32 %r2, 1, 64, 1;
	bar.red.popc.u32 %r3, 1, 64, 0;
	bar.red.popc.u32 %r4, 1, 64, 1;
	add.u32 %r1, %r2, %r3;
	add.u32 %r1, %r1, %r4;
$all:
	bar.sync 0;
	bar.red.popc.u32 %r5, 1, %p1;
	mad.lo.u32 %r1, %r5, 1000, %r1;`+store), 128, 128)
	require.EqualValues(t, 64000+128, out[0])
	require.EqualValues(t, 64000+128, out[63])
	require.EqualValues(t, 64000, out[64])
}

func TestABarrierForAPairOfWarpsOpensForTwoAtATime(t *testing.T) {
	// Three warps arrive: the third waits until the first comes again.
	out := outputOf(t, kernel(`
	bar.sync 1, 64;
	setp.lt.u32 %p1, %tid, 32;
	@%p1 bar.sync 1, 64;
	mov.u32 %r1, 7;`+store), 96, 96)
	require.EqualValues(t, 7, out[95])
}

func TestArrivingWithoutANumberOfThreadsIsAnError(t *testing.T) {
	_, err := tryOutput(t, kernel("mov.u32 %r1, 0; bar.arrive 1, %r1;"), LaunchConfig{Block: workload.Dim3{X: 64, Y: 1, Z: 1}}, 1)
	require.ErrorContains(t, err, "barrier for 0 threads; valid are multiples of 32")
}

func TestAWarpThatOnlyArrivesDoesNotWait(t *testing.T) {
	out := outputOf(t, ".shared .align 4 .b8 s[256];\n"+kernel(`
	setp.lt.u32 %p1, %tid, 32;
	mov.u32 %r5, s;
	@!%p1 bra $consume;
	mad.lo.u32 %r2, %tid, 4, %r5;
	mul.lo.u32 %r3, %tid, 7;
	st.shared.u32 [%r2], %r3;
	bar.arrive 2, 64;
	bra.uni $end;
$consume:
	bar.sync 2, 64;
	sub.u32 %r2, %tid, 32;
	mad.lo.u32 %r2, %r2, 4, %r5;
	ld.shared.u32 %r1, [%r2];
	st.global.u32 [%mine], %r1;
$end:`), 64, 64)
	for i := range 32 {
		require.EqualValues(t, 7*i, out[32+i])
	}
}

func TestWarpsThatHaveEndedDoNotHoldABarrier(t *testing.T) {
	out := outputOf(t, kernel(`
	setp.ge.u32 %p1, %tid, 32;
	@%p1 exit;
	bar.sync 0;
	mov.u32 %r1, 5;`+store), 96, 96)
	require.EqualValues(t, 5, out[31])
}

func TestABarrierThatNeverCompletesIsAnError(t *testing.T) {
	_, err := tryOutput(t, kernel(`
	setp.ge.u32 %p1, %tid, 32;
	@%p1 bra $other;
	bar.sync 0;
	bra.uni $end;
$other:
	bar.sync 1;
$end:`), LaunchConfig{Block: workload.Dim3{X: 64, Y: 1, Z: 1}}, 1)
	require.EqualError(t, err, "test.ptx:4: kernel k: warp 0 of thread block (0,0,0) waits at barrier 0 for warps that never come")
}

func TestSpecialRegistersTellAThreadWhereItIs(t *testing.T) {
	names := strings.Fields("%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z %ctaid.x %ctaid.y %ctaid.z %nctaid.x %nctaid.y %nctaid.z " +
		"%laneid %warpid %lanemask_eq %lanemask_lt %lanemask_le %lanemask_gt %lanemask_ge %dynamic_smem_size %smid %nsmid")
	body := `
	mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y;
	mad.lo.u32 %r1, %r2, %r4, %r1;
	mad.lo.u32 %r1, %r1, %r3, %tid;
	mad.wide.u32 %mine, %r1, 128, %out;
	mov.u32 %r5, %ctaid.y;
	setp.ne.u32 %p1, %r5, 1;
	@%p1 exit;
`
	for i, name := range names {
		body += "\tmov.u32 %r1, " + name + ";\n\tst.global.u32 [%mine+" + strconv.Itoa(4*i) + "], %r1;\n"
	}
	out, err := tryOutput(t, kernel(body), LaunchConfig{Grid: workload.Dim3{X: 1, Y: 2, Z: 1},
		Block: workload.Dim3{X: 5, Y: 4, Z: 3}, DynamicShared: 77}, 32*60)
	require.NoError(t, err)
	for id := range 60 {
		lane := uint(id % 32)
		want := []uint32{uint32(id % 5), uint32(id / 5 % 4), uint32(id / 20), 5, 4, 3, 0, 1, 0, 1, 2, 1,
			uint32(lane), uint32(id / 32), 1 << lane, 1<<lane - 1, 1<<lane - 1 | 1<<lane, ^uint32(1<<lane - 1 | 1<<lane), ^uint32(1<<lane - 1), 77, 0, 1}
		require.Equal(t, want, out[32*id:32*id+len(want)], id)
	}
}

// ticking is a clock that goes on by a cycle of three nanoseconds when it is read.
type ticking struct{ cycle uint64 }

func (c *ticking) Now() (cycle, nanoseconds uint64) {
	c.cycle++
	return c.cycle, 3 * c.cycle
}

func TestClocksAreThoseOfTheTimingModel(t *testing.T) {
	p, m := compileText(t, kernel("\tmov.u64 %x1, %clock64; mov.u64 %x2, %globaltimer; mov.u32 %r2, %clock;\n"+
		"\tst.global.u64 [%out], %x1; st.global.u64 [%out+8], %x2; st.global.u32 [%out+16], %r2;"))
	mem := NewMemory()
	mem.Load(m)
	addr := mem.Alloc(64, 0)
	tb := p.NewTB(&LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 1, Y: 1, Z: 1}, Mem: mem, Params: params(addr)}, 0)
	tb.Place(0, 1, &ticking{1 << 33})
	for {
		if _, ok := tb.Warps[0].Next(); !ok {
			break
		}
		_, err := tb.Warps[0].Step()
		require.NoError(t, err)
	}
	out, err := mem.Bytes(addr, 20)
	require.NoError(t, err)
	require.Equal(t, uint64(1<<33+1), get(out, 8))
	require.Equal(t, uint64(3*(1<<33+2)), get(out[8:], 8))
	require.Equal(t, uint64(3), get(out[16:], 4))
}

func TestAThreadBlockReadsTheSMThatItIsPlacedOn(t *testing.T) {
	p, m := compileText(t, kernel("mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; mad.lo.u32 %r1, %r1, 100, %r2;"+store))
	mem := NewMemory()
	mem.Load(m)
	addr := mem.Alloc(256, 0)
	tb := p.NewTB(&LaunchConfig{Grid: workload.Dim3{X: 9, Y: 1, Z: 1}, Block: workload.Dim3{X: 40, Y: 1, Z: 1}, Mem: mem, Params: params(addr)}, 0)
	for id, sm := range []int{3, 15, 15, 0} {
		tb.Reset(id)
		tb.Place(sm, 16, &ticking{})
		for _, w := range tb.Warps {
			for {
				if _, ok := w.Next(); !ok {
					break
				}
				_, err := w.Step()
				require.NoError(t, err)
			}
		}
		out, err := mem.Bytes(addr, 160)
		require.NoError(t, err)
		require.EqualValues(t, 100*sm+16, get(out, 4))
		require.EqualValues(t, 100*sm+16, get(out[156:], 4))
	}
}
