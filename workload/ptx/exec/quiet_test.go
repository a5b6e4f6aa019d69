package exec

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// quietBarriers are, for each barrier of the kernel in the order of the text,
// whether shared memory is quiet behind it; the first is for the kernel's start.
func quietBarriers(t *testing.T, body string) (quiet []bool) {
	t.Helper()
	p, _ := compileText(t, kernel(".shared .b32 sh[64]; .reg .b32 %sh; mov.u32 %sh, sh; setp.lt.u32 %p1, %tid, 7; "+body))
	quiet = []bool{p.startsQuiet}
	for i := range p.ops {
		if p.ops[i].barrier {
			quiet = append(quiet, p.ops[i].quiet)
		}
	}
	return quiet
}

func TestBarriersBehindWhichSharedMemoryIsQuiet(t *testing.T) {
	const write, read = "st.shared.u32 [%sh], %tid; ", "ld.shared.u32 %r1, [%sh]; "
	for body, want := range map[string][]bool{
		read:                          {true},
		write + "bar.sync 0; " + read: {false, true},
		write + "bar.sync 0; " + read + "bar.sync 0; " + write:                {false, true, false},
		"bar.sync 0; " + read + "@%p1 bra $end; " + write + "$end: ":          {true, false},
		"$top: " + write + "bar.sync 0; " + read + "@%p1 bra $top; ":          {false, false},
		"$top: bar.sync 0; " + read + "bar.sync 0; " + write + "bra $top; ":   {true, true, false},
		"bar.sync 0; $top: " + read + "@%p1 bra $top; bar.sync 0; " + write:   {true, true, false},
		"bar.sync 0; red.shared.add.u32 [%sh], 1;":                            {true, false},
		"bar.sync 0; red.global.add.u32 [%out], 1;":                           {true, true},
		"bar.sync 0; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%sh], {%r1};":  {true, false},
		"bar.sync 0; cp.async.ca.shared.global [%sh], [%out], 4;":             {true, false},
		"bar.sync 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%sh];":  {true, true},
		"bar.sync 0; st.u32 [%mine], %tid;":                                   {true, false}, // a generic address
		"@%p1 bar.sync 0; " + write:                                           {false, false},
		"bar.sync 0; bar.sync 1; " + read:                                     {false, false, false},
		"bar.sync 0; bar.arrive 0, 64; " + read:                               {false, false, false},
		"bar.sync 0, 64; " + read:                                             {false, false},
		"bar.red.popc.u32 %r1, 0, %p1; " + read + "bar.warp.sync -1; " + read: {true, true},
	} {
		require.Equal(t, want, quietBarriers(t, body), body)
	}
}

// Lanes that are still behind an earlier barrier may write.
func TestBarrierOfSomeLanesIsNotQuiet(t *testing.T) {
	p, m := compileText(t, kernel(`
	.shared .b32 sh[64]; .reg .b32 %sh; mov.u32 %sh, sh;
	setp.lt.u32 %p1, %tid, 7;
	@%p1 bra $few;
	st.shared.u32 [%sh], %tid;
	bra $end;
$few:
	bar.sync 0;
	ld.shared.u32 %r1, [%sh];
$end:
	bar.sync 0;
	ld.shared.u32 %r2, [%sh];`))
	mem := NewMemory()
	mem.Load(m)
	cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: mem, Params: params(mem.Alloc(256, 0))}
	tb := p.NewTB(cfg, 0)
	w := tb.Warps[0]
	var seen []bool
	for in, more := w.Next(); more; in, more = w.Next() {
		_, err := w.Step()
		require.NoError(t, err)
		if in.Op == "bar" {
			seen = append(seen, tb.quiet(w))
		}
	}
	require.Equal(t, []bool{false, true}, seen)
}

// Warps that run ahead whenever they may compute the same as warps that step in
// the same order, even if loads and stores between two barriers race.
func TestRunningAheadChangesNothing(t *testing.T) {
	body := `
	.shared .b32 sh[160];
	.reg .b32 %sh, %next;
	shl.b32 %sh, %tid, 2;
	mov.u32 %r9, sh;
	add.u32 %sh, %sh, %r9;
	mov.u32 %r1, %tid;
	mov.u32 %r2, 0;
$again:
	st.shared.u32 [%sh], %r1;
	bar.sync 0;
` + strings.Repeat("ld.shared.u32 %r3, [%sh+32]; mad.lo.u32 %r1, %r1, 31, %r3;\n", 3) + `
	bar.sync 0;
` + strings.Repeat("mad.lo.u32 %r1, %r1, 5, 7;\n", 5) + `
	ld.shared.u32 %r3, [%sh+4];
	st.shared.u32 [%sh+8], %r3;
	ld.shared.u32 %r4, [%sh+16];
	xor.b32 %r1, %r1, %r4;
	bar.sync 0;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, 5;
	@%p1 bra $again;
` + store
	p, m := compileText(t, kernel(body))
	run := func(seed uint64, runAhead bool) (output []byte, ahead int) {
		mem := NewMemory()
		mem.Load(m)
		addr := mem.Alloc(512, 0)
		cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 128, Y: 1, Z: 1}, Mem: mem, Params: params(addr)}
		tb := p.NewTB(cfg, 0)
		// A schedule picks the next warp and how many instructions it issues; a warp
		// that ran ahead has executed some of them before.
		random := rand.New(rand.NewPCG(seed, 0))
		var out [4]Ahead
		var taken, arrived [4]int
		barriers := 0
		for done := 0; done < 4; {
			i := random.IntN(4)
			w := tb.Warps[i]
			for n := random.IntN(6); n > 0 && arrived[i] == barriers; n-- {
				if runAhead && taken[i] == out[i].Len() {
					require.NoError(t, w.RunAhead(&out[i], 7))
					taken[i] = 0
				}
				if taken[i] < out[i].Len() {
					taken[i]++
					ahead++
					continue
				}
				if _, more := w.Next(); !more {
					break
				}
				r, err := w.Step()
				require.NoError(t, err)
				if r.Barrier {
					arrived[i]++
				}
			}
			if min(arrived[0], arrived[1], arrived[2], arrived[3]) > barriers {
				barriers++
			}
			done = 0
			for i, w := range tb.Warps {
				if _, more := w.Next(); !more && taken[i] == out[i].Len() {
					done++
				}
			}
		}
		output, err := mem.Bytes(addr, 512)
		require.NoError(t, err)
		return output, ahead
	}
	differ := false
	first, _ := run(0, false)
	for seed := range uint64(50) {
		want, _ := run(seed, false)
		got, ahead := run(seed, true)
		require.Equal(t, want, got, seed)
		require.Greater(t, ahead, 100)
		differ = differ || string(want) != string(first)
	}
	require.True(t, differ, "the loads and stores race, so that order matters")
}
