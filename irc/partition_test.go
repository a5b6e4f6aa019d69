package irc

import (
	"testing"

	"cotenant/tenant"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tails is the partition vector of CCBP 6.1 for k tenants and n sub-queues: the number
// of the sub-queue that is the tail of each tenant's virtual queue.
func tails(n, k int) []int {
	s, list, last := Spec{SubQueues: n, Depth: 1}, make([]int, k), -1
	for i := range list {
		last += entries(&s, k, i)
		list[i] = last
	}
	return list
}

func TestPartitionVectors(t *testing.T) {
	for k, want := range [][]int{
		{},
		{7},
		{3, 7},
		{2, 5, 7}, // 3 + 3 + 2
		{1, 3, 5, 7},
		{1, 3, 5, 6, 7},
		{1, 3, 4, 5, 6, 7},
		{1, 2, 3, 4, 5, 6, 7},
		{0, 1, 2, 3, 4, 5, 6, 7},
	} {
		require.Equal(t, want, tails(8, k))
	}
	require.Equal(t, []int{2, 4}, tails(5, 2))
}

func TestSharesAreWholeSubQueuesAndUseAllEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Spec{SubQueues: rapid.IntRange(1, 20).Draw(t, "sub-queues"), Depth: rapid.IntRange(1, 40).Draw(t, "depth"), Latency: 1, IntervalCycles: 200}
		if s.Entries() < tenant.Max {
			require.Error(t, s.Validate())
			t.Skip()
		}
		require.NoError(t, s.Validate())
		k := rapid.IntRange(1, tenant.Max).Draw(t, "tenants")
		sum := 0
		for i := range k {
			n := entries(&s, k, i)
			require.Positive(t, n)
			if k <= s.SubQueues {
				require.Zero(t, n%s.Depth)
			}
			sum += n
		}
		require.Equal(t, s.Entries(), sum)
	})
}

func TestSpecNamesTheFieldAtFault(t *testing.T) {
	valid := Spec{SubQueues: 8, Depth: 16, Latency: 1, IntervalCycles: 200}
	require.NoError(t, valid.Validate())
	require.NoError(t, (&Spec{}).Validate(), "none")
	for want, change := range map[string]func(*Spec){
		"sub_queues is -1, must be 0 to 64":                                                  func(s *Spec) { s.SubQueues = -1 },
		"sub_queues is 65, must be 0 to 64":                                                  func(s *Spec) { s.SubQueues = 65 },
		"depth is 0, must be 1 to 1024":                                                      func(s *Spec) { s.Depth = 0 },
		"depth is 1025, must be 1 to 1024":                                                   func(s *Spec) { s.Depth = 1025 },
		"latency is 0, must be 1 to 4":                                                       func(s *Spec) { s.Latency = 0 },
		"latency is 5, must be 1 to 4":                                                       func(s *Spec) { s.Latency = 5 },
		"interval_cycles is 0, must be 1 to 65536":                                           func(s *Spec) { s.IntervalCycles = 0 },
		"interval_cycles is 65537, must be 1 to 65536":                                       func(s *Spec) { s.IntervalCycles = 65537 },
		"depth is 4, must be 6 or more with 3 sub_queues: each of 16 tenants needs an entry": func(s *Spec) { s.SubQueues, s.Depth = 3, 4 },
	} {
		s := valid
		change(&s)
		require.EqualError(t, s.Validate(), want)
		_, err := Builder{}.WithSpec(s).Build("IRC")
		require.EqualError(t, err, "IRC: "+want)
	}
}
