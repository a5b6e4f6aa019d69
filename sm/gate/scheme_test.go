package gate

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// vectors are worked examples of QoS 3.4.
var vectors = func() (v struct {
	Figure4 map[string][]struct {
		Do string
		C  []int64
	}
	ClosedLoop map[string][]struct {
		Quota    [2]int64
		LeftOver []int64 `json:"left_over"`
		CStart   []int64 `json:"C_start"`
		CEnd     []int64 `json:"C_end"`
		Lanes    [2]int
		Refills  int
	} `json:"closed_loop"`
}) {
	text, err := os.ReadFile("testdata/qos_epochs.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		panic(err)
	}
	return v
}()

// goals is the control message of a scheme of QoS 3.4 with quotas for tenant 0, with
// a goal, and tenant 1, without.
func goals(scheme string, with, without int64) *protocol.Quotas {
	m := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
	m.Of[0] = protocol.Quota{Given: true, Amount: with}
	m.Of[1] = protocol.Quota{Given: true, Amount: without, Refill: protocol.RefillAdd}
	name, _, _ := strings.Cut(scheme, "-nohistory")
	switch name {
	case "elastic":
		m.Of[0].Refill = protocol.RefillAdd
	case "rollover", "rollover-time":
		m.Of[0].Keep = true
		m.Of[0].First = name == "rollover-time"
	}
	return m
}

// lanes makes an instruction for each number of active lanes.
func lanes(each ...int) (insts []workload.Inst) {
	for _, n := range each {
		insts = append(insts, workload.Inst{Active: uint32(uint64(1)<<n - 1)})
	}
	return insts
}

// left are the counters of tenants 0, 1, ...
func left(q *Quota, n int) (c []int64) {
	for t := range n {
		c = append(c, q.Left(tenant.ID(t)))
	}
	return c
}

// pair is the gate of an SM with a warp of tenant 0 in slot 0 and a warp of tenant 1 in
// slot 1 of each scheduler.
func pair(schedulers int) *Quota {
	q := NewQuota(schedulers)
	for i := range schedulers {
		q.Placed(i, 0, 0, 0)
		q.Placed(i, 1, 1, 0)
	}
	return q
}

