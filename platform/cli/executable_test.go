package cli

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An ID of the go command is four hashes. (go tool buildid, which shows it, would have to be
// compiled.)
func TestBuildIsABuildIDOfTheGoCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("programs of this system are no ELF files, and their contents are the build")
	}
	const four = `^[\w-]{20}/[\w-]{20}/[\w-]{20}/[\w-]{20}$`
	this, err := build()
	require.NoError(t, err)
	require.Regexp(t, four, this)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	other := noteOf(filepath.Join(strings.TrimSpace(string(root)), "bin", "go"))
	require.Regexp(t, four, other)
	require.NotEqual(t, other, this)
}

func TestFileWithoutABuildIDHasNone(t *testing.T) {
	require.Empty(t, noteOf(file(t, "script", "#!/bin/sh\n")))
	require.Empty(t, noteOf("no such file"))
}

// collection is the growth of the heap in percent at which garbage is collected.
func collection() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestFirstCollectionOfGarbageIsPutOffAndNoOther(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "") // as if it were not set
	runtime.GC()
	putOffCollection()
	require.Equal(t, uint64(firstCollection*100), collection())
	runtime.GC()
	require.Eventually(t, func() bool { return collection() == 100 }, 10*time.Second, time.Millisecond)

	t.Setenv("GOGC", "150")
	putOffCollection()
	require.Equal(t, uint64(100), collection(), "as the runtime has read GOGC")
}
