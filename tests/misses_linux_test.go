package tests

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// counter counts an event of the thread that starts it, outside the kernel, through
// perf_event_open.
type counter struct {
	kind   uint32
	event  uint64
	file   *os.File // open between start and stop
	count  uint64
	broken error // why it does not count
}

// start binds the calling goroutine to its thread until stop.
func (c *counter) start() {
	if c.broken != nil {
		return
	}
	runtime.LockOSThread()
	attributes := unix.PerfEventAttr{
		Type: c.kind, Config: c.event, Size: unix.PERF_ATTR_SIZE_VER0,
		Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	descriptor, err := unix.PerfEventOpen(&attributes, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		runtime.UnlockOSThread()
		c.broken = fmt.Errorf("perf_event_open: %w", err)
		return
	}
	c.file = os.NewFile(uintptr(descriptor), "perf_event")
}

// stop adds what was counted since start.
func (c *counter) stop() {
	if c.file == nil {
		return
	}
	var value [8]byte
	if _, err := c.file.Read(value[:]); err != nil {
		c.broken = err
	}
	c.count += binary.NativeEndian.Uint64(value[:])
	if err := c.file.Close(); err != nil {
		c.broken = err
	}
	c.file = nil
	runtime.UnlockOSThread()
}

// told notes that the reason has been given, once for all benchmarks.
var told sync.Once

// countMisses returns a counter of the misses of the processor's last cache.
func countMisses(b *testing.B) *counter {
	c := &counter{kind: unix.PERF_TYPE_HARDWARE, event: unix.PERF_COUNT_HW_CACHE_MISSES}
	c.start()
	c.stop()
	c.count = 0
	if c.broken != nil {
		told.Do(func() { b.Logf("cache misses are left out: this machine does not count them (%v)", c.broken) })
	}
	return c
}

func (c *counter) report(b *testing.B, instructions uint64) {
	if c.broken == nil {
		b.ReportMetric(float64(c.count)/float64(instructions), "misses/warp-instruction")
	}
}

// Page faults, which every machine counts that lets a process count at all, stand for
// cache misses.
func TestCounterCountsWhatItsThreadDoesBetweenStartAndStop(t *testing.T) {
	const pages = 64
	touch := func() {
		memory, err := unix.Mmap(-1, 0, pages*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		require.NoError(t, err)
		require.NoError(t, unix.Madvise(memory, unix.MADV_NOHUGEPAGE))
		for i := range pages {
			memory[i*os.Getpagesize()] = 1
		}
		require.NoError(t, unix.Munmap(memory))
	}
	c := &counter{kind: unix.PERF_TYPE_SOFTWARE, event: unix.PERF_COUNT_SW_PAGE_FAULTS}
	c.start()
	c.stop()
	if c.broken != nil {
		require.ErrorAs(t, c.broken, new(syscall.Errno))
		t.Skipf("this machine lets no process count its events: %v", c.broken)
	}
	before := c.count
	require.Less(t, before, uint64(pages))
	touch()
	require.Equal(t, before, c.count, "stopped")
	c.start()
	touch()
	c.stop()
	require.NoError(t, c.broken)
	require.GreaterOrEqual(t, c.count-before, uint64(pages))
	require.Less(t, c.count-before, uint64(2*pages))
}
