package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

const store = "\n\tst.global.u32 [%mine], %r1;"

func TestNestedBranchesReachTheThreadsMeantAndMeetAgain(t *testing.T) {
	out := outputOf(t, kernel(`
	mov.u32 %r1, 0;
	and.b32 %r2, %tid, 1;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra $even;
	setp.gt.u32 %p2, %tid, 10;
	@!%p2 bra $small;
	add.u32 %r1, %r1, 100;
	bra.uni $odd;
$small:
	add.u32 %r1, %r1, 200;
$odd:
	add.u32 %r1, %r1, 1000;
	bra.uni $done;
$even:
	add.u32 %r1, %r1, 7;
$done:
	activemask.b32 %r3;
	st.global.u32 [%mine+256], %r3;`+store), 40, 128)
	for i := range 40 {
		want := uint32(7)
		if i%2 == 1 {
			want = 1200
			if i > 10 {
				want = 1100
			}
		}
		require.Equal(t, want, out[i], i)
		want = allLanes
		if i >= 32 {
			want = 0xff
		}
		require.Equal(t, want, out[64+i], "the threads have met")
	}
}

func TestLoopsEndForEachThreadAfterItsOwnTripCount(t *testing.T) {
	out := outputOf(t, kernel(`
	mov.u32 %r1, 0;
	mov.u32 %r2, 0;
$outer:
	setp.ge.u32 %p1, %r2, %tid;
	@%p1 bra $end;
	mov.u32 %r3, 0;
$inner:
	add.u32 %r1, %r1, 1;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, %r2;
	@%p2 bra $inner;
	add.u32 %r2, %r2, 1;
	bra.uni $outer;
$end:`+store), 32, 32)
	for i := range 32 {
		want := 0
		for k := range i {
			want += max(k, 1)
		}
		require.EqualValues(t, want, out[i])
	}
}

func TestBreakAndEarlyExitLeaveTheOthersRunning(t *testing.T) {
	out := outputOf(t, kernel(`
	mov.u32 %r1, 0;
$loop:
	setp.eq.u32 %p1, %r1, %tid;
	@%p1 bra $break;
	add.u32 %r1, %r1, 1;
	setp.eq.u32 %p2, %r1, 9;
	@%p2 exit;
	setp.eq.u32 %p3, %r1, 8;
	setp.eq.and.u32 %p3, %tid, 20, %p3;
	@%p3 exit;
	bra.uni $loop;
$break:
	add.u32 %r1, %r1, 50;
	activemask.b32 %r2;
	st.global.u32 [%mine+128], %r2;`+store), 32, 64)
	for i := range 32 {
		want, mask := uint32(0), uint32(0)
		if i < 9 {
			want, mask = uint32(50+i), 0x1ff
		}
		require.Equal(t, want, out[i])
		require.Equal(t, mask, out[32+i])
	}
}

func TestABranchTableSendsEachThreadToItsTarget(t *testing.T) {
	text := kernel(`
	and.b32 %r2, %tid, 3;
$table: .branchtargets $a, $b, $c, $b;
	brx.idx %r2, $table;
$a:	mov.u32 %r1, 10; bra $end;
$b:	mov.u32 %r1, 20; bra $end;
$c:	mov.u32 %r1, 30;
$end:` + store)
	out := outputOf(t, text, 32, 32)
	for i := range 32 {
		require.Equal(t, []uint32{10, 20, 30, 20}[i%4], out[i])
	}
	_, err := tryOutput(t, strings.Replace(text, "3;", "7;", 1), LaunchConfig{Block: workload.Dim3{X: 32, Y: 1, Z: 1}}, 32)
	require.ErrorContains(t, err, "brx.idx in kernel k, thread (4,0,0) of thread block (0,0,0): index 4; valid are 0 to 3")
}

