package traceg

import (
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestCopiesOfATraceAreItsArrays(t *testing.T) {
	app, err := Open("testdata/small", Options{})
	require.NoError(t, err)
	require.Equal(t, []workload.Array{
		{Name: "copy 1", Addr: 0x7f0100000000, Bytes: 600, Origin: workload.Uploaded},
		{Name: "copy 2", Addr: 0x7f0100000400, Bytes: 600, Origin: workload.Uploaded},
		{Name: "copy 3", Addr: 0x7f0100000800, Bytes: 600, Origin: workload.Untouched},
	}, app.Arrays)
}

func TestCopiesThatOverlapAreOneArrayAsTheFirstSays(t *testing.T) {
	kernel := workload.Op{Kernel: &workload.Kernel{}}
	to := func(addr, bytes uint64) workload.Op { return workload.Op{Addr: addr, Bytes: bytes} }
	back := func(addr, bytes uint64) workload.Op { return workload.Op{Addr: addr, Bytes: bytes, ToHost: true} }
	list := copied([]workload.Op{
		back(0x1000, 0x100), // before what follows
		to(0x10f0, 0x20),
		to(0x2000, 0x100),
		kernel,
		back(0x1f80, 0x81),  // reaches one byte into it
		back(0x2100, 0x10),  // touches it
		to(0x3000, 0),       // nothing
		to(^uint64(0), 100), // past the end of memory
		back(0x2fff, 1),
	})
	require.Equal(t, []workload.Array{
		{Name: "copy 1", Addr: 0x1000, Bytes: 0x110, Origin: workload.Untouched},
		{Name: "copy 3", Addr: 0x1f80, Bytes: 0x180, Origin: workload.Uploaded},
		{Name: "copy 5", Addr: 0x2100, Bytes: 0x10, Origin: workload.Untouched},
		{Name: "copy 6", Addr: 0x2fff, Bytes: 1, Origin: workload.Untouched},
	}, list)
	require.Empty(t, copied([]workload.Op{kernel}))
}