func TestFigure4(t *testing.T) {
	require.Len(t, vectors.Figure4, 5)
	for name, log := range vectors.Figure4 {
		scheme, _, _ := strings.Cut(name, "_")
		q := pair(1)
		for _, row := range log {
			f := strings.Fields(row.Do)
			switch {
			case f[len(f)-1] == "starts":
				q.Control(goals(scheme, 100, 50))
			case strings.Contains(row.Do, "issues"):
				slot, n := int(f[0][1]-'0'), must(strconv.Atoi(f[2]))
				require.Zero(t, held(q, 0)>>slot&1, "%s: %s", name, row.Do)
				q.Issued(0, slot, lanes(n))
			case row.Do == "all exhausted":
				require.True(t, q.Edge(), name)
			case row.Do == "end of epoch 1": // before which it shows nothing
				q.Control(goals(scheme, 100, 50))
				for _, slot := range []int{0, 0, 1} {
					issueLanes(q, 0, slot, 32)
				}
			default:
				t.Fatal(row.Do)
			}
			require.Equal(t, row.C, left(q, 2), "%s: %s", name, row.Do)
		}
	}
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

// issueLanes lets a slot issue an instruction of n lanes at an edge.
func issueLanes(q *Quota, scheduler, slot, n int) {
	q.Issued(scheduler, slot, lanes(n))
	q.Edge()
}

// TestClosedLoop is nine epochs of 100 cycles. Tenant 1 has an instruction in each
// cycle, tenant 0 in each cycle of odd epochs and in every fourth cycle of even epochs.
// They take turns. The manager computes each epoch's quotas.
func TestClosedLoop(t *testing.T) {
	require.Len(t, vectors.ClosedLoop, 6)
	for scheme, epochs := range vectors.ClosedLoop {
		q, turn := pair(1), 0
		require.Len(t, epochs, 9)
		for n, row := range epochs {
			if n > 0 {
				require.Equal(t, row.LeftOver, left(q, 2), "%s, epoch %d", scheme, n+1)
			}
			q.Control(goals(scheme, row.Quota[0], row.Quota[1]))
			require.Equal(t, row.CStart, left(q, 2), "%s, epoch %d", scheme, n+1)
			issued, refills := [2]int{}, 0
			for cycle := range 100 {
				ready := [2]bool{n%2 == 0 || cycle%4 == 0, true}
				for _, k := range []int{turn, 1 - turn} {
					if ready[k] && held(q, 0)>>k&1 == 0 {
						q.Issued(0, k, lanes(32))
						issued[k] += 32
						if c := left(q, 2); c[0] <= 0 && c[1] <= 0 {
							refills++
						}
						q.Edge()
						turn = 1 - k
						break
					}
				}
			}
			require.Equal(t, row.Lanes, issued, "%s, epoch %d", scheme, n+1)
			require.Equal(t, row.Refills, refills, "%s, epoch %d", scheme, n+1)
			require.Equal(t, row.CEnd, left(q, 2), "%s, epoch %d", scheme, n+1)
		}
	}
}

func TestSchedulersOfAnSMTakeFromOneCounter(t *testing.T) {
	q := pair(4)
	q.Control(goals("naive", 100, 500))
	for i := range 4 {
		require.Zero(t, held(q, i)&1)
	}
	q.Issued(0, 0, lanes(32, 5))
	q.Issued(1, 0, lanes(32))
	q.Issued(2, 0, lanes(30, 0))
	q.Edge()
	require.Equal(t, []int64{1, 500}, left(q, 2))
	q.Issued(3, 0, lanes(32))
	for i := range 4 {
		all, _ := q.Masks(i)
		require.Zero(t, all, "before the edge ends")
	}
	require.True(t, q.Edge())
	require.Equal(t, []int64{-31, 500}, left(q, 2))
	for i := range 4 {
		require.Equal(t, uint64(1), held(q, i))
	}
	require.False(t, q.Edge(), "nothing since")
}

func TestQuotaMayBeTakenFromWhenInstructionsComplete(t *testing.T) {
	q := pair(4)
	require.False(t, q.Completes())
	m := goals("naive", 40, 500)
	m.AtCompletion = true
	q.Control(m)
	require.True(t, q.Completes())
	q.Issued(0, 0, lanes(32, 32))
	require.False(t, q.Edge(), "not by issue")
	q.Completed(1, 0, 20)
	q.Completed(2, 0, 0)
	require.False(t, q.Edge())
	q.Completed(3, 0, 30)
	require.True(t, q.Edge())
	require.Equal(t, []int64{-10, 500}, left(q, 2))
	require.Equal(t, uint64(1), held(q, 0))
	m.Lanes = false
	q.Control(m)
	q.Completed(3, 1, 30)
	require.Equal(t, []int64{40, 499}, left(q, 2), "an instruction is one")
	q.Control(&protocol.Quotas{})
	require.False(t, q.Completes())
}

func TestLanesAreCountedAtEachSchedulerToo(t *testing.T) {
	q := pair(2)
	m := goals("naive", 40, 500)
	m.PerSM = false
	q.Control(m)
	q.Issued(1, 0, lanes(20, 21))
	require.Equal(t, []uint64{0, 1}, []uint64{held(q, 0), held(q, 1)})
	require.Equal(t, []int64{39, 1000}, left(q, 2), "of both schedulers")
}

func TestLanesThatCompleteAreTakenOffTheSchedulersOwnCounter(t *testing.T) {
	q := pair(2)
	m := goals("naive", 40, 500)
	m.PerSM, m.AtCompletion = false, true
	q.Control(m)
	q.Issued(1, 0, lanes(32, 32))
	require.Equal(t, []int64{80, 1000}, left(q, 2), "not by issue")
	q.Completed(1, 0, 32)
	require.Equal(t, []uint64{0, 0}, []uint64{held(q, 0), held(q, 1)})
	q.Completed(1, 0, 8)
	require.Equal(t, []uint64{0, 1}, []uint64{held(q, 0), held(q, 1)}, "the other scheduler has its own 40")
	q.Completed(0, 1, 7)
	require.Equal(t, []int64{40, 993}, left(q, 2))
	q.Completed(0, 0, 40)
	require.Equal(t, []uint64{1, 1}, []uint64{held(q, 0), held(q, 1)})
}

func TestInstructionsAreCountedForTheSMToo(t *testing.T) {
	q := pair(2)
	m := goals("naive", 3, 500)
	m.Lanes = false
	q.Control(m)
	q.Issued(1, 0, lanes(20, 21))
	require.Zero(t, held(q, 0))
	q.Issued(0, 0, lanes(0))
	require.Equal(t, []uint64{1, 1}, []uint64{held(q, 0), held(q, 1)})
}

func TestTenantWithoutWarpsKeepsNobodyWaitingAndKeepsItsCounter(t *testing.T) {
	for _, refill := range []protocol.Refill{protocol.RefillNever, protocol.RefillAdd} {
		q := pair(2)
		m := goals("naive", 64, 40)
		m.Of[0].Refill = refill
		q.Control(m)
		issueLanes(q, 0, 0, 30)
		q.Ended(0, 0)
		issueLanes(q, 1, 1, 32)
		issueLanes(q, 1, 1, 32)
		require.Equal(t, uint64(2), held(q, 0), "tenant 0 has another warp")
		q.Ended(1, 0)
		require.Zero(t, held(q, 0))
		require.Equal(t, []int64{34, -24 + 40}, left(q, 2))
		q.Placed(0, 0, 0, 0)
		issueLanes(q, 0, 0, 32)
		issueLanes(q, 0, 0, 32)
		require.Equal(t, []int64{-30, 16}, left(q, 2))
		q.Ended(0, 0)
		issueLanes(q, 0, 1, 16)
		require.Equal(t, []int64{-30, 40}, left(q, 2), "nothing is added for one that is not there")
	}
}

func TestDebtAboveAQuotaIsPaidWithSeveral(t *testing.T) {
	for quota, want := range map[int64]int64{1: 1, 5: 4, 31: 31, 32: 1, 40: 9} {
		q := pair(1)
		q.Ended(0, 0)
		m := goals("naive", 0, quota)
		q.Control(m)
		for c := quota; c > 32; c -= 8 {
			issueLanes(q, 0, 1, 8)
		}
		issueLanes(q, 0, 1, int(min(quota, 32))-1) // one is left
		require.Equal(t, []int64{0, 1}, left(q, 2))
		issueLanes(q, 0, 1, 32)
		require.Equal(t, []int64{0, want}, left(q, 2), "quota %d", quota)
	}
}

func TestTenantsThatNothingRefillsWait(t *testing.T) {
	q := pair(1)
	q.Control(goals("naive", 32, 0))
	issueLanes(q, 0, 0, 32)
	require.Equal(t, uint64(3), held(q, 0), "a quota of 0 adds nothing")
	m := goals("naive", 0, 0)
	m.Of[1].Refill = protocol.RefillRestart
	q.Control(m)
	require.Equal(t, uint64(1), held(q, 0), "one that starts anew in vain is let go")
	q.Control(goals("naive", 32, 0))
	require.Equal(t, uint64(2), held(q, 0))
}

func TestFirstHoldsOthersBackWhileItHasSomething(t *testing.T) {
	q := pair(2)
	q.Placed(0, 2, 2, 0)
	m := goals("rollover-time", 32, 32)
	m.Of[2] = protocol.Quota{Given: true, Amount: 32, First: true}
	q.Control(m)
	require.Equal(t, []uint64{2, 2}, []uint64{held(q, 0), held(q, 1)}, "two go first")
	issueLanes(q, 1, 0, 32)
	require.Equal(t, []uint64{3, 3}, []uint64{held(q, 0), held(q, 1)})
	q.Ended(0, 2)
	require.Equal(t, []uint64{1, 1}, []uint64{held(q, 0), held(q, 1)}, "it has no warp")
	q.Placed(1, 2, 2, 0)
	require.Equal(t, []uint64{3, 3}, []uint64{held(q, 0) &^ 4, held(q, 1)})
	issueLanes(q, 1, 2, 32)
	require.Equal(t, []uint64{1, 5}, []uint64{held(q, 0), held(q, 1)})
}

func TestQuotaThatIsNotGivenStaysAsItIs(t *testing.T) {
	q := pair(1)
	q.Control(goals("elastic", 100, 50))
	issueLanes(q, 0, 0, 30)
	issueLanes(q, 0, 1, 20)
	m := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
	m.Of[1] = protocol.Quota{Given: true, Amount: 7}
	q.Control(m)
	require.Equal(t, []int64{70, 7}, left(q, 2))
	issueLanes(q, 0, 1, 8)
	for range 3 {
		issueLanes(q, 0, 0, 32)
	}
	require.Equal(t, []int64{74, -1}, left(q, 2), "its quota and refill too; the other's are as in the message")
}

func TestChangeOfUnitOrScopeForgetsCounters(t *testing.T) {
	for _, c := range []struct{ lanes, perSM bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		q := pair(2)
		q.Control(goals("elastic", 100, 50))
		m := &protocol.Quotas{On: true, Lanes: c.lanes, PerSM: c.perSM}
		m.Of[1] = protocol.Quota{Given: true, Amount: 20, Keep: true}
		q.Control(m)
		switch {
		case c.lanes && c.perSM:
			require.Equal(t, []int64{100, 70}, left(q, 2))
		case c.perSM:
			require.Equal(t, []int64{0, 20}, left(q, 2))
		default:
			require.Equal(t, []int64{0, 40}, left(q, 2))
		}
	}
}

func TestCountersEndAtTheLimit(t *testing.T) {
	q := pair(1)
	for range 3 {
		q.Control(goals("rollover", protocol.QuotaLimit-10, 1<<62))
		require.LessOrEqual(t, left(q, 1)[0], protocol.QuotaLimit)
	}
	require.Equal(t, []int64{protocol.QuotaLimit, protocol.QuotaLimit}, left(q, 2))
	issueLanes(q, 0, 0, 32)
	require.Equal(t, protocol.QuotaLimit-32, left(q, 1)[0])
	m := goals("naive", 1<<62, 1)
	m.Of[0].Refill, m.Of[1].Refill = protocol.RefillRestart, protocol.RefillRestart
	q.Control(m)
	q.Ended(0, 0)
	issueLanes(q, 0, 1, 1)
	require.Equal(t, []int64{protocol.QuotaLimit, 1}, left(q, 2))
}

func TestCounterOfTheSMIsRefilledWhenTheEdgeEnds(t *testing.T) {
	q := pair(2)
	q.Ended(1, 0)
	m := goals("naive", 40, 32)
	m.Of[0].Refill = protocol.RefillRestart
	q.Control(m)
	issueLanes(q, 1, 1, 32)
	q.Ended(0, 0) // the last warp of tenant 0; its last instruction follows
	require.Equal(t, []int64{40, 0}, left(q, 2), "other schedulers may yet issue")
	q.Issued(0, 0, lanes(9))
	require.Equal(t, []int64{31, 0}, left(q, 2))
	q.Edge()
	require.Equal(t, []int64{40, 32}, left(q, 2))
}

func TestQuotasThatEndAreForgotten(t *testing.T) {
	q := pair(1)
	q.Control(goals("rollover-time", 100, 50))
	q.Control(&protocol.Quotas{})
	require.False(t, q.Active())
	require.Zero(t, held(q, 0))
	m := &protocol.Quotas{On: true, Lanes: true, PerSM: true}
	m.Of[1] = protocol.Quota{Given: true, Amount: 7}
	q.Control(m)
	require.Equal(t, []int64{0, 7}, left(q, 2))
	require.Equal(t, uint64(1), held(q, 0), "who had one has none")
}
