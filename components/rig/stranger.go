package rig

import (
	"fmt"

	"cotenant/components"

	"github.com/sarchlab/akita/v3/sim"
)

// Stranger is a message of a type that no block knows.
type Stranger struct{ sim.MsgMeta }

// Meta makes Stranger a sim.Msg.
func (s *Stranger) Meta() *sim.MsgMeta { return &s.MsgMeta }

// RefusesStrangers sends a Stranger to a port of a block, and fails the test unless the
// simulation ends with an error that names the port and the message's type. A block
// that ignored it would never see the messages behind it.
func RefusesStrangers(b *Bench, port *components.Port) {
	b.t.Helper()
	from := port.Peer()
	if from == nil {
		from = NewPeer[sim.Msg](b, "Stranger", 1, port).Out
	}
	from.Push(&Stranger{})
	b.Engine.RunUntil(b.Engine.Now() + b.Clock.At(b.Limit))
	want := fmt.Sprintf("%s: a *rig.Stranger came, which %s does not know", port.Name(), port.Component().Name())
	if err := b.Engine.Err(); err == nil || err.Error() != want {
		b.t.Fatalf("rig: %s takes a message of unknown type: the simulation ends with %v, want %q", port.Name(), err, want)
	}
}
