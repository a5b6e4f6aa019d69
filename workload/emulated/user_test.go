package emulated

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"cotenant/cta_dispatcher/policy"
	system "cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// user opens a manifest and its PTX.
func user(t *testing.T, manifest, text string) *kernels.Manifest {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(manifest), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.ptx"), []byte(".version 7.8\n.target sm_70\n.address_size 64\n"+text), 0o600))
	m, err := kernels.Load(filepath.Join(dir, "a.yaml"))
	require.NoError(t, err)
	return m
}

// words runs a manifest and its PTX on a GPU and returns the 32-bit elements of
// its array out.
func words(t *testing.T, manifest, text string) []uint32 {
	t.Helper()
	app, instance := watched(t, user(t, manifest, text), sass.Options{})
	gpu, err := presets.Load("gtx980")
	require.NoError(t, err)
	p, err := policy.Parse("fcfs")
	require.NoError(t, err)
	wired, err := wiring.New(*gpu, p, []system.Process{{App: app}})
	require.NoError(t, err)
	require.NoError(t, wired.Run(context.Background(), 0, nil))
	bytes := instance().Array("out").Bytes
	list := make([]uint32, len(bytes)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return list
}

// whereAndWhen has each thread block store its SM, the number of SMs, two
// readings of the cycle counter and a reading of the timer.
const whereAndWhen = `
.visible .entry k(.param .u64 out)
{
	.reg .b64 %x<8>;
	.reg .b32 %r<8>;
	ld.param.u64 %x1, [out];
	mov.u32 %r1, %ctaid.x;
	mad.wide.u32 %x1, %r1, 20, %x1;
	mov.u32 %r2, %clock;
	mov.u32 %r3, %smid;
	mov.u32 %r4, %nsmid;
	st.global.u32 [%x1], %r3;
	membar.gl;
	mov.u64 %x2, %clock64;
	mov.u64 %x3, %globaltimer;
	cvt.u32.u64 %r5, %x2;
	cvt.u32.u64 %r6, %x3;
	st.global.u32 [%x1+4], %r4;
	st.global.u32 [%x1+8], %r2;
	st.global.u32 [%x1+12], %r5;
	st.global.u32 [%x1+16], %r6;
	ret;
}
`

func TestKernelsReadTheSMAndTheClockOfTheModel(t *testing.T) {
	manifest := `
name: where
ptx: a.ptx
arrays: [{name: out, type: u32, length: 5 * 40}]
kernels: [{name: k, block: [32]}]
steps: [{launch: {kernel: k, grid: [40], args: [out]}}]
`
	out := words(t, manifest, whereAndWhen)
	require.Equal(t, out, words(t, manifest, whereAndWhen), "the same in every run")
	used := map[uint32]int{}
	for tb := range 40 {
		sm, sms, before, after, ns := out[5*tb], out[5*tb+1], out[5*tb+2], out[5*tb+3], out[5*tb+4]
		used[sm]++
		require.EqualValues(t, 16, sms)
		require.Greater(t, after, before+100, "the fence waits for a store")
		require.InDelta(t, float64(after)/1.216, float64(ns), 10, "read an instruction later, at 1.216 GHz")
	}
	require.Len(t, used, 16)
}

// handOver pairs each even warp of a thread block with the next warp and hands data over
// by barriers of the pair: the odd barrier reports a full buffer, the even barrier an
// empty buffer.
const handOver = `
.visible .entry k(.param .u64 out)
{
	.reg .b64 %x<8>;
	.reg .b32 %r<20>;
	.reg .pred %p<4>;
	.shared .align 4 .b32 buffer[64];
	mov.u32 %r1, %tid.x;
	shr.u32 %r2, %r1, 5;
	and.b32 %r3, %r1, 31;
	shr.u32 %r4, %r2, 1;
	shl.b32 %r5, %r4, 1;
	add.u32 %r6, %r5, 1; // full
	add.u32 %r7, %r5, 2; // empty
	mov.u32 %r8, buffer;
	mad.lo.u32 %r9, %r4, 128, %r8;
	mov.u32 %r10, 0;
	and.b32 %r11, %r2, 1;
	setp.ne.u32 %p1, %r11, 0;
	@%p1 bra $consume;
	mad.lo.u32 %r12, %r3, 4, %r9;
$produce:
	mad.lo.u32 %r13, %r10, 1000, %r1;
	st.shared.u32 [%r12], %r13;
	bar.arrive %r6, 64;
	add.u32 %r10, %r10, 1;
	setp.lt.u32 %p2, %r10, 5;
	@%p2 bar.sync %r7, 64;
	@%p2 bra $produce;
	ret;
$consume:
	xor.b32 %r12, %r3, 31;
	mad.lo.u32 %r12, %r12, 4, %r9;
	ld.param.u64 %x1, [out];
	mad.wide.u32 %x1, %r4, 640, %x1;
	mad.wide.u32 %x1, %r3, 4, %x1;
$next:
	bar.sync %r6, 64;
	ld.shared.u32 %r13, [%r12];
	st.global.u32 [%x1], %r13;
	add.s64 %x1, %x1, 128;
	add.u32 %r10, %r10, 1;
	setp.lt.u32 %p2, %r10, 5;
	@%p2 bar.arrive %r7, 64;
	@%p2 bra $next;
	ret;
}
`

func TestWarpsHandOverAtNamedBarriers(t *testing.T) {
	out := words(t, `
name: pairs
ptx: a.ptx
arrays: [{name: out, type: u32, length: 2 * 5 * 32}]
kernels: [{name: k, block: [128]}]
steps: [{launch: {kernel: k, grid: [1], args: [out]}}]
`, handOver)
	for pair := range 2 {
		for turn := range 5 {
			for lane := range 32 {
				require.EqualValues(t, 1000*turn+64*pair+31-lane, out[160*pair+32*turn+lane])
			}
		}
	}
}

// lookUp has each lane read the constant of its number modulo three, and all
// the same one.
const lookUp = `
.const .align 4 .u32 table[4] = {5, 6, 7, 8};
.visible .entry k(.param .u64 out)
{
	.reg .b64 %x<8>;
	.reg .b32 %r<8>;
	mov.u32 %r1, %tid.x;
	rem.u32 %r2, %r1, 3;
	mov.u64 %x1, table;
	mad.wide.u32 %x2, %r2, 4, %x1;
	ld.const.u32 %r3, [%x2];
	ld.const.u32 %r4, [table+12];
	add.u32 %r3, %r3, %r4;
	ld.param.u64 %x3, [out];
	mad.wide.u32 %x3, %r1, 4, %x3;
	st.global.u32 [%x3], %r3;
	ret;
}
`

func TestConstantLoadsCarryTheirAddresses(t *testing.T) {
	app, _ := watched(t, user(t, `
name: look
ptx: a.ptx
arrays: [{name: out, type: u32, length: 32}]
kernels: [{name: k, block: [32]}]
steps: [{launch: {kernel: k, grid: [1], args: [out]}}]
`, lookUp), sass.Options{KeepOrder: true})
	host, err := app.Start()
	require.NoError(t, err)
	op, _, err := host.Next()
	require.NoError(t, err)
	var loads []workload.Inst
	require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, functional.Observer{Executed: func(_, _ int, inst *workload.Inst) {
		if inst.Class != workload.Constant {
			return
		}
		in := *inst
		if in.Lanes != nil {
			lanes := *in.Lanes
			in.Lanes = &lanes
		}
		loads = append(loads, in)
	}}))
	require.Len(t, loads, 2)
	for _, in := range loads {
		require.Equal(t, workload.Constants, in.Space)
		require.Equal(t, ^uint32(0), in.Active)
	}
	require.NotNil(t, loads[0].Lanes)
	for i, addr := range loads[0].Lanes {
		require.Equal(t, loads[1].Base-12+uint64(i%3*4), addr)
	}
	require.Nil(t, loads[1].Lanes)
	require.Zero(t, loads[1].Stride)
}

