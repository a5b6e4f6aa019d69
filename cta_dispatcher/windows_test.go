package dispatcher

import (
	"reflect"
	"testing"

	"cotenant/components"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// meter is a unit that counts cycles.
type meter struct {
	components.Module
	port *components.Port
	got  []protocol.Control
	// silent is the first cycle at which the meter answers.
	silent uint64
}

type meterCounters struct{ Cycles uint64 }

func (m *meter) Tick(cycle uint64) bool {
	if cycle < m.silent {
		m.WakeAt(m.silent)
		return false
	}
	switch msg := m.port.Front().(type) {
	case *protocol.Sample:
		m.port.Push(&protocol.Sampled{Counters: meterCounters{cycle}})
	case protocol.Control:
		m.got = append(m.got, msg)
	default:
		return false
	}
	m.port.Pop()
	return true
}

// rate is a control of the test's own.
type rate struct {
	protocol.ControlMsg
	Rate int
}

// metered is a setup with a kernel that runs long, and two meters.
func metered(t *testing.T, p policy.Policy) (*bench, []*meter) {
	b := newBench(t, setup{sms: 1, tenants: tenants(app(kernel("k", 1))), policy: p,
		units: []Units{{Kind: "meter", Count: 2, Takes: []reflect.Type{reflect.TypeFor[*rate]()}}}})
	b.duration = 10_000
	var meters []*meter
	for i := range 2 {
		m := &meter{}
		m.Init("Meter", b.domain, m)
		m.port = m.NewPort("Driver", 4)
		_, err := components.Connect(b.driver.Port(protocol.Unit{Kind: "meter", Index: i}), m.port, 1)
		require.NoError(t, err)
		meters = append(meters, m)
	}
	return b, meters
}

// acting is fcfs, and acts at each event.
func acting(act func(v *policy.View, a policy.Actions)) policy.Policy {
	fcfs, _ := policy.Parse("fcfs")
	return policyFunc(func(v *policy.View, a policy.Actions) {
		fcfs.Decide(v, a)
		act(v, a)
	})
}

func TestAWindowOpensWhenAskedAndSeveralMayBeOpen(t *testing.T) {
	var ended []protocol.Window
	b, _ := metered(t, acting(func(v *policy.View, a policy.Actions) {
		switch v.Event {
		case policy.KernelArrived:
			a.Window(100)
			a.Window(40, "meter", protocol.KindSM)
		case policy.WindowEnded:
			c, cycles := policy.Counters[meterCounters](v, protocol.Unit{Kind: "meter", Index: 1})
			ended = append(ended, v.Windows[0])
			if len(ended) == 1 {
				require.Equal(t, uint64(40), cycles)
				require.Equal(t, uint64(40), c.Cycles, "asked a cycle later at both ends")
				a.Window(30)
			}
		}
	}))
	b.run(1000)
	require.NoError(t, b.driver.Err())
	sm := protocol.Unit{Kind: protocol.KindSM}
	require.Equal(t, [][3]uint64{{1, 41, 380}, {43, 73, 300}, {1, 101, 990}}, [][3]uint64{span(ended[0]), span(ended[1]), span(ended[2])})
	require.Equal(t, sm, ended[2].Unit)
	require.Len(t, ended, 3)
	require.Empty(t, b.driver.windows)
}

// span gives the first and last cycle of a window of an SM and the instructions of tenant 0.
func span(w protocol.Window) [3]uint64 {
	return [3]uint64{w.From, w.To, w.Counters.(protocol.SMCounters).Tenants[0].WarpInstructions}
}

func TestAControlReachesItsUnit(t *testing.T) {
	unit := protocol.Unit{Kind: "meter", Index: 1}
	sent := &rate{Rate: 7}
	var told []any
	b, meters := metered(t, acting(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.KernelArrived {
			a.Send(unit, sent)
		}
	}))
	b.driver.listener.Control = func(cycle uint64, u protocol.Unit, c protocol.Control) { told = append(told, cycle, u, c) }
	b.run(100)
	require.Empty(t, meters[0].got)
	require.Equal(t, []protocol.Control{sent}, meters[1].got)
	require.Equal(t, []any{uint64(1), unit, protocol.Control(sent)}, told)
}

