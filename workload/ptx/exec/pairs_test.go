package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// vector tests a line of the form "text types: operands = result".
func vector(t *testing.T, line string) {
	t.Helper()
	head, rest, _ := strings.Cut(line, ": ")
	in, out, _ := strings.Cut(rest, " = ")
	words := strings.Fields(head)
	operands := []string{"", "$a", "$a, $b", "$a, $b, $c"}[len(words)-2]
	n := newInstruction(t, words[0]+" $d, "+operands, words[1], words[2:]...)
	var values [32][]uint64
	for i := range values {
		for _, v := range strings.Fields(in) {
			values[i] = append(values[i], word(t, v))
		}
	}
	mask := ^uint64(0) >> (64 - width(words[1]))
	require.Equal(t, fmt.Sprintf("%x", word(t, out)), fmt.Sprintf("%x", n.run(t, allLanes, &values)[7]&mask), line)
}

func TestVectorsOfPairsAndBits(t *testing.T) {
	for _, line := range []string{
		"add.u16x2 b32 b32 b32: ffff0001 00010002 = 00000003", "max.s16x2 b32 b32 b32: ffff0001 00010002 = 00010002",
		"min.u16x2 b32 b32 b32: ffff0001 00010002 = 00010001", "min.s16x2 b32 b32 b32: ffff0001 00010002 = ffff0001",
		"min.relu.s16x2 b32 b32 b32: ffff0003 00010002 = 00000002", "max.relu.s32 b32 b32 b32: ffffffff fffffffe = 0",
		"max.relu.s32 b32 b32 b32: 5 fffffffe = 5",
		"fma.rn.f32x2 b64 b64 b64 b64: 4000000040400000 4000000040800000 bf8000003f800000 = 4040000041500000",
		"add.rn.ftz.f32x2 b64 b64 b64: 0000000180000001 0000000080000000 = 0000000080000000",
		"mul.f32x2 b64 b64 b64: 400000007f7fffff 4000000040000000 = 408000007f800000",
		"max.f32 b32 f32 f32 f32: 3f800000 c0000000 40000000 = 40000000", "min.abs.f32 b32 f32 f32 f32: 40400000 c0000000 40000000 = 40000000",
		"max.NaN.f32 b32 f32 f32 f32: 3f800000 7fc00000 40000000 = 7fffffff", "max.f32 b32 f32 f32 f32: 7fc00000 7fc00000 40000000 = 40000000",
		"szext.clamp.s32 b32 b32 b32: 000000f5 4 = 5", "szext.clamp.s32 b32 b32 b32: 000000f8 4 = fffffff8", "szext.wrap.u32 b32 b32 b32: 12345678 28 = 78",
		"szext.clamp.u32 b32 b32 b32: 12345678 28 = 12345678", "szext.wrap.s32 b32 b32 b32: ffffffff 20 = 0",
		"bmsk.clamp.b32 b32 b32 b32: 4 8 = ff0", "bmsk.clamp.b32 b32 b32 b32: 20 8 = 0", "bmsk.wrap.b32 b32 b32 b32: 21 2 = 6",
		"bmsk.clamp.b32 b32 b32 b32: 1c 8 = f0000000", "bmsk.clamp.b32 b32 b32 b32: 0 40 = ffffffff", "bmsk.clamp.b32 b32 b32 b32: 3 0 = 0",
		"fns.b32 b32 b32 b32 b32: aaaaaaaa 3 1 = 3", "fns.b32 b32 b32 b32 b32: aaaaaaaa 3 ffffffff = 3", "fns.b32 b32 b32 b32 b32: aaaaaaaa 3 2 = 5",
		"fns.b32 b32 b32 b32 b32: aaaaaaaa 3 fffffffe = 1", "fns.b32 b32 b32 b32 b32: 1 3 0 = ffffffff", "fns.b32 b32 b32 b32 b32: 8 3 0 = 3",
		"fns.b32 b32 b32 b32 b32: 1 40 1 = ffffffff",
		"createpolicy.fractional.L2::evict_first.b64 b64 f32: 3f000000 = 1270000000000000", "createpolicy.cvt.L2.b64 b64 b64: 123456789a = 123456789a",
	} {
		vector(t, line)
	}
}

