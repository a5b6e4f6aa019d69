package exec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// Behind a call of itself a function has its registers, predicates and variables, its parameters, and the result that
// it gave before. Guards are around calls and returns, and threads go to different depths.
func TestFunctionsCallThemselves(t *testing.T) {
	const f = `
.func (.param .b32 r) f(.param .b32 n, .param .align 4 .b8 s[8])
{
	.reg .b32 %a<10>;
	.reg .b64 %b<3>;
	.reg .b16 %h;
	.reg .pred %p<4>;
	.local .align 8 .b8 own[12];
	.param .b32 deeper;
	.param .align 4 .b8 more[8];
	.param .b32 back;
	ld.param.u32 %a1, [n];
	add.u32 %a2, %a1, 9;
	st.param.u32 [r], %a2;
	setp.eq.u32 %p1, %a1, 0;
	@%p1 ret;
	and.b32 %a2, %a1, 1;
	setp.eq.u32 %p2, %a2, 0;
	cvt.u16.u32 %h, %a1;
	st.local.u32 [own+4], %a1;
	mov.u64 %b1, own;
	cvt.u64.u32 %b2, %a1;
	shl.b64 %b2, %b2, 33;
	sub.u32 %a3, %a1, 1;
	st.param.u32 [deeper], %a3;
	ld.param.u32 %a4, [s];
	add.u32 %a4, %a4, 1;
	st.param.u32 [more], %a4;
	ld.param.u32 %a4, [s+4];
	add.u32 %a4, %a4, %a1;
	st.param.u32 [more+4], %a4;
	st.param.u32 [back], 5;
	setp.le.u32 %p3, %a1, 1;
$call:
	@!%p3 call (back), f, (deeper, more);
	ld.param.u32 %a4, [back];
	rem.u32 %a5, %a1, 5;
	setp.eq.u32 %p1, %a5, 0;
	@%p1 bra $end;
	ld.param.u32 %a6, [s+4];
	mad.lo.u32 %a4, %a4, 3, %a6;
	ld.local.u32 %a6, [%b1+4];
	add.u32 %a4, %a4, %a6;
	@%p2 add.u32 %a4, %a4, 100;
	cvt.u32.u16 %a6, %h;
	add.u32 %a4, %a4, %a6;
	shr.u64 %b2, %b2, 33;
	cvt.u32.u64 %a6, %b2;
	add.u32 %a4, %a4, %a6;
	st.param.u32 [r], %a4;
$end:
}
`
	var want func(n, s0, s1 uint32) uint32
	want = func(n, s0, s1 uint32) uint32 {
		if n == 0 {
			return 9
		}
		below := uint32(5)
		if n > 1 {
			below = want(n-1, s0+1, s1+n)
		}
		if n%5 == 0 {
			return n + 9
		}
		sum := 3*below + s1 + 3*n
		if n%2 == 0 {
			sum += 100
		}
		return sum
	}
	out := outputOf(t, f+kernel(`
	.param .b32 n, r;
	.param .align 4 .b8 s[8];
	rem.u32 %r2, %tid, 23;
	st.param.u32 [n], %r2;
	st.param.u32 [s], 7;
	st.param.u32 [s+4], %tid;
	call (r), f, (n, s);
	ld.param.u32 %r1, [r];`+store), 64, 64)
	for tid := range uint32(64) {
		require.Equal(t, want(tid%23, 7, tid), out[tid], tid)
	}
}

