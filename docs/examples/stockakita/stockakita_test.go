package stockakita

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"cotenant/components/rig"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/workload/source"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// start prepares a run of a GPU with one application.
func start(t testing.TB, gpu, spec string) *experiment.Run {
	t.Helper()
	c, err := presets.Load(gpu)
	require.NoError(t, err)
	app, err := experiment.Open(spec, source.Options{Seed: 1})
	require.NoError(t, err)
	return &experiment.Run{Spec: experiment.Spec{Policy: "fcfs", Isolated: []experiment.Isolated{{IPC: 1}}}, GPU: c, Apps: []experiment.App{app}}
}

// lbm ends quickly, and waits for memory most of the time.
const lbm = "lbm?size=tiny"

// run runs lbm to its end; seed shuffles the order in which modules tick,
// except 0.
func run(t testing.TB, gpu string, seed uint64) *experiment.Result {
	t.Helper()
	r := start(t, gpu, lbm)
	r.Started = func(p *wiring.Platform) error {
		if seed != 0 {
			p.Engine().Shuffle(seed)
		}
		return nil
	}
	result, err := r.Do(context.Background())
	require.NoError(t, err)
	return result
}

func wire(t testing.TB, gpu string) (*wiring.Platform, error) {
	t.Helper()
	r := start(t, gpu, lbm)
	p, err := policy.Parse(r.Policy)
	require.NoError(t, err)
	return wiring.New(*r.GPU, p, []host.Process{{App: r.Apps[0].Workload}})
}

func wired(t testing.TB, gpu string) *wiring.Platform {
	t.Helper()
	p, err := wire(t, gpu)
	require.NoError(t, err)
	return p
}

func encoded(t *testing.T, r *experiment.Result) string {
	t.Helper()
	stable := *r
	stable.WallSeconds, stable.IsolatedWallSeconds = 0, 0
	text, err := json.Marshal(stable)
	require.NoError(t, err)
	return string(text)
}

func sameWork(t *testing.T, want, got *experiment.Result) {
	t.Helper()
	require.Positive(t, want.Kernels[0].ThreadInstructions)
	require.Equal(t, want.Kernels[0].ThreadInstructions, got.Kernels[0].ThreadInstructions)
	require.Equal(t, uint64(1), got.Kernels[0].Completions)
}

// A stock component is tested on the bench as any other block: a packet sent at
// an edge is seen by the Meter at the next, and by the crossbar at the one after.
func TestMeterTakesACycleAndPassesAPacketInEach(t *testing.T) {
	b := rig.New(t, 1_000_000_000)
	m := NewMeter("Meter", b.Engine, 1*sim.GHz, 4)
	sm, noc := rig.NewPeer[*protocol.Packet](b, "SM", 1, m.in), rig.NewPeer[*protocol.Packet](b, "NoC", 2, m.out)
	for i := range uint64(4) {
		sm.Send(41+i, &protocol.Packet{Kind: protocol.Write, WrittenBytes: 64, Account: 2})
	}
	sm.Send(100, &protocol.Packet{})
	b.Run()
	require.Equal(t, []uint64{43, 44, 45, 46, 102}, rig.Cycles(noc.Got))
	require.Equal(t, TenantStats{Packets: 4, Bytes: 256}, m.stats.Tenants[2])
}

func TestMeterOfStockAkitaSeesEveryRequestOfEverySM(t *testing.T) {
	const gpu = "gtx980?sms=4&blocks.meter.depth=4"
	plain, got := run(t, "gtx980?sms=4", 0), run(t, gpu, 0)
	sameWork(t, plain, got)
	packets, _ := got.Blocks["meter"].Total.Get("packets")
	require.Positive(t, packets)
	require.Equal(t, got.NoC.RequestPackets, packets)
	require.Equal(t, encoded(t, got), encoded(t, run(t, gpu, 0)), "and the same again")
	require.Equal(t, encoded(t, got), encoded(t, run(t, gpu, 77)), "in whatever order modules tick")
}

func TestNetlistShowsStockComponentsAndTheirLinks(t *testing.T) {
	for _, n := range wired(t, "gtx980?sms=2&blocks.meter.depth=4").Hierarchy() {
		if n.Name == "GPU.Meter[1]" {
			require.Equal(t, "Meter", n.Type)
			require.Equal(t, []wiring.PortInfo{{Name: "GPU.Meter[1].In", Peer: "GPU.SM[1].Request"}, {Name: "GPU.Meter[1].Out", Peer: "GPU.RequestNoC.In[1]"}}, n.Ports)
			return
		}
	}
	require.Fail(t, "no meter")
}

// The program itself has none of the databases that Akita's tracing brings.
func TestProgramIsFreeOfAkitasDatabases(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "cotenant/platform").Output()
	require.NoError(t, err)
	for _, path := range []string{"github.com/mattn/go-sqlite3", "github.com/go-sql-driver/mysql", "github.com/sarchlab/akita/v3/tracing"} {
		require.NotContains(t, strings.Fields(string(out)), path)
	}
}

// compare times 20000 cycles of a GPU of cotenant's own modules and of a GPU with
// stock components, each with a compute-bound and a memory-bound application.
func compare(b *testing.B, stock string) {
	for _, app := range []string{"sgemm", "lbm"} {
		for _, gpu := range []string{"gtx980", "gtx980?" + stock} {
			b.Run(app+" on "+gpu, func(b *testing.B) {
				for b.Loop() {
					r := start(b, gpu, app)
					r.Cycles = 20_000
					_, err := r.Do(context.Background())
					require.NoError(b, err)
				}
			})
		}
	}
}

// BenchmarkMeter puts a stock component between every SM and the crossbar.
func BenchmarkMeter(b *testing.B) { compare(b, "blocks.meter.depth=4") }
