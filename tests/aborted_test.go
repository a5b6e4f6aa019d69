package tests

import (
	"context"
	"maps"
	"slices"
	"testing"

	"cotenant/experiment"
	"cotenant/mem/pages"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faulty has three arrays, and kernels that access one address after some work: only
// warp 1 of thread block 2 does, at PC 0x20.
func faulty(name string, class workload.Class, addr uint64) *workload.App {
	app := script.App(name, script.Kernel("first", 1, 32, func(int, int) []workload.Inst {
		return []workload.Inst{script.Access(workload.Load, workload.Global, 0x10000, 4, 4, 1)}
	}), script.Kernel("second", 4, 64, func(tb, warp int) []workload.Inst {
		list := []workload.Inst{script.Access(workload.Load, workload.Global, 0x10000, 4, 4, 1), script.Op(workload.Int, 2, 1)}
		if tb == 2 && warp == 1 {
			dst := uint8(3)
			if class == workload.Store {
				dst = workload.NoReg
			}
			bad := script.Access(class, workload.Global, addr, 4, 4, dst, 2)
			bad.PC = 0x20
			list = append(list, bad)
		}
		return append(list, script.Op(workload.Int, 4, 2))
	}))
	app.Arrays = []workload.Array{
		{Name: "in", Addr: 0x10000, Bytes: 0x1000, Origin: workload.Uploaded},
		{Name: "table", Addr: 0x20000, Bytes: 0x800, Origin: workload.Loaded, ReadOnly: true},
		{Name: "out", Addr: 0x40000, Bytes: 0x2000, Origin: workload.Untouched},
	}
	return app
}

const (
	outOrder = "pagefault16"
	inOrder  = "plain16?mmu.l2_tlb.entries=64&sm.tlb.entries=32&sm.tlb.ways=8&sm.tlb.mshrs=8&sm.faults.scheme=stall"
)

// faulting are GPUs with each way to treat page faults.
func faulting() (gpus []string) {
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		gpus = append(gpus, outOrder+"?"+schemes[name])
	}
	return append(gpus, inOrder)
}

func TestAccessThatCannotBeServedEndsTheRunAndSaysWhereAndByWhom(t *testing.T) {
	for _, c := range []struct {
		class workload.Class
		addr  uint64
		want  string
	}{
		{workload.Load, 0x30100, "invalid address in the line at 0x30100, which is 63744 bytes behind table (0x20000 to 0x207ff, read only) and 65280 bytes before out (0x40000 to 0x41fff); valid: addresses in pages of arrays"},
		{workload.Store, 0x8000, "invalid address in the line at 0x8000, which is 32768 bytes before in (0x10000 to 0x10fff); valid: addresses in pages of arrays"},
		{workload.Atomic, 0x42f80, "invalid address in the line at 0x42f80, which is 3968 bytes behind out (0x40000 to 0x41fff); valid: addresses in pages of arrays"},
		{workload.Store, 0x20080, "write to a read-only page in the line at 0x20080, in array table (0x20000 to 0x207ff, read only); valid: writes to in (0x10000 to 0x10fff), out (0x40000 to 0x41fff)"},
		{workload.Reduction, 0x20780, "write to a read-only page in the line at 0x20780, in array table (0x20000 to 0x207ff, read only); valid: writes to in (0x10000 to 0x10fff), out (0x40000 to 0x41fff)"},
	} {
		for _, gpu := range faulting() {
			r := &experiment.Run{Spec: experiment.Spec{Policy: "even", Parameters: experiment.Parameters{Pages: wiring.PagesStrict}}, GPU: preset(t, gpu)}
			for _, app := range []*workload.App{faulty("fine", workload.Load, 0x41000), faulty("wrong", c.class, c.addr)} {
				r.Apps = append(r.Apps, experiment.App{Spec: app.Name, Workload: app})
			}
			result, err := r.Do(context.Background())
			require.Nil(t, result, "nobody's results are reported")
			require.EqualError(t, err, "tenant 1 (wrong): kernel second, thread block 2, warp 1, PC 0x20: "+c.want, gpu)
			var aborted *wiring.Aborted
			require.ErrorAs(t, err, &aborted)
			require.Equal(t, "second", aborted.Kernel)
			require.Equal(t, c.addr, aborted.Addr)
		}
	}
}

// What is allowed is: reads of what can only be read, and all of the last page.
func TestStrictPagesAllowWhatArraysAllow(t *testing.T) {
	for _, gpu := range faulting() {
		for _, c := range []struct {
			class workload.Class
			addr  uint64
		}{{workload.Load, 0x20080}, {workload.Store, 0x20f80 + 0x1f080}, {workload.Atomic, 0x41f80}} {
			app := faulty("fine", c.class, c.addr)
			r := &experiment.Run{Spec: experiment.Spec{Policy: "fcfs", Parameters: experiment.Parameters{Pages: wiring.PagesStrict}}, GPU: preset(t, gpu), Apps: []experiment.App{{Spec: "fine", Workload: app}}}
			result, err := r.Do(context.Background())
			require.NoError(t, err, gpu)
			assert.Equal(t, wiring.PagesStrict, result.Pages)
			assert.Equal(t, uint64(1), result.Kernels[0].Completions)
			assert.Zero(t, counters(result, "fill")["invalids"])
		}
	}
}

// counters are a module's over all tenants.
func counters(r *experiment.Result, key string) map[string]uint64 {
	list := map[string]uint64{}
	for _, c := range r.Stats[key].Total {
		list[c.Name] = c.Value
	}
	return list
}

func TestAbortOfAnApplicationWhoseArraysNobodyKnows(t *testing.T) {
	app := faulty("profile", workload.Load, 0x90080)
	app.Arrays = nil
	p := platform(t, preset(t, outOrder), "fcfs", false, app)
	require.ErrorContains(t, p.SetPages(wiring.PagesStrict), "pages are strict, and nobody knows the arrays of application profile")
	p.Pages.Set(tenant.ID(0), 0x90000, 1, pages.Invalid, 0)
	err := p.Run(context.Background(), 0, nil)
	require.EqualError(t, err, "tenant 0 (profile): kernel second, thread block 2, warp 1, PC 0x20: invalid address in the line at 0x90080, of an application whose arrays are not known")
}