// What a launch asks for is held against the GPU before anything runs, and the
// line that states it is named.
func TestALaunchBeyondTheGPUsLimitsNamesItsLine(t *testing.T) {
	const code = ".extern .shared .b8 dyn[];\n.visible .entry k(.param .u64 out) { ret; }\n"
	const manifest = "name: user\nptx: a.ptx\narrays: [{name: out, type: u32, length: 1}]\nkernels: [{name: k, block: [64]}]\nsteps:\n  - launch: {kernel: k, args: [out], "
	for steps, want := range map[string]string{
		"grid: [1], shared: 49152}\n": "",
		"grid: [1], shared: 60000}\n": "a.yaml:6: kernel k: 60000 bytes of shared memory a thread block; valid: at most 49152, driver.shared_bytes_per_tb of the GPU",
		"grid: [1, 70000]}\n":         "a.yaml:6: kernel k: 70000 thread blocks along y; valid: at most 65535, driver.grid.y of the GPU",
	} {
		app, _ := watched(t, user(t, manifest+steps, code), sass.Options{})
		gpu, err := presets.Load("gtx980")
		require.NoError(t, err)
		p, err := policy.Parse("fcfs")
		require.NoError(t, err)
		if _, err = wiring.New(*gpu, p, []system.Process{{App: app}}); want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// What clang makes of a texture reference, in a file that has a kernel for tensor
// cores too.
const throughAReference = `
.global .texref image;
.visible .entry other(.param .u64 out)
{
	.reg .b32 %r<8>;
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];
}
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<8>;
	.reg .b32 %r<8>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u64 %rd2, image;
	tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd2, {%r1}];
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

func TestTextureReferencesAreReadThroughTheirHandles(t *testing.T) {
	const manifest = `
name: image
ptx: a.ptx
arrays:
  - {name: texels, type: u32, values: [7, 5, 3]}
  - {name: out, type: u32, length: 4}
textures: [{name: image, array: texels, width: 3}]
kernels: [{name: k, block: [4]}]
steps: [{launch: {kernel: k, grid: [1], args: [out]}}]
`
	require.Equal(t, []uint32{7, 5, 3, 0}, words(t, manifest, throughAReference))
}