func TestFunctionsAreCalledByTheThreadsThatMean(t *testing.T) {
	out := outputOf(t, `
.func (.param .b32 r) twice(.param .b32 x)
{
	.reg .b32 %v;
	ld.param.u32 %v, [x];
	add.u32 %v, %v, %v;
	st.param.u32 [r], %v;
	ret;
}
.func (.param .b32 r) odd(.param .b32 x)
{
	.reg .b32 %v, %w;
	.reg .pred %p;
	ld.param.u32 %v, [x];
	and.b32 %w, %v, 1;
	setp.eq.u32 %p, %w, 0;
	st.param.u32 [r], 5;
	@%p ret;
	{
		.param .b32 a;
		.param .b32 b;
		st.param.u32 [a], %v;
		call (b), twice, (a);
		ld.param.u32 %v, [b];
	}
	st.param.u32 [r], %v;
}
`+kernel(`
	.param .b32 in;
	.param .b32 back;
	mov.u32 %r1, 1;
	setp.lt.u32 %p1, %tid, 8;
	@%p1 bra $end;
	st.param.u32 [in], %tid;
	setp.lt.u32 %p2, %tid, 16;
	st.param.u32 [back], 3;
	@!%p2 call (back), odd, (in);
	ld.param.u32 %r1, [back];
$end:`+store), 32, 32)
	for i := range 32 {
		want := uint32(2 * i)
		switch {
		case i < 8:
			want = 1
		case i < 16:
			want = 3
		case i%2 == 0:
			want = 5
		}
		require.Equal(t, want, out[i], i)
	}
}

func TestFunctionsTakeAndGiveRegisters(t *testing.T) {
	out := outputOf(t, `
.func (.reg .u32 %sum, .param .b32 difference) both(.reg .u32 %a, .param .b32 b)
{
	.reg .b32 %v;
	.reg .pred %p;
	ld.param.u32 %v, [b];
	sub.u32 %sum, %a, %v;
	st.param.u32 [difference], %sum;
	add.u32 %sum, %a, %v;
	setp.lt.u32 %p, %a, 16;
	@%p ret;
	add.u32 %sum, %sum, 1000;
}
.func (.param .b32 sum, .param .b32 difference) other(.param .b32 a, .param .b32 b);
.func (.reg .f32 %y) half(.reg .f32 %x) { mul.f32 %y, %x, 0f3F000000; ret; }
`+kernel(`
	mov.u32 %r1, 5;
	mov.u32 %r2, 6;
	setp.gt.u32 %p1, %tid, 3;
	@%p1 call (%r1, %r2), other, (%tid, 2);
	st.global.u32 [%mine], %r1;
	st.global.u32 [%mine+128], %r2;
	call (%f1), half, (0f40400000);
	mov.b32 %r1, %f1;
	st.global.u32 [%mine+256], %r1;`)+".alias other, both;\n", 32, 96)
	for i := range uint32(32) {
		sum, difference := uint32(5), uint32(6)
		switch {
		case i > 15:
			sum, difference = i+1002, i-2
		case i > 3:
			sum, difference = i+2, i-2
		}
		require.Equal(t, []uint32{sum, difference, 0x3fc00000}, []uint32{out[i], out[32+i], out[64+i]}, i)
	}
}

func TestExitInAFunctionEndsTheThread(t *testing.T) {
	out := outputOf(t, `
.func stop(.param .b32 x)
{
	.reg .b32 %v;
	.reg .pred %p;
	ld.param.u32 %v, [x];
	setp.gt.u32 %p, %v, 3;
	@%p exit;
	ret;
}
`+kernel(`
	.param .b32 in;
	st.param.u32 [in], %tid;
	call stop, (in);
	mov.u32 %r1, 9;`+store), 32, 32)
	for i := range 32 {
		require.Equal(t, uint32(9*bit(i <= 3)), out[i])
	}
}

// program is a random structured program, as text and as a function of one
// thread's number.
type program struct {
	text   strings.Builder
	labels int
}

