package dispatcher

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/host"

	"github.com/stretchr/testify/require"
)

// looking is fcfs that notes the View's account of tenant 0 when kernels arrive and when
// the tenant's thread blocks finish.
type looking struct {
	policy.Policy
	kernels  []kernelSeen
	finished []uint64
	tenants  []policy.Tenant
}

type kernelSeen struct {
	launch, run uint64
	code        uint32
}

func (l *looking) Needs() policy.Needs {
	return policy.Needs{Check: func(v *policy.View) error {
		l.tenants = append(l.tenants, v.Tenants...)
		return nil
	}}
}

func (l *looking) Decide(v *policy.View, a policy.Actions) {
	t := &v.Tenants[0]
	switch v.Event {
	case policy.KernelArrived:
		k := kernelSeen{t.Launch, t.Run, t.Code}
		if len(l.kernels) == 0 || l.kernels[len(l.kernels)-1] != k {
			l.kernels = append(l.kernels, k)
		}
	case policy.TBFinished, policy.KernelFinished:
		l.finished = append(l.finished, t.Finished)
	}
	l.Policy.Decide(v, a)
}

func TestAPolicySeesWhatRunsAndWhatHasFinished(t *testing.T) {
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	l := &looking{Policy: fcfs}
	b := newBench(t, setup{sms: 4, policy: l, tenants: []host.Process{{App: app(kernel("a", 2), kernel("b", 1), kernel("a", 1)), Restart: true}, {App: app(kernel("once", 1))}}})
	require.Equal(t, []string{"app", "app"}, []string{l.tenants[0].Name, l.tenants[1].Name}, "before anything runs")
	b.run(450)
	require.Equal(t, []kernelSeen{{0, 0, 0}, {1, 0, 2}, {2, 0, 0}, {3, 1, 0}, {4, 1, 2}}, l.kernels, "the other tenant's kernel is number 1")
	require.Equal(t, []uint64{1, 2, 2, 3, 4, 5, 6}, l.finished, "a third event is the other tenant's")
}
