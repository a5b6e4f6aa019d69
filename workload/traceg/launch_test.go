package traceg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
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
	l.stop() // so that it takes no memory back
	b := tb.Data
	l.Recycle(&tb)
	l.Recycle(&tb)
	require.Equal(t, []*packed.Block{b.(*packed.Block)}, l.back, "it was recycled once")
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

// compressed is a kernel file's text as an .xz file with a kind of checksum.
func compressed(t *testing.T, text string, checksum byte) []byte {
	var whole bytes.Buffer
	w, err := xz.WriterConfig{DictCap: 1 << 12, CheckSum: checksum}.NewWriter(&whole)
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return whole.Bytes()
}

// readFile reads a kernel's file to its end.
func readFile(path string) (all []executed, err error) {
	k, err := openKernel(path, memory("list", ""), Options{})
	if err != nil {
		return nil, err
	}
	l, err := k.Source.Open()
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var tb workload.TB
	for range k.TBs() {
		if err := l.Next(&tb); err != nil {
			return nil, err
		}
		all = append(all, drain(&tb)...)
	}
	return all, l.Close()
}

// TestCorruptXzNamesTheFile cuts a compressed trace at every length and flips
// a bit in every byte.
func TestCorruptXzNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel-1.traceg.xz")
	for _, checksum := range []byte{xz.CRC32, xz.CRC64, xz.SHA256} {
		whole := compressed(t, twoTBs, checksum)
		read := func(b []byte) ([]executed, error) {
			require.NoError(t, os.WriteFile(path, b, 0o600))
			return readFile(path)
		}
		want, err := read(whole)
		require.NoError(t, err)
		for n := range whole {
			_, err := read(whole[:n])
			require.ErrorContains(t, err, path, "cut at %d", n)
			flipped := bytes.Clone(whole)
			flipped[n] ^= 0x10
			if got, err := read(flipped); err != nil {
				require.ErrorContains(t, err, path, "flipped at %d", n)
			} else {
				require.Equal(t, want, got, "a bit of the container at %d that does not matter", n)
			}
		}
		got, err := read(whole)
		require.NoError(t, err, "the decoder of a corrupt file is used again")
		require.Equal(t, want, got)
	}
}

// Several streams and padding are one file (xz format 1.2.0, 2.2).
func TestXzFileMayHaveSeveralStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel-1.traceg.xz")
	half := len(twoTBs) / 2
	whole := slices.Concat(compressed(t, twoTBs[:half], xz.CRC64), make([]byte, 8), compressed(t, twoTBs[half:], xz.CRC32), make([]byte, 4))
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	_, err := readFile(path)
	require.NoError(t, err)
}

// The header of the first block, at byte 12, has the size of the window in its fifth byte,
// and a checksum in its last four (xz format 1.2.0, 3.1 and 5.3.1).
func TestXzFileWithAHugeWindowIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel-1.traceg.xz")
	whole := compressed(t, twoTBs, xz.CRC64)
	header := whole[12 : 12+4*(int(whole[12])+1)]
	window := bytes.Index(header, []byte{0x21, 1}) + 2
	header[window] = 40 // 4 GB
	binary.LittleEndian.PutUint32(header[len(header)-4:], crc32.ChecksumIEEE(header[:len(header)-4]))
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	_, err := readFile(path)
	requireInputError(t, err, path+": its xz window is larger than 64 MB; valid is that of xz -9 or less")
}

// TestSteadyStateDoesNotAllocate runs thread blocks after the first few.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, c := range bodies {
		const warmUp, runs = 3, 6
		l, err := openText(text(1+warmUp+runs, c.body))
		require.NoError(t, err)
		inst := new(workload.Inst)
		var blocks [2]*packed.Block
		i := 0
		step := func() {
			b := &blocks[i%2]
			if *b != nil {
				l.Put(*b)
			}
			if *b, err = l.parse(i); err != nil {
				panic(err)
			}
			i++
			for k := range (*b).Streams {
				for s := &(*b).Streams[k]; s.Fetch(inst); {
					s.Execute(inst)
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
