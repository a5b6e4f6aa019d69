package components_test

import (
	"testing"

	"cotenant/components"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFIFOBehavesAsABoundedQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.IntRange(1, 9).Draw(t, "depth")
		f := components.NewFIFO[int](depth)
		var model []int
		for step := range rapid.IntRange(0, 100).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "push") && !f.Full() {
				f.Push(step)
				model = append(model, step)
			} else if f.Len() > 0 {
				require.Equal(t, model[0], *f.Front())
				require.Equal(t, model[0], f.Pop())
				model = model[1:]
			}
			require.Equal(t, len(model), f.Len())
			require.Equal(t, depth-len(model), f.Free())
			require.Equal(t, len(model) == depth, f.Full())
		}
	})
}

func TestFIFOFrontCanBeChangedInPlace(t *testing.T) {
	f := components.NewFIFO[int](2)
	f.Push(1)
	*f.Front() = 7
	require.Equal(t, 7, f.Pop())
}

func TestZeroFIFOHoldsNothing(t *testing.T) {
	var f components.FIFO[int]
	require.True(t, f.Full())
	require.Zero(t, f.Len())
}

func TestPoolHandsOutWhatWasPutBack(t *testing.T) {
	var p components.Pool[ball]
	a, b := p.Get(), p.Get()
	require.NotSame(t, a, b)
	p.Put(a)
	p.Put(b)
	require.ElementsMatch(t, []*ball{a, b}, []*ball{p.Get(), p.Get()})
	c := p.Get()
	require.NotSame(t, a, c)
	require.NotSame(t, b, c)
}
