// Package rig tests a block alone. It provides an engine, a clock, and Peers in
// place of the block's neighbours.
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
// A Peer sends a script of messages, each at its cycle or as soon after as there is
// room, or messages of a function, as fast as they are accepted. It records each
// message that it takes, and when. It can answer, so that it can play a memory or a
// driver as well. It is a module like any other: the block sees its messages at the
// next edge, and it takes the block's messages at the edge after their Push.
package rig
