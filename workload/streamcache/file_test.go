package streamcache

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordingFile makes a file of two whole pieces and a part of one, and an index,
// and returns what is in it and where the index begins.
func recordingFile(t *testing.T, key Key) (data []byte, end int) {
	t.Helper()
	var out bytes.Buffer
	s := summed{out: &out}
	stream := make([]byte, 2*pieceBytes+1000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range stream {
		stream[i] = byte(random.Uint32())
	}
	_, err := s.Write([]byte(magic))
	require.NoError(t, err)
	for len(stream) > 0 { // in parts, which do not end where pieces do
		n := min(len(stream), 5000)
		_, err := s.Write(stream[:n])
		require.NoError(t, err)
		stream = stream[n:]
	}
	end = out.Len()
	x := index{Key: key, Name: "a", Ops: []indexOp{{Kernel: &indexKernel{Name: "k", Length: int64(end)}}}}
	require.NoError(t, x.finish(&s))
	return out.Bytes(), end
}

// try opens a file with these contents.
func try(t *testing.T, path string, data []byte, key Key) error {
	t.Helper()
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, _, err := openFile(path, key)
	if err == nil {
		f.Close()
	}
	return err
}

func TestFileWithAnyByteChangedOrMissingIsNotOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	data, end := recordingFile(t, "key")
	require.NoError(t, try(t, path, data, "key"))
	places := []int{pieceBytes - 1, pieceBytes, 2 * pieceBytes, end - 1}
	for at := len(magic); at < end; at += 9973 {
		places = append(places, at)
	}
	for at := range len(magic) {
		places = append(places, at)
	}
	for at := end; at < len(data); at++ { // index and trailer
		places = append(places, at)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer file.Close()
	for _, at := range places {
		for _, change := range []byte{1 << (at % 8), 0} { // and back
			_, err := file.WriteAt([]byte{data[at] ^ change}, int64(at))
			require.NoError(t, err)
			f, _, err := openFile(path, "key")
			if change == 0 {
				require.NoError(t, err)
				f.Close()
			} else {
				assert.Error(t, err, "byte %d of %d", at, len(data))
			}
		}
	}
	for n := 0; n < len(data); n += 1 + (len(data)-1-n)/3 {
		assert.Error(t, try(t, path, data[:n], "key"), "%d bytes of %d", n, len(data))
	}
	assert.Error(t, try(t, path, append(bytes.Clone(data), 0), "key"))
	twice := append(bytes.Clone(data[:end]), data...)
	assert.Error(t, try(t, path, twice, "key"), "a whole file behind something else")
}

func TestFileSaysItselfWhatItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	data, _ := recordingFile(t, "key")
	assert.Equal(t, errOther, try(t, path, data, "another"))
	assert.Equal(t, errOther, try(t, path, data, "ke"))
	older := bytes.ReplaceAll(data, []byte(magic), []byte("cotenant streams 0\n"))
	assert.Equal(t, errForeign, try(t, path, older, "key"))
}

func TestNothingIsReadOfAPieceThatHasChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	data, end := recordingFile(t, "key")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, x, err := openFile(path, "key")
	require.NoError(t, err)
	defer f.Close()
	read := func(at, length int) (int, error) {
		p := pieces{file: f, index: x}
		p.seek(int64(at), int64(length))
		got, err := io.ReadAll(&p)
		assert.True(t, bytes.Equal(data[at:at+len(got)], got), "what is read is right")
		return len(got), err
	}
	for _, stretch := range [][2]int{{0, end}, {17, 5}, {pieceBytes - 3, 7}, {pieceBytes, pieceBytes}, {end - 4, 4}, {end, 0}} {
		n, err := read(stretch[0], stretch[1])
		assert.NoError(t, err)
		assert.Equal(t, stretch[1], n)
	}

	// While the file is open, its second piece changes, and then its end is cut.
	changed := bytes.Clone(data)
	changed[2*pieceBytes-1] ^= 128
	require.NoError(t, os.WriteFile(path, changed, 0o600))
	n, err := read(0, end)
	assert.Equal(t, pieceBytes, n, "the first piece")
	assert.Equal(t, errDamaged, err)
	n, err = read(pieceBytes+1, 1)
	assert.Zero(t, n, "the byte is right, and the piece is not")
	assert.Equal(t, errDamaged, err)
	_, err = read(2*pieceBytes, end-2*pieceBytes)
	assert.NoError(t, err)
	require.NoError(t, os.Truncate(path, int64(end-1)))
	_, err = read(2*pieceBytes, 10)
	assert.True(t, errors.Is(err, errDamaged), "%v", err)
}
