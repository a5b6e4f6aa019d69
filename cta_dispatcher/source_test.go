package dispatcher

import (
	"errors"
	"testing"

	"cotenant/workload"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

// mocked makes a kernel with a mock for its source. The source must be opened once and
// opens the mock that is returned.
func mocked(t *testing.T, name string, tbs int) (*workload.Kernel, *MockLaunch, *gomock.Call) {
	ctrl := gomock.NewController(t)
	source, launch := NewMockSource(ctrl), NewMockLaunch(ctrl)
	k := kernel(name, tbs)
	k.Source = source
	return k, launch, source.EXPECT().Open().Return(launch, nil)
}

func TestLaunchHandsOutTakesBackAndIsClosedInOrder(t *testing.T) {
	k, launch, last := mocked(t, "a", 4) // two on the SM at a time
	then := func(c *gomock.Call) *gomock.Call {
		last = c.After(last)
		return c
	}
	next := func(id int) {
		then(launch.EXPECT().Next(gomock.Any())).DoAndReturn(func(tb *workload.TB) error {
			tb.ID = id
			return nil
		})
	}
	recycle := func(id int) {
		then(launch.EXPECT().Recycle(gomock.Any())).Do(func(tb *workload.TB) { require.Equal(t, id, tb.ID) })
	}
	next(0)
	next(1)
	recycle(0)
	next(2)
	recycle(1)
	next(3)
	recycle(2)
	recycle(3)
	then(launch.EXPECT().Close()).Return(nil)
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k))})
	b.run(1_000_000)
	require.NoError(t, b.driver.Err())
	require.True(t, b.host.Done())
}

func TestSourceIsOpenedWhenItsKernelIsLaunched(t *testing.T) {
	first, launch, _ := mocked(t, "first", 1)
	second, other, opened := mocked(t, "second", 1)
	for _, l := range []*MockLaunch{launch, other} {
		l.EXPECT().Next(gomock.Any()).Return(nil)
		l.EXPECT().Recycle(gomock.Any())
	}
	opened.After(launch.EXPECT().Close().Return(nil))
	other.EXPECT().Close().Return(nil)
	b := newBench(t, setup{tenants: tenants(app(first, second))})
	b.run(1_000_000)
	require.True(t, b.host.Done())
}

func TestLaunchThatFailsIsAskedNoMoreAndClosedWithTheDriver(t *testing.T) {
	k, launch, opened := mocked(t, "bad", 3)
	failed := launch.EXPECT().Next(gomock.Any()).Return(errors.New("bad: line 7")).After(opened)
	b := newBench(t, setup{tenants: tenants(app(k))})
	b.run(1_000_000)
	require.EqualError(t, b.driver.Err(), "bad: line 7")
	launch.EXPECT().Close().Return(errors.New("what is unread is no error")).After(failed)
	b.driver.Close()
	require.EqualError(t, b.driver.Err(), "bad: line 7")
}
