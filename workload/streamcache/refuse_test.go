package streamcache_test

import (
	"os"
	"path/filepath"
	"testing"

	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

// timed writes a manifest with a kernel that goes round as often as a special
// register says, and returns it as an application.
func timed(t *testing.T, register string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"timed.yaml": `name: timed
ptx: timed.ptx
arrays:
  - {name: out, type: u32, length: 1024}
kernels:
  - {name: timed, block: [64]}
steps:
  - launch: {kernel: timed, grid: [16], args: [out]}
`,
		"timed.ptx": `.version 6.0
.target sm_52
.address_size 64
.visible .entry timed(.param .u64 out) {
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %x<3>;
	ld.param.u64 %x1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r1, %r2, 64, %r1;
	mad.wide.u32 %x2, %r1, 4, %x1;
	ld.global.u32 %r4, [%x2];
	add.u32 %r4, %r4, 1;
	mov.u32 %r3, ` + register + `;
	and.b32 %r3, %r3, 15;
$again:
	mad.lo.u32 %r4, %r4, %r4, %r3;
	sub.u32 %r3, %r3, 1;
	setp.gt.s32 %p, %r3, 0;
	@%p bra $again;
	st.global.u32 [%x2], %r4;
	ret;
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return "ptx:" + filepath.Join(folder, "timed.yaml")
}

func TestKernelsThatReadTimeOrPlaceAreNotRecorded(t *testing.T) {
	for register, recorded := range map[string]bool{"%clock": false, "%globaltimer_lo": false, "%smid": false, "%nsmid": false, "%warpid": true} {
		folder, spec := t.TempDir(), timed(t, register)
		for _, policy := range []string{"fcfs", "spart"} {
			mix := []string{spec, "spmv?size=tiny"}
			require.Equal(t, result(t, nil, policy, 0, mix...), result(t, store(t, folder), policy, 0, mix...), register)
			require.Equal(t, recorded, replayed(t, folder, spec), register)
		}
	}
}

func TestOptionsOfTheProcessMakeNoOtherRecording(t *testing.T) {
	folder := t.TempDir()
	result(t, store(t, folder), "fcfs", 0, "spmv?size=tiny&arrival=5us&priority=3")
	require.True(t, replayed(t, folder, "spmv?size=tiny"))
	app, err := source.Open("spmv?size=tiny", source.Options{Cache: store(t, folder)})
	require.NoError(t, err)
	require.Len(t, app.Kernels(), 1)
}