func TestALookupCombinesItsResultWithAPredicate(t *testing.T) {
	out := outputOf(t, kernel(`
	setp.eq.u32 %p1, %tid, 1;
	and.b32 %r1, %tid, 2;
	lop3.or.b32 %r2|%p2, %r1, %tid, 0, 0xc0, %p1;
	lop3.and.b32 _|%p3, %r1, %tid, 0, 0xc0, !%p1;
	selp.u32 %r3, 16, 0, %p2;
	selp.u32 %r4, 32, 0, %p3;
	or.b32 %r2, %r2, %r3;
	or.b32 %r2, %r2, %r4;
	st.global.u32 [%mine], %r2;`), 32, 32)
	require.Equal(t, []uint32{0, 16, 2 + 48, 2 + 48, 0}, out[:5])
}

func TestReductionsOfRealNumbersOverAWarp(t *testing.T) {
	out := outputOf(t, kernel(`
	cvt.rn.f32.u32 %f1, %tid;
	sub.f32 %f1, %f1, 0f41200000;
	redux.sync.min.f32 %f2, %f1, -1;
	redux.sync.min.abs.f32 %f3, %f1, -1;
	redux.sync.max.NaN.f32 %f4, %f1, -1;
	setp.eq.u32 %p1, %tid, 1;
	mov.b32 %r1, %f2;
	@%p1 mov.b32 %r1, %f3;
	setp.eq.u32 %p1, %tid, 2;
	@%p1 mov.b32 %r1, %f4;
	st.global.u32 [%mine], %r1;`), 32, 32)
	require.Equal(t, []uint32{0xc1200000, 0, 0x41a80000}, out[:3])
}

func TestAtomicsOnHalfPrecisionAndVectors(t *testing.T) {
	const one = "mov.b32 %r1, 0x3c003c00; mov.b16 %h1, 0x3f80; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.b32 %r2, 0x3f80c000;"
	for text, want := range map[string][]uint32{
		"red.global.add.noftz.f16x2 [%out], %r1;":                                            {0x50005000},
		"atom.global.add.noftz.f16x2 %r3, [%out], %r1; st.global.u32 [%mine+128], %r3;":      {0x50005000},
		"red.global.add.noftz.bf16 [%out+2], %h1;":                                           {0x42000000},
		"red.global.add.v2.f32 [%out], {%f1, %f2};":                                          {0x42000000, 0x42800000},
		"atom.global.v4.f32.add {%f3, _, _, %f4}, [%out], {%f1, %f2, %f1, %f2};":             {0x42000000, 0x42800000, 0x42000000, 0x42800000},
		"red.global.max.noftz.v2.bf16x2 [%out], {%r2, %r2};":                                 {0x3f800000, 0x3f800000},
		"red.global.gpu.v8.bf16.min.noftz [%out], {%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1};": {0, 0, 0, 0},
		"red.relaxed.gpu.global.add.L2::cache_hint.u32 [%out], 1, %out;":                     {32},
	} {
		out, err := tryOutput(t, kernel(one+text), LaunchConfig{Block: workload.Dim3{X: 32, Y: 1, Z: 1}}, 96)
		require.NoError(t, err, text)
		require.Equal(t, want, out[:len(want)], text)
		if strings.Contains(text, "atom.global.add") { // each lane sees the sum of those before it
			require.Equal(t, uint32(0), out[32])
			require.Equal(t, uint32(0x4fc04fc0), out[32+31])
		}
	}
}

func TestCachePoliciesChangeNoResult(t *testing.T) {
	out := outputOf(t, kernel(`
	createpolicy.fractional.L2::evict_last.b64 %x1, 0f3F800000;
	st.global.L2::cache_hint.u32 [%mine], %tid, %x1;
	ld.global.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r1, [%mine], %x1;
	add.u32 %r1, %r1, 1;
	st.global.L2::cache_hint.v2.u32 [%mine+0], {%r1, %r1}, %x1;
	applypriority.global.L2::evict_normal [%mine], 128;`), 1, 2)
	require.Equal(t, []uint32{1, 1}, out)
}
