package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/tests/need"
)

// forgetfulPTX copies a word of each thread into shared memory, and does not wait before it
// reads the word.
const forgetfulPTX = `.version 7.8
.target sm_80
.address_size 64
.visible .entry forget(.param .u64 data)
{
	.reg .b32 %r<3>;
	.reg .b64 %x<3>;
	.shared .align 4 .b8 tile[128];
	ld.param.u64 %x1, [data];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %x1, %r1, 4, %x1;
	mov.u32 %r2, tile;
	mad.lo.u32 %r1, %r1, 4, %r2;
	cp.async.ca.shared.global [%r1], [%x1], 4;
	ld.shared.u32 %r2, [%r1];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%x1], %r2;
	ret;
}
`

// A recording of an unchecked run is not replayed for a checked one.
func TestCheckAsyncFindsAForgottenWait(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "forget.ptx"), []byte(forgetfulPTX), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "forget.yaml"), []byte(`name: forget
ptx: forget.ptx
arrays: [{name: data, type: u32, length: 32, fill: 64}]
kernels: [{name: forget, block: [32]}]
steps:
  - launch: {kernel: forget, grid: [1], args: [data]}
`), 0o600))
	args := []string{"run", "--quiet", "--gpu", file(t, "small.yaml", smallGPU), "--app", "ptx:" + filepath.Join(folder, "forget.yaml"), "--cache", t.TempDir()}
	for _, check := range []bool{false, false, true} {
		if !check {
			got := cotenant(t, args...)
			require.Zero(t, got.status, got.stderr)
			continue
		}
		got := cotenant(t, append(args, "--check-async")...)
		assert.Equal(t, 1, got.status)
		assert.Contains(t, got.stderr, "forget.ptx:15: ld.shared.u32 in kernel forget")
		assert.Contains(t, got.stderr, "which cp.async of line 14 writes")
	}
}

// forgetfulProgram is a program with a kernel that does the same.
const forgetfulProgram = `#include <cuda_runtime.h>
__global__ void forget(unsigned *data) {
	__shared__ unsigned tile[32];
	unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(data + threadIdx.x) : "memory");
	data[threadIdx.x] = tile[threadIdx.x] + 1;
}
int main() {
	unsigned *data;
	cudaMalloc(&data, 128);
	forget<<<1, 32>>>(data);
	return cudaDeviceSynchronize() != cudaSuccess;
}
`

// A program is checked however it is named.
func TestCheckAsyncChecksPrograms(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(path("forget.cu"), []byte(forgetfulProgram), 0o600))
	require.NoError(t, os.WriteFile(path("forget.app.yaml"), []byte("program: ./forget\n"), 0o600))
	got := cotenant(t, "cc", "-arch=sm_80", path("forget.cu"), "-o", path("forget"))
	require.Zero(t, got.status, got.stderr)
	for _, app := range []string{"cuda:" + path("forget"), path("forget.app.yaml")} {
		got := cotenant(t, "run", "--quiet", "--gpu", "gtx980", "--app", app, "--check-async")
		assert.Equal(t, 1, got.status, app)
		assert.Contains(t, got.stderr, "which cp.async of line", app)
	}
}
