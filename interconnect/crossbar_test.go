package interconnect_test

import (
	"fmt"
	"testing"

	"cotenant/components/rig"
	"cotenant/interconnect"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The platform sends these.
var _ interconnect.Packet = &protocol.Packet{}

func TestPacketLeavesAnIdleCrossbarAfterItsFlitsAndTheLatency(t *testing.T) {
	for _, c := range []struct {
		bytes, headerBytes, flitBytes, latency int
		flits                                  uint64
	}{
		{0, 0, 32, 1, 1}, {0, 0, 32, 20, 1}, {128, 0, 32, 1, 5}, {128, 0, 32, 20, 5},
		{1, 0, 32, 4, 2}, {32, 0, 32, 4, 2}, {33, 0, 32, 4, 3}, {128, 0, 40, 4, 5}, {128, 0, 128, 600, 2},
		// A header of the size of a flit takes its own flit.
		{0, 32, 32, 4, 1}, {1, 32, 32, 4, 2}, {128, 40, 40, 4, 5},
		// A smaller one shares the first with what there is of payload.
		{0, 8, 40, 4, 1}, {32, 8, 40, 4, 1}, {33, 8, 40, 4, 2}, {72, 8, 40, 4, 2}, {73, 8, 40, 4, 3}, {128, 8, 40, 4, 4},
		{0, 8, 32, 4, 1}, {24, 8, 32, 4, 1}, {25, 8, 32, 4, 2}, {128, 8, 32, 4, 5},
		// A larger one takes several.
		{0, 65, 32, 4, 3}, {31, 65, 32, 4, 3}, {32, 65, 32, 4, 4},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			spec := squareSpec(4)
			spec.HeaderBytes, spec.FlitBytes, spec.Latency = c.headerBytes, c.flitBytes, c.latency
			require.Equal(t, int(c.flits), spec.Flits(c.bytes))
			r := newRig(t, rigOptions{spec: spec})
			p := &packet{out: 2, bytes: c.bytes, tenant: 3}
			r.send(1, p)
			left := rig.Watch[*packet](r.Bench, r.x.Outputs[2], sim.HookPosPortMsgSend)
			s := r.run()

			const arrived = 1 // pushed at edge 0
			want := arrived + c.flits - 1 + uint64(c.latency)
			require.Equal(t, []rig.Event[*packet]{rig.At(want, p)}, *left)
			require.Equal(t, []rig.Event[*packet]{rig.At(want+1, p)}, r.sinks[2].Got)
			require.Equal(t, interconnect.TenantStats{Packets: 1, Flits: c.flits, LatencyCycles: want - arrived}, s.Tenants[3])
			require.Equal(t, interconnect.InputStats{Packets: 1, Flits: c.flits}, s.Inputs[1])
			require.Equal(t, interconnect.OutputStats{Packets: 1, Flits: c.flits}, s.Outputs[2])
		})
	}
}

func TestReplyOfALineIsAHeaderAndFourDataFlits(t *testing.T) {
	for _, c := range []struct {
		p     protocol.Packet
		flits uint64
	}{
		{protocol.Packet{Kind: protocol.Read, Sectors: protocol.AllSectors}, 1},
		{protocol.Packet{Kind: protocol.ReadReply, Sectors: protocol.AllSectors}, 5},
		{protocol.Packet{Kind: protocol.ReadReply, Sectors: 0b0101}, 3},
		{protocol.Packet{Kind: protocol.Write, WrittenBytes: 128}, 5},
		{protocol.Packet{Kind: protocol.WriteAck}, 1},
	} {
		r := newRig(t, rigOptions{spec: squareSpec(2)})
		require.True(t, r.sources[0].Out.Push(&c.p))
		r.sinks[0].Deaf = func(uint64) bool { return true }
		r.RunTo(100)
		require.Equal(t, c.flits, r.x.Stats().Outputs[0].Flits, "%+v", c.p)
	}
}

func TestFlitBytesAloneKeepTheHeaderAFlitOfItsOwn(t *testing.T) {
	for _, flitBytes := range []int{16, 32, 64} {
		spec := squareSpec(2)
		spec.FlitBytes = flitBytes
		require.Equal(t, 1+128/flitBytes, spec.Flits(128))
	}
}

func TestPacketsOfOneInputFollowEachOtherFlitByFlit(t *testing.T) {
	r := newRig(t, rigOptions{spec: squareSpec(4)})
	r.send(0, &packet{out: 1, bytes: 128}, &packet{out: 2}, &packet{out: 3, bytes: 64}, &packet{out: 1})
	taken := rig.Watch[*packet](r.Bench, r.x.Inputs[0], sim.HookPosPortMsgRetrieve)
	r.run()
	require.Equal(t, []uint64{1, 6, 7, 10}, rig.Cycles(*taken))
}

