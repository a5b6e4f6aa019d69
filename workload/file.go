package workload

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadFile reads a file of at most limit bytes, a power of two from 1 MiB. Of a
// longer one, which may have no end, it reads no more than that. Errors do not
// name the file, as messages do so already.
func ReadFile(path string, limit int64) ([]byte, error) {
	data, err := readFile(path, limit)
	if fault := (*os.PathError)(nil); errors.As(err, &fault) {
		err = fault.Err
	}
	return data, err
}

func readFile(path string, limit int64) ([]byte, error) {
	tooLarge := fmt.Errorf("it is larger than %d MiB", limit>>20)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Size() > limit {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge
	}
	return data, err
}
