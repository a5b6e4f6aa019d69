package cc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/tests/need"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Assembly with side effects and other calls keep their attributes.
func TestAssemblyWithoutSideEffectsReturns(t *testing.T) {
	const code = `  %1 = call { i32, i32 } asm "tex) #7", "=r,=r,l"(i64 %0) #1, !dbg !4, !srcloc !5
  %2 = call i32 asm sideeffect "shfl", "=r,r"(i32 %1) #1, !srcloc !6
  %3 = tail call float asm "add", "=f,f"(float %2) #1
  %4 = call float asm "mul", "=f,f"(float %3) #0
  %5 = call float @f(float %4) #1
attributes #0 = { nounwind }
attributes #1 = { convergent nounwind memory(none) }
`
	want := strings.NewReplacer(
		`l"(i64 %0) #1`, `l"(i64 %0) #2`,
		`(float %2) #1`, `(float %2) #2`,
		`(float %3) #0`, `(float %3) #3`,
	).Replace(code) + `attributes #2 = { convergent nounwind memory(none) willreturn }
attributes #3 = { nounwind willreturn }
`
	assert.Equal(t, want, string(returning([]byte(code))))
	assert.Equal(t, "nothing", string(returning([]byte("nothing"))))
}

// What a loop loads behind a fetch is loaded before the loop, as by NVIDIA's compiler.
func TestLoadsBehindFetchesLeaveLoops(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	source, ptx := filepath.Join(t.TempDir(), "a.cu"), filepath.Join(t.TempDir(), "a.ptx")
	require.NoError(t, os.WriteFile(source, []byte(`texture<unsigned short, 2> image;
__global__ void weigh(int *sums, int n) {
  __shared__ int weights[64];
  weights[threadIdx.x] = sums[threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; i++) sum = sum * 3 + tex2D(image, i, 0) * weights[63 - threadIdx.x];
  sums[threadIdx.x] = sum;
}`), 0o600))
	var messages bytes.Buffer
	require.NoError(t, Run(t.Context(), []string{"-ptx", source, "-o", ptx}, &messages, &messages), messages.String())
	text, err := os.ReadFile(ptx)
	require.NoError(t, err)
	before, _, found := strings.Cut(string(text), "tex.2d")
	require.True(t, found)
	require.Contains(t, before, "ld.shared")
}
