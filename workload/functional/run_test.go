package functional

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

func plain(class workload.Class) workload.Inst {
	return workload.Inst{Class: class, Dst: workload.NoRegs4, Src: workload.NoRegs10, Active: 1}
}

func TestWarpsTakeTurnsAndWaitAtBarriers(t *testing.T) {
	// Warp 1 reaches its barrier two instructions after warp 0, and warp 2 ends
	// without one.
	lengths := []int{1, 3, 2}
	k := script.Kernel("k", 1, 96, func(_, warp int) (list []workload.Inst) {
		for range lengths[warp] {
			list = append(list, plain(workload.Int))
		}
		if warp < 2 {
			list = append(list, plain(workload.Barrier), plain(workload.Exit))
		}
		return list
	})
	var order []string
	require.NoError(t, Run(context.Background(), k, 4, Observer{Executed: func(_, warp int, inst *workload.Inst) {
		order = append(order, fmt.Sprint(warp, inst.Class))
	}}))
	require.Equal(t, []string{
		"0 int", "1 int", "2 int",
		"0 barrier", "1 int", "2 int",
		"1 int", "1 barrier",
		"0 exit", "1 exit",
	}, order)
}

func TestLoopWithoutAnEndIsToldOnce(t *testing.T) {
	defer func(was int) { longStretch = was }(longStretch)
	longStretch = 50
	kernel := func(tbs, length int) *workload.Kernel {
		return script.Kernel("k", tbs, 64, func(int, int) (list []workload.Inst) {
			for i := range length {
				in := plain(workload.Int)
				in.PC = uint32(16 * i)
				list = append(list, in)
			}
			return list
		})
	}
	var told []string
	o := Observer{Long: func(executed int, s workload.Stream, inst *workload.Inst) {
		told = append(told, fmt.Sprint(executed, " ", workload.Where(s, inst.PC)))
	}}
	require.NoError(t, Run(context.Background(), kernel(20, 20), 1, o))
	require.Empty(t, told, "thread blocks end")
	require.NoError(t, Run(context.Background(), kernel(1, 200), 1, o))
	require.Equal(t, []string{"50 PC 0x180"}, told)

	o.Patience = 48
	require.NoError(t, Run(context.Background(), kernel(20, 20), 1, o), "thread blocks end")
	err := Run(context.Background(), kernel(1, 200), 1, o)
	require.EqualError(t, err, "kernel k: no thread block has ended for 48 instructions of warps, the last at PC 0x170; it may never end")
	require.Len(t, told, 1)
}

// Of two barriers, one takes the two warps of a pair, of which one only arrives,
// the other one all that have not ended.
func TestBarriersAreToldApart(t *testing.T) {
	meet := func(id, warps uint8, flags workload.Flags) workload.Inst {
		in := plain(workload.Barrier)
		in.Barrier, in.Warps, in.Flags = id, warps, flags
		return in
	}
	lists := [][]workload.Inst{
		{meet(1, 2, 0), plain(workload.FP32), meet(0, 0, 0), plain(workload.Exit)},
		{plain(workload.Int), plain(workload.Int), meet(1, 2, workload.Arrive), plain(workload.Int), meet(0, 0, 0), plain(workload.Exit)},
		{meet(0, 0, 0), plain(workload.Exit)},
	}
	lists[1][3].Active = 0
	lists[1][3].Class = workload.Barrier // of no lane: it is passed by
	k := script.Kernel("k", 1, 96, func(_, warp int) []workload.Inst { return lists[warp] })
	var order []string
	require.NoError(t, Run(context.Background(), k, 4, Observer{Executed: func(_, warp int, inst *workload.Inst) {
		order = append(order, fmt.Sprint(warp, inst.Class))
	}}))
	require.Equal(t, []string{
		"0 barrier", "1 int", "2 barrier",
		"1 int",
		"1 barrier",
		"0 fp32", "1 barrier",
		"0 barrier", "1 barrier",
		"2 exit", "0 exit", "1 exit",
	}, order)
}

func TestWarpsThatWaitForeverAreAnError(t *testing.T) {
	k := script.Kernel("k", 3, 64, func(_, warp int) []workload.Inst {
		in := plain(workload.Barrier)
		in.Barrier = uint8(warp)
		return []workload.Inst{in, plain(workload.Exit)}
	})
	require.EqualError(t, Run(context.Background(), k, 2, Observer{}), "kernel k: its warps wait at barriers for others that never come")
}

func TestThreadBlocksAreResidentUpToTheLimitAndStartInOrder(t *testing.T) {
	const resident = 3
	k := script.Kernel("k", 10, 32, func(tb, _ int) (list []workload.Inst) {
		for range 1 + 7*tb%5 {
			list = append(list, plain(workload.Int))
		}
		return list
	})
	running, most, started, finished := 0, 0, 0, map[int]bool{}
	require.NoError(t, Run(context.Background(), k, resident, Observer{
		Begun: func(tb, warps int) {
			require.Equal(t, started, tb)
			require.Equal(t, 1, warps)
			for earlier := range tb - resident + 1 {
				require.True(t, finished[earlier], "thread block %d starts before %d has ended", tb, earlier)
			}
			started++
			running++
			most = max(most, running)
		},
		Finished: func(tb int) error {
			finished[tb] = true
			running--
			return nil
		},
	}))
	require.Len(t, finished, 10)
	require.Equal(t, resident, most)
}

func TestErrorOfTheObserverEndsTheRun(t *testing.T) {
	k := script.Kernel("k", 5, 32, func(_, _ int) []workload.Inst { return []workload.Inst{plain(workload.Int)} })
	calls := 0
	err := Run(context.Background(), k, 1, Observer{Finished: func(int) error { calls++; return errors.New("full") }})
	require.EqualError(t, err, "full")
	require.Equal(t, 1, calls)
}
