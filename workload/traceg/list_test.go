package traceg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

var errOutOfOrder = errors.New("out of order")

// testdata/small is written by hand: a vector addition of 150 elements (tracer
// 5, Ampere) and two steps of a histogram (tracer 3, Pascal, compressed)
// with the second thread block first.
func TestOpenKeepsTheOrderOfCopiesAndKernels(t *testing.T) {
	for _, path := range []string{"testdata/small", "testdata/small/kernelslist.g"} {
		app, err := Open(path, Options{})
		require.NoError(t, err)
		require.Equal(t, "small", app.Name)
		require.Len(t, app.Ops, 5)
		require.Equal(t, workload.Op{Addr: 0x7f0100000000, Bytes: 600}, app.Ops[0])
		require.Equal(t, workload.Op{Addr: 0x7f0100000400, Bytes: 600}, app.Ops[1])
		require.Equal(t, workload.Op{Addr: 0x7f0100000800, Bytes: 600, ToHost: true}, app.Ops[3])
		require.True(t, app.Ops[2].Async && app.Ops[4].Async)
		add, histogram := *app.Ops[2].Kernel, *app.Ops[4].Kernel
		require.Equal(t, "testdata/small/kernel-1.traceg:4", add.Origin)
		add.Source, histogram.Source, add.Origin, histogram.Origin = nil, nil, "", ""
		require.Equal(t, workload.Kernel{Name: "_Z3addPKfS0_Pfi", Grid: workload.Dim3{X: 3, Y: 1, Z: 1},
			Block: workload.Dim3{X: 64, Y: 1, Z: 1}, RegistersPerTB: 640}, add)
		require.Equal(t, workload.Kernel{Name: "_Z9histogramPKhPj", Grid: workload.Dim3{X: 2, Y: 1, Z: 1},
			Block: workload.Dim3{X: 48, Y: 1, Z: 1}, RegistersPerTB: 576, SharedBytesPerTB: 1024, Stream: 7}, histogram)
		warpInsts, threadInsts := totals(t, app)
		// 5 warps of 16 and 1 of 6; 4 warps of 14.
		require.Equal(t, 5*16+6+4*14, warpInsts)
		require.Equal(t, 4*(15*32)+(5*32+10+10*22)+6*32+2*14*48, threadInsts)
	}
}

func TestOpenInTheFolderItselfFindsItsName(t *testing.T) {
	t.Chdir("testdata/small")
	app, err := Open(".", Options{})
	require.NoError(t, err)
	require.Equal(t, "small", app.Name)
}

// A file that a list names many times is opened once.
func TestListReadsTheHeaderOfAFileOnce(t *testing.T) {
	folder := t.TempDir()
	text, err := os.ReadFile("testdata/small/kernel-1.traceg")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kernel-1.traceg"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, listName), []byte(strings.Repeat("kernel-1.traceg\n", 1000)), 0o600))
	app, err := Open(folder, Options{})
	require.NoError(t, err)
	require.Len(t, app.Ops, 1000)
	require.Len(t, app.Files, 2)
	first, last := app.Ops[0].Kernel, app.Ops[999].Kernel
	require.Equal(t, first, last)
	require.NotSame(t, first, last, "launches of their own")
	require.Same(t, first.Source, last.Source)
}