// block writes statements and returns what they do to the thread's value.
func (p *program) block(t *rapid.T, depth int) func(tid, v uint32) (uint32, bool) {
	var steps []func(tid, v uint32) (uint32, bool)
	for range rapid.IntRange(1, 3).Draw(t, "statements") {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 {
			kind = 0
		}
		n := uint32(rapid.IntRange(1, 31).Draw(t, "n"))
		p.labels++
		id := p.labels
		test := fmt.Sprintf("\txor.b32 %%r2, %%r1, %%tid; and.b32 %%r2, %%r2, 31; setp.lt.u32 %%p1, %%r2, %d;\n", n)
		holds := func(tid, v uint32) bool { return (v^tid)&31 < n }
		switch kind {
		case 0:
			fmt.Fprintf(&p.text, "\tmad.lo.u32 %%r1, %%r1, 3, %d;\n", n)
			steps = append(steps, func(_, v uint32) (uint32, bool) { return 3*v + n, true })
		case 1, 2: // if and else
			p.text.WriteString(test)
			fmt.Fprintf(&p.text, "\t@%%p1 bra $then%d;\n", id)
			no := p.block(t, depth-1)
			fmt.Fprintf(&p.text, "\tbra $end%d;\n$then%d:\n", id, id)
			yes := p.block(t, depth-1)
			fmt.Fprintf(&p.text, "$end%d:\n", id)
			steps = append(steps, func(tid, v uint32) (uint32, bool) {
				if holds(tid, v) {
					return yes(tid, v)
				}
				return no(tid, v)
			})
		case 3: // a loop of at most 4 rounds that threads leave in the middle
			counter := fmt.Sprintf("%%r%d", 10+depth)
			fmt.Fprintf(&p.text, "\tmov.u32 %s, 0;\n$loop%d:\n", counter, id)
			first := p.block(t, depth-1)
			p.text.WriteString(test)
			fmt.Fprintf(&p.text, "\t@%%p1 bra $out%d;\n", id)
			second := p.block(t, depth-1)
			fmt.Fprintf(&p.text, "\tadd.u32 %s, %s, 1; setp.lt.u32 %%p1, %s, 4;\n\t@%%p1 bra $loop%d;\n$out%d:\n", counter, counter, counter, id, id)
			steps = append(steps, func(tid, v uint32) (uint32, bool) {
				ok := true
				for i := 0; i < 4 && ok; i++ {
					if v, ok = first(tid, v); !ok || holds(tid, v) {
						break
					}
					v, ok = second(tid, v)
				}
				return v, ok
			})
		default:
			p.text.WriteString(test)
			p.text.WriteString("\t@%p1 st.global.u32 [%mine], %r1;\n\t@%p1 exit;\n")
			steps = append(steps, func(tid, v uint32) (uint32, bool) { return v, !holds(tid, v) })
		}
	}
	return func(tid, v uint32) (uint32, bool) {
		ok := true
		for _, s := range steps {
			if v, ok = s(tid, v); !ok {
				break
			}
		}
		return v, ok
	}
}

func TestEachThreadOfAWarpDoesWhatItWouldAlone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &program{}
		p.text.WriteString("\tmov.u32 %r1, 1;\n")
		run := p.block(rt, 3)
		out := outputOf(t, kernel(p.text.String()+store), 32, 32)
		for i, got := range out {
			want, _ := run(uint32(i), 1)
			if got != want {
				rt.Fatalf("thread %d: %d; want %d\n%s", i, got, want, p.text.String())
			}
		}
	})
}

func TestNextAndStepTellTheTimingModelWhatHappens(t *testing.T) {
	p, m := compileText(t, kernel(`
	setp.lt.u32 %p1, %tid, 4;
	@%p1 st.global.u32 [%mine+4], %tid;
	@%p1 bra $skip;
	mov.u32 %r1, 1;
$skip:
	@!%p1 bra $end;
$end:
	bar.sync 3, 64;`))
	mem := NewMemory()
	mem.Load(m)
	out := mem.Alloc(256, 0)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 10, Y: 1, Z: 1}, Mem: mem, Params: params(out)}
	w := p.NewTB(cfg, 0).Warps[0]
	seen := []string{}
	for {
		in, ok := w.Next()
		if !ok {
			break
		}
		at, f := p.At(w.PC())
		require.Same(t, in, at)
		require.Equal(t, "k", f.Name)
		r, err := w.Step()
		require.NoError(t, err)
		seen = append(seen, fmt.Sprintf("%s %x redirect=%v", in.Op, r.Active, r.Redirect))
		switch in.Op {
		case "st":
			require.Equal(t, Access{Base: out + 4, Stride: 4, Space: ptx.Global, Width: 4}, *r.Access)
		case "bar":
			require.Equal(t, Result{Active: 0x3ff, Barrier: true, BarrierID: 3, BarrierWarps: 2}, r)
		default:
			require.Nil(t, r.Access)
		}
	}
	require.Equal(t, []string{
		"ld 3ff redirect=false", "mov 3ff redirect=false", "mad 3ff redirect=false", "setp 3ff redirect=false",
		"st f redirect=false", "bra f redirect=false", "mov 3f0 redirect=false", "bra 3f0 redirect=false",
		"bar 3ff redirect=false", "ret 3ff redirect=false",
	}, seen)
}
