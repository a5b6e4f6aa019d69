package interconnect_test

import (
	"slices"
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/interconnect"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// taken watches the cycles at which each input's packets begin to move.
func taken(r *bench) func() [][]uint64 {
	var watched []*[]rig.Event[*packet]
	for _, in := range r.x.Inputs {
		watched = append(watched, rig.Watch[*packet](r.Bench, in, sim.HookPosPortMsgRetrieve))
	}
	return func() (cycles [][]uint64) {
		for _, w := range watched {
			cycles = append(cycles, rig.Cycles(*w))
		}
		return cycles
	}
}

// Inputs 0 and 1 share a link of 64 bytes, two flits, a cycle; inputs 2 and 3 another.
func TestPacketsOfAGroupShareItsLink(t *testing.T) {
	pairs := interconnect.Tier{Bytes: 64, Inputs: []int{0, 0, 1, 1}, Outputs: []int{0, 0, 0, 0}}
	r := newRig(t, rigOptions{spec: squareSpec(4), tiers: []interconnect.Tier{pairs}})
	cycles := taken(r)
	r.send(0, &packet{out: 0, bytes: 32}, &packet{out: 1}) // two flits, one
	r.send(1, &packet{out: 2, bytes: 64}, &packet{out: 3}) // three, one
	r.send(2, &packet{out: 3})
	s := r.run()
	require.Equal(t, [][]uint64{
		// From 1 to 2 on the link, while the input sends for two cycles; the second packet
		// finds the link taken to half of cycle 3.
		{1, 3},
		// From 2 to 3.5; the second packet comes when the input has sent the first, at 5.
		{2, 5},
		{1}, {}}, cycles())
	require.Equal(t, []interconnect.LinkStats{{Packets: 4, Flits: 7, WaitCycles: 1}, {Packets: 1, Flits: 1}}, s.Links)
	require.Equal(t, uint64(1), s.Inputs[1].WaitCycles)
}

// A group has a link to each part: with one part a link of one flit a cycle limits two inputs,
// with two it limits none, as they send to one each.
func TestGroupHasALinkToEachPart(t *testing.T) {
	for parts, want := range map[int][][]uint64{1: {{1}, {2}}, 2: {{1}, {1}}} {
		tier := interconnect.Tier{Bytes: 32, Inputs: []int{0, 0}, Outputs: []int{0, parts - 1}}
		r := newRig(t, rigOptions{spec: squareSpec(2), tiers: []interconnect.Tier{tier}})
		cycles := taken(r)
		r.send(0, &packet{out: 0})
		r.send(1, &packet{out: 1})
		r.run()
		require.Equal(t, want, cycles(), "%d parts", parts)
	}
}

// Of two tiers the one that takes longer decides: a link of 16 bytes lets a flit of 32 through
// every second cycle. Behind the switch, which takes a packet of each input in a cycle, packets
// leave as late.
func TestPacketWaitsForTheLinksOfAllTiers(t *testing.T) {
	wide := interconnect.Tier{Bytes: 32, Inputs: []int{0, 0}, Outputs: []int{0, 0}}
	narrow := interconnect.Tier{Bytes: 16, Inputs: []int{0, 0}, Outputs: []int{0, 0}}
	for _, tiers := range [][]interconnect.Tier{{wide, narrow}, {narrow, wide}} {
		r := newRig(t, rigOptions{spec: squareSpec(2), tiers: tiers})
		cycles := taken(r)
		r.send(0, &packet{out: 0}, &packet{out: 0}, &packet{out: 0})
		r.send(1, &packet{out: 1})
		r.run()
		require.Equal(t, [][]uint64{{1, 5, 7}, {3}}, cycles())

		behind := slices.Clone(tiers)
		for i := range behind {
			behind[i].Behind = true
		}
		r = newRig(t, rigOptions{spec: squareSpec(2), tiers: behind})
		cycles = taken(r)
		r.send(0, &packet{out: 0}, &packet{out: 0}, &packet{out: 0})
		r.send(1, &packet{out: 1})
		left := rig.Watch[*packet](r.Bench, r.x.Outputs[0], sim.HookPosPortMsgSend)
		s := r.run()
		require.Equal(t, [][]uint64{{1, 2, 3}, {1}}, cycles())
		// At the end of the pipeline from 5 on; the other output's packet has the second turn.
		require.Equal(t, []uint64{5, 9, 11}, rig.Cycles(*left))
		require.Zero(t, s.Outputs[0].BlockedCycles)
	}
}

// Behind the switch a packet that its link holds up holds up those behind it, though theirs is
// free: no receiver is full.
func TestPacketBehindOneThatWaitsForALinkLeavesAfterIt(t *testing.T) {
	tier := interconnect.Tier{Bytes: 4, Inputs: []int{0, 0, 1}, Outputs: []int{0, 0, 0}, Behind: true}
	r := newRig(t, rigOptions{spec: squareSpec(3), sinkDepth: 2, tiers: []interconnect.Tier{tier}})
	first, second, third := &packet{out: 0}, &packet{out: 1}, &packet{out: 1}
	r.send(0, first)  // takes the link of the first part for eight cycles, from 5 on
	r.send(1, second) // at 13
	r.send(2, third)  // by its own link at 6
	s := r.run()
	require.Equal(t, []rig.Event[*packet]{rig.At(14, second), rig.At(15, third)}, r.sinks[1].Got)
	require.Zero(t, s.Outputs[1].BlockedCycles)
	require.Equal(t, []interconnect.LinkStats{{Packets: 2, Flits: 2, WaitCycles: 8}, {Packets: 1, Flits: 1}}, s.Links)
}

// Eight inputs with links for three and a half of them, as seven TPCs of a V100 have in their
// GPC: the link is always busy, and each input has an eighth of it.
func TestSaturatedLinkIsSharedEvenly(t *testing.T) {
	all := make([]int, 8)
	r := newRig(t, rigOptions{spec: squareSpec(8), sinkDepth: 4, tiers: []interconnect.Tier{{Bytes: 112, Inputs: all, Outputs: all}}})
	r.offer(func(i int) *packet { return &packet{in: i, out: i, bytes: 0} })
	require.InDelta(t, 3.5, flitsPerCycle(r, 1000, 4000), 0.001)
	first := r.x.Stats().Inputs[0].Packets
	for i, in := range r.x.Stats().Inputs {
		require.InDelta(t, float64(first), float64(in.Packets), 1, "input %d", i)
	}
}

func TestTierMustFitTheCrossbar(t *testing.T) {
	e := components.NewEngine()
	d, err := e.AddDomain("noc", 1_000_000_000)
	require.NoError(t, err)
	for want, tier := range map[string]interconnect.Tier{
		"GPU.NoC: a link of 0 bytes, must have 1 to 65536":             {Inputs: []int{0, 0}, Outputs: []int{0, 0}},
		"GPU.NoC: a tier of 1 inputs and 2 outputs, must have 2 and 2": {Bytes: 32, Inputs: []int{0}, Outputs: []int{0, 0}},
	} {
		_, err := interconnect.Builder{}.WithSpec(squareSpec(2)).WithDomain(d).WithTiers(tier).Build("GPU.NoC")
		require.EqualError(t, err, want)
	}
}
