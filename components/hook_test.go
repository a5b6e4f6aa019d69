package components_test

import (
	"fmt"
	"testing"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// recorder is a module with a function as its behaviour.
type recorder struct {
	components.Module
	tick func(cycle uint64) bool
}

func (r *recorder) Tick(cycle uint64) bool { return r.tick(cycle) }

type hookFunc struct{ f func(sim.HookCtx) }

func (h *hookFunc) Func(ctx sim.HookCtx) { h.f(ctx) }

// hookLog has, for each handler, the times at which its events were hooked.
func hookLog(e sim.Engine) map[string][]string {
	log := map[string][]string{}
	e.AcceptHook(&hookFunc{func(ctx sim.HookCtx) {
		ev := ctx.Item.(sim.Event)
		name := ev.Handler().(sim.Component).Name()
		log[name] = append(log[name], ctx.Pos.Name, fmt.Sprintf("%b", float64(ev.Time())))
	}})
	return log
}

func TestEngineHooksSeeTheSameEventsOnBothEngines(t *testing.T) {
	o := pairCases["both directions"]
	stock := sim.NewSerialEngine()
	want := hookLog(stock)
	runStockPair(t, stock, sim.Freq(o.hzA), o)
	ours, _ := engineWith(t, o.hzA)
	got := hookLog(ours)
	runStockPair(t, ours, sim.Freq(o.hzA), o)
	require.Len(t, want, 3)
	require.Equal(t, want, got)
}

func TestHooksSurroundTicksAndDoNotChangeThem(t *testing.T) {
	run := func(hooked bool) (ticks []uint64, before, after int) {
		e, d := engineWith(t, 1e9)
		m := &recorder{}
		m.tick = func(c uint64) bool {
			ticks = append(ticks, c)
			require.Equal(t, sim.VTimeInSec(float64(c)/1e9), e.CurrentTime())
			if c == 5 {
				m.WakeAt(10_000)
			}
			return c < 5
		}
		m.Init("M", d[0], m)
		m.Start()
		if hooked {
			e.AcceptHook(&hookFunc{func(ctx sim.HookCtx) {
				require.Same(t, e, ctx.Domain)
				require.Equal(t, e.CurrentTime(), ctx.Item.(sim.Event).Time())
				if ctx.Pos == sim.HookPosBeforeEvent {
					before++
					require.Len(t, ticks, before-1)
				} else {
					after++
					require.Len(t, ticks, after)
				}
			}})
		}
		require.NoError(t, e.Run())
		return ticks, before, after
	}
	plain, _, _ := run(false)
	hooked, before, after := run(true)
	require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 10_000}, plain)
	require.Equal(t, plain, hooked)
	require.Equal(t, len(plain), before)
	require.Equal(t, len(plain), after)
}

func TestPortHooksSeeEveryMessageOnItsWay(t *testing.T) {
	e, d := engineWith(t, 1e9)
	var log []string
	hook := &hookFunc{func(ctx sim.HookCtx) {
		log = append(log, ctx.Domain.(sim.Port).Name()+" "+ctx.Pos.Name)
	}}
	a, b := newModulePinger("A", d[0], 2), newModulePinger("B", d[0], 2)
	_, err := components.Connect(a.port, b.port, 1)
	require.NoError(t, err)
	a.toSend = 1
	a.port.AcceptHook(hook)
	b.port.AcceptHook(hook)
	a.Start()
	require.NoError(t, e.Run())
	require.Equal(t, []string{
		"B.Port Port Msg Recv", "A.Port Port Msg Send", "B.Port Port Msg Retrieve",
		"A.Port Port Msg Recv", "B.Port Port Msg Send", "A.Port Port Msg Retrieve",
	}, log)
}
