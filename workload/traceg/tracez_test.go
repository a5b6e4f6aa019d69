package traceg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// zipping packs the text of a kernel's file as Accel-Sim 2.0's post-processing does.
type zipping struct {
	chunk      int    // instructions of a chunk
	dictionary []byte // in zstd's format, raw, or none
	lastEnd    bool   // end a chunk's last line, too, which that program does not
}

func (z zipping) pack(t require.TestingT, text string) []byte {
	le := binary.LittleEndian
	options := []zstd.EOption{zstd.WithEncoderConcurrency(1)}
	switch {
	case bytes.HasPrefix(z.dictionary, []byte{0x37, 0xa4, 0x30, 0xec}):
		options = append(options, zstd.WithEncoderDict(z.dictionary))
	case z.dictionary != nil:
		options = append(options, zstd.WithEncoderDictRaw(0, z.dictionary))
	}
	encoder, err := zstd.NewWriter(nil, options...)
	require.NoError(t, err)
	head, body, _ := strings.Cut(text, "#BEGIN_TB")
	out := append([]byte(head), 0)
	out = le.AppendUint32(out, uint32(len(z.dictionary)))
	out = le.AppendUint32(out, uint32(z.chunk))
	out = append(out, z.dictionary...)
	index, blocks := []byte{}, 0
	for block := range strings.SplitSeq(body, "#BEGIN_TB") {
		blocks++
		var x, y, w uint32
		_, err := fmt.Sscanf(strings.TrimSpace(block), "thread block = %d,%d,%d", &x, &y, &w)
		require.NoError(t, err)
		for _, v := range [11]uint32{x, y, w, 1, 2, 3, 4, 5, 6, 7, uint32(strings.Count(block, "warp ="))} {
			index = le.AppendUint32(index, v)
		}
		for _, warp := range strings.Split(strings.Split(block, "#END_TB")[0], "warp =")[1:] {
			lines := strings.Split(strings.TrimSpace(warp), "\n")[2:] // behind the number and insts
			chunks := (len(lines) + z.chunk - 1) / z.chunk
			index = le.AppendUint32(index, uint32(len(lines)))
			index = le.AppendUint32(index, uint32(chunks))
			index = le.AppendUint64(index, uint64(len(out)))
			out = le.AppendUint32(out, uint32(len(lines)))
			out = le.AppendUint32(out, uint32(chunks))
			for len(lines) > 0 {
				n := min(z.chunk, len(lines))
				piece := strings.Join(lines[:n], "\n")
				if z.lastEnd {
					piece += "\n"
				}
				frame := encoder.EncodeAll([]byte(piece), nil)
				out = append(le.AppendUint32(out, uint32(len(frame))), frame...)
				index = le.AppendUint32(index, uint32(n))
				lines = lines[n:]
			}
		}
	}
	place := uint64(len(out))
	out = append(le.AppendUint32(out, uint32(blocks)), index...)
	return le.AppendUint64(out, place)
}

// unpacked reads all of a .tracez file's text.
func unpacked(file []byte) (string, error) {
	z, err := openTracez(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return "", err
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	return string(text), err
}

// essential is a text without blank lines and lines of clusters.
func essential(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "cluster ") {
			lines = append(lines, line)
		}
	}
	return lines
}

func small(t require.TestingT) string {
	text, err := os.ReadFile("testdata/small/kernel-1.traceg")
	require.NoError(t, err)
	return string(text)
}

// dictionary is one in zstd's format.
func dictionary(t require.TestingT) []byte {
	var samples [][]byte
	for line := range strings.SplitSeq(small(t), "\n") {
		samples = append(samples, []byte(line))
	}
	d, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 77, Contents: samples, History: []byte(small(t))[:4<<10], Offsets: [3]int{1, 4, 8}})
	require.NoError(t, err)
	return d
}

func TestPackedTraceIsTheText(t *testing.T) {
	text := small(t)
	for _, d := range [][]byte{nil, dictionary(t), []byte(text)[:2000]} {
		for _, chunk := range []int{1, 7, 2048} {
			for _, end := range []bool{false, true} {
				got, err := unpacked(zipping{chunk, d, end}.pack(t, text))
				require.NoError(t, err)
				require.Equal(t, essential(text), essential(got), "chunks of %d", chunk)
			}
		}
	}
}

func TestPackedTraceRunsAsTheText(t *testing.T) {
	folder := t.TempDir()
	file := zipping{16, dictionary(t), false}.pack(t, small(t))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kernel-1.tracez"), file, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, listName), []byte("kernel-1.tracez\n"), 0o600))
	app, err := Open(folder, Options{})
	require.NoError(t, err)
	reference, err := Open("testdata/small", Options{})
	require.NoError(t, err)
	read := func(k *workload.Kernel) (all []executed) {
		l, err := k.Source.Open()
		require.NoError(t, err)
		for range k.TBs() {
			var tb workload.TB
			require.NoError(t, l.Next(&tb))
			all = append(all, drain(&tb)...)
			l.Recycle(&tb)
		}
		require.NoError(t, l.Close())
		return all
	}
	got, want := app.Ops[0].Kernel, reference.Kernels()[0]
	require.Equal(t, want.Name, got.Name)
	require.Equal(t, read(want), read(got))
}