// Functions call each other; a third one, which they call, has a stack behind theirs.
func TestFunctionsCallEachOther(t *testing.T) {
	function := func(name, first, second string) string {
		return fmt.Sprintf(`
.func (.reg .u32 r) %s(.reg .u32 n)
{
	.reg .pred %%p;
	.reg .b32 %%a, %%b;
	.reg .b64 %%w<3>;
	add.u32 r, n, 1;
	setp.eq.u32 %%p, n, 0;
	@%%p bra $end;
	sub.u32 %%a, n, 1;
	call (%%b), %s, (%%a);
	mul.wide.u32 %%w1, %%b, n;
	mul.wide.u32 %%w2, %%b, %%b;
	call (%%a), %s, (%%a);
	add.u64 %%w1, %%w1, %%w2;
	cvt.u32.u64 r, %%w1;
	mad.lo.u32 r, %%b, 3, r;
	add.u32 r, r, %%a;
$end:
	ret;
}
`, name, first, second)
	}
	text := ".func (.reg .u32 r) odd(.reg .u32 n);" + function("own", "own", "own") + function("even", "own", "odd") + function("odd", "even", "own")
	out := outputOf(t, text+kernel("and.b32 %r2, %tid, 7; call (%r1), even, (%r2);"+store), 32, 32)
	var own, even, odd func(n uint32) uint32
	calls := func(first, second *func(uint32) uint32) func(uint32) uint32 {
		return func(n uint32) uint32 {
			if n == 0 {
				return 1
			}
			b := (*first)(n - 1)
			return b*n + b*b + 3*b + (*second)(n-1)
		}
	}
	own, even, odd = calls(&own, &own), calls(&own, &odd), calls(&even, &own)
	for tid := range uint32(32) {
		require.Equal(t, even(tid&7), out[tid], tid)
	}
}

// A thread that calls too deep ends the launch, and what cannot have frames says so.
func TestStacksEnd(t *testing.T) {
	deep := func(frame int) string {
		return fmt.Sprintf(`
.func f(.reg .u32 n)
{
	.reg .pred %%p;
	.local .align 16 .b8 own[%d];
	st.local.u32 [own+%d], n;
	sub.u32 n, n, 1;
	setp.eq.u32 %%p, n, 0;
	@%%p ret;
	call f, (n);
}
`, frame, frame-4)
	}
	for _, frame := range []int{16, 1024} {
		launch := func(calls int) error {
			_, err := tryOutput(t, deep(frame)+kernel(fmt.Sprintf("setp.eq.u32 %%p1, %%tid, 3; selp.u32 %%r1, %d, 1, %%p1; call f, (%%r1);", calls)), LaunchConfig{Block: workload.Dim3{X: 8, Y: 1, Z: 1}}, 8)
			return err
		}
		require.NoError(t, launch(stackBytes/frame))
		err := launch(stackBytes/frame + 1)
		var fault *Fault
		require.True(t, errors.As(err, &fault), err)
		assert.Equal(t, StackOverflow, fault.Kind)
		assert.ErrorContains(t, err, fmt.Sprintf("thread (3,0,0) of thread block (0,0,0): the stack of %d bytes is full; valid are calls that are less deep, %d bytes each for this function", stackBytes, frame))
	}
	for body, want := range map[string]string{
		".local .align 32 .b8 own[32]; .param .b32 q; st.param.u32 [q], 1; call f, (q, t);":                                                                   "function f calls itself, and own is aligned to 32 bytes; valid is up to 16",
		".reg .b32 %a<501>; .param .b32 q;" + each(500, "mov.u32 %%a%d, 1;") + strings.Repeat("call f, (q, t);", 300) + each(500, "st.param.u32 [q], %%a%d;"): "it keeps more than 131072 registers around its calls of itself",
		".reg .u64 a; .param .b32 q; mov.u64 a, s; call f, (q, t);":                                                                                           "it keeps 40000 bytes of parameters and results behind calls of itself; valid is up to 32768",
		"call f, (p, t);": "function f calls itself, and it passes on p itself; valid is a .param variable of the body",
	} {
		m, err := ptx.Parse("t.ptx", []byte(preamble+".func f(.param .b32 p, .param .b8 s[40000]) { .param .b8 t[40000]; "+body+" }"+kernel(".param .b32 q; .param .b8 t[40000]; st.param.u32 [q], 1; call f, (q, t);")))
		require.NoError(t, err)
		_, err = Compile(m, "k")
		assert.ErrorContains(t, err, want)
	}
}

// each is a text for each number from 1 on.
func each(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i+1)
	}
	return b.String()
}
