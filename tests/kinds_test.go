package tests

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/sm"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// mixed is a GPU of two small SMs, two big SMs and an SM of the base kind, in this order.
func mixed(t testing.TB) *wiring.Config {
	gpu := preset(t, "plain16")
	gpu.Address.Slices, gpu.Address.Channels = 4, 4
	gpu.SM.TBs, gpu.SM.Threads = 32, 1024
	big, small := gpu.SM, gpu.SM
	big.TBs, big.Threads, big.Schedulers, big.SharedBytes = 64, 2048, 8, []int{128 << 10}
	small.TBs, small.Threads, small.Registers = 8, 160, 16384 // five warps, which the four schedulers share unevenly
	gpu.Driver.SharedBytesPerTB = 0                           // big is no chip's
	gpu.SMKinds = map[string]sm.Spec{"big": big, "small": small}
	gpu.SMs = wiring.SMGroups{{Count: 2, Kind: "small"}, {Count: 2, Kind: "big"}, {Count: 1, Kind: wiring.BaseKind}}
	return gpu
}

// A warp in every slot loads one line of its local memory: were one shared, the
// L2 would see it twice.
func TestNoTwoWarpsShareLocalMemory(t *testing.T) {
	equal := preset(t, "plain16")
	for name, gpu := range map[string]*wiring.Config{"equal SMs": equal, "SMs of several kinds": mixed(t)} {
		t.Run(name, func(t *testing.T) {
			list := []workload.Inst{script.Access(workload.Load, workload.Local, 0, 0, 4, 1, 1)}
			for range 1000 {
				list = append(list, script.Op(workload.Int, 2, 2))
			}
			slots := gpu.Threads() / workload.WarpSize
			for kind, spec := range gpu.SMKinds {
				spec.TBs = spec.Threads / workload.WarpSize
				gpu.SMKinds[kind] = spec
			}
			gpu.SM.TBs = gpu.SM.Threads / workload.WarpSize
			k := script.Kernel("local", slots, workload.WarpSize, func(int, int) []workload.Inst { return list })
			p := platform(t, gpu, "fcfs", false, script.App("local", k))
			require.NoError(t, p.Run(context.Background(), 0, nil))
			c := p.Counters(p.Cycles(0))
			for i, m := range gpu.SMList() {
				require.EqualValues(t, m.Spec.TBs, c.SMs[i].Tenant(0).TBsPlaced, "a warp in every slot of SM %d", i)
			}
			lookups := c.L2.Total()
			require.EqualValues(t, slots, lookups.Misses, "lines")
			require.Zero(t, lookups.Hits+lookups.Merges)
		})
	}
}

// shared runs a mix without the runs alone.
func shared(gpu *wiring.Config, policyName string, cycles uint64, apps ...*workload.App) (*experiment.Result, error) {
	r := &experiment.Run{Spec: experiment.Spec{Policy: policyName, Cycles: cycles}, GPU: gpu}
	for _, a := range apps {
		r.Apps = append(r.Apps, experiment.App{Spec: a.Name, Workload: a})
		r.Isolated = append(r.Isolated, experiment.Isolated{IPC: 1})
	}
	return r.Do(context.Background())
}

// Occupancy is a share of what the SM itself holds.
func TestFullSMsAreFullWhateverTheirSize(t *testing.T) {
	gpu := mixed(t)
	k := script.Kernel("full", gpu.Threads()/workload.WarpSize, workload.WarpSize, func(int, int) []workload.Inst {
		return slices.Repeat([]workload.Inst{script.Op(workload.Int, 1, 1)}, 20_000)
	})
	for kind, spec := range gpu.SMKinds {
		spec.TBs = spec.Threads / workload.WarpSize
		gpu.SMKinds[kind] = spec
	}
	r, err := shared(gpu, "fcfs", 10_000, script.App("full", k))
	require.NoError(t, err)
	for i, s := range r.SMs {
		require.InDelta(t, 1, s.ThreadOccupancy, 0.02, "SM %d", i)
	}
}

// looking is fcfs that keeps what it saw of the GPU first.
type looking struct {
	policy.Policy
	seen    []policy.SM
	machine policy.Machine
}

func (l *looking) Decide(v *policy.View, a policy.Actions) {
	if l.seen == nil {
		l.seen, l.machine = slices.Clone(v.SMs), v.Machine
	}
	l.Policy.Decide(v, a)
}

// looked is a policy's view of a GPU.
func looked(t *testing.T, gpu *wiring.Config) *looking {
	p, err := policy.Parse("fcfs")
	require.NoError(t, err)
	l := &looking{Policy: p}
	app := script.App("one", script.Kernel("one", 1, 32, func(int, int) []workload.Inst { return []workload.Inst{script.Op(workload.Int, 1, 1)} }))
	require.NoError(t, built(t, *gpu, l, false, app).Run(context.Background(), 0, nil))
	return l
}

// Kinds are numbered as they come; what differs in its name only is one kind.
func TestPolicySeesEachSMsKind(t *testing.T) {
	gpu := mixed(t)
	gpu.SMKinds["large"] = gpu.SMKinds["big"]
	gpu.SMs = append(gpu.SMs, wiring.SMGroup{Count: 1, Kind: "large"}, wiring.SMGroup{Count: 1, Kind: "small"})
	l := looked(t, gpu)
	require.Len(t, l.seen, 7)
	require.Equal(t, gpu.SM.Capacity(), l.machine.BaseSM)
	for i, m := range gpu.SMList() {
		require.Equal(t, []int{0, 0, 1, 1, 2, 1, 0}[i], l.seen[i].Kind, "SM %d", i)
		require.Equal(t, m.Spec.Schedulers, l.seen[i].Schedulers)
		require.Equal(t, m.Spec.Capacity(), *l.seen[i].Capacity)
	}
}

