package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

func TestFaultsOfKernelsNameInstructionThreadAndAddress(t *testing.T) {
	at := func(body string) error {
		_, err := tryOutput(t, kernel(body), LaunchConfig{Grid: workload.Dim3{X: 3, Y: 2, Z: 1}, Block: workload.Dim3{X: 8, Y: 8, Z: 1}}, 64)
		return err
	}
	const first = "test.ptx:15: "
	require.EqualError(t, at("\tst.global.u32 [%mine+248], %tid;"), first+"st.global.u32 in kernel k, thread (2,0,0) of thread block (0,0,0): "+
		"address 0x10000100 in .global is not in any array; directly behind the array of 256 bytes at 0x10000000, which argument 1 points to")
	require.EqualError(t, at("\tld.global.v2.u32 {%r1, %r2}, [%mine];"), first+"ld.global.v2.u32 in kernel k, thread (1,0,0) of thread block (0,0,0): "+
		"address 0x10000004 in .global is not a multiple of the 8 bytes accessed")
	require.EqualError(t, at("\tld.global.u64 %x1, [%out+252];"), first+"ld.global.u64 in kernel k, thread (0,0,0) of thread block (0,0,0): "+
		"address 0x100000fc in .global is not a multiple of the 8 bytes accessed")
	require.EqualError(t, at("\tld.local.u32 %r1, [%out];"), first+"ld.local.u32 in kernel k, thread (0,0,0) of thread block (0,0,0): "+
		"address 0x10000000 in .local is past the end; valid are the 0 bytes from 0")
	require.EqualError(t, at("\tmov.u64 %x1, 0; ld.u32 %r1, [%x1+12];"), first+"ld.u32 in kernel k, thread (0,0,0) of thread block (0,0,0): "+
		"address 0xc in .global is not in any array")
	require.EqualError(t, at("\tmov.u64 %x1, -16; ld.u32 %r1, [%x1+12];"), first+"ld.u32 in kernel k, thread (0,0,0) of thread block (0,0,0): "+
		"address 0xfffffffffffffffc in .generic is not in any array")
	require.EqualError(t, at("\tmov.u32 %r1, %ctaid.y; setp.eq.u32 %p1, %r1, 1; setp.eq.and.u32 %p1, %tid, 3, %p1; @%p1 trap;"),
		first+"trap in kernel k, thread (3,0,0) of thread block (0,1,0): the program stops itself")
}

// The numbers stand in CUDA's documentation.
func TestFaultsHaveTheErrorsOfCUDA(t *testing.T) {
	for body, want := range map[string]FaultKind{
		"\tst.global.u32 [%mine+248], %tid;":      700,
		"\tmov.u64 %x1, 0; ld.u32 %r1, [%x1+12];": 700,
		"\tld.global.v2.u32 {%r1, %r2}, [%mine];": 716,
		"\tld.shared.u32 %r1, [2];":               716,
		"\tld.shared.u32 %r1, [1024];":            719,
		"\tld.local.u32 %r1, [%out];":             719,
		"\ttrap;":                                 719,
		"\tmov.u32 %r1, 16; bar.sync %r1;":        715,
		"\tmbarrier.init.b64 [%out], 1;":          717,
	} {
		_, err := tryOutput(t, kernel(body), LaunchConfig{Grid: workload.Dim3{X: 1, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1}}, 64)
		fault := (*Fault)(nil)
		require.ErrorAs(t, err, &fault, body)
		require.Equal(t, want, fault.Kind, "%s: %v", body, err)
		place := (*workload.InputError)(nil)
		require.ErrorAs(t, err, &place)
		require.Positive(t, place.Line)
	}
}

func TestLaunchesThatDoNotFitTheKernelAreErrors(t *testing.T) {
	p, m := compileText(t, ".global .u32 g;\n"+kernel("\tst.global.u32 [g], 1;"))
	good := func() LaunchConfig {
		mem := NewMemory()
		mem.Load(m)
		one := workload.Dim3{X: 1, Y: 1, Z: 1}
		return LaunchConfig{Grid: one, Block: one, Mem: mem, Params: params(globalBase)}
	}
	cfg := good()
	require.NoError(t, p.Bind(&cfg))
	for want, spoil := range map[string]func(c *LaunchConfig){
		"block is (33,32,1); valid are 1 to 1024 threads":       func(c *LaunchConfig) { c.Block = workload.Dim3{X: 33, Y: 32, Z: 1} },
		"grid is (1,0,1); valid are sizes from 1":               func(c *LaunchConfig) { c.Grid.Y = 0 },
		"the parameter block has 4 bytes; valid is 8":           func(c *LaunchConfig) { c.Params = c.Params[:4] },
		"dynamic shared memory of -1 bytes; valid is 0 or more": func(c *LaunchConfig) { c.DynamicShared = -1 },
		"variable g is not in memory; valid after Memory.Load":  func(c *LaunchConfig) { c.Mem = NewMemory() },
	} {
		cfg := good()
		spoil(&cfg)
		require.EqualError(t, p.Bind(&cfg), "test.ptx:5: kernel k cannot be launched: "+want)
		_, err := p.NewTB(&cfg, 0).Warps[0].Step()
		require.ErrorContains(t, err, want)
	}
	_, err := Compile(m, "none")
	require.EqualError(t, err, "test.ptx: no kernel none; valid are k")
}
