package tests

import (
	"context"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"
	"cotenant/workload/source"

	"github.com/stretchr/testify/require"
)

// crowded is a GPU that shows a port with room usable at the instant at which it is made,
// or a message visible at the instant at which it is sent: its clocks all coincide, and its
// ports and queues are so small that they are full most of the time.
const crowded = "plain16?sms=4&address.slices=4&address.channels=2&clocks.dram_mhz=1216" +
	"&request_noc.input_buffer=1&request_noc.output_buffer=1&request_noc.latency=1" +
	"&reply_noc.input_buffer=1&reply_noc.output_buffer=1&reply_noc.latency=1" +
	"&sm.l1.reply_queue=1&sm.l1.returns_per_cycle=1&sm.l1.misses_take_hit_latency=true&sm.l1.banks=2&sm.l1.access_bytes=32" +
	"&sm.lsu.constant_cache.sets=1&sm.lsu.texture_cache.sets=1&sm.lsu.texture_cache.mshrs=1&sm.lsu.read_only_loads=true&sm.l1.miss_latency=1&l2.request_queue=1&l2.reply_queue=1&l2.dram_queue=2" +
	"&l2.hit_latency=1&l2.dram_latency=0&dram.port_depth=1&dram.read_queue=2&dram.write_queue=2" +
	"&dram.write_high=2&dram.write_low=1&dram.return_latency=0"

// inAnyOrder asserts that a mix gives the same JSON in whatever order the
// modules of an edge tick and the clocks of an instant take their turns.
func inAnyOrder(t *testing.T, gpu, policyName string, cycles uint64, apps ...string) {
	t.Helper()
	once := func(seed uint64) string {
		r := &experiment.Run{Spec: experiment.Spec{Policy: policyName, Cycles: cycles}, GPU: preset(t, gpu)}
		for _, spec := range apps {
			app, err := experiment.Open(spec, source.Options{Seed: 1})
			require.NoError(t, err)
			r.Apps = append(r.Apps, app)
			r.Isolated = append(r.Isolated, experiment.Isolated{IPC: 1})
		}
		r.Started = func(p *wiring.Platform) error {
			if seed != 0 {
				p.Engine().Shuffle(seed)
			}
			return nil
		}
		result, err := r.Do(context.Background())
		require.NoError(t, err)
		require.Positive(t, result.WarpInstructions)
		return encoded(t, result)
	}
	want := once(0)
	for seed := range uint64(2) {
		require.Equal(t, want, once(seed+1), "seed %d", seed+1)
	}
}

// hasty is a policy with its periods as short as they may be.
func hasty(d policy.Descriptor) string {
	var options []string
	for _, o := range d.Options {
		if strings.HasSuffix(o.Default, "k") {
			options = append(options, o.Name+"=1k")
		}
	}
	if options == nil {
		return d.Name
	}
	return d.Name + ":" + strings.Join(options, ",")
}

func TestOrderOfTicksChangesNothingUnderAnyPolicy(t *testing.T) {
	for _, d := range policy.All() {
		t.Run(d.Name, func(t *testing.T) {
			for _, gpu := range []string{crowded, "plain16?sms=4&address.slices=4&address.channels=2"} {
				inAnyOrder(t, suiting(d, gpu), hasty(d), 5000, "profile:spmv", "profile:histo?arrival=1000&priority=2", "profile:lbm")
			}
		})
	}
}

// What one SM or DRAM controller decides alone, and rate controllers, hold it too.
func TestOrderOfTicksChangesNothingInHardwareOptions(t *testing.T) {
	for _, option := range []string{"sm.memory_issue=mil", "sm.memory_issue=bmi", "sm.l1.victim=ucp", "dram.scheduler=tcm&dram.tcm.quantum=1000",
		"sm.irc.sub_queues=4&sm.lsu.skip=true", "sm.group_slots=4", "topology=halves&l2.mshrs=2&l2.sets=1&l2.ways=2"} {
		t.Run(option, func(t *testing.T) {
			for _, policyName := range []string{"even", "smk-p:epoch=1k"} {
				inAnyOrder(t, crowded+"&"+option, policyName, 5000, "profile:spmv", "profile:histo?arrival=1000", "profile:lbm")
			}
		})
	}
}

