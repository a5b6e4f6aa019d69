package staging

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"sync"
)

// ending is how the name of everything staged ends, by all programs and on all
// machines. Before it stand a dot, what is to become of it, and mark.
const ending = ".tmp"

// longest bounds how much of a name is kept, in bytes: names that are longer
// than 255 bytes cannot be made on most file systems.
const longest = 200

// mark stands in the names of what this machine's programs stage. A lock that
// another machine holds cannot be seen on every file system, so only what bears
// this machine's mark is taken for left behind.
var mark = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	h := fnv.New32a()
	_, _ = h.Write([]byte(host))
	return fmt.Sprintf(".cotenant-%08x-", h.Sum32())
})

// staged is the name of what is to become name, at an attempt to make it.
func staged(name string, attempt int) string {
	name = strings.ToValidUTF8(name[:min(len(name), longest)], "")
	return fmt.Sprintf(".%s%s%d-%d%s", name, mark(), os.Getpid(), attempt, ending)
}

// isOurs tells the names that this machine's programs give.
func isOurs(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, mark()) && strings.HasSuffix(name, ending)
}

// Is tells the name of something staged, on whatever machine.
func Is(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, ".cotenant-") && strings.HasSuffix(name, ending)
}
