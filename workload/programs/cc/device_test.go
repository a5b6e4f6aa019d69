package cc

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// A structure's copy has an access for each member, or one where the alignment allows it, and
// nothing of it goes to local memory.
func TestStructuresAreCopiedByTheirMembers(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	for body, want := range map[string][]string{
		"float4 v = ((float4 *)p)[i]; v.x += 1; ((float4 *)p)[i + 1] = v;":         {"ld.global.v4.f32", "st.global.v4.f32"},
		"__shared__ int4 s[64]; s[i] = ((int4 *)p)[i]; use(s);":                    {"ld.global.v4.u32", "st.shared.v4.u32"},
		"uchar4 v = ((uchar4 *)p)[i]; v.y += 1; ((uchar4 *)p)[i + 1] = v;":         {"ld.global.v4.u8", "st.global.v4.u8"},
		"float3 v = ((float3 *)p)[i]; v.z += 1; ((float3 *)p)[i + 1] = v;":         {"ld.global.f32", "ld.global.f32", "ld.global.f32", "st.global.f32", "st.global.f32", "st.global.f32"},
		"double2 v = ((double2 *)p)[i]; ((double2 *)p)[i + 1] = v;":                {"ld.global.v2.f64", "st.global.v2.f64"},
		"ushort2 v = ((ushort2 *)p)[i]; ((ushort2 *)p)[i + 1] = v;":                {"ld.global.u32", "st.global.u32"},
		"list v = ((list *)p)[i]; *v.next = v.n; ((list *)p)[i + 1] = v;":          {"ld.global.u64", "ld.global.v2.u32", "ld.global.f64", "st.u32", "st.global.u64", "st.global.v2.u32", "st.global.f64"},
		"bits v = ((bits *)p)[i]; v.a++; ((bits *)p)[i + 1] = v;":                  {"ld.global.u32", "st.global.u32"},
		"struct rows { int *row[3]; } v = ((rows *)p)[i]; ((rows *)p)[i + 1] = v;": {"ld.global.u64", "st.global.u64", "ld.global.u64", "st.global.u64", "ld.global.u64", "st.global.u64"},
		// Of a built-in vector nvcc knows the alignment, whatever array it is in.
		"__shared__ float s[256]; *(float4 *)&s[4 * i] = ((float4 *)p)[i]; use(s);":                   {"ld.global.v4.f32", "st.shared.v4.f32"},
		"__shared__ float s[128]; ((float2 *)p)[i] = *(float2 *)&s[2 * i]; use(s);":                   {"ld.shared.u64", "st.global.u64"},
		"float r[8]; r[i & 7] = 1; *(float4 *)&r[4 * (i & 1)] = ((float4 *)p)[i]; use(r);":            {"st.local.u32", "ld.global.v4.f32", "st.local.v4.f32"},
		"struct __attribute__((packed)) odd { char c; uchar4 v; }; ((uchar4 *)p)[i] = ((odd *)p)->v;": {"ld.global.u8", "ld.global.u8", "ld.global.u8", "ld.global.u8", "st.global.v4.u8"},
	} {
		assert.Equal(t, want, accessesOf(t, body), body)
	}
}

// Neighbours of four bytes and more in a shared array are one access where they lie together at a multiple
// of their size, as in nvcc's code.
func TestNeighboursInSharedArraysAreOneAccess(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	for body, want := range map[string][]string{
		"extern __shared__ float s[]; float a = s[2 * i], b = s[2 * i + 1]; s[2 * i] = a + b; s[2 * i + 1] = a - b;":                      {"ld.shared.v2.f32", "st.shared.v2.f32"},
		"extern __shared__ float s[]; float a = s[2 * i + 1], b = s[2 * i + 2]; s[2 * i + 1] = a + b; s[2 * i + 2] = a - b;":              {"ld.shared.f32", "ld.shared.f32", "st.shared.f32", "st.shared.f32"},
		"__shared__ int s[32][8]; use(s); ((int *)p)[i] = s[i][4] + s[i][5] + s[i][6] + s[i][7];":                                         {"ld.shared.v4.u32", "st.global.u32"},
		"__shared__ short s[64]; use(s); ((int *)p)[i] = s[2 * i] + s[2 * i + 1];":                                                        {"ld.shared.s16", "ld.shared.s16", "st.global.u32"},
		"__shared__ double s[2][32][2]; use(s); ((double *)p)[i] = s[1][i][0];":                                                           {"ld.shared.f64", "st.global.f64"},
		"__shared__ list s[32]; use(s); ((int *)p)[i] = s[i].n - s[i].m;":                                                                 {"ld.shared.v2.u32", "st.global.u32"},
		"__shared__ int s[64]; use(s); int *q = i & 1 ? (int *)p : s; q += 2 * i; ((int *)p)[i] = q[0] + q[1];":                           {"ld.u32", "ld.u32", "st.global.u32"},
		"__shared__ volatile int s[64]; use((void *)s); ((int *)p)[i] = s[2 * i] + s[2 * i + 1];":                                         {"ld.volatile.shared.u32", "ld.volatile.shared.u32", "st.global.u32"},
		"__shared__ int s[64]; use(s); for (int k = i; k < 32; k += blockDim.x) use(&s[2 * k]), ((int *)p)[k] = s[2 * k] + s[2 * k + 1];": {"ld.shared.v2.u32", "st.global.u32"},
	} {
		assert.Equal(t, want, accessesOf(t, body), body)
	}
}

