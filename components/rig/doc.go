// Package rig is the bench on which a block is tested alone: an engine, a clock,
// and Peers that stand for the block's neighbours.
//
//	b := rig.New(t, 1_000_000_000)
//	throttle, err := throttle.Builder{}.WithSpec(spec).WithDomain(b.Clock).Build("Throttle")
//	require.NoError(t, err)
//	sm := rig.NewPeer[*protocol.Packet](b, "SM", 1, throttle.In)
//	noc := rig.NewPeer[*protocol.Packet](b, "NoC", 2, throttle.Out)
//	sm.Send(41, packet)
//	noc.Deaf = rig.Before(50)
//	b.Run()
//	require.Equal(t, []uint64{50}, rig.Cycles(noc.Got))
//
// A Peer sends a script of messages, each at its cycle or as soon after as there
// is room, or one after another from a function, as fast as they are accepted;
// it records what it takes, and when; and it can answer, so that it stands for a
// memory or a driver as well. It is a module like any other: what it sends at
// one edge the block sees at its next, and what the block pushes it takes at the
// edge after.
package rig
