package summary

import (
	"context"
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"
	"cotenant/workload/traceg"

	"github.com/stretchr/testify/require"
)

func of(t *testing.T, app *workload.App) (all []Launch) {
	t.Helper()
	require.NoError(t, Of(context.Background(), app, Options{}, func(l Launch) error {
		all = append(all, l)
		return nil
	}))
	return all
}

func TestSampleTraceIsCounted(t *testing.T) {
	app, err := traceg.Open("../traceg/testdata/small", traceg.Options{})
	require.NoError(t, err)
	all := of(t, app)
	require.Len(t, all, 2)
	for _, l := range all {
		sum := uint64(0)
		for _, n := range l.Classes {
			sum += n
		}
		require.Equal(t, l.WarpInstructions, sum)
		require.Positive(t, l.FootprintBytes)
	}
}

func TestFootprintIsTheSectorsThatAreTouched(t *testing.T) {
	access := func(class workload.Class, space workload.Space, base uint64, stride int32, active uint32) workload.Inst {
		in := script.Access(class, space, base, stride, 4, 1, 1)
		in.Active = active
		return in
	}
	for _, c := range []struct {
		name  string
		insts []workload.Inst
		bytes uint64
	}{
		{"a full line", []workload.Inst{access(workload.Load, workload.Global, 0x1000, 4, ^uint32(0))}, 128},
		{"again", []workload.Inst{access(workload.Load, workload.Global, 0x1000, 4, ^uint32(0)), access(workload.Store, workload.Global, 0x1040, 4, 1)}, 128},
		{"one lane", []workload.Inst{access(workload.Load, workload.Global, 0x1000, 4, 2)}, 32},
		{"over a sector's end", []workload.Inst{access(workload.Load, workload.Global, 0x101e, 4, 1)}, 64},
		{"one sector for each lane, over many pages", []workload.Inst{access(workload.Load, workload.Global, 0, 1<<20, ^uint32(0))}, 32 * 32},
		{"shared and local memory are none", []workload.Inst{access(workload.Load, workload.Shared, 0, 4, 1), access(workload.Load, workload.Local, 0, 4, 1)}, 0},
		{"a sector for each of 31 lanes, up to a line's last byte", []workload.Inst{access(workload.Load, workload.Global, 0x101f, 32, 0xfffffffe)}, 32 * 32},
		{"backwards", []workload.Inst{access(workload.Load, workload.Global, 0x1000, -4, ^uint32(0))}, 32 + 128},
		{"every other lane", []workload.Inst{access(workload.Load, workload.Global, 0x1000, 32, 0x55555555)}, 16 * 32},
		{"no lane", []workload.Inst{access(workload.Load, workload.Global, 0, 4, 0)}, 0},
	} {
		k := script.Kernel("k", 1, 32, func(_, _ int) []workload.Inst { return c.insts })
		require.Equal(t, c.bytes, of(t, script.App("a", k))[0].FootprintBytes, c.name)
	}
}

func TestFreshMemoryIsWhatNoEarlierLaunchTouched(t *testing.T) {
	touch := func(base uint64) *workload.Kernel {
		return script.Kernel("k", 1, 32, func(_, _ int) []workload.Inst {
			return []workload.Inst{script.Access(workload.Load, workload.Global, base, 4, 4, 1, 1)}
		})
	}
	var fresh []uint64
	for _, l := range of(t, script.App("a", touch(0), touch(0), touch(64), touch(1<<20), touch(64))) {
		require.Equal(t, uint64(128), l.FootprintBytes)
		fresh = append(fresh, l.FreshBytes)
	}
	require.Equal(t, []uint64{128, 0, 64, 128, 0}, fresh)
}
