package exec

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/tensor"
)

// Accesses to 32 bytes a lane, as of sm_100, move all of them, also when they overwrite their address.
func TestAccessesOfThirtyTwoBytes(t *testing.T) {
	var in []byte
	for i := range 8 * lanes {
		in = binary.LittleEndian.AppendUint32(in, uint32(1000+i))
	}
	for _, text := range []string{
		"ld.global.nc.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%in];\nst.global.v8.f32 [%out], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};",
		"ld.global.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%in];\nst.global.cs.v4.b32 [%out], {%r0, %r1, %r2, %r3};\nst.global.v4.b32 [%out+16], {%r4, %r5, %r6, %r7};",
		"mov.b64 %l4, %in;\nld.global.v4.u64 {%l4, %l1, %l2, %l3}, [%l4];\nst.global.v4.u64 [%out], {%l4, %l1, %l2, %l3};",
		"mov.b64 %l4, %in;\nld.global.v4.u64 {%l0, %l1, %l2, %l4}, [%l4];\nst.global.v4.u64 [%out], {%l0, %l1, %l2, %l4};",
		"createpolicy.fractional.L2::evict_last.b64 %l0;\nld.global.L2::cache_hint.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%in], %l0;\n" +
			"add.u64 %l1, %out, 64;\nst.global.L1::no_allocate.L2::cache_hint.v8.b32 [%l1+-64], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, %l0;",
	} {
		out := fragments(t, ".reg .f32 %f<8>; .reg .b32 %r<8>; .reg .b64 %l<5>;", "", text, "", tensor.Ampere, in, 4)
		require.Equal(t, in, out, text)
	}
}

// No kernel belongs to a graph that kernels launch.
func TestNoGraphIsCurrent(t *testing.T) {
	out := fragments(t, ".reg .b64 %l<2>;", "", "mov.u64 %l0, %current_graph_exec;\nadd.u64 %l0, %l0, 5;\nst.global.u64 [%out], %l0;", "", tensor.Ampere, make([]byte, lanes), 1)
	for i := range lanes {
		require.EqualValues(t, 5, binary.LittleEndian.Uint64(out[8*i:]))
	}
}
