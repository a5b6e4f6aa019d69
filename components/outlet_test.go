package components_test

import (
	"math/rand/v2"
	"testing"

	"cotenant/components"
	"cotenant/components/rig"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// letter is a message that may leave from a cycle on, some cycles behind the one before.
type letter struct {
	sim.MsgMeta
	number  int
	at, gap uint64
}

func (p *letter) Meta() *sim.MsgMeta { return &p.MsgMeta }

// post sends letters, each of which it gets at an edge, by an Outlet or by pushing them
// itself.
type post struct {
	components.Module
	port   *components.Port
	outlet *components.Outlet
	gets   map[uint64]*letter

	queue    []*letter // without an outlet
	lastLeft uint64
	left     bool
}

func (p *post) Tick(cycle uint64) bool {
	m, ok := p.gets[cycle]
	if p.outlet != nil {
		if ok {
			p.outlet.Push(m, m.at, m.gap)
		}
		p.outlet.Send(cycle)
		if at, ok := p.outlet.Next(); ok {
			p.WakeAt(max(at, cycle+1))
		}
		return false
	}
	if ok {
		p.queue = append(p.queue, m)
	}
	if len(p.queue) == 0 {
		return false
	}
	front := p.queue[0]
	at := front.at
	if p.left {
		at = max(at, p.lastLeft+front.gap)
	}
	if at > cycle {
		p.WakeAt(at)
	} else if p.port.Push(front) {
		p.queue, p.lastLeft, p.left = p.queue[1:], cycle, true
		return true
	}
	return false
}

// waiting is the number of letters that have not left.
func (p *post) waiting() int {
	if p.outlet != nil {
		return p.outlet.Gauge("Queue").Level()
	}
	return len(p.queue)
}

// delivered is what a receiver saw, and what an observer saw in regular intervals.
type delivered struct {
	got    [][2]uint64 // cycle and number of the letter
	levels []int
}

// deliver sends letters drawn from a seed to a receiver with a small buffer, which is deaf
// now and then.
func deliver(t *testing.T, seed, senderHz, receiverHz uint64, auto, hooked bool, shuffle func(*rig.Bench)) delivered {
	random := rand.New(rand.NewPCG(seed, 0))
	b := rig.New(t, senderHz)
	receiving := b
	if receiverHz != senderHz {
		receiving = b.WithClock(receiverHz)
	}
	shuffle(b)
	p := &post{gets: map[uint64]*letter{}}
	p.Init("Post", b.Clock, p)
	p.port = p.NewPort("Out", 1)
	if auto {
		p.outlet = components.NewOutlet(p.port, 40)
	}
	var deaf [400]bool
	for i := range deaf {
		deaf[i] = random.IntN(3) > 0 && i < 300
	}
	peer := rig.NewPeer[*letter](receiving, "Peer", 1+random.IntN(3), p.port)
	peer.Deaf = func(cycle uint64) bool { return cycle < uint64(len(deaf)) && deaf[cycle] }
	cycle := uint64(0)
	for n := range 40 {
		cycle += 1 + uint64(random.IntN(6))
		p.gets[cycle] = &letter{number: n, at: cycle + uint64(random.IntN(20)), gap: 1 + uint64(random.IntN(4))}
		p.WakeAt(cycle)
	}
	if hooked {
		sent := rig.Watch[*letter](b, p.port, sim.HookPosPortMsgSend)
		defer func() { require.Len(t, *sent, 40) }()
	}
	var d delivered
	for stop := uint64(7); stop < 1000; stop += 7 {
		b.RunTo(stop)
		d.levels = append(d.levels, p.waiting(), peer.In.Level())
	}
	b.Run()
	for _, e := range peer.Got {
		d.got = append(d.got, [2]uint64{e.Cycle, uint64(e.Msg.number)})
	}
	require.Len(t, d.got, 40)
	return d
}

// An Outlet is a shorthand: receivers, and observers between runs, see what a module
// shows them that pushes its messages itself.
func TestOutletSendsWhenAModuleWouldPush(t *testing.T) {
	for seed := range uint64(40) {
		for _, hz := range [][2]uint64{{1e9, 1e9}, {1216e6, 700e6}, {700e6, 1753e6}} {
			run := func(auto, hooked bool) (d delivered) {
				rig.InAnyOrder(t, func(shuffle func(*rig.Bench)) delivered {
					d = deliver(t, seed, hz[0], hz[1], auto, hooked, shuffle)
					return d
				})
				return d
			}
			want := run(false, false)
			require.Equal(t, want, run(true, false), "seed %d, clocks %v", seed, hz)
			require.Equal(t, want, run(true, true), "seed %d, clocks %v, helped by the module", seed, hz)
		}
	}
}
