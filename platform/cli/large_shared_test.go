package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// largestPTX writes to the last word of its dynamic shared memory and reads it back.
const largestPTX = `.version 7.8
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 tile[];
.visible .entry largest(.param .u64 data, .param .u32 bytes)
{
	.reg .b32 %r<4>;
	.reg .b64 %x<3>;
	ld.param.u64 %x1, [data];
	ld.param.u32 %r1, [bytes];
	mov.u32 %r2, tile;
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2+-4], %r1;
	ld.shared.u32 %r3, [%r2+-4];
	st.global.u32 [%x1], %r3;
	ret;
}
`

// Each chip's largest thread block runs, and a larger one is refused (CUDA C++ Programming Guide, technical
// specifications of compute capabilities).
func TestAThreadBlockHasTheSharedMemoryOfItsGPU(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "largest.ptx"), []byte(largestPTX), 0o600))
	for gpu, most := range map[string]int{"gtx980": 48 << 10, "v100": 96 << 10, "a100": 163 << 10, "rtx4090": 99 << 10, "h100": 227 << 10} {
		for _, bytes := range []int{most, most + 16} {
			name := filepath.Join(folder, fmt.Sprint(bytes, ".yaml"))
			require.NoError(t, os.WriteFile(name, fmt.Appendf(nil, `name: largest
ptx: largest.ptx
arrays: [{name: data, type: u32, length: 1}]
kernels: [{name: largest, block: [32]}]
steps:
  - launch: {kernel: largest, grid: [1], shared: %d, args: [data, %d]}
  - expect: {array: data, fill: %d}
`, bytes, bytes, bytes), 0o600))
			got := cotenant(t, "run", "--quiet", "--gpu", gpu, "--app", "ptx:"+name, "--cache", "off")
			if bytes == most {
				assert.Zero(t, got.status, got.stderr)
				assert.Contains(t, got.stdout, "1 of 1 expects passed", gpu)
			} else {
				assert.NotZero(t, got.status, gpu)
				assert.Contains(t, got.stderr, fmt.Sprintf("at most %d, driver.shared_bytes_per_tb of the GPU", most))
			}
		}
	}
}