func TestWhatNoUnitTakesIsAFault(t *testing.T) {
	for want, act := range map[string]func(a policy.Actions){
		"fault of the policy: *dispatcher.rate is sent to sm[0], which does not take it":    func(a policy.Actions) { a.Send(protocol.Unit{Kind: protocol.KindSM}, &rate{}) },
		"fault of the policy: *dispatcher.rate is sent to meter[2], which does not take it": func(a policy.Actions) { a.Send(protocol.Unit{Kind: "meter", Index: 2}, &rate{}) },
		`fault of the policy: a window of units of kind "noc"; valid: sm, meter`:            func(a policy.Actions) { a.Window(10, "noc") },
		"fault of the policy: a window of no cycles":                                        func(a policy.Actions) { a.Window(0) },
	} {
		b, _ := metered(t, acting(func(v *policy.View, a policy.Actions) {
			if v.Event == policy.KernelArrived {
				act(a)
			}
		}))
		b.run(100)
		require.EqualError(t, b.driver.Err(), want)
	}
}

func TestASampleThatNobodyAskedForIsAnError(t *testing.T) {
	b, meters := metered(t, nil)
	b.run(10)
	require.True(t, meters[0].port.Push(&protocol.Sampled{Counters: meterCounters{1}}))
	b.run(20)
	require.ErrorContains(t, b.engine.Err(), "a *protocol.Sampled came, which Driver does not know")
}

// A late answer makes a window longer and no window shorter.
func TestWindowsAfterALateAnswerAreWhole(t *testing.T) {
	var spans [][2]uint64
	unit := protocol.Unit{Kind: "meter", Index: 1}
	b, meters := metered(t, sampler{acting(func(v *policy.View, _ policy.Actions) {
		for _, w := range v.Windows {
			if v.Event == policy.Epoch && w.Unit == unit {
				spans = append(spans, [2]uint64{w.From, w.To})
			}
		}
	}), "meter"})
	meters[1].silent = 350
	b.run(600)
	require.Equal(t, [][2]uint64{{0, 100}, {100, 351}, {351, 451}, {451, 551}}, spans)
}

// sender is a policy that lists a control in its Needs.
type sender struct {
	policy.Policy
	kind string
}

func (s sender) Needs() policy.Needs {
	return policy.Needs{Sends: []policy.Sent{policy.Sending[*rate](s.kind, "")}}
}

// needy is a sender that says which GPU its control needs.
type needy struct{ sender }

func (n needy) Needs() policy.Needs {
	needs := n.sender.Needs()
	needs.Sends[0].Needs = "meters"
	return needs
}

type sampler struct {
	policy.Policy
	kind string
}

func (s sampler) Needs() policy.Needs { return policy.Needs{Epoch: 100, Units: []string{s.kind}} }

func TestAPolicyWhoseControlNobodyTakesIsRefused(t *testing.T) {
	fcfs, _ := policy.Parse("fcfs")
	units := []Units{{Kind: "meter", Count: 1, Takes: []reflect.Type{reflect.TypeFor[*rate]()}}}
	for p, want := range map[policy.Policy]string{
		sender{fcfs, "meter"}:     "",
		sender{fcfs, "sm"}:        `the policy does not go with this GPU: it sends *dispatcher.rate, which no unit of kind "sm" takes`,
		needy{sender{fcfs, "sm"}}: `the policy does not go with this GPU: it sends *dispatcher.rate, which no unit of kind "sm" takes; valid: a GPU with meters`,
		sampler{fcfs, "meter"}:    "",
		sampler{fcfs, "noc"}:      `the policy does not go with this GPU: a window of units of kind "noc"; valid: sm, meter`,
	} {
		_, err := build(t, setup{tenants: tenants(app(kernel("k", 1))), policy: p, units: units})
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

func TestASMIsFreeWhenWhatWasToComeBackLeavesForGood(t *testing.T) {
	var events []policy.Event
	b, _ := metered(t, acting(func(v *policy.View, a policy.Actions) {
		events = append(events, v.Event)
		switch {
		case v.Event == policy.KernelArrived:
			a.Window(50)
		case len(events) == 2:
			a.Relocate(0, 0, 1, policy.Switch)
			a.Window(25)
		case len(events) == 3: // the thread block has left its SM and is not in memory yet
			a.PreemptSM(0, policy.Switch)
			require.Zero(t, v.SMs[0].Usage.TBs)
			require.True(t, v.SMs[0].Reserved)
		}
	}))
	b.duration = 1000
	b.run(5000)
	require.Equal(t, []policy.Event{policy.KernelArrived, policy.WindowEnded, policy.WindowEnded, policy.SMFreed, policy.ContextSaved}, events[:5])
	require.True(t, b.host.Done())
}
