package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

func TestAUseOfAProductBeforeTheWaitIsAnError(t *testing.T) {
	const product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %x, %x, p, 1, 1, 0, 0;"
	const late = "the warp has not waited for that product"
	for _, c := range []struct{ text, want string }{
		{"P commit; wait 0; use;", ""},
		{"P P commit; wait 0; use;", ""}, // accumulates
		{"P commit; P commit; wait 0; use;", ""},
		{"P commit; OTHER commit; wait 1; use;", ""}, // of the older group
		{"P commit; mov.f32 %r1, %d0; wait 0; add.f32 %r2, %r1, %r1;", ""},
		{"P commit; use;", "add.f32 in kernel k, thread (0,0,0) of thread block (0,0,0): it reads %d0, a result of wgmma of line 9; " + late},
		{"P commit; wait 1; use;", late},
		{"P wait 0; use;", late}, // of the open group
		{"P commit; P commit; wait 1; use;", late},
		{"P commit; add.f32 %d0, %r1, %r1;", "it writes %d0"},
		{"P commit; mov.f32 %r1, %d0; add.f32 %r2, %r1, %r1;", "it reads %r1"},
		{"P commit; st.shared.f32 [tile], %d3;", "it reads %d3"},
		{"P commit; mov.f32 %d0, %r1; use; wait 0;", ""}, // another value by then
	} {
		text := c.text
		for from, to := range map[string]string{
			"P ": product + "\n", "OTHER ": strings.ReplaceAll(product, "%d", "%o") + "\n", "commit;": "wgmma.commit_group.sync.aligned;",
			"wait 0;": "wgmma.wait_group.sync.aligned 0;", "wait 1;": "wgmma.wait_group.sync.aligned 1;", "use;": "add.f32 %r1, %d0, %d0;",
		} {
			text = strings.ReplaceAll(text, from, to)
		}
		p, _ := compileText(t, fmt.Sprintf(`.extern .shared .align 128 .b8 tile[];
.visible .entry k()
{
	.reg .f32 %%d<4>, %%o<4>, %%r<4>; .reg .b64 %%x; .reg .pred p;
	setp.eq.f32 p, %%r0, %%r1; mov.b64 %%x, 0x800000008;
%s
	ret;
}
`, strings.TrimPrefix(text, "\n")))
		run := func(check bool) error {
			return Run(p, &LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 128, Y: 1, Z: 1}, Mem: NewMemory(), DynamicShared: 8192, CheckAsync: check})
		}
		require.NoError(t, run(false), c.text)
		if err := run(true); c.want == "" {
			assert.NoError(t, err, c.text)
		} else {
			assert.ErrorContains(t, err, c.want, c.text)
		}
	}
}
