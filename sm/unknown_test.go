package sm

import (
	"testing"

	"cotenant/components"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// A message that the SM does not know ends the simulation, by whatever port it
// comes: it would hold up everything behind it.
func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	for name, port := range map[string]func(*bench) *components.Port{
		"SM.Driver": func(b *bench) *components.Port { return b.driver.Out },
		"SM.Reply":  func(b *bench) *components.Port { return b.memory.Out },
	} {
		b := newBench(t, testSpec())
		require.True(t, port(b).Push(&protocol.TBFinished{}))
		b.RunTo(10)
		require.EqualError(t, b.Engine.Err(), name+": a *protocol.TBFinished came, which SM does not know")
	}
	b := newBench(t, testSpec())
	engine := b.preEng()
	require.True(t, engine.Out.Push(&protocol.TBFinished{}))
	b.RunTo(10)
	require.EqualError(t, b.Engine.Err(), "SM.PreEng: a *protocol.TBFinished came, which SM does not know")
}
