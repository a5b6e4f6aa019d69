package staging

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"sync"
)

// ending ends the name of everything staged, by all programs and on all machines.
// Before it stand a dot, the final name, and mark.
const ending = ".tmp"

// longest bounds the kept part of a name, in bytes: most file systems refuse names
// beyond 255 bytes.
const longest = 200

// mark stands in the names of this machine's staged files. Not every file system
// shows another machine's lock, so Clear only removes files with this machine's mark.
var mark = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	h := fnv.New32a()
	_, _ = h.Write([]byte(host))
	return fmt.Sprintf(".cotenant-%08x-", h.Sum32())
})

// staged is the temporary name of name, at an attempt to create it.
func staged(name string, attempt int) string {
	name = strings.ToValidUTF8(name[:min(len(name), longest)], "")
	return fmt.Sprintf(".%s%s%d-%d%s", name, mark(), os.Getpid(), attempt, ending)
}

// isOurs recognises the names of this machine's staged files.
func isOurs(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, mark()) && strings.HasSuffix(name, ending)
}

// Is recognises the name of a staged file or folder, of any machine.
func Is(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, ".cotenant-") && strings.HasSuffix(name, ending)
}
