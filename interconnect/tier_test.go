package interconnect_test

import (
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
// every second cycle.
func TestPacketWaitsForTheLinksOfAllTiers(t *testing.T) {
	wide := interconnect.Tier{Bytes: 32, Inputs: []int{0, 0}, Outputs: []int{0, 0}}
	narrow := interconnect.Tier{Bytes: 16, Inputs: []int{0, 0}, Outputs: []int{0, 0}}
	r := newRig(t, rigOptions{spec: squareSpec(2), tiers: []interconnect.Tier{wide, narrow}})
	cycles := taken(r)
	r.send(0, &packet{out: 0}, &packet{out: 0}, &packet{out: 0})
	r.send(1, &packet{out: 1})
	r.run()
	require.Equal(t, [][]uint64{{1, 5, 7}, {3}}, cycles())
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
