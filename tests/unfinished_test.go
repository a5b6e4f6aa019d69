package tests

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/source"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endless are kernels that never end, from line 9 of loop.ptx on, and where they
// are met.
var endless = map[string]struct{ loop, where string }{
	"a branch":             {"LOOP: bra LOOP;", "at loop.ptx:9"},
	"what becomes nothing": {"LOOP: mov.u32 %r2, %r1; mov.u32 %r3, %r2;\n bra LOOP;", "at loop.ptx:10"},
	"registers alone":      {"LOOP: add.u32 %r1, %r1, 1;\n add.u32 %r2, %r1, %r2;\n bra LOOP;", "from loop.ptx:9 to loop.ptx:10"},
	"a flag":               {"LOOP: ld.volatile.global.u32 %r1, [%x1];\n setp.ne.u32 %p1, %r1, 7;\n @%p1 bra LOOP;", "from loop.ptx:9 to loop.ptx:11"},
}

// spinning makes the application of such a kernel.
func spinning(t *testing.T, loop string) *workload.App {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"loop.yaml": "name: loop\nptx: loop.ptx\narrays: [{name: data, type: u32, length: 4}]\nkernels: [{name: spin, block: [64]}]\n" +
			"steps: [{launch: {kernel: spin, grid: [3], args: [data]}}]\n",
		"loop.ptx": ".version 6.0\n.target sm_52\n.address_size 64\n.visible .entry spin(.param .u64 p)\n{\n" +
			".reg .b32 %r<4>; .reg .b64 %x<2>; .reg .pred %p<2>;\nld.param.u64 %x1, [p];\nmov.u32 %r1, 0;\n" + loop + "\nret;\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return opened(t, "ptx:"+filepath.Join(folder, "loop.yaml"))
}

func opened(t *testing.T, spec string) *workload.App {
	t.Helper()
	app, err := source.Open(spec, source.Options{})
	require.NoError(t, err)
	return app
}

func TestLoopWithoutAnEndIsNamedOnceAndTheSameEveryTime(t *testing.T) {
	for name, kernel := range endless {
		told := func() (list []string) {
			p := platform(t, preset(t, "plain16"), "even", false, spinning(t, kernel.loop), opened(t, "sgemm?size=tiny"))
			folder := regexp.MustCompile(`/\S*/`) // that of the test
			p.Warn(60_000, func(text string) { list = append(list, folder.ReplaceAllString(text, "")) })
			p.GiveUp(150_000)
			assert.ErrorIs(t, p.Run(context.Background(), 0, nil), wiring.ErrUnfinished)
			return list
		}
		first := told()
		require.Len(t, first, 1, name)
		assert.Regexp(t, `^tenant 0 \(loop\), kernel spin: no thread block has ended for \d+ cycles, in which \d+ instructions of warps issued, `+kernel.where+`; it may never end$`, first[0], name)
		assert.Equal(t, first, told(), name)
	}
}

