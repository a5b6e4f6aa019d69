package operandlog

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPartition fills the partitions of every thread block on an SM.
func TestPartition(t *testing.T) {
	var v struct {
		Partition []struct {
			KB      int            `json:"log_kb"`
			Entries int            `json:"entries"`
			PerTB   map[string]int `json:"entries_per_tb"`
			Loads   int            `json:"loads_in_flight_per_tb_at_16"`
			Stores  int            `json:"stores_in_flight_per_tb_at_16"`
		}
	}
	text, err := os.ReadFile("testdata/partition.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	require.Len(t, v.Partition, 3)
	for _, p := range v.Partition {
		require.Equal(t, p.Entries, p.KB<<10/EntryBytes)
		require.Len(t, p.PerTB, 10)
		for name, want := range p.PerTB {
			tbs, err := strconv.Atoi(name)
			require.NoError(t, err)
			require.Equal(t, want, Partition(p.Entries, tbs), "%d KB, %d thread blocks", p.KB, tbs)
			l := New(p.Entries, tbs)
			for tb := range tbs {
				l.Open(tb, want)
			}
			for tb := range tbs {
				require.True(t, l.Alloc(tb, want))
				require.False(t, l.Alloc(tb, 1))
			}
		}
		for class, want := range map[workload.Class]int{workload.Load: p.Loads, workload.Store: p.Stores,
			workload.Atomic: p.Stores, workload.Reduction: p.Stores} {
			l, n := New(p.Entries, 16), 0
			l.Open(3, Partition(p.Entries, 16))
			for l.Alloc(3, Entries(class)) {
				n++
			}
			require.Equal(t, want, n, class)
		}
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, Validate(8<<10, 16))
	require.ErrorContains(t, Validate(8<<10, 17), "log_bytes is 8192, must be a multiple of 256 and at least 8704")
	require.ErrorContains(t, Validate(8<<10+1, 1), "log_bytes is 8193")
}

func TestEntriesAreUsableAfterTheNextEdge(t *testing.T) {
	l := New(4, 2)
	l.Open(0, 2)
	l.Open(1, 2)
	require.True(t, l.Alloc(0, 2))
	l.Release(0, 2)
	require.Zero(t, l.Saved(0))
	require.False(t, l.Alloc(0, 1), "in the cycle of the release")
	l.Edge()
	require.True(t, l.Alloc(0, 2))
	require.True(t, l.Alloc(1, 2), "the other partition")
}

func TestContextTakesItsEntriesAlong(t *testing.T) {
	l := New(4, 2)
	l.Open(0, 2)
	l.Alloc(0, 2)
	l.Release(0, 1) // passed its check in the tick before
	saved := l.Saved(0)
	require.Equal(t, 1, saved)
	l.Close(0)
	l.Edge()
	l.Open(1, 4) // everything is free
	l.Restore(1, saved)
	require.Equal(t, 1, l.Saved(1))
	require.True(t, l.Alloc(1, 3))
	require.False(t, l.Alloc(1, 1))
	require.Panics(t, func() { l.Open(0, 1) }, "more than the log has")
	l.Close(1)
	l.Open(1, 1)
	require.Panics(t, func() { l.Restore(1, 2) })
}

// TestCounts compares the log with plain sums.
func TestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, used, late := New(12, 3), [3]int{}, [3]int{}
		for tb := range 3 {
			l.Open(tb, 4)
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			tb, n := rapid.IntRange(0, 2).Draw(t, "tb"), rapid.IntRange(1, 2).Draw(t, "n")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				ok := used[tb]+n <= 4
				require.Equal(t, ok, l.Room(tb, n))
				require.Equal(t, ok, l.Alloc(tb, n))
				if ok {
					used[tb] += n
				}
			case 1:
				if used[tb]-late[tb] >= n {
					l.Release(tb, n)
					late[tb] += n
				}
			default:
				l.Edge()
				for i := range used {
					used[i] -= late[i]
				}
				late = [3]int{}
			}
			for i := range used {
				require.Equal(t, used[i]-late[i], l.Saved(i))
			}
		}
	})
}

// TestPartitionsAreNeverMoreThanTheLog has thread blocks come and go.
func TestPartitionsAreNeverMoreThanTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries, tbs := rapid.IntRange(1, 300).Draw(t, "entries"), rapid.IntRange(1, 32).Draw(t, "tbs")
		l, there, part := New(entries, tbs), make([]bool, tbs), Partition(entries, tbs)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			tb, open := rapid.IntRange(0, tbs-1).Draw(t, "tb"), 0
			if there[tb] = !there[tb]; there[tb] {
				l.Open(tb, part)
			} else {
				l.Close(tb)
			}
			for _, on := range there {
				if on {
					open++
				}
			}
			require.Equal(t, open*part, l.Given())
			require.LessOrEqual(t, l.Given(), entries)
		}
	})
}
