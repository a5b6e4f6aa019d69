package dispatcher

import (
	"errors"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// counting is a host program that launches a kernel until it has done so often
// enough, as one that looks at a flag in memory would.
type counting struct {
	kernel *workload.Kernel
	left   int
	err    error
}

func (c *counting) Next() (workload.Op, bool, error) {
	if c.left == 0 {
		return workload.Op{}, false, c.err
	}
	c.left--
	return workload.Op{Kernel: c.kernel}, true, nil
}

func TestHostProgramDecidesAfterEachKernelWhatComesNext(t *testing.T) {
	k := kernel("k", 2)
	started := 0
	hosted := app(k)
	hosted.Host = func() (workload.Host, error) {
		started++
		return &counting{kernel: k, left: started + 1}, nil
	}
	b := newBench(t, setup{tenants: []Tenant{{App: hosted, Restart: true}}})
	b.run(600)
	stats := b.driver.Stats().Tenants[0]
	require.GreaterOrEqual(t, stats.Completions, uint64(2))
	require.Len(t, stats.Launches, 2, "the first run launches twice, the second three times")
	require.Equal(t, int(stats.Completions)+1, started)
}

func TestErrorOfTheHostProgramEndsTheSimulation(t *testing.T) {
	k := kernel("k", 1)
	hosted := app(k)
	hosted.Host = func() (workload.Host, error) { return &counting{kernel: k, left: 1, err: errors.New("lost")}, nil }
	b := newBench(t, setup{tenants: tenants(hosted)})
	b.run(1000)
	require.EqualError(t, b.driver.Err(), "lost")
}