func TestPacketBehindABlockedOneWaits(t *testing.T) {
	r := newRig(t, rigOptions{spec: squareSpec(4)})
	blocker, stuck, behind := &packet{out: 0, bytes: 320}, &packet{out: 0}, &packet{out: 1}
	r.send(0, blocker) // holds output 0 for 11 cycles, as round robin begins with input 0
	r.send(1, stuck, behind)
	taken := rig.Watch[*packet](r.Bench, r.x.Inputs[1], sim.HookPosPortMsgRetrieve)
	s := r.run()
	require.Equal(t, []rig.Event[*packet]{rig.At(12, stuck), rig.At(13, behind)}, *taken)
	require.Equal(t, uint64(11), s.Inputs[1].WaitCycles)
}

func TestPacketThatFindsItsOutputBusyStartsInTheCycleInWhichItIsFree(t *testing.T) {
	r := newRig(t, rigOptions{spec: squareSpec(4)})
	late := &packet{out: 0}
	r.send(0, &packet{out: 0, bytes: 3200}) // 101 flits from cycle 1 on
	r.send(1, late)
	r.sources[1].Mute = rig.Before(50)
	taken := rig.Watch[*packet](r.Bench, r.x.Inputs[1], sim.HookPosPortMsgRetrieve)
	s := r.run()
	require.Equal(t, []rig.Event[*packet]{rig.At(102, late)}, *taken)
	require.Equal(t, uint64(102-51), s.Inputs[1].WaitCycles)
}

func TestRoundRobinServesEveryInputInTurn(t *testing.T) {
	for _, ports := range []int{3, 16, 100} {
		r := newRig(t, rigOptions{spec: squareSpec(ports), sinkDepth: 2})
		r.offer(func(i int) *packet { return &packet{in: i, out: 1} })
		r.RunTo(uint64(20 * ports))
		got := r.sinks[1].Got
		require.GreaterOrEqual(t, len(got), 18*ports)
		for n, a := range got {
			require.Equal(t, n%ports, a.Msg.in, "packet %d", n)
		}
	}
}

func TestFullReceiverBlocksItsOutputAndNoOther(t *testing.T) {
	spec := interconnect.Spec{Inputs: 2, Outputs: 2, FlitBytes: 32, InputBuffer: 1, OutputBuffer: 2, Latency: 3}
	r := newRig(t, rigOptions{spec: spec})
	r.offer(func(i int) *packet { return &packet{in: i, out: i} })
	const opens = 1000
	r.sinks[0].Deaf = rig.Before(opens)
	r.RunTo(opens)
	require.Empty(t, r.sinks[0].Got)
	// One at the sink, two in the buffer and three in the pipeline, one at the input.
	require.Equal(t, 1+2+3+1, len(r.sources[0].Sent))
	// InputBuffer 1: every other cycle, see TestTwoEntriesSustainOneMessagePerCycle.
	require.InDelta(t, opens/2, len(r.sinks[1].Got), 5)
	// The first packet left at 4 and fills the sink, the second is ready at 6.
	s := r.x.Stats()
	require.Equal(t, uint64(opens-1-6), s.Outputs[0].BlockedCycles)
	require.Zero(t, s.Outputs[1].BlockedCycles)
	r.RunTo(opens + 10)
	require.NotEmpty(t, r.sinks[0].Got)
	require.Equal(t, uint64(opens), r.sinks[0].Got[0].Cycle)
}

func TestPortsMoveAtMostOneFlitACycle(t *testing.T) {
	const flitBytes = 32
	r := newRig(t, rigOptions{spec: squareSpec(4), sinkDepth: 4})
	rnd := [4]random{1, 2, 3, 4}
	r.offer(func(i int) *packet { return &packet{in: i, out: rnd[i].below(4), bytes: 32 * rnd[i].below(5)} })
	// A receiver that was full and then takes a packet a cycle sees no burst.
	for j, s := range r.sinks {
		s.Deaf = func(c uint64) bool { return c/500%2 == uint64(j%2) }
	}
	var ins, outs []*[]rig.Event[*packet]
	for i := range r.sources {
		ins = append(ins, rig.Watch[*packet](r.Bench, r.x.Inputs[i], sim.HookPosPortMsgRetrieve))
		outs = append(outs, rig.Watch[*packet](r.Bench, r.x.Outputs[i], sim.HookPosPortMsgSend))
	}
	r.RunTo(5000)
	for i := range ins {
		in, out := *ins[i], *outs[i]
		require.Greater(t, len(in), 100)
		for n := 1; n < len(in); n++ { // starts: as far apart as the earlier one is long
			require.GreaterOrEqual(t, in[n].Cycle-in[n-1].Cycle, in[n-1].Msg.flits(flitBytes))
		}
		for n := 1; n < len(out); n++ { // ends: as far apart as the later one is long
			require.GreaterOrEqual(t, out[n].Cycle-out[n-1].Cycle, out[n].Msg.flits(flitBytes))
		}
	}
}

