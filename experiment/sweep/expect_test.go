package sweep

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/store"
)

// made stores a run of a plan with the time that it took.
func made(t *testing.T, s *store.Store, j *Job, cycles uint64, wall float64) {
	kernels := "{}"
	if len(j.Apps) > 1 {
		kernels = "{},{}"
	}
	apps := `{"spec":"x","name":"x"}`
	if len(j.Apps) > 1 {
		apps += "," + apps
	}
	require.NoError(t, s.Put(store.Entry{Key: j.Key, Identity: fmt.Appendf(nil, `{"gpu":{"Name":"gtx980"},"apps":[%s]}`, apps),
		Result: fmt.Appendf(nil, `{"schema":2,"cycles":%d,"wall_seconds":%g,"kernels":[%s]}`, cycles, wall, kernels)}))
}

func TestExpectationFollowsFromTheTimesOfStoredRuns(t *testing.T) {
	r, _ := newRunner(t, "exit 1")
	p := onePlan(t, "profile:lbm", "profile:sad")
	none, err := Expect(t.Context(), nil, p, 1)
	require.NoError(t, err)
	seconds := 3 * 1000. / typicalRate // 3 runs of 1000 cycles
	assert.InDelta(t, seconds, none.Left.Seconds(), 1e-6)
	assert.Equal(t, []any{3, 0, 0, false}, []any{none.Total, none.Stored, none.Unknown, none.Measured})

	made(t, r.Store, p.phases[0][0], 1000, 4)
	one, err := Expect(t.Context(), r.Store, p, 1)
	require.NoError(t, err)
	// sad alone takes as long as lbm, and the mix a quarter more than its slowest.
	assert.Equal(t, Expectation{Total: 3, Stored: 1, Left: 4*time.Second + 5*time.Second, Rate: 250, Measured: true}, one)
	two, err := Expect(t.Context(), r.Store, p, 2)
	require.NoError(t, err)
	assert.Equal(t, 5*time.Second, two.Left, "two at a time take as long as the longest")

	for _, j := range p.All()[1:] {
		made(t, r.Store, j, 1000, 6)
	}
	all, err := Expect(t.Context(), r.Store, p, 1)
	require.NoError(t, err)
	assert.Equal(t, []any{3, 3, time.Duration(0), 0}, []any{all.Total, all.Stored, all.Left, all.Unknown})
}

func TestTimeOfARunToTheEndIsUnknownWithoutItsLike(t *testing.T) {
	p := newPlan("p")
	require.NoError(t, p.Add(experiment.Spec{GPU: "gtx980", Policy: "fcfs", Apps: []string{"profile:lbm"}, Until: "done", Seed: 1}))
	x, err := Expect(t.Context(), nil, p, 1)
	require.NoError(t, err)
	assert.Equal(t, Expectation{Total: 1, Unknown: 1, Rate: typicalRate}, x)
}

func TestOutlineCountsEachRunAloneOnce(t *testing.T) {
	mix := func(apps ...string) experiment.Spec {
		return experiment.Spec{GPU: "g", Policy: "spart", Apps: apps, Cycles: 1000}
	}
	x := Outline([]experiment.Spec{mix("a", "b"), mix("a", "c?priority=1"), mix("a", "b"), mix("a")}, nil, 1)
	// a+b, a+c, a under spart, and a, b, c alone under fcfs.
	assert.Equal(t, []any{6, 0}, []any{x.Total, x.Unknown})
	known := []*Known{{Measured: Measured{Took: 3000, WallSeconds: 2}}, {Measured: Measured{Took: 3000, WallSeconds: 1}}}
	assert.Equal(t, 2500*time.Millisecond, Outline([]experiment.Spec{mix("a", "b"), mix("a", "c")}, known, 1).Left, "5 runs of 1000 cycles at 2000 cycles/s take 2.5 s")
}
