package spartqos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// with is a tenant after its first step, with its SMs and its IPC on them.
func with(sms int, goal, ipc float64) share {
	return share{sms: sms, measured: sms, goal: goal, ipc: ipc, jumped: true}
}

// first is a tenant before its first step.
func first(sms int, goal, ipc float64) share {
	s := with(sms, goal, ipc)
	s.jumped = false
	return s
}

// free is a tenant without a goal.
func free(sms int) share { return with(sms, 0, 50) }

func have(list []share) (sms []int) {
	for i := range list {
		sms = append(sms, list[i].sms)
	}
	return sms
}

func TestStep(t *testing.T) {
	for name, c := range map[string]struct {
		list []share
		want []int
	}{
		"one SM more for who misses its goal":          {[]share{with(8, 100, 99), free(8)}, []int{9, 7}},
		"at the goal nobody moves":                     {[]share{with(8, 100, 100), free(8)}, []int{8, 8}},
		"surplus of less than an SM":                   {[]share{with(8, 100, 114), free(8)}, []int{8, 8}},
		"surplus of an SM":                             {[]share{with(8, 98, 112), free(8)}, []int{7, 9}},
		"the first step goes as far as the model says": {[]share{first(8, 100, 75), free(8)}, []int{11, 5}},
		"exactly":                 {[]share{first(8, 100, 80), free(8)}, []int{10, 6}},
		"the first step down too": {[]share{first(8, 30, 80), free(8)}, []int{3, 13}},
		"a small first step":      {[]share{first(8, 100, 99), free(8)}, []int{9, 7}},
		"no further than to the last SM of the others":     {[]share{first(8, 100, 1), free(8)}, []int{15, 1}},
		"the last SM is not given":                         {[]share{with(15, 100, 99), free(1)}, []int{15, 1}},
		"not even by who would have its goal without":      {[]share{with(15, 100, 99), with(1, 1, 1e300)}, []int{15, 1}},
		"who misses its goal by most goes first":           {[]share{with(4, 100, 90), with(4, 10, 8), free(8)}, []int{4, 5, 7}},
		"by as much: the first to arrive":                  {[]share{with(4, 100, 90), with(4, 10, 9), free(8)}, []int{5, 4, 7}},
		"who has most gives":                               {[]share{free(5), with(4, 100, 90), free(7)}, []int{5, 5, 6}},
		"as many: the last to arrive":                      {[]share{free(6), with(4, 100, 90), free(6)}, []int{6, 5, 5}},
		"a large step takes from all":                      {[]share{first(4, 100, 50), free(7), free(5)}, []int{8, 4, 4}},
		"without a goal before with surplus":               {[]share{with(4, 100, 90), with(10, 1, 100), free(2)}, []int{5, 10, 1}},
		"else who has the largest surplus":                 {[]share{with(4, 100, 90), with(4, 10, 15), with(4, 10, 20), free(1)}, []int{5, 4, 3, 1}},
		"who would miss its goal gives nothing":            {[]share{with(4, 100, 90), with(4, 10, 13), free(1)}, []int{4, 4, 1}},
		"a large step leaves givers their goals":           {[]share{first(4, 100, 50), with(6, 10, 15)}, []int{6, 4}},
		"nothing is given away while a goal is missed":     {[]share{with(15, 100, 90), free(1), with(1, 10, 100)}, []int{15, 1, 1}},
		"nor while one that misses it may take nothing":    {[]share{{sms: 4, measured: 4, goal: 100, ipc: 90, waits: 9}, with(4, 10, 20), free(8)}, []int{4, 4, 8}},
		"the largest surplus is given away":                {[]share{with(4, 10, 15), with(4, 100, 200), free(8)}, []int{4, 3, 9}},
		"to who has fewest":                                {[]share{free(4), with(9, 10, 20), free(3)}, []int{4, 8, 4}},
		"as few: to the first to arrive":                   {[]share{free(3), with(10, 10, 20), free(3)}, []int{4, 9, 3}},
		"by as much: the last to arrive gives":             {[]share{with(4, 10, 15), with(4, 10, 15), free(8)}, []int{4, 3, 9}},
		"a large step gives to all":                        {[]share{free(1), first(10, 10, 20), free(3)}, []int{5, 5, 4}},
		"without anybody to give it to, surplus stays":     {[]share{with(8, 10, 90), with(8, 10, 90)}, []int{8, 8}},
		"without goals nobody moves":                       {[]share{free(12), free(4)}, []int{12, 4}},
		"who has issued nothing is passed over":            {[]share{with(4, 100, 0), with(4, 100, 90), free(8)}, []int{4, 5, 7}},
		"who has issued nothing gives nothing":             {[]share{with(8, 100, 0), with(8, 100, 90)}, []int{8, 8}},
		"surplus is given while another's is not known":    {[]share{with(8, 100, 0), with(4, 100, 200), free(4)}, []int{8, 3, 5}},
		"who waits for an SM waits on":                     {[]share{with(1, 10, 20), with(1, 10, 5), with(0, 10, 0)}, []int{1, 1, 0}},
		"one is alone":                                     {[]share{with(16, 100, 90)}, []int{16}},
		"nobody is there":                                  {nil, nil},
		"fractions of an SM that rounding makes count not": {[]share{first(10, 0.3, 0.1), free(22)}, []int{30, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			before := have(c.list)
			changed := (&climber{}).step(c.list)
			require.Equal(t, c.want, have(c.list))
			require.Equal(t, fmt.Sprint(before) != fmt.Sprint(c.want), changed)
		})
	}
}