// Warps of these kernels do not race for memory. Where they do, what they read
// depends on the order of the SMs within an edge, which the engine fixes.
func TestOrderOfTicksChangesNothingForEmulatedKernels(t *testing.T) {
	for _, c := range []struct {
		gpu, policy string
		apps        []string
	}{
		{crowded, "even", []string{"sgemm?size=tiny", "lbm?size=tiny"}},
		{crowded, "spart:epoch=1k", []string{"spmv?size=tiny", "sad?size=tiny&arrival=1000"}},
		{"k20c?sms=4", "ppq", []string{"mri-q?size=tiny", "stencil?size=tiny&arrival=2us&priority=2"}},
		{"fermi16?sms=4", "smk", []string{"cutcp?size=tiny", "tpacf?size=tiny"}},
		{"smk16?sms=2", "smk-pw:epoch=1k,quota=scheduler", []string{"cutcp?size=tiny", "histo?size=tiny&arrival=1000"}},
		{"gtx980?sms=2", "timeslice:slice=1k", []string{"mri-gridding?size=tiny", "sad?size=tiny"}},
		{"reference16?sms=2", "smk-p:epoch=1k", []string{"spmv?size=tiny", "tpacf?size=tiny&arrival=1000"}},
	} {
		t.Run(strings.Join(c.apps, " "), func(t *testing.T) {
			inAnyOrder(t, c.gpu, c.policy, 5000, c.apps...)
		})
	}
}

// witness is a stream that notes where and when its instructions execute.
type witness struct {
	workload.Stream
	sm    int
	clock workload.Clock
	seen  *[][2]uint64 // cycle, SM
}

func (w *witness) Execute(inst *workload.Inst) {
	cycle, _ := w.clock.Now()
	*w.seen = append(*w.seen, [2]uint64{cycle, uint64(w.sm)})
	w.Stream.Execute(inst)
}

// Placed is told for the one warp of the thread block.
func (w *witness) Placed(sm, _ int, clock workload.Clock) { w.sm, w.clock = sm, clock }

// witnessed has a kernel of one warp a thread block note what it executes.
type witnessed struct {
	workload.Source
	seen *[][2]uint64
}

func (s witnessed) Open() (workload.Launch, error) {
	l, err := s.Source.Open()
	return witnessedLaunch{l, s.seen}, err
}

type witnessedLaunch struct {
	workload.Launch
	seen *[][2]uint64
}

func (l witnessedLaunch) Next(tb *workload.TB) error {
	err := l.Launch.Next(tb)
	w := &witness{Stream: tb.Warps[0], seen: l.seen}
	tb.Warps[0], tb.Resident = w, w
	return err
}

// So what racing warps do to each other follows from the model, not from the
// order in which SMs happened to be woken.
func TestWarpsExecuteInTheOrderOfTheSMsWithinACycle(t *testing.T) {
	const sms, rounds = 70, 30 // more SMs than bits in a word
	gpu := preset(t, "plain16?sms=70")
	var seen [][2]uint64
	app := script.App("walk", script.Kernel("walk", 4*sms, 32, func(tb, _ int) (list []workload.Inst) {
		for i := range rounds {
			// Other lines, and other distances, for each thread block.
			list = append(list, warpAccess(workload.Load, array+uint64(i*(tb%7)+tb)*128, 1), script.Op(workload.FP32, 2, 1))
		}
		return list
	}))
	kernel := app.Kernels()[0]
	kernel.Source = witnessed{kernel.Source, &seen}
	run(t, gpu, "fcfs", 0, app)
	require.Len(t, seen, 4*sms*2*rounds)
	together := 0
	for i, s := range seen[1:] {
		require.GreaterOrEqual(t, s[0], seen[i][0])
		if s[0] == seen[i][0] {
			require.GreaterOrEqual(t, s[1], seen[i][1], "cycle %d", s[0])
			together++
		}
	}
	require.Greater(t, together, sms*rounds, "SMs execute at the same time")
}
