package exec

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// Each thread copies two words, the second in a group of its own, waits as the text says, and
// reads as it says.
const copies = `.visible .entry k(.param .u64 in, .param .u64 out)
{
	.shared .align 16 .b8 tile[1024];
	.reg .b64 %%in, %%out, %%x; .reg .b32 %%tid, %%at, %%r<5>;
	ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];
	mov.u32 %%tid, %%tid.x;
	mad.wide.u32 %%in, %%tid, 4, %%in;
	mov.u32 %%at, tile;
	mad.lo.u32 %%at, %%tid, 4, %%at;
	st.shared.u32 [%%at+512], %%tid;
	cp.async.ca.shared.global [%%at], [%%in], 4;
	cp.async.commit_group;
	cp.async.ca.shared.global [%%at+256], [%%in], 4;
	%s
	ret;
}
`

func TestAReadBeforeTheWaitForACopyIsAnError(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r1, [%at]; ld.shared.u32 %r1, [%at+256];", ""},
		{"cp.async.wait_all; ld.shared.u32 %r1, [%at+256];", ""},
		{"cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r1, [%at];", ""},
		{"ld.shared.u32 %r1, [%at+512];", ""}, // of what a store has written
		{"cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r1, [%at+256];",
			"test.ptx:17: ld.shared.u32 in kernel k, thread (0,0,0) of thread block (0,0,0): it reads the byte at 0x100 of shared memory, which cp.async of line 16 writes; thread (0,0,0) has not waited for that copy"},
		{"cp.async.commit_group; cp.async.wait_group 2; ld.shared.u32 %r1, [%at];", "which cp.async of line 14 writes"},
		{"cp.async.wait_group 0; ld.shared.u32 %r1, [%at+256];", "which cp.async of line 16 writes"}, // of the open group
		{"cp.async.commit_group; bar.sync 0; ld.shared.u32 %r1, [%at];", "which cp.async of line 14 writes"},
		{"cp.async.wait_group 0; bar.sync 0; ld.shared.v2.u32 {%r1, %r2}, [tile+256];", "it reads the byte at 0x100"},
		{"cp.async.wait_group 0; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [tile+256];", "which cp.async of line 16 writes"},
		{"cp.async.commit_group; mov.u32 %r1, tile; cvt.u64.u32 %x, %r1; cvta.shared.u64 %x, %x; atom.add.u32 %r1, [%x], 1;", "which cp.async of line 14 writes"},
	} {
		p, m := compileText(t, fmt.Sprintf(copies, c.text))
		mem := NewMemory()
		mem.Load(m)
		from, to := mem.Alloc(256, 0), mem.Alloc(256, 0)
		run := func(check bool, way func(p *Program, cfg *LaunchConfig) error) error {
			return way(p, &LaunchConfig{Grid: workload.Dim3{X: 2, Y: 1, Z: 1}, Block: workload.Dim3{X: 64, Y: 1, Z: 1}, Mem: mem, Params: params(from, to), CheckAsync: check})
		}
		require.NoError(t, run(false, Run), c.text)
		for _, way := range []func(p *Program, cfg *LaunchConfig) error{Run, func(p *Program, cfg *LaunchConfig) error {
			_, err := Execute(context.Background(), p, cfg, 2)
			return err
		}} {
			if err := run(true, way); c.want == "" {
				assert.NoError(t, err, c.text)
			} else {
				assert.ErrorContains(t, err, c.want, c.text)
			}
		}
	}
}
