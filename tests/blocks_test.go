package tests

import (
	"context"
	"testing"

	"cotenant/components"
	"cotenant/experiment"
	"cotenant/platform/blocks"
	_ "cotenant/platform/blocks/all"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// pass is a block that hands on one message a cycle each way.
type pass struct {
	components.Module
	up, down *components.Port
	stats    passStats
}

type passStats struct{ Down, Up uint64 }

func (p *pass) Tick(uint64) bool {
	moved := hand(p.up, p.down, &p.stats.Down)
	return hand(p.down, p.up, &p.stats.Up) || moved
}

func hand(from, to *components.Port, count *uint64) bool {
	m := from.Front()
	if m == nil || !to.Push(m) {
		return false
	}
	*count++
	from.Pop()
	return true
}

type passSpec struct {
	Depth int `yaml:"depth"`
}

func (passSpec) Validate() error { return nil }

// passes has the key of a pass for each joint.
var passes = map[blocks.Joint]string{
	blocks.SMToRequestNoC: "pass_request", blocks.RequestNoCToSlice: "pass_slice", blocks.SliceToChannel: "pass_dram",
	blocks.SliceToReplyNoC: "pass_reply", blocks.ReplyNoCToSM: "pass_sm",
}

func init() {
	register := func(key string, joint blocks.Joint) {
		blocks.Register(blocks.Descriptor[passSpec]{Key: key, Joint: joint, Default: passSpec{Depth: 4},
			Make: func(place blocks.Place, s passSpec) (blocks.Block, error) {
				p := &pass{}
				p.Init(place.Name, place.Clock, p)
				p.up, p.down = p.NewPort("Up", s.Depth), p.NewPort("Down", s.Depth)
				return blocks.Block{Module: p, Up: p.up, Down: p.down, Stats: &p.stats}, nil
			}})
	}
	for joint, key := range passes {
		register(key, joint)
	}
	register("pass_again", blocks.SMToRequestNoC)
}

// copying is an application with warps that load lines which no other warp has loaded,
// use them, and store.
func copying(name string, tbs int) *workload.App {
	return script.App(name, script.Kernel(name, tbs, 64, func(tb, warp int) (list []workload.Inst) {
		for i := range 20 {
			line := array + uint64(tb)<<20 + uint64(warp)<<16 + uint64(i)*512
			list = append(list, warpAccess(workload.Load, line, 1), script.Op(workload.FP32, 2, 1), warpAccess(workload.Store, line+256, 2))
		}
		return list
	}))
}

// Every message of a joint passes the block that stands there, once, in the
// direction in which it goes.
func TestBlocksAtAllJointsSeeEveryMessage(t *testing.T) {
	gpu := preset(t, "plain16")
	for _, key := range passes {
		gpu.Blocks.Value(key)
	}
	r := run(t, gpu, "even", 0, copying("a", 64), copying("b", 32))
	total := func(joint blocks.Joint, name string) uint64 {
		n, ok := r.Blocks[passes[joint]].Total.Get(name)
		require.True(t, ok, "%s of %s", name, joint)
		return n
	}
	require.Positive(t, r.DRAM.Reads)
	for _, c := range []struct {
		joint    blocks.Joint
		down, up uint64
	}{
		{blocks.SMToRequestNoC, r.NoC.RequestPackets, 0}, {blocks.RequestNoCToSlice, r.NoC.RequestPackets, 0},
		{blocks.SliceToReplyNoC, r.NoC.ReplyPackets, 0}, {blocks.ReplyNoCToSM, r.NoC.ReplyPackets, 0},
		{blocks.SliceToChannel, r.DRAM.Reads + r.DRAM.Writes, r.DRAM.Reads},
	} {
		require.Equal(t, []uint64{c.down, c.up}, []uint64{total(c.joint, "down"), total(c.joint, "up")}, c.joint)
	}
}

// Whatever is registered, and all of it together: applications end, and their
// instructions are all there.
func TestEveryRegisteredBlockLetsApplicationsEnd(t *testing.T) {
	plain := run(t, preset(t, "plain16"), "even", 0, copying("a", 64), copying("b", 32))
	everything := preset(t, "plain16")
	for _, k := range blocks.All() {
		t.Run(k.Key, func(t *testing.T) {
			gpu := preset(t, "plain16")
			gpu.Blocks.Value(k.Key)
			everything.Blocks.Value(k.Key)
			r := run(t, gpu, "even", 0, copying("a", 64), copying("b", 32))
			sameWork(t, plain, r)
			require.Contains(t, r.Blocks, k.Key)
			require.NotEqual(t, plain.ConfigHash, r.ConfigHash)
		})
	}
	sameWork(t, plain, run(t, everything, "even", 0, copying("a", 64), copying("b", 32)))
	require.Nil(t, plain.Blocks)
	everything.Blocks = preset(t, "plain16").Blocks
	everything.Blocks.Value("pass_again")
	everything.Blocks.Off("pass_again")
	bare := run(t, everything, "even", 0, copying("a", 64), copying("b", 32))
	require.Equal(t, plain.ConfigHash, bare.ConfigHash, "a GPU whose blocks are off is that without")
}

func sameWork(t *testing.T, want, got *experiment.Result) {
	t.Helper()
	for i := range want.Kernels {
		require.Equal(t, want.Kernels[i].ThreadInstructions, got.Kernels[i].ThreadInstructions)
		require.Equal(t, want.Kernels[i].TBsCompleted, got.Kernels[i].TBsCompleted)
		require.Equal(t, uint64(1), got.Kernels[i].Completions)
	}
}

// Two blocks at one joint stand in alphabetical order, each a cycle of the SM's
// clock.
func TestBlocksAtOneJointFollowEachOther(t *testing.T) {
	gpu := preset(t, "plain16")
	gpu.SMs = wiring.EqualSMs(1)
	gpu.Blocks.Value("pass_request")
	gpu.Blocks.Value("pass_again")
	p := platform(t, gpu, "fcfs", false, copying("a", 1))
	links := map[string]string{}
	for _, n := range p.Hierarchy() {
		for _, port := range n.Ports {
			links[port.Name] = port.Peer
		}
	}
	require.Equal(t, []string{"GPU.PassAgain[0].Up", "GPU.PassRequest[0].Up", "GPU.RequestNoC.In[0]"},
		[]string{links["GPU.SM[0].Request"], links["GPU.PassAgain[0].Down"], links["GPU.PassRequest[0].Down"]})
	require.Len(t, p.Blocks(), 2)
	require.NoError(t, p.Run(context.Background(), 0, nil))
}
