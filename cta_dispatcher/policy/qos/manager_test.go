package qos

import (
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// exact is a number of the vectors: whole, or a fraction in quotes.
type exact struct{ *big.Rat }

func (e *exact) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) != nil {
		s = string(text)
	}
	if s == "null" {
		return nil
	}
	e.Rat, _ = new(big.Rat).SetString(s)
	return nil
}

func (e exact) float() float64 {
	if e.Rat == nil {
		return 0
	}
	f, _ := e.Float64()
	return f
}

// vectors are worked examples of QoS 3.4 to 3.6 in exact arithmetic, from the
// generator qos_epochs.py beside the specification.
type vectors struct {
	Alpha []struct{ Goal, History, Alpha exact }
	Split []struct {
		Quota int64
		TBs   []int   `json:"tbs"`
		BySM  []int64 `json:"by_sm"`
	}
	NonQoS []struct {
		IPC  exact      `json:"ipc_epoch"`
		QoS  [][3]exact `json:"qos"`
		Goal exact
	} `json:"non_qos"`
	ClosedLoop struct {
		Schemes map[string]loop
	} `json:"closed_loop"`
	TB struct {
		Partition struct {
			SMsOf map[string][]int `json:"sms_of"`
		} `json:"partition_of_SMs"`
		EqualThreads []struct {
			Demands []struct{ Threads, Registers, Shared, TBs int }
			TBs     []int `json:"tbs"`
		} `json:"equal_threads_gtx980"`
		IdleTBs []struct {
			Sum  uint64 `json:"idle_warps_sum_of_100_samples"`
			Each int    `json:"warps_per_tb"`
			TBs  int    `json:"idle_tbs"`
		} `json:"idle_tbs"`
		Victims []struct {
			QoS     bool `json:"is_qos"`
			Idle    int  `json:"idle_tbs"`
			N       int
			History exact
			Goal    exact
			TBs     int `json:"total_tbs"`
			Victim  string
		}
	}
}

// loop is a toy SM under a scheme.
type loop struct {
	Epochs []struct {
		History  exact `json:"history_K0"`
		Alpha    exact
		Goal     exact   `json:"goal_K1"`
		LeftOver []int64 `json:"left_over"`
		Quota    []int64
		Start    []int64 `json:"C_start"`
		Refills  int
		Lanes    []int64
		End      []int64 `json:"C_end"`
	}
	IPC0    exact `json:"K0_ipc"`
	Reached bool  `json:"K0_reached"`
	IPC1    exact `json:"K1_ipc"`
}

func load(t *testing.T) (v vectors) {
	text, err := os.ReadFile("testdata/qos_epochs.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

// near is but for the rounding of a few operations.
const near = 1e-14

func TestAlphaIsGoalOverHistoryButNotBelowOne(t *testing.T) {
	list := load(t).Alpha
	require.Len(t, list, 4)
	for _, c := range list {
		require.InEpsilon(t, c.Alpha.float(), alpha(c.Goal.float(), c.History.float()), near, "%v", c)
	}
}

func TestQuotaIsSplitByThreadBlocks(t *testing.T) {
	list := load(t).Split
	require.Len(t, list, 4)
	for _, c := range list {
		shares := make([]int64, len(c.TBs))
		split(c.Quota, c.TBs, shares)
		require.Equal(t, c.BySM, shares)
	}
}

func TestSharesAddUpAndAreWithinOneOfTheirPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tbs := rapid.SliceOfN(rapid.IntRange(0, 32), 1, 128).Draw(t, "TBs")
		tbs[0]++
		quota := rapid.Int64Range(0, 1<<45).Draw(t, "quota")
		shares := make([]int64, len(tbs))
		split(quota, tbs, shares)
		total, all := int64(0), int64(sum(tbs))
		for i, s := range shares {
			total += s
			part := quota * int64(tbs[i]) // over all
			require.True(t, s*all > part-all && s*all < part+all)
		}
		require.Equal(t, quota, total)
	})
}

func TestArtificialGoalIsTheProductOfSuccesses(t *testing.T) {
	list := load(t).NonQoS
	require.Len(t, list, 5)
	for _, c := range list {
		product := 1.0
		for _, k := range c.QoS {
			product *= success(k[0].float(), k[1].float(), k[2].float())
		}
		require.InEpsilon(t, c.Goal.float(), artificialGoal(c.IPC.float(), product), near)
	}
}

