package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// An instruction that other warps can observe ends a run ahead and waits for its turn.
func TestRunningAheadStopsAtWhatOthersCanTell(t *testing.T) {
	const private = ".shared .b32 sh[64]; .local .b32 lo[2]; add.u32 %r1, %tid, 7; mul.lo.u32 %r2, %r1, %r1; "
	for last, ahead := range map[string]bool{
		"xor.b32 %r3, %r1, %r2;":                                 true,
		"shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;":                true,
		"mov.u32 %r3, %warpid;":                                  true,
		"ld.local.u32 %r3, [lo+4];":                              true,
		"st.local.u32 [lo+4], %r1;":                              true,
		"ld.const.u32 %r3, [table];":                             true,
		"ld.global.nc.u32 %r3, [%out];":                          true,
		"ld.shared.u32 %r3, [sh];":                               true,
		"st.shared.u32 [sh], %r1;":                               false,
		"ld.u32 %r3, [%out];":                                    false,
		"ld.global.u32 %r3, [%out];":                             true, // nothing is written
		"ld.global.u32 %r3, [%out]; st.global.u32 [%mine], %r3;": false,
		"st.global.u32 [%mine], %r1;":                            false,
		"bar.sync 0;":                                            false,
		"membar.gl;":                                             false,
		"red.global.add.u32 [%out], 1;":                          false,
		"mov.u32 %r3, %clock;":                                   false,
		"mov.u32 %r3, %smid;":                                    false,
		"mov.u32 %r3, %nsmid;":                                   false,
	} {
		p, m := compileText(t, ".const .b32 table[4];\n"+kernel(private+last+" add.u32 %r4, %r3, 1;"))
		mem := NewMemory()
		mem.Load(m)
		cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1}, Mem: mem, Params: params(mem.Alloc(256, 0))}
		w := p.NewTB(cfg, 0).Warps[0]
		var out Ahead
		require.NoError(t, w.RunAhead(&out, AheadSteps))
		pc, _ := out.At(out.Len() - 1)
		in, _ := p.At(int(pc))
		if ahead {
			require.Equal(t, "ret", in.Op, last)
			continue
		}
		require.Equal(t, "mul", in.Op, last)
		require.NoError(t, w.RunAhead(&out, AheadSteps))
		require.Zero(t, out.Len(), last)
	}
}

// A warp that runs ahead in pieces of any size does what one does that steps.
func TestRunningAheadDoesWhatStepsDo(t *testing.T) {
	const body = `
	mov.u32 %r1, 0;
$again:
	setp.lt.u32 %p1, %r1, %tid;
	@!%p1 bra $end;
	mad.lo.u32 %r2, %r2, %r1, %tid;
	@%p1 add.u32 %r1, %r1, 3;
	bra $again;
$end:
	add.u32 %r1, %r1, %r2;
` + store
	p, m := compileText(t, kernel(body))
	type done struct {
		pc       int32
		active   uint32
		redirect bool
	}
	run := func(size int) (all []done, output []byte) {
		mem := NewMemory()
		mem.Load(m)
		addr := mem.Alloc(256, 0)
		cfg := &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 40, Y: 1, Z: 1}, Mem: mem, Params: params(addr)}
		var out Ahead
		for _, w := range p.NewTB(cfg, 0).Warps {
			for {
				require.NoError(t, w.RunAhead(&out, size))
				for i := range out.Len() {
					pc, r := out.At(i)
					all = append(all, done{pc, r.Active, r.Redirect})
				}
				if _, more := w.Next(); !more {
					break
				}
				if out.Len() == size && size > 0 {
					continue
				}
				pc := int32(w.PC())
				r, err := w.Step()
				require.NoError(t, err)
				all = append(all, done{pc, r.Active, r.Redirect})
			}
		}
		output, err := mem.Bytes(addr, 160)
		require.NoError(t, err)
		return all, output
	}
	want, output := run(0)
	for _, size := range []int{1, 3, 24, AheadSteps} {
		got, result := run(size)
		require.Equal(t, want, got, size)
		require.Equal(t, output, result, size)
	}
}