// What the reader keeps does not grow with the file.
func TestPackedTraceIsStreamed(t *testing.T) {
	head, block, _ := strings.Cut(ampere.kernel(strings.Split(strings.Repeat("0000 ffffffff 1 R1 MOV 1 R2 0 0\n", 999), "\n")[:999]...), "#BEGIN_TB")
	text := strings.Replace(head, "(1,1,1)", "(400,1,1)", 1)
	for i := range 400 {
		text += "#BEGIN_TB" + strings.Replace(block, "0,0,0", fmt.Sprintf("%d,0,0", i), 1)
	}
	file := zipping{100, nil, false}.pack(t, text)
	z, err := openTracez(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	defer z.Close()
	buffer, total := make([]byte, 4096), 0
	for {
		n, err := z.Read(buffer)
		total += n
		require.LessOrEqual(t, cap(z.text), 4096)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
	require.Greater(t, total, 12_000_000)
}

// Faults name thread block, warp and instruction, or the place in the file.
func TestFaultsOfAPackedTraceSayWhere(t *testing.T) {
	const head = "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 90\n-accelsim tracer version = 6\n"
	text := head + "#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0\nwarp = 1\ninsts = 2\n0000 ffffffff 1 R1 MOV 1 R2 0\n0010 ffffffff 0 UTCHMMA 0 0\n#END_TB\n"
	whole := zipping{2048, nil, false}.pack(t, text)
	failure := func(file []byte) string {
		folder := t.TempDir()
		path := filepath.Join(folder, "kernel-1.tracez")
		require.NoError(t, os.WriteFile(path, file, 0o600))
		in, err := openLines(path, path, 0, "a file")
		if err == nil {
			var h header
			if h, err = readHeader(in); err == nil {
				l := newLaunch(in, h, Options{}, nil)
				var tb workload.TB
				for range h.grid.Count() {
					if err = l.Next(&tb); err != nil {
						break
					}
				}
				l.Close()
			}
		}
		require.Error(t, err)
		require.True(t, isInputError(err), err)
		return strings.TrimPrefix(err.Error(), path+": ")
	}
	require.Equal(t, "thread block 1,0,0, warp 1, instruction 2: unknown opcode UTCHMMA; --unknown-opcode=alu takes unknown opcodes as integer instructions", failure(whole))

	whole = zipping{2048, nil, false}.pack(t, strings.Replace(text, "UTCHMMA", "EXIT", 1))
	le := binary.LittleEndian
	place := int(le.Uint64(whole[len(whole)-8:]))
	edited := func(at int, with ...byte) []byte {
		file := bytes.Clone(whole)
		copy(file[at:], with)
		return file
	}
	const end = "; valid is a whole .tracez file of Accel-Sim 2.0"
	for _, c := range []struct {
		what string
		file []byte
		want string
	}{
		{"no header", []byte("-kernel name = k\n"), "corrupt or truncated: no zero byte ends the header in the first 17 bytes" + end},
		{"cut off", whole[:len(whole)-20], "corrupt or truncated: its last 8 bytes place the index at byte "},
		{"a dictionary beyond the file", edited(len(head)+1, 0, 0, 0, 1), "corrupt or truncated: the dictionary has 16777216 bytes; valid are "},
		{"index without its end", edited(place, 2), fmt.Sprintf("corrupt or truncated: the index ends at byte %d, inside a thread block", len(whole)-8)},
		{"a warp elsewhere", edited(place+4+44+8, 1, 0), "corrupt or truncated: thread block 1,0,0, warp 0: the index places the warp at byte 1; valid is "},
		{"other counts", edited(place+4+44, 2), fmt.Sprintf("corrupt or truncated: thread block 1,0,0, warp 0: byte %d begins a warp of 1 instructions in 1 chunks; valid are 2 in 1, as the index says", len(head)+9)},
		{"no frame", edited(len(head)+9+12, 9), "corrupt or truncated: thread block 1,0,0, warp 0: a chunk"},
		{"chunk beyond the file", edited(len(head)+9+8, 0xff, 0xff), "corrupt or truncated: thread block 1,0,0, warp 0: a chunk at byte "},
		{"chunk of fewer", edited(place+4+44+16, 0), "corrupt or truncated: thread block 1,0,0, warp 0: the index gives a chunk 0 instructions of 1; valid are 1 to as many"},
	} {
		require.Contains(t, failure(c.file), c.want, c.what)
	}
}

// FuzzTracez reads any bytes as a .tracez file: an end, or an error, without a panic.
func FuzzTracez(f *testing.F) {
	for _, d := range [][]byte{nil, dictionary(f)} {
		f.Add(zipping{2, d, false}.pack(f, twoTBs))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		z, err := openTracez(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		defer z.Close()
		in := memory("k.tracez", "")
		in.zipped = z
		in.r.Reset(z)
		var l *launch
		if h, err := readHeader(in); err == nil && h.grid.Count() < 1000 {
			l = newLaunch(in, h, Options{}, nil)
		} else if err != nil && !isInputError(err) {
			t.Fatalf("not a one-line input error: %q", err)
		}
		for l != nil {
			var tb workload.TB
			if err := l.Next(&tb); err != nil {
				if !isInputError(err) {
					t.Fatalf("not a one-line input error: %q", err)
				}
				l.Close()
				return
			}
			drain(&tb)
			l.Recycle(&tb)
		}
	})
}

// Whatever byte of a file changes, it is read to an end or an error.
func TestAnyChangedByteEndsInAnErrorOrNot(t *testing.T) {
	whole := zipping{2, nil, false}.pack(t, twoTBs)
	rapid.Check(t, func(t *rapid.T) {
		file := bytes.Clone(whole)
		file[rapid.IntRange(0, len(file)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		if _, err := unpacked(file[:rapid.IntRange(0, len(file)).Draw(t, "length")]); err != nil {
			require.NotContains(t, err.Error(), "\n")
		}
	})
}