// An address of shared, constant or local memory is computed in 32 bits. A pointer that may point anywhere has 64, also
// one that is made of such an address.
func TestAddressesOfSharedMemoryTakeOneRegister(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	for body, address := range map[string]string{
		"__shared__ float s[8][32]; use(s); ((float *)p)[0] = s[i >> 5][i & 31];":                 "ld.shared.f32 %r",
		"extern __shared__ float s[]; use(s); for (int k = i; k < 99; k += blockDim.x) s[k] = 0;": "st.shared.u32 %r",
		"((float *)p)[0] = table[i];":                                                 "ld.const.f32 %r",
		"float r[8]; use(r); ((float *)p)[0] = r[i & 7];":                             "ld.local.f32 %r",
		"((float *)p)[i] = 0;":                                                        "st.global.u32 %rd",
		"__shared__ float s[8]; use(s); float *q = i & 1 ? (float *)p : s; q[i] = 0;": "st.u32 %rd",
	} {
		var found []string
		code := ptxOf(t, body)
		for _, a := range regexp.MustCompile(`\b((?:ld|st)\.[a-z0-9.]+) .*\[(%[a-z]+)\d`).FindAllStringSubmatch(strings.ReplaceAll(code, "\t", " "), -1) {
			found = append(found, a[1]+" "+a[2])
		}
		assert.Contains(t, found, address, body)
		if address[len(address)-1] == 'r' {
			assert.NotRegexp(t, `(?:shl|mul)\.[a-z.]*(?:[bsu]64|wide)`, code, body)
		}
	}
}

// Eight rows of sixteen products are the loop of Parboil's sgemm. LLVM's options of a command line go before cc's own,
// and LLVM would refuse both.
func TestLoopsUnrollAsFarAsNvccs(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	const body = `__shared__ float s[8][16]; use(s); float c[16] = {}, *a = (float *)p;
for (int k = 0; k < 8; k++) for (int j = 0; j < 16; j++) c[j] += a[i + 64 * k] * s[k][j];
for (int j = 0; j < 16; j++) a[i + 32 * j] = c[j];`
	for options, loops := range map[string]bool{
		"":                                      false,
		"-mllvm -unroll-threshold=200":          true,
		"-mllvm -pragma-unroll-threshold=200":   false,
		"-mllvm --nvptx-fma-level=1 -fmad=true": false,
	} {
		assert.Equal(t, loops, strings.Contains(ptxOf(t, body, strings.Fields(options)...), "bra"), options)
	}
}

// A local array that is filled through a pointer to another type holds what it was filled with.
func TestAccessesOfOtherTypesAreSeen(t *testing.T) {
	need.Program(t, "clang-16", "clang++-16")
	for body, want := range map[string][]string{
		"float r[4]; *(uint4 *)r = ((uint4 *)p)[i]; ((float *)p)[i] = r[0] + r[1] + r[2] + r[3];": {"ld.global.v4.f32", "st.global.f32"},
		"float r[2]; *(long *)r = ((long *)p)[i]; ((float *)p)[i] = r[0] + r[1];":                 {"ld.global.v2.f32", "st.global.f32"},
	} {
		assert.Equal(t, want, accessesOf(t, body), body)
	}
}

// accessesOf are the loads and stores in the PTX of a kernel, but for those of parameters.
func accessesOf(t *testing.T, body string) []string {
	accesses := regexp.MustCompile(`\b(?:ld|st)\.(?:[a-z0-9]+\.)*[a-z]\d+`).FindAllString(ptxOf(t, body), -1)
	return slices.DeleteFunc(accesses, func(a string) bool { return strings.HasPrefix(a, "ld.param") })
}

// ptxOf is the PTX of a kernel.
func ptxOf(t *testing.T, body string, options ...string) string {
	folder := t.TempDir()
	source, ptx := filepath.Join(folder, "a.cu"), filepath.Join(folder, "a.ptx")
	require.NoError(t, os.WriteFile(source, []byte(`struct list { int *next; int n, m; double d; };
struct bits { unsigned a : 3, b : 9, c : 20; };
__constant__ float table[64];
__device__ void use(void *s) { asm volatile("" ::"l"(s)); }
__global__ void kernel(char *p) { int i = threadIdx.x; `+body+` }`), 0o600))
	var messages bytes.Buffer
	require.NoError(t, Run(t.Context(), append(options, "-ptx", source, "-o", ptx), &messages, &messages), messages.String())
	text, err := os.ReadFile(ptx)
	require.NoError(t, err)
	return string(text)
}