// Warps that all wait for what nobody does end the run soon, with the place where they wait; warps that only
// compute, or wait for what another warp does late, do not.
func TestWarpsThatAllSpinEndTheRun(t *testing.T) {
	vain := map[string]string{
		"a branch":             `: a loop reads no memory$`,
		"what becomes nothing": `: a loop reads no memory$`,
		"a flag":               `: ld\.volatile\.global\.u32 at /\S+/loop\.ptx:9 waits for a change of 0x\w+ in the array data \(16 bytes at 0x\w+\)$|: ld\.volatile\.global\.u32 at /\S+/loop\.ptx:9 waits for a change of 0x\w+ in \S*data`,
	}
	for name, what := range vain {
		p := platform(t, preset(t, "plain16"), "fcfs", false, spinning(t, endless[name].loop))
		p.EndSpins()
		err := p.Run(context.Background(), 0, nil)
		var spins *wiring.SpinError
		require.ErrorAs(t, err, &spins, name)
		assert.Regexp(t, `^tenant 0 \(loop\), kernel spin: no thread block has begun or ended for \d{5} cycles, and all warps wait in loops or at barriers for what nothing is left to do`, err.Error(), name)
		assert.Regexp(t, what, err.Error(), name)
		assert.Less(t, p.Cycles(0), uint64(100_000), name)
	}
	const wait = "LOOP: ld.volatile.global.u32 %r2, [%x1];\n setp.eq.u32 %p1, %r2, 0;\n @%p1 bra LOOP;"
	goes := map[string]string{
		"a wait with an end": "LOOP: ld.volatile.global.u32 %r2, [%x1];\n add.u32 %r1, %r1, 1;\n setp.lt.u32 %p1, %r1, 5000;\n @%p1 bra LOOP;",
		"a late release": "mov.u32 %r3, %ctaid.x;\n setp.ne.u32 %p1, %r3, 2;\n @%p1 bra LOOP;\n" +
			"LATE: add.u32 %r1, %r1, 1;\n setp.lt.u32 %p1, %r1, 30000;\n @%p1 bra LATE;\n st.volatile.global.u32 [%x1], 1;\n" + wait,
	}
	for name, loop := range goes {
		p := platform(t, preset(t, "plain16"), "fcfs", false, spinning(t, loop))
		p.EndSpins()
		require.NoError(t, p.Run(context.Background(), 0, nil), name)
		assert.Greater(t, p.Cycles(0), uint64(120_000), "else this shows nothing: %s", name)
	}
	p := platform(t, preset(t, "plain16"), "fcfs", false, spinning(t, endless["registers alone"].loop))
	p.EndSpins()
	p.GiveUp(400_000)
	assert.ErrorIs(t, p.Run(context.Background(), 0, nil), wiring.ErrUnfinished, "a counter that changes")
}

func TestKernelWhoseThreadBlocksEndIsNotNamed(t *testing.T) {
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	p, err := wiring.New(*preset(t, "plain16"), fcfs, []host.Process{{App: opened(t, "cutcp?size=tiny"), Runs: 5, Restart: true}})
	require.NoError(t, err)
	p.Warn(40_000, func(text string) { t.Error(text) })
	require.NoError(t, p.Run(context.Background(), 0, nil))
	require.Greater(t, p.Cycles(0), uint64(120_000), "else this shows nothing")
}

// A warp is emulated ahead of the model: not without an end.
func TestWindowEndsALoopWithoutAnEnd(t *testing.T) {
	for name, kernel := range endless {
		p := platform(t, preset(t, "plain16"), "fcfs", true, spinning(t, kernel.loop))
		require.NoError(t, p.Run(context.Background(), 5_000, nil), name)
		assert.Equal(t, uint64(5_000), p.Cycles(5_000), name)
	}
}

func TestRunThatIsGivenUpSaysWhatHadNotFinished(t *testing.T) {
	p, err := policy.Parse("spart")
	require.NoError(t, err)
	late := host.Process{App: opened(t, "stencil?size=tiny")}
	late.Arrival.Cycles = 1_000_000
	gpu, err := wiring.New(*preset(t, "plain16"), p, []host.Process{
		{App: opened(t, "sgemm?size=tiny"), Restart: true, Runs: 1},
		{App: spinning(t, endless["a branch"].loop), Restart: true, Runs: 2},
		late,
	})
	require.NoError(t, err)
	gpu.GiveUp(50_000)
	err = gpu.Run(context.Background(), 0, nil)
	assert.EqualError(t, err, "not done after 50000 cycles: tenant 1 (loop): run 1 of 2, kernel spin, 0 of 3 thread blocks done; tenant 2 (stencil): no kernel is active")

	ends := platform(t, preset(t, "plain16"), "fcfs", false, opened(t, "sgemm?size=tiny"))
	ends.GiveUp(1_000_000)
	require.NoError(t, ends.Run(context.Background(), 0, nil))
	require.Less(t, ends.Cycles(0), uint64(1_000_000))
}