// A kernel with thread blocks that fit only on big SMs stays on these, under every policy.
func TestEveryPolicyRunsAGPUOfSeveralKinds(t *testing.T) {
	three := mixed(t)
	two := *three
	two.SMs = wiring.SMGroups{{Count: 3, Kind: "small"}, {Count: 2, Kind: "big"}}
	work := func(load uint64) []workload.Inst {
		var list []workload.Inst
		for i := range uint8(12) {
			list = append(list, script.Access(workload.Load, workload.Global, load+uint64(i)*4096, 4, 4, i+1, 1), script.Op(workload.FP32, i+1, i+1))
		}
		return list
	}
	for _, d := range policy.All() {
		for kinds, gpu := range map[int]*wiring.Config{2: &two, 3: three} {
			for _, order := range []string{"the wide kernel first", "the wide kernel last"} {
				t.Run(fmt.Sprintf("%s, %d kinds, %s", d.Name, kinds, order), func(t *testing.T) {
					// The wide kernel's thread blocks fit the big SMs only.
					wide := script.Kernel("wide", 12, 512, func(tb, warp int) []workload.Inst { return work(uint64(tb*16+warp) << 20) })
					wide.SharedBytesPerTB = 100 << 10
					thin := script.Kernel("thin", 100, 64, func(tb, warp int) []workload.Inst { return work(1<<40 + uint64(tb*2+warp)<<20) })
					apps, w := []*workload.App{script.App("wide", wide), script.App("thin", thin)}, 0
					if order == "the wide kernel last" {
						apps, w = []*workload.App{apps[1], apps[0]}, 1
					}
					once, err := shared(gpu, d.Name, 0, apps...)
					if err != nil {
						// A policy may refuse such a GPU.
						require.ErrorContains(t, err, "the policy does not go with this GPU: ")
						return
					}
					checkSums(t, gpu, once)
					require.EqualValues(t, 12, once.Kernels[w].TBsCompleted)
					require.EqualValues(t, 100, once.Kernels[1-w].TBsCompleted)
					for i, m := range gpu.SMList() {
						require.Equal(t, m.Kind, once.SMs[i].Kind)
					}
				})
			}
		}
	}
}

// An application alone has every SM, big and small, as full as it can be.
func TestOneTenantFillsAllSMsOfBothKindsUnderEveryPolicy(t *testing.T) {
	for _, d := range policy.All() {
		t.Run(d.Name, func(t *testing.T) {
			gpu := preset(t, suiting(d, "heterocore-8b8s"))
			p, err := policy.Parse(d.Name)
			require.NoError(t, err)
			alone := dependent("alone", workload.Int, 5000, 512, 32, 3840)
			wired, err := wiring.New(*gpu, p, []host.Process{{App: alone}})
			if err != nil {
				require.ErrorContains(t, err, "the policy does not go with this GPU: ")
				return
			}
			require.NoError(t, wired.Run(context.Background(), 3000, nil))
			c := wired.Counters(wired.Cycles(0))
			for i, m := range gpu.SMList() {
				require.EqualValues(t, map[string]int{"big": 3, "small": 1}[m.Kind], c.SMs[i].Tenant(0).TBsPlaced, "SM %d", i)
			}
		})
	}
}

// What two kinds are called does not matter if they are the same.
func TestEqualKindsGiveWhatOneGives(t *testing.T) {
	for _, d := range policy.All() {
		t.Run(d.Name, func(t *testing.T) {
			plain := preset(t, suiting(d, "plain16"))
			plain.SMs = wiring.EqualSMs(3)
			plain.Address.Slices, plain.Address.Channels = 4, 4
			twice := *plain
			twice.SMKinds = map[string]sm.Spec{"a": plain.SM, "b": plain.SM}
			twice.SMs = wiring.SMGroups{{Count: 2, Kind: "a"}, {Count: 1, Kind: "b"}}
			want, err := shared(plain, hasty(d), 16_000, builtin(t, "histo"), builtin(t, "sgemm"))
			require.NoError(t, err)
			require.NotZero(t, want.Kernels[0].TBsCompleted)
			got, err := shared(&twice, hasty(d), 16_000, builtin(t, "histo"), builtin(t, "sgemm"))
			require.NoError(t, err)
			for i, m := range twice.SMList() {
				require.Equal(t, m.Kind, got.SMs[i].Kind)
				got.SMs[i].Kind = ""
			}
			require.NotEqual(t, want.ConfigHash, got.ConfigHash)
			got.ConfigHash = want.ConfigHash
			require.Equal(t, encoded(t, want), encoded(t, got))
		})
	}
}

// Each SM has quotas from what kernels issue alone on its kind.
func TestSchedulersHaveQuotasOnSMsOfBothKinds(t *testing.T) {
	got, err := shared(preset(t, "heterocore-8b8s"), "smk-pw:epoch=1k", 40_000, builtin(t, "sgemm"), builtin(t, "mri-q"))
	require.NoError(t, err)
	held, most := map[string]uint64{}, map[string]int{}
	for _, m := range got.SMs {
		if m.Stalls["quota"] > 0 {
			held[m.Kind] += m.Stalls["quota"]
			most[m.Kind]++
		}
	}
	require.Len(t, held, 2, "%v", held)
	for kind, sms := range most {
		require.LessOrEqual(t, sms, 6, "two %s SMs are for profiling", kind)
	}
}