func TestLanesAreRoundedDownButNotForTheSakeOfAFloat(t *testing.T) {
	tenth := 0.1
	require.Equal(t, int64(3), lanes(tenth+2*tenth, 10), "0.30000000000000004")
	third := 0.3
	require.Equal(t, int64(2), lanes(third-tenth, 10), "0.19999999999999998")
	require.Equal(t, int64(1575), lanes(1575.3846/100, 100))
	require.Equal(t, int64(99), lanes(0.9999999, 100))
	require.Equal(t, int64(0), lanes(0.001, 100))
	require.Positive(t, lanes(1e300, 1_000_000_000), "no overflow")
}

func TestPeakIsWhatAnSMIssues(t *testing.T) {
	require.Equal(t, int64(4*2*32*10_000), peak(&policy.SM{Schedulers: 4, IssueWidth: 2}, 10_000))
	require.Equal(t, int64(2*1*32*10), peak(&policy.SM{Schedulers: 2, IssueWidth: 1}, 10))
}

// toy is the enhanced warp scheduler of one SM as the specification has it, on one
// counter for each tenant.
type toy struct {
	c     [2]int64
	quota [2]protocol.Quota
}

func (e *toy) start(quota [2]protocol.Quota) {
	for k, q := range quota {
		left := max(e.c[k], 0)
		e.c[k] = q.Amount
		if q.Keep {
			e.c[k] += left
		}
	}
	e.quota = quota
}

func (e *toy) mayIssue(k int) bool {
	other := 1 - k
	return e.c[k] > 0 && !(e.quota[other].First && !e.quota[k].First && e.c[other] > 0)
}

func (e *toy) spend(k int, lanes int64) (refilled bool) {
	e.c[k] -= lanes
	if e.c[0] > 0 || e.c[1] > 0 {
		return false
	}
	for k, q := range e.quota {
		for q.Refill == protocol.RefillAdd && e.c[k] <= 0 && q.Amount > 0 {
			e.c[k] += q.Amount
		}
	}
	return true
}

// TestClosedLoop has the manager and the terms of each scheme control a toy SM of
// one scheduler for nine epochs of 100 cycles: K0 with a goal of 12.8 lanes a cycle
// has an instruction in each cycle of odd epochs and in every fourth of even ones,
// K1 in each. After K0 has issued K1 goes first.
func TestClosedLoop(t *testing.T) {
	all := load(t).ClosedLoop.Schemes
	require.Len(t, all, 6)
	for spec, name := range map[string]string{
		"qos:scheme=naive,history=off": "naive-nohistory", "qos:scheme=naive": "naive", "qos:scheme=elastic": "elastic", "qos": "rollover",
		"qos:history=off": "rollover-nohistory", "qos:scheme=rollover-time": "rollover-time",
	} {
		t.Run(name, func(t *testing.T) { closedLoop(t, parse(t, spec), all[name]) })
	}
}

func parse(t *testing.T, spec string) *qos {
	p, err := policy.Parse(spec)
	require.NoError(t, err)
	return p.(*qos)
}

func closedLoop(t *testing.T, q *qos, want loop) {
	const epoch, width = 100, 32
	v := &policy.View{Tenants: []policy.Tenant{{Present: true}, {Present: true}}, Windows: make([]protocol.Window, 1)}
	v.Tenants[0].Goal = 12.8
	q.limited = true
	m := &q.manager
	m.epoch, m.peak, m.tenants, m.issued = epoch, epoch*width, make([]registers, 2), make([]uint64, 2)
	m.meet(v)
	var e toy
	turn := 0
	var done [2]int64
	for n, row := range want.Epochs {
		if n > 0 {
			m.measure(v)
		}
		m.scale()
		var quota [2]protocol.Quota
		for k := range quota {
			m.grant(k, []int{0, 1})
			quota[k] = q.quota(k, m.tenants[k].quota)
		}
		require.Equal(t, row.LeftOver, e.c[:])
		require.Equal(t, row.Quota, []int64{quota[0].Amount, quota[1].Amount}, "epoch %d", n+1)
		require.InDelta(t, row.History.float(), m.tenants[0].history, near*100)
		require.InEpsilon(t, row.Alpha.float(), m.tenants[0].alpha, near)
		require.InEpsilon(t, row.Goal.float(), m.tenants[1].goal, near)
		e.start(quota)
		require.Equal(t, row.Start, e.c[:])

		var issued [2]int64
		refills := 0
		for cycle := range epoch {
			ready := [2]bool{n%2 == 0 || cycle%4 == 0, true}
			for _, k := range [2]int{turn, 1 - turn} {
				if ready[k] && e.mayIssue(k) {
					issued[k] += width
					if e.spend(k, width) {
						refills++
					}
					turn = 1 - k
					break
				}
			}
		}
		require.Equal(t, row.Lanes, issued[:])
		require.Equal(t, row.End, e.c[:])
		require.Equal(t, row.Refills, refills)
		var c counters
		for k := range issued {
			done[k] += issued[k]
			c.Tenants[k].ThreadInstructions = uint64(issued[k])
		}
		v.Windows[0] = protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM}, From: uint64(n * epoch), To: uint64((n + 1) * epoch), Counters: c}
	}
	m.measure(v)
	require.InEpsilon(t, want.IPC0.float(), m.tenants[0].history, near)
	require.InEpsilon(t, want.IPC1.float(), m.tenants[1].history, near)
	require.Equal(t, want.Reached, m.tenants[0].history >= m.tenants[0].goal)
}