func TestNothingIsLostOrReorderedOrDependsOnTheOrderOfTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ports := rapid.IntRange(1, 6)
		spec := interconnect.Spec{
			Inputs: ports.Draw(t, "inputs"), Outputs: ports.Draw(t, "outputs"), FlitBytes: 32,
			InputBuffer:  rapid.IntRange(1, 5).Draw(t, "input buffer"),
			OutputBuffer: rapid.IntRange(1, 5).Draw(t, "output buffer"),
			Latency:      rapid.SampledFrom([]int{1, 2, 7, 600}).Draw(t, "latency"),
		}
		o := rigOptions{spec: spec,
			nocHz:     rapid.SampledFrom([]uint64{1e9, 1200e6}).Draw(t, "clock"),
			edgeHz:    rapid.SampledFrom([]uint64{1e9, 1800e6}).Draw(t, "clock of the blocks"),
			sinkDepth: rapid.IntRange(1, 3).Draw(t, "sink depth")}
		for range rapid.IntRange(0, 2).Draw(t, "tiers") {
			group := rapid.IntRange(0, 2)
			o.tiers = append(o.tiers, interconnect.Tier{Bytes: rapid.IntRange(1, 200).Draw(t, "link"), Behind: rapid.Bool().Draw(t, "behind"),
				Inputs:  rapid.SliceOfN(group, spec.Inputs, spec.Inputs).Draw(t, "groups"),
				Outputs: rapid.SliceOfN(group, spec.Outputs, spec.Outputs).Draw(t, "parts")})
		}
		packets := rapid.IntRange(0, 60).Draw(t, "packets")
		stalls := rapid.SliceOfN(rapid.IntRange(0, 7), 12, 12).Draw(t, "stalls")
		run := func(shuffle uint64) *bench {
			o.shuffle = shuffle
			r := newRig(t, o)
			stall := func(n int) func(uint64) bool {
				return func(c uint64) bool {
					rnd := random(uint64(n+1)<<40 ^ (c/8+1)*0x9E3779B97F4A7C15)
					return rnd.below(8) < stalls[n]
				}
			}
			for i, s := range r.sources {
				rnd := random(i + 1)
				var list []*packet
				for range packets {
					list = append(list, &packet{out: rnd.below(spec.Outputs), bytes: rnd.below(160), tenant: tenant.ID(rnd.below(3))})
				}
				r.send(i, list...)
				s.Mute = stall(i)
			}
			for j, s := range r.sinks {
				s.Deaf = stall(6 + j)
			}
			r.run()
			return r
		}
		r := run(0)
		check(t, r, packets)

		again := run(rapid.Uint64Min(1).Draw(t, "seed"))
		require.Equal(t, r.x.Stats(), again.x.Stats())
		for j := range r.sinks {
			require.Equal(t, transcript(r.sinks[j]), transcript(again.sinks[j]))
		}
	})
}

func transcript(s *rig.Peer[*packet]) (lines []string) {
	for _, a := range s.Got {
		lines = append(lines, fmt.Sprintf("%d: %d of input %d", a.Cycle, a.Msg.sequence, a.Msg.in))
	}
	return lines
}

// check compares what came out with what every input sent, and the counters
// with both.
func check(t require.TestingT, r *bench, packets int) {
	s := r.x.Stats()
	var total, kernels interconnect.TenantStats
	next := map[[2]int]int{}
	var out uint64
	for j, sink := range r.sinks {
		for _, a := range sink.Got {
			require.Equal(t, j, a.Msg.out)
			require.Equal(t, 1, a.Msg.asked)
			pair := [2]int{a.Msg.in, j}
			require.GreaterOrEqual(t, a.Msg.sequence, next[pair], "order from input %d to output %d", a.Msg.in, j)
			next[pair] = a.Msg.sequence + 1
			total.Packets++
			total.Flits += a.Msg.flits(32)
		}
		require.Equal(t, uint64(len(sink.Got)), s.Outputs[j].Packets)
		out += s.Outputs[j].Flits
	}
	require.Equal(t, uint64(packets*len(r.sources)), total.Packets)
	require.Equal(t, total.Flits, out)
	for i := range r.sources {
		require.Equal(t, uint64(packets), s.Inputs[i].Packets)
	}
	for _, k := range s.Tenants {
		kernels.Packets += k.Packets
		kernels.Flits += k.Flits
	}
	require.Equal(t, total, kernels)
}

func TestMessageThatHasNoRouteEndsTheSimulation(t *testing.T) {
	r := newRig(t, rigOptions{spec: squareSpec(2)})
	rig.RefusesStrangers(r.Bench, r.x.Inputs[1])
}
