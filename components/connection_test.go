package components_test

import (
	"testing"

	"cotenant/components"

	"github.com/golang/mock/gomock"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// plugged is a module with a port of a given depth on a mock connection, on a clock of
// 1 GHz, and the connection's expected calls. The module runs acts by cycle, until
// cycle 9.
func plugged(t *testing.T, depth int, acts map[uint64]func(*components.Port)) (e *components.Engine, m *recorder, port *components.Port, conn *MockConnection) {
	e, d := engineWith(t, 1e9)
	m = &recorder{}
	m.Init("M", d[0], m)
	port = m.NewPort("Port", depth)
	conn = NewMockConnection(gomock.NewController(t))
	port.SetConnection(conn)
	m.tick = func(cycle uint64) bool {
		if act, ok := acts[cycle]; ok {
			act(port)
		}
		return cycle < 9
	}
	m.Start()
	return e, m, port, conn
}

func at(cycle float64) sim.VTimeInSec { return sim.VTimeInSec(cycle / 1e9) }

func TestPortAsksItsConnectionForRoom(t *testing.T) {
	var answers []bool
	ask := func(p *components.Port) { answers = append(answers, p.CanPush()) }
	e, _, port, conn := plugged(t, 1, map[uint64]func(*components.Port){1: ask, 2: ask})
	gomock.InOrder(conn.EXPECT().CanSend(port).Return(false), conn.EXPECT().CanSend(port).Return(true))
	require.NoError(t, e.Run())
	require.Equal(t, []bool{false, true}, answers)
}

func TestPortSendsWithItsNameAndTimeAndHooksWhatWasAccepted(t *testing.T) {
	msg := &ball{}
	var accepted []bool
	push := func(p *components.Port) { accepted = append(accepted, p.Push(msg)) }
	e, _, port, conn := plugged(t, 1, map[uint64]func(*components.Port){3: push, 4: push})
	hook := NewMockHook(gomock.NewController(t))
	port.AcceptHook(hook)
	sent := func(time sim.VTimeInSec) func(sim.Msg) {
		return func(m sim.Msg) {
			require.Same(t, port, m.Meta().Src)
			require.Equal(t, time, m.Meta().SendTime)
		}
	}
	gomock.InOrder(
		conn.EXPECT().Send(msg).Do(sent(at(3))).Return(sim.NewSendError()),
		conn.EXPECT().Send(msg).Do(sent(at(4))).Return(nil),
		hook.EXPECT().Func(sim.HookCtx{Domain: port, Pos: sim.HookPosPortMsgSend, Item: msg}))
	require.NoError(t, e.Run())
	require.Equal(t, []bool{false, true}, accepted)
}

func TestPortTellsItsConnectionOnceThatThereIsRoomAgain(t *testing.T) {
	first, second := &ball{}, &ball{}
	e, _, port, conn := plugged(t, 1, map[uint64]func(*components.Port){
		2: func(p *components.Port) {
			require.Nil(t, p.Recv(first))
			require.NotNil(t, p.Recv(second))
			require.NotNil(t, p.Recv(second))
		},
		5: func(p *components.Port) { require.Same(t, first, p.Pop()) },
		7: func(p *components.Port) { require.Nil(t, p.Pop()) },
	})
	conn.EXPECT().NotifyAvailable(at(6), port)
	require.NoError(t, e.Run())
}

func TestPortThatWasNeverFullTellsItsConnectionNothing(t *testing.T) {
	e, _, port, _ := plugged(t, 2, map[uint64]func(*components.Port){
		2: func(p *components.Port) { require.Nil(t, p.Recv(&ball{})) },
		5: func(p *components.Port) { require.NotNil(t, p.Pop()) },
	})
	require.NoError(t, e.Run())
	require.Zero(t, port.Len())
}

func TestPortHooksSeeAMessageComeAndGo(t *testing.T) {
	msg := &ball{}
	e, _, port, _ := plugged(t, 1, map[uint64]func(*components.Port){
		2: func(p *components.Port) { require.Nil(t, p.Recv(msg)) },
		5: func(p *components.Port) {
			p.Front()
			p.Pop()
		},
	})
	hook := NewMockHook(gomock.NewController(t))
	port.AcceptHook(hook)
	gomock.InOrder(
		hook.EXPECT().Func(sim.HookCtx{Domain: port, Pos: sim.HookPosPortMsgRecvd, Item: msg}),
		hook.EXPECT().Func(sim.HookCtx{Domain: port, Pos: sim.HookPosPortMsgRetrieve, Item: msg}))
	require.NoError(t, e.Run())
}
