package flow

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
)

func TestMaxLiveCountsRegistersThatHoldValuesTogether(t *testing.T) {
	for body, want := range map[string]int{
		"ret;":             0,
		"mov.u32 %r1, 1;":  1, // a result that nothing reads
		"mov.u64 %rd1, 1;": 2,
		"setp.eq.s32 %p1, 1, 2; selp.u32 %r1, 1, 2, %p1;":                                                       1,
		"mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;":                                             1,
		"mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u64 %rd1, 2; st.v2.u32 [%rd1], {%r1, %r2};":                        4,
		"mov.u32 %r1, 1; mov.u32 %r2, 0; H: add.u32 %r2, %r2, %r1; setp.lt.u32 %p1, %r2, 9; @%p1 bra H;":        2,
		"mov.u32 %r1, 1; @%p1 bra E; mov.u32 %r2, 1; add.u32 %r1, %r1, %r2; E: add.u32 %r3, %r1, 1;":            2,
		"mov.u64 %rd1, 1; @%p1 mov.u32 %r1, 1; @!%p1 mov.u32 %r1, 2; st.u32 [%rd1], %r1;":                       3,
		"bra M; M: mov.u64 %rd1, 1; H: @%p1 mov.u32 %r1, 1; @%p2 bra H; add.u64 %rd2, %rd1, 1; mov.u32 %r1, 1;": 3,
	} {
		assert.Equal(t, want, MaxLive(function(t, body)), body)
	}
}

func TestMaxLiveIncludesFunctionsCalled(t *testing.T) {
	m, err := ptx.Parse("t.ptx", []byte(top+`
		.func f() { .reg .b64 %rd<4>; mov.u64 %rd1, 1; mov.u64 %rd2, 2; add.u64 %rd3, %rd1, %rd2; ret; }
		.entry k() { .reg .b32 %r<3>; mov.u32 %r1, 1; call f; add.u32 %r2, %r1, 1; }`))
	require.NoError(t, err)
	assert.Equal(t, 4, MaxLive(m.Funcs[0]))
	assert.Equal(t, 5, MaxLive(m.Funcs[1]))
}
