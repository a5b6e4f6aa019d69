package traceg

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"
)

func isInputError(err error) bool {
	var input *workload.InputError
	return errors.As(err, &input) && !strings.Contains(err.Error(), "\n")
}

// FuzzTrace reads any text as a kernel file: an end, or a one-line error that
// names the file, without a panic.
func FuzzTrace(f *testing.F) {
	f.Add(twoTBs)
	files, err := filepath.Glob("testdata/small/*.traceg*")
	require.NoError(f, err)
	for _, path := range files {
		file, err := os.Open(path)
		require.NoError(f, err)
		defer file.Close()
		var r io.Reader = file
		if strings.HasSuffix(path, ".xz") {
			r, err = xz.NewReader(file)
			require.NoError(f, err)
		}
		text, err := io.ReadAll(r)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add(hopper.kernel("0000 00000001 0 UTMALDG.2D 0 16 2 0x100 3 64 -64 0"))
	f.Fuzz(func(t *testing.T, text string) {
		l, err := openText(text)
		if err == nil {
			var tb workload.TB
			for range l.header.grid.Count() {
				if err = l.Next(&tb); err != nil {
					break
				}
				drain(&tb)
				l.Recycle(&tb)
			}
			if closed := l.Close(); err == nil {
				err = closed
			}
		}
		if err != nil && !isInputError(err) {
			t.Fatalf("not a one-line input error: %q", err)
		}
	})
}

// FuzzKernelsList reads any text as a list.
func FuzzKernelsList(f *testing.F) {
	text, err := os.ReadFile("testdata/small/" + listName)
	require.NoError(f, err)
	f.Add(string(text))
	f.Add("MemcpyDtoH,0x10,5\r\nkernel-1-ctx_0x55dfecb31820.traceg\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := readList(memory(listName, text), func(string) (*workload.Kernel, error) { return &workload.Kernel{}, nil })
		if err != nil && !isInputError(err) {
			t.Fatalf("not a one-line input error: %q", err)
		}
	})
}
