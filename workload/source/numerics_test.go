package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/streamcache"
)

// sums adds sixteen products of 2^-25 to 1: one step of Hopper's keeps four units in the last
// place of them, two steps of Ampere's nothing.
const sums = `.version 7.8
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 out)
{
	.reg .b32 %a, %b, %tid; .reg .f32 %c, %d<4>; .reg .b64 %out, %at;
	ld.param.u64 %out, [out];
	mov.u32 %tid, %tid.x;
	mul.wide.u32 %at, %tid, 4;
	add.u64 %out, %out, %at;
	mov.b32 %a, 0x00020002; // 2^-23
	mov.b32 %b, 0x34003400; // 2^-2
	mov.f32 %c, 0f3F800000;
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a, %a, %a, %a}, {%b, %b}, {%c, %c, %c, %c};
	st.global.f32 [%out], %d0;
	ret;
}
`

// sum runs the application to its end and returns the first element of its array, 0 if a
// recording ran.
func sum(t *testing.T, app *workload.App) (bits uint32) {
	host, err := app.Start()
	require.NoError(t, err)
	for {
		op, ok, err := host.Next()
		require.NoError(t, err)
		if !ok {
			break
		}
		if op.Kernel != nil {
			require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, functional.Observer{}))
		}
	}
	if h, ok := host.(interface{ Arrays() []workload.Array }); ok {
		data := h.Arrays()[0].Data
		return uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
	}
	return 0
}

// A GPU's numerics reach its kernels, and no recording of other numerics takes their place.
func TestNumericsReachKernelsAndKeysOfRecordings(t *testing.T) {
	ptx := write(t, "sums.ptx", sums)
	file := filepath.Join(filepath.Dir(ptx), "sums.yaml")
	require.NoError(t, os.WriteFile(file, []byte("name: sums\nptx: sums.ptx\narrays: [{name: out, type: f32, length: 32}]\nkernels: [{name: sums, block: [32]}]\nsteps: [{launch: {kernel: sums, grid: [1], args: [out]}}]\n"), 0o600))
	folder := t.TempDir()
	for numerics, want := range map[workload.Numerics]uint32{workload.Ampere: 0x3f800000, workload.Hopper: 0x3f800004} {
		open := func(cache *streamcache.Store) *workload.App {
			app, err := Open("ptx:"+file, Options{Target: workload.Target{Numerics: numerics}, Cache: cache})
			require.NoError(t, err)
			return app
		}
		require.Equal(t, want, sum(t, open(nil)), numerics)
		cache, err := streamcache.Open(folder, 1<<20)
		require.NoError(t, err)
		cache.Context = t.Context()
		sum(t, open(cache))
	}
	recordings, err := filepath.Glob(filepath.Join(folder, "*.streams"))
	require.NoError(t, err)
	require.Len(t, recordings, 2)
}
