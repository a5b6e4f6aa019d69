//go:build !cgo

package stockakita

// Akita's memory components trace into databases, with a driver written in C.
// Without cgo Go leaves the C out, and the rest builds in seconds instead of
// a minute; cgo_test.go runs these tests so.

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/mem/stock"
	"cotenant/platform/blocks"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/mem/idealmemcontroller"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// memorySpec holds the parameters of a memory of Akita's in place of an L2
// slice's DRAM channel.
type memorySpec struct {
	stock.Spec `yaml:",inline"`
	// Latency is in cycles of the slice's clock.
	Latency int `yaml:"latency"`
}

// newMemory makes Akita's ideal memory controller and a Translator before it.
func newMemory(name string, clock *components.Domain, s memorySpec) (*stock.Translator, *idealmemcontroller.Comp, error) {
	t, err := stock.Builder{}.WithSpec(s.Spec).WithDomain(clock).Build(name)
	if err != nil {
		return nil, nil, err
	}
	m := idealmemcontroller.MakeBuilder().WithEngine(clock.Engine()).WithFreq(sim.Freq(clock.Hz())).
		WithLatency(s.Latency).WithNewStorage(1 << 62).WithTopBufSize(s.Queue).Build(name + ".Ideal")
	_, err = components.Join(t.Down, m.GetPortByName("Top"))
	return t, m, err
}

func init() {
	blocks.Register(blocks.Descriptor[memorySpec]{
		Key: "akita_memory", About: "Akita's ideal memory controller in place of a DRAM channel",
		Joint:   blocks.SliceToChannel,
		Default: memorySpec{Spec: stock.Spec{Outstanding: 64, Queue: 8}, Latency: 100},
		Make: func(p blocks.Place, s memorySpec) (blocks.Block, error) {
			t, m, err := newMemory(p.Name, p.Clock, s)
			if err != nil {
				return blocks.Block{}, err
			}
			return blocks.Block{Module: t, Up: t.Up, Stats: t.Stats(), Parts: []sim.Component{m}}, nil
		},
	})
}

func TestReadTakesTheLatencyOfAkitasMemoryAndItsWay(t *testing.T) {
	for _, latency := range []int{1, 100, 1000} {
		b := rig.New(t, 1_000_000_000)
		translator, _, err := newMemory("Memory", b.Clock, memorySpec{stock.Spec{Outstanding: 4, Queue: 4}, latency})
		require.NoError(t, err)
		slice := rig.NewPeer[*protocol.DRAMRequest](b, "L2", 4, translator.Up)
		slice.Send(10, &protocol.DRAMRequest{Addr: 0x1000, Sectors: protocol.AllSectors})
		b.Run()
		// Taken at 11, sent at 12, taken by the memory at 13, which answers after its
		// latency; the answer is taken a cycle later, sent back one after that, and
		// seen after another.
		require.Equal(t, []uint64{13 + uint64(latency) + 3}, rig.Cycles(slice.Got))
	}
}

func TestAkitasMemoryServesAGPU(t *testing.T) {
	const gpu = "gtx980?sms=4&blocks.akita_memory.latency=200"
	plain, got := run(t, "gtx980?sms=4", 0), run(t, gpu, 0)
	sameWork(t, plain, got)
	require.Zero(t, got.DRAM.Reads, "the channels have nothing to do")
	memory := got.Blocks["akita_memory"].Total
	reads, _ := memory.Get("reads")
	writes, _ := memory.Get("writes")
	l2 := got.Stats["l2"].Total
	fills, _ := l2.Get("fills")
	writebacks, _ := l2.Get("writebacks")
	require.Positive(t, fills)
	require.InDelta(t, fills, reads, 64, "the last may be on their way")
	require.InDelta(t, writebacks, writes, 64)
	latency, _ := memory.Get("latency_cycles")
	require.GreaterOrEqual(t, latency, 203*(reads+writes))
	require.Equal(t, encoded(t, got), encoded(t, run(t, gpu, 0)), "and the same again")
	require.Equal(t, encoded(t, got), encoded(t, run(t, gpu, 77)), "in whatever order modules tick")
}

func TestNetlistShowsAkitasMemory(t *testing.T) {
	nodes := wired(t, "gtx980?sms=2&blocks.akita_memory.latency=200").Hierarchy()
	links := map[string]string{}
	for _, n := range nodes {
		for _, p := range n.Ports {
			links[p.Name] = p.Peer
		}
	}
	require.Equal(t, "GPU.AkitaMemory[3].Up", links["GPU.L2[3].DRAM"])
	require.Equal(t, "GPU.AkitaMemory[3].Ideal.TopPort", links["GPU.AkitaMemory[3].Down"])
	require.Equal(t, "GPU.AkitaMemory[3].Down", links["GPU.AkitaMemory[3].Ideal.TopPort"])
	require.Equal(t, "idealmemcontroller.Comp", nodes[len(nodes)-1].Type)
}

func TestNothingStandsBehindABlockThatTakesAPlace(t *testing.T) {
	blocks.Register(blocks.Descriptor[memorySpec]{Key: "zz_behind", Joint: blocks.SliceToChannel,
		Default: memorySpec{Spec: stock.Spec{Outstanding: 1, Queue: 1}, Latency: 1}, Make: func(blocks.Place, memorySpec) (blocks.Block, error) { panic("not made") }})
	_, err := wire(t, "gtx980?blocks.akita_memory.latency=1&blocks.zz_behind.latency=1")
	require.EqualError(t, err, "blocks.akita_memory replaces the modules beyond L2 slice to DRAM channel, so blocks.zz_behind cannot stand behind it")
}

// BenchmarkMemory puts Akita's memory in place of the DRAM channels.
func BenchmarkMemory(b *testing.B) { compare(b, "blocks.akita_memory.latency=100") }
