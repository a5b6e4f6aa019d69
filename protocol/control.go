package protocol

import (
	"fmt"

	"github.com/sarchlab/akita/v3/sim"
)

// Unit names a block that counts and can be steered, by its kind and its number
// among the blocks of that kind.
type Unit struct {
	Kind  string
	Index int
}

// KindSM is the kind of SMs. Other blocks name their own.
const KindSM = "sm"

// String names the unit as messages do, such as sm[3].
func (u Unit) String() string { return fmt.Sprintf("%s[%d]", u.Kind, u.Index) }

// Msg makes the type that embeds it a sim.Msg.
type Msg struct{ sim.MsgMeta }

// Meta makes Msg a sim.Msg.
func (m *Msg) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Sample asks a unit for its counters. From SM driver to unit.
type Sample struct{ Msg }

// Sampled answers Sample, in the order of the Samples. From unit to SM driver.
type Sampled struct {
	Msg
	// Counters are the unit's counts since the start.
	Counters Counters
}

// Counters are a unit's counts: a comparable struct of a type of its kind, with
// counters as components/stats defines them.
type Counters any

// Window holds a unit's counts from one cycle to another.
type Window struct {
	Unit Unit
	// From and To are the core cycles at which the SM driver asked for the
	// counters; it takes a message until the unit reads them.
	From, To uint64
	Counters Counters
}

// Cycles is the length of the window.
func (w *Window) Cycles() uint64 { return w.To - w.From }

// Control steers a unit: the type selects the knob, the fields set it. A unit takes
// some types and refuses all other types. A new knob is a type that embeds ControlMsg, and the
// block that reads it.
type Control interface {
	sim.Msg
	control()
}

// ControlMsg makes the type that embeds it a Control.
type ControlMsg struct{ Msg }

func (m *ControlMsg) control() {}