// toy is a GPU with an IPC for each tenant and number of SMs. It returns the shares after each
// of the climber's steps.
func toy(c *climber, list []share, ipc func(tenant, sms int) float64, windows int) (after [][]int) {
	for range windows {
		for i := range list {
			list[i].ipc, list[i].measured = ipc(i, list[i].sms), list[i].sms
		}
		c.step(list)
		after = append(after, have(list))
	}
	return after
}

func TestStepThatMadeAReachedGoalMissedIsUndoneAndNotTriedForFiveWindows(t *testing.T) {
	// With 6 SMs of 8 the model predicts 112 of 110; it gets 90.
	cliff := func(_, sms int) float64 {
		if sms > 7 {
			return 150
		}
		return 90
	}
	list := []share{with(8, 110, 0), free(8)}
	down, up := []int{7, 9}, []int{8, 8}
	require.Equal(t, [][]int{down, up, up, up, up, up, down, up, up}, toy(&climber{}, list, cliff, 9))
}

// TestSilentTenantUndoesAStepOnlyIfItGaveSMs: three tenants of 5, 5 and 6 SMs, the
// last without a goal. A step is taken, and one has this IPC in the next window.
func TestSilentTenantUndoesAStepOnlyIfItGaveSMs(t *testing.T) {
	for name, c := range map[string]struct {
		list   [3]share
		tenant int // the tenant with another IPC
		ipc    float64
		step   []int // shares after it
		want   []int // and after the next window
	}{
		"silent, others' SMs moved":        {[3]share{with(5, 100, 90), with(5, 100, 110), free(6)}, 1, 0, []int{6, 5, 5}, []int{7, 5, 4}},
		"nearly silent, others' SMs moved": {[3]share{with(5, 100, 90), with(5, 100, 110), free(6)}, 1, 1, []int{6, 5, 5}, []int{5, 5, 6}},
		"silent, it gave":                  {[3]share{with(5, 100, 110), with(5, 100, 200), free(6)}, 1, 0, []int{5, 4, 7}, []int{5, 5, 6}},
		"silent, another gave":             {[3]share{with(5, 100, 110), with(5, 100, 200), free(6)}, 0, 0, []int{5, 4, 7}, []int{5, 3, 8}},
		"silent without a goal":            {[3]share{with(5, 100, 90), with(5, 100, 110), free(6)}, 2, 0, []int{6, 5, 5}, []int{7, 5, 4}},
		"silent before the step":           {[3]share{with(5, 100, 90), with(5, 100, 0), free(6)}, 1, 0, []int{6, 5, 5}, []int{7, 5, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			climber, list := &climber{}, c.list[:]
			require.True(t, climber.step(list))
			require.Equal(t, c.step, have(list))
			for i := range list {
				list[i].measured = list[i].sms
			}
			list[c.tenant].ipc = c.ipc
			climber.step(list)
			require.Equal(t, c.want, have(list))
		})
	}
}

func TestLargeStepIsUndoneAsAWhole(t *testing.T) {
	list := []share{first(8, 110, 0), free(6), free(2)}
	got := toy(&climber{}, list, func(_, sms int) float64 { return map[bool]float64{true: 440, false: 90}[sms > 7] }, 7)
	require.Equal(t, []int{2, 7, 7}, got[0])
	require.Equal(t, []int{8, 6, 2}, got[1])
	require.Equal(t, []int{8, 6, 2}, got[5])
	require.Equal(t, []int{7, 6, 3}, got[6], "the next step is a small one")
}

func TestOnlyTheGiverHoldsIfItIsHarmed(t *testing.T) {
	// The second tenant's surplus is a mistake of the model; the first has some of
	// its own, which it can give meanwhile.
	list := []share{with(6, 100, 0), with(6, 100, 0), free(4)}
	got := toy(&climber{}, list, func(tenant, sms int) float64 {
		switch {
		case tenant == 0:
			return 25 * float64(sms)
		case tenant == 1 && sms == 6:
			return 200
		}
		return 90
	}, 4)
	require.Equal(t, [][]int{{6, 5, 5}, {6, 6, 4}, {5, 6, 5}, {4, 6, 6}}, got)
}

func TestWhoTakesWaitsIfSomebodyElseIsHarmed(t *testing.T) {
	// The second tenant has its goal only while the first has 4 SMs at most, which
	// misses its own.
	list := []share{with(4, 100, 0), with(4, 100, 0), free(8)}
	got := toy(&climber{}, list, func(tenant, _ int) float64 {
		if tenant == 0 || list[0].sms <= 4 {
			return 90 + 10*float64(tenant)
		}
		return 80
	}, 8)
	up, down := []int{5, 4, 7}, []int{4, 4, 8}
	require.Equal(t, [][]int{up, down, down, down, down, down, up, down}, got)
}