func TestFaultyListNamesTheLineAndWhatIsValid(t *testing.T) {
	const entries = `valid are MemcpyHtoD,0xADDRESS,BYTES and the name of a kernel-*.traceg, kernel-*.traceg.xz or kernel-*.tracez file`
	const copies = `valid is MemcpyHtoD,0xADDRESS,BYTES or MemcpyDtoH,0xADDRESS,BYTES`
	dir := t.TempDir()
	list := filepath.Join(dir, listName)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel-1.traceg"), []byte(twoTBs), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel-2.traceg"), []byte(edit(6, "-nregs = x", false)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel-3.traceg.xz"), []byte(twoTBs), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "kernel-4.traceg"), 0o700))
	for _, c := range []struct{ text, want string }{
		{"", list + `: the list names no kernel; valid is at least one kernel-*.traceg, kernel-*.traceg.xz or kernel-*.tracez file`},
		{"MemcpyHtoD,0x100,4\n", list + `: the list names no kernel; valid is at least one kernel-*.traceg, kernel-*.traceg.xz or kernel-*.tracez file`},
		{"kernel-1.traceg\nMemcpyHtoD,100", list + `:2: malformed copy "MemcpyHtoD,100"; ` + copies},
		{"MemcpyHtoD,0xyz,4", list + `:1: malformed copy "MemcpyHtoD,0xyz,4"; ` + copies},
		{"MemcpyHtoD,0x100,-4", list + `:1: malformed copy "MemcpyHtoD,0x100,-4"; ` + copies},
		{"MemcpyHtoD,0x100,4,5", list + `:1: malformed copy "MemcpyHtoD,0x100,4,5"; ` + copies},
		{"MemcpyDtoX,0x100,4", list + `:1: malformed copy "MemcpyDtoX,0x100,4"; ` + copies},
		{"\nmemset 5\n", list + `:2: unknown entry "memset 5"; ` + entries},
		{"kernel-1.trace\n", list + `:1: unknown entry "kernel-1.trace"; ` + entries},
		{"kernel-1.traceg\nkernel-9.traceg\n", list + `:2: cannot open ` + dir + `/kernel-9.traceg: no such file or directory; valid is a file in the folder of the list`},
		{"kernel-4.traceg\n", list + `:1: cannot open ` + dir + `/kernel-4.traceg: is a directory; valid is a file in the folder of the list`},
		{"kernel-2.traceg\n", dir + `/kernel-2.traceg:6: nregs is "x"; valid is a number from 1 to 255`},
		{"kernel-3.traceg.xz\n", dir + `/kernel-3.traceg.xz: corrupt or truncated xz data (no stream footer at its end); valid is a whole .xz file`},
		{strings.Repeat("x", maxLine+1), list + `:1: line is longer than 65536 bytes; valid lines are below 1 KB`},
	} {
		require.NoError(t, os.WriteFile(list, []byte(c.text), 0o600))
		_, err := Open(dir, Options{})
		requireInputError(t, err, c.want)
	}
	_, err := Open(filepath.Join(dir, "none"), Options{})
	requireInputError(t, err, dir+`/none: cannot open `+dir+`/none: no such file or directory; valid is a folder with a kernelslist.g, or such a list`)
	require.NoError(t, os.Remove(list))
	_, err = Open(dir, Options{})
	requireInputError(t, err, dir+`: cannot open `+list+`: no such file or directory; valid is a folder with a kernelslist.g, or such a list`)
}

// A list is held in memory, and a packed one may be much longer than its file.
func TestListsAndHeadersAreBounded(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, listName)
	kernel := filepath.Join(dir, "kernel-1.traceg")
	require.NoError(t, os.WriteFile(kernel, []byte(twoTBs), 0o600))
	for n, want := range map[int]string{maxEntries - 1: "", maxEntries: ":1048577: one more entry than the 1048576 that are valid in a list"} {
		require.NoError(t, os.WriteFile(list, []byte(strings.Repeat("MemcpyHtoD,0x1,1\n", n)+"kernel-1.traceg\n"), 0o600))
		_, err := Open(dir, Options{})
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, list+want)
		}
	}
	require.NoError(t, os.WriteFile(list, []byte("kernel-1.traceg\n"), 0o600))
	var header strings.Builder
	for n := range maxHeader + 1 {
		fmt.Fprintf(&header, "-key %d = 1\n", n)
	}
	require.NoError(t, os.WriteFile(kernel, []byte(header.String()+twoTBs), 0o600))
	_, err := Open(dir, Options{})
	require.EqualError(t, err, kernel+":1001: one more header line than the 1000 that are valid")
}