func TestQuotaIsNoMoreThanTheGPUIssues(t *testing.T) {
	m := manager{epoch: 1000, peak: 512_000, tenants: []registers{{known: true, qos: true, measured: true, goal: 100, history: 0.01, alpha: 1}}}
	m.scale()
	require.InEpsilon(t, 10_000, m.tenants[0].alpha, near, "alpha has no limit")
	m.grant(0, []int{0})
	require.Equal(t, int64(512_000), m.tenants[0].quota)
}

func TestArtificialGoalWaitsForTheFirstEpochOfAGoal(t *testing.T) {
	m := manager{epoch: 1000, peak: 1 << 40, tenants: []registers{{known: true, qos: true, goal: 100, alpha: 1}, {known: true, measured: true, ipc: 50, alpha: 1}}}
	m.grant(1, []int{0, 1})
	require.Equal(t, int64(1000), m.tenants[1].quota)
	m.tenants[0].measured, m.tenants[0].ipc = true, 110
	m.grant(1, []int{0, 1})
	require.Equal(t, int64(55_000), m.tenants[1].quota)
	m.grant(1, []int{1})
	require.Equal(t, int64(50_000), m.tenants[1].quota, "only those in the list count")
}

// at is a View of tenants at the end of a window of 1,000 cycles on two SMs, with the thread
// instructions that each tenant issued on each SM.
func at(to uint64, issued uint64, tenants ...policy.Tenant) *policy.View {
	v := &policy.View{Tenants: tenants}
	var c counters
	for i := range tenants {
		c.Tenants[i].ThreadInstructions = issued
	}
	for i := range 2 {
		v.Windows = append(v.Windows, protocol.Window{Unit: protocol.Unit{Kind: protocol.KindSM, Index: i}, From: to - 1000, To: to, Counters: c})
	}
	v.Windows = append(v.Windows, protocol.Window{Unit: protocol.Unit{Kind: "meter"}})
	return v
}

func TestHistoryIsFromArrivalToTheEndOfTheEpoch(t *testing.T) {
	early, late, after := policy.Tenant{Present: true}, policy.Tenant{Present: true, Since: 2500}, policy.Tenant{Present: true, Since: 3001}
	m := manager{tenants: make([]registers, 4), issued: make([]uint64, 4)}
	look := func(v *policy.View) { m.meet(v); m.measure(v) }
	look(at(1000, 100, early, policy.Tenant{}, policy.Tenant{}, early))
	look(at(2000, 150, early, policy.Tenant{}, policy.Tenant{}, early))
	require.Equal(t, uint64(500), m.tenants[0].done)
	require.InEpsilon(t, 0.25, m.tenants[0].history, near)
	require.InEpsilon(t, 0.3, m.tenants[0].ipc, near, "of the last epoch")
	require.Zero(t, m.tenants[1], "it has not come yet")

	look(at(3000, 50, early, late, after, policy.Tenant{}))
	require.InEpsilon(t, 0.2, m.tenants[0].history, near)
	require.InEpsilon(t, 0.2, m.tenants[1].history, near, "100 in 500 cycles")
	require.InEpsilon(t, 0.1, m.tenants[1].ipc, near)
	require.False(t, m.tenants[2].measured, "it came after the epoch")
	require.InEpsilon(t, 1, m.tenants[2].ipc, near)
	require.Zero(t, m.tenants[3], "it has gone")

	look(at(4000, 50, policy.Tenant{Present: true, Since: 3500}, late, after, policy.Tenant{}))
	require.InEpsilon(t, 0.2, m.tenants[0].history, near, "another application: 100 in 500 cycles")
	require.InEpsilon(t, 200.0/1500, m.tenants[1].history, near)
	require.InEpsilon(t, 100.0/999, m.tenants[2].history, near)
}
