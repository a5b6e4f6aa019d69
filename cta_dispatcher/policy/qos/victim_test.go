package qos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVictimsOfTheVectors(t *testing.T) {
	list := load(t).TB.Victims
	require.Len(t, list, 5)
	words := map[ground]string{notAVictim: "", withoutGoal: "non-QoS", idleTBs: "idle TBs", margin: "margin"}
	for _, c := range list {
		got := victim{qos: c.QoS, n: c.N, idle: c.Idle, tbs: c.TBs, history: c.History.float(), goal: c.Goal.float()}
		require.Equal(t, c.Victim, words[got.ground()], "%+v", got)
	}
	none := victim{qos: true, n: 1, history: 9, goal: 1}
	require.Equal(t, notAVictim, none.ground(), "without thread blocks it has none to lose")
	just := victim{qos: true, n: 2, tbs: 16, history: 100, goal: 87.5}
	require.Equal(t, notAVictim, just.ground(), "the margin is above the goal, not at it")
}

func TestOrderOfVictims(t *testing.T) {
	// From the first to lose to the last.
	list := []victim{
		{n: 1, threads: 512},
		{n: 9, threads: 256},
		{qos: true, n: 1, idle: 5, goal: 10},
		{qos: true, n: 3, idle: 4, goal: 10, history: 99, tbs: 100},
		{qos: true, n: 1, tbs: 10, history: 20, goal: 10},
		{qos: true, n: 5, tbs: 10, history: 30, goal: 10},
		{qos: true, n: 1, tbs: 10, history: 100, goal: 80},
		{qos: true, n: 1, tbs: 10, history: 10, goal: 10},
	}
	for i := range list {
		for j := range list {
			require.Equal(t, i < j, list[i].before(&list[j]), "%d %d", i, j)
		}
	}
	equal := list[0]
	require.False(t, equal.before(&list[0]))
}

func TestIdleTBsOfTheVectors(t *testing.T) {
	list := load(t).TB.IdleTBs
	require.Len(t, list, 4)
	for _, c := range list {
		require.Equal(t, c.TBs, wholeTBs(c.Sum, 100, c.Each))
	}
	require.Equal(t, 2, wholeTBs(8, 2, 2))
}