func TestWhoWasGivenSMsWaitsIfSomebodyElseIsHarmed(t *testing.T) {
	// The second tenant has its goal only while the fourth has 3 SMs at most, to
	// which the first would give one. The third gets it meanwhile.
	list := []share{with(6, 100, 0), with(4, 100, 0), free(4), free(3)}
	got := toy(&climber{}, list, func(tenant, sms int) float64 {
		switch {
		case tenant == 0:
			return 25 * float64(sms)
		case list[3].sms > 3:
			return 80
		}
		return 100
	}, 4)
	require.Equal(t, [][]int{{5, 4, 4, 4}, {6, 4, 4, 3}, {5, 4, 5, 3}, {4, 4, 6, 3}}, got)
}

func TestWhoTookFromAnotherThatIsHarmedIsNotBarred(t *testing.T) {
	// A tenant without a goal takes from the tenant with one; only the giver holds.
	list, c := []share{with(8, 110, 150), free(8)}, &climber{}
	c.step(list)
	list[0].ipc, list[0].measured = 90, 7
	c.step(list)
	require.Equal(t, []int{2 + patience, 0}, []int{list[0].holds, list[1].holds})
	require.Equal(t, []int{0, 0}, []int{list[0].waits, list[1].waits})
}

func TestGoalThatWasMissedBeforeAStepUndoesNothing(t *testing.T) {
	list := []share{with(8, 100, 60), with(4, 100, 70), free(4)}
	got := toy(&climber{}, list, func(tenant, sms int) float64 { return 60 + 10*float64(tenant) }, 3)
	require.Equal(t, [][]int{{9, 4, 3}, {10, 4, 2}, {11, 4, 1}}, got)
}

// On a GPU with an IPC of k x SMs each tenant reaches its goal in the first window after its
// step, and keeps it. SMs beyond the goals are given back; then shares stay.
func TestClimbingConvergesOnALinearGPU(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SliceOfN(rapid.Float64Range(0.1, 200), 2, 4).Draw(t, "IPC of an SM")
		const sms = 16
		goals := rapid.IntRange(1, len(k)-1).Draw(t, "tenants with a goal")
		var list []share
		needs, used := make([]int, len(k)), 0
		for i := range k {
			list = append(list, share{tenant: i})
			if needs[i] = 1; i < goals {
				// The GPU has enough SMs for all goals, and one for each tenant without.
				needs[i] = rapid.IntRange(1, sms-used-(len(k)-i-1)).Draw(t, "needs")
				list[i].goal = k[i] * (float64(needs[i]) - rapid.Float64Range(0.01, 0.99).Draw(t, "less"))
			}
			used += needs[i]
		}
		for i := range list {
			if i == 0 {
				deal(list[:1], sms)
			} else {
				join(list[:i+1])
			}
		}
		after := toy(&climber{}, list, func(i, n int) float64 { return k[i] * float64(n) }, 30)
		for i := range goals {
			for w := goals; w < len(after); w++ {
				require.GreaterOrEqual(t, after[w][i], needs[i], "tenant %d after step %d of %v", i, w+1, after)
			}
			require.Equal(t, needs[i], after[29][i], "tenant %d: %v", i, after)
		}
		require.Equal(t, after[20], after[29])
	})
}

// Whatever IPC is, SMs are conserved and every tenant keeps one. A tenant that loses its goal
// after giving SMs has them back a window later.
func TestClimbingKeepsWhatItHasReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "tenants")
		var list []share
		var curve [5][17]float64
		for i := range n {
			s := share{tenant: i}
			if rapid.Bool().Draw(t, "has a goal") {
				s.goal = rapid.Float64Range(1, 300).Draw(t, "goal")
			}
			list = append(list, s)
			for m := 1; m < 17; m++ { // more SMs are never worse
				curve[i][m] = curve[i][m-1] + rapid.SampledFrom([]float64{0, 1, 20, 100}).Draw(t, "gain")
			}
		}
		deal(list, 16)
		c := &climber{}
		shares, stepped := [][]int{have(list)}, []bool{false}
		for range 30 {
			shares = append(shares, toy(c, list, func(i, m int) float64 { return curve[i][m] }, 1)...)
			stepped = append(stepped, c.stepped)
		}
		for w, now := range shares {
			sum := 0
			for i, m := range now {
				sum += m
				require.Positive(t, m)
				reached := func(w int) bool { return curve[i][shares[w][i]] >= list[i].goal }
				if w >= 2 && stepped[w-1] && shares[w-1][i] < shares[w-2][i] && reached(w-2) && !reached(w-1) {
					require.True(t, reached(w), "tenant %d, window %d of %v", i, w, shares)
				}
			}
			require.Equal(t, 16, sum)
		}
	})
}
