package traceg

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/workload"
	"cotenant/workload/packed"

	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
)

func smallKernel(t *testing.T, i int) *workload.Kernel {
	app, err := Open("testdata/small", Options{})
	require.NoError(t, err)
	return app.Kernels()[i]
}

func TestEveryRunOfASourceYieldsTheSame(t *testing.T) {
	k := smallKernel(t, 1)
	first, err := k.Source.Open()
	require.NoError(t, err)
	second, err := k.Source.Open()
	require.NoError(t, err)
	var a, b workload.TB
	for range k.TBs() {
		require.NoError(t, first.Next(&a))
		require.NoError(t, second.Next(&b))
		require.Equal(t, drain(&a), drain(&b))
	}
	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
}

func TestThreadBlocksInFlightDoNotDisturbEachOther(t *testing.T) {
	text := text(6, mixed)
	want, err := readAll(text)
	require.NoError(t, err)
	l, err := openText(text)
	require.NoError(t, err)
	var tbs [3]workload.TB
	var got []executed
	for i := range 6 + len(tbs) - 1 {
		if i < 6 {
			require.NoError(t, l.Next(&tbs[i%len(tbs)]))
			require.Equal(t, i, tbs[i%len(tbs)].ID)
		}
		if oldest := i - len(tbs) + 1; oldest >= 0 {
			got = append(got, drain(&tbs[oldest%len(tbs)])...)
			l.Recycle(&tbs[oldest%len(tbs)])
		}
	}
	require.Equal(t, want, got)
}

func TestNextBeyondTheGridIsAnError(t *testing.T) {
	l, err := openText(twoTBs)
	require.NoError(t, err)
	var tb workload.TB
	require.NoError(t, l.Next(&tb))
	require.NoError(t, l.Next(&tb))
	requireInputError(t, l.Next(&tb), "k.traceg:31: the grid has 2 thread blocks, which have been read")
}

func TestCloseBeforeTheEndChecksNothing(t *testing.T) {
	l, err := openText(edit(31, "garbage", false))
	require.NoError(t, err)
	var tb workload.TB
	require.NoError(t, l.Next(&tb))
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
}

func TestRecycleIgnoresWhatItDidNotFill(t *testing.T) {
	l, err := openText(twoTBs)
	require.NoError(t, err)
	var tb workload.TB
	l.Recycle(&tb)
	require.NoError(t, l.Next(&tb))
	b := tb.Data
	l.Recycle(&tb)
	l.Recycle(&tb)
	require.Same(t, b, l.Take())
	require.NotSame(t, b, l.Take(), "it was recycled once")
}

func TestChangedFileIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel-1.traceg")
	require.NoError(t, os.WriteFile(path, []byte(twoTBs), 0o600))
	k, err := openKernel(path, memory("list", ""), Options{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(edit(6, "-nregs = 9", false)), 0o600))
	_, err = k.Source.Open()
	requireInputError(t, err, path+":14: the header is not what it was when the simulation began; valid is a file that does not change")
	require.NoError(t, os.Remove(path))
	_, err = k.Source.Open()
	requireInputError(t, err, path+": cannot open "+path+": no such file or directory; valid is the file as it was when the simulation began")
}

// TestCorruptXzNamesTheFile cuts a compressed trace at every length and flips
// a bit in every byte.
func TestCorruptXzNamesTheFile(t *testing.T) {
	var whole bytes.Buffer
	w, err := xz.WriterConfig{DictCap: 1 << 12}.NewWriter(&whole)
	require.NoError(t, err)
	_, err = w.Write([]byte(twoTBs))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "kernel-1.traceg.xz")
	read := func(b []byte) error {
		require.NoError(t, os.WriteFile(path, b, 0o600))
		k, err := openKernel(path, memory("list", ""), Options{})
		if err != nil {
			return err
		}
		l, err := k.Source.Open()
		if err != nil {
			return err
		}
		defer l.Close()
		var tb workload.TB
		for range k.TBs() {
			if err := l.Next(&tb); err != nil {
				return err
			}
		}
		return l.Close()
	}
	require.NoError(t, read(whole.Bytes()))
	for n := range whole.Len() {
		require.ErrorContains(t, read(whole.Bytes()[:n]), path, "cut at %d", n)
		flipped := bytes.Clone(whole.Bytes())
		flipped[n] ^= 0x10
		// Some bits of the container do not matter to the text.
		if err := read(flipped); err != nil {
			require.ErrorContains(t, err, path, "flipped at %d", n)
		}
	}
}

// TestSteadyStateDoesNotAllocate runs thread blocks after the first few.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, c := range bodies {
		const warmUp, runs = 3, 6
		l, err := openText(text(1+warmUp+runs, c.body))
		require.NoError(t, err)
		inst := new(workload.Inst)
		var tbs [2]workload.TB
		i := 0
		step := func() {
			tb := &tbs[i%2]
			i++
			l.Recycle(tb)
			if err := l.Next(tb); err != nil {
				panic(err)
			}
			for _, w := range tb.Warps {
				for w.Fetch(inst) {
					w.Execute(inst)
				}
			}
		}
		for range warmUp {
			step()
		}
		require.Zero(t, testing.AllocsPerRun(runs, step), c.name)
	}
}

// packedBytes is the memory of a launch's thread blocks if all are in flight,
// but for the rest of their last chunks.
func packedBytes(t *testing.T, text string) int {
	l, err := openText(text)
	require.NoError(t, err)
	n := 0
	for range l.header.grid.Count() {
		var tb workload.TB
		require.NoError(t, l.Next(&tb))
		n += tb.Data.(*packed.Block).Bytes()
	}
	return n
}

// TestPackedSize keeps a 500 MB trace with all thread blocks in flight
// below 300 MB: 0.55 of the text is 275 MB, with the rest of the program.
func TestPackedSizeIsAFractionOfTheText(t *testing.T) {
	inFullMask := func(deltas func(i int) int) func(warp int) string {
		return func(int) string {
			var b strings.Builder
			for pc := range 256 {
				fmt.Fprintf(&b, "%04x ffffffff 1 R1 LDG.E 1 R2 4 2 0x7f0200000000 ", 16*pc)
				for i := range 31 {
					fmt.Fprintf(&b, "%d ", deltas(i))
				}
				b.WriteString("0 \n")
			}
			return b.String()
		}
	}
	for _, c := range []struct {
		name string
		body func(warp int) string
		most float64
	}{
		{"straight code", alu, 0.04},
		{"vector addition", mixed, 0.07},
		{"scattered over 256 MB", scattered, 0.45},
		{"one digit", inFullMask(func(i int) int { return i%9 + 1 }), 0.45},
		{"three digits", inFullMask(func(i int) int { return 128 + i }), 0.50},
		{"five digits", inFullMask(func(i int) int { return 40000 + i }), 0.50},
		{"seven digits", inFullMask(func(i int) int { return 9000000 + i }), 0.52},
		{"eleven digits", inFullMask(func(i int) int { return 10000000000 + i }), 0.55},
	} {
		text := text(4, c.body)
		share := float64(packedBytes(t, text)) / float64(len(text))
		t.Logf("%s: %.3f of the text", c.name, share)
		require.Less(t, share, c.most, c.name)
	}
}
