package streamcache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// formatVersion is part of every key. It grows when the form of files changes.
const formatVersion = "5"

// Key identifies a recording.
type Key string

// KeyOf makes the key of an application that parts determine, together with
// this program: another build of it may emulate otherwise. It reports false if
// the program cannot tell what build it is.
func KeyOf(parts ...[]byte) (Key, bool) {
	build, err := executableHash()
	if err != nil {
		return "", false
	}
	h := sha256.New()
	for _, part := range append([][]byte{[]byte(formatVersion), build}, parts...) {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(part))) // a hash takes all
		h.Write(part)
	}
	return Key(hex.EncodeToString(h.Sum(nil))), true
}

// executableHash is that of the file of the running program, on Linux even if
// another one has taken its place.
var executableHash = sync.OnceValues(func() ([]byte, error) {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
})
