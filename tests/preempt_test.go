package tests

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/protocol"
	"cotenant/tests/draws"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// chaos places thread blocks wherever they fit and preempts at random, a
// bounded number of times.
type chaos struct {
	random *rand.Rand
	left   int
	flush  bool
}

func (c *chaos) Needs() policy.Needs { return policy.Needs{Epoch: 300} }

func (c *chaos) Decide(v *policy.View, a policy.Actions) {
	for i := range v.SMs {
		if v.Event == policy.Epoch {
			a.Send(protocol.Unit{Kind: protocol.KindSM, Index: i}, protocol.NewQuotas([]int{c.random.IntN(200), c.random.IntN(200)}))
		}
		if c.left > 0 && c.random.IntN(3) == 0 {
			c.left--
			c.act(v, a, i)
		}
	}
	for _, tenant := range v.Active {
		policy.Breadth(v, a, tenant, func(int) bool { return c.random.IntN(4) > 0 || c.left == 0 })
	}
	if v.Event == policy.Epoch && c.left == 0 { // what chance left out
		for _, tenant := range v.Active {
			policy.Breadth(v, a, tenant, func(int) bool { return true })
		}
	}
}

func (c *chaos) act(v *policy.View, a policy.Actions, sm int) {
	s := &v.SMs[sm]
	tenant := c.random.IntN(len(v.Tenants))
	mechanisms := []policy.Mechanism{policy.Switch, policy.Ideal}
	if c.flush && v.Tenants[tenant].Idempotent {
		mechanisms = append(mechanisms, policy.Flush)
	}
	m := mechanisms[c.random.IntN(len(mechanisms))]
	switch c.random.IntN(3) {
	case 0:
		if n := s.Staying(tenant); n > 0 {
			a.Preempt(tenant, sm, 1+c.random.IntN(n), m)
		}
	case 1:
		if !s.Reserved && s.Usage.TBs > 0 {
			a.PreemptSM(sm, []policy.Mechanism{policy.Switch, policy.Ideal, policy.Drain}[c.random.IntN(3)])
		}
	default:
		if n := s.Staying(tenant); n > 0 && m != policy.Flush {
			a.Relocate(tenant, sm, 1+c.random.IntN(n), m)
		}
	}
}

// work is a kernel of a random shape: its warps load, compute, meet at barriers and use
// shared memory.
func work(random *rand.Rand, name string, runs map[int]int, instructions *uint64) *workload.Kernel {
	warps, steps := 1+random.IntN(4), 2+random.IntN(8)
	k := script.Kernel(name, 4+random.IntN(30), 32*warps, func(tb, warp int) (list []workload.Inst) {
		if warp == 0 {
			runs[tb]++
		}
		for i := range steps {
			list = append(list, warpAccess(workload.Load, array+uint64((tb*64+warp*16+i)*128), uint8(i)),
				script.Op(workload.FP32, uint8(i+20), uint8(i)), script.Op(workload.SFU, uint8(i+40), uint8(i+20)),
				script.Op(workload.Barrier, workload.NoReg),
				script.Access(workload.Store, workload.Shared, 0, 4, 4, workload.NoReg, uint8(i+40)))
		}
		list = append(list, warpAccess(workload.Store, 2*array+uint64(tb*4+warp)*128, 20))
		*instructions += uint64(len(list))
		return list
	})
	k.RegistersPerTB, k.SharedBytesPerTB = 250+random.IntN(3750), random.IntN(5000)
	return k
}

// plainGPU is plain16, loaded once. Each schedule copies it.
var plainGPU = sync.OnceValue(func() *wiring.Config {
	gpu, err := presets.Load("plain16")
	if err != nil {
		panic(err)
	}
	return gpu
})

// wired is a small GPU with two tenants under a policy.
func wired(t testing.TB, sms int, p policy.Policy, restart bool, apps ...*workload.App) *wiring.Platform {
	gpu := *plainGPU()
	gpu.SMs = wiring.EqualSMs(sms)
	gpu.Address.Slices, gpu.Address.Channels = 4, 4
	gpu.L2.Sets = 16
	gpu.SM.Registers, gpu.SM.SharedBytes = 16384, []int{24576}
	return built(t, gpu, p, restart, apps...)
}

// Random schedules of every kind of preemption, two hundred in CI: no thread block is
// lost or run twice, every instruction is issued once, and every byte of context
// that is saved is loaded, passes the DRAM and is counted there.
func TestRandomPreemptionsLoseNothing(t *testing.T) {
	var preemptions, relocations, bytes uint64
	schedules := uint64(draws.Of(100, 200))
	for seed := range schedules {
		random := rand.New(rand.NewPCG(seed, 7))
		runs, instructions := [2]map[int]int{{}, {}}, [2]uint64{}
		a, b := work(random, "a", runs[0], &instructions[0]), work(random, "b", runs[1], &instructions[1])
		gpu := wired(t, 2+random.IntN(2), &chaos{random: random, left: 30}, false, script.App("a", a), script.App("b", b))
		require.NoError(t, gpu.Run(context.Background(), 0, nil), "seed %d", seed)
		got := gpu.Counters(gpu.Cycles(0))
		for tenant, k := range []*workload.Kernel{a, b} {
			d := gpu.Driver.Stats().Tenants[tenant]
			require.Equal(t, uint64(k.TBs()), d.TBsCompleted, "seed %d", seed)
			require.Len(t, runs[tenant], k.TBs())
			for tb, n := range runs[tenant] {
				require.Equal(t, 1, n, "seed %d, thread block %d", seed, tb)
			}
			require.Equal(t, instructions[tenant], got.SM.Tenant(tenant).WarpInstructions, "seed %d", seed)
			require.Equal(t, uint64(k.TBs()*k.WarpsPerTB()), got.SM.Tenant(tenant).L1.Writes, "seed %d", seed)
			require.Equal(t, d.ContextBytes, d.RestoredBytes, "seed %d", seed)
			require.Equal(t, d.ContextBytes, got.PreEng.Tenants[tenant].SavedBytes, "seed %d", seed)
			require.Equal(t, d.ContextBytes, got.PreEng.Tenants[tenant].LoadedBytes, "seed %d", seed)
			require.Equal(t, d.ContextBytes, got.DRAM.Tenant(tenant).SavedBytes, "seed %d", seed)
			require.Equal(t, d.ContextBytes, got.DRAM.Tenant(tenant).LoadedBytes, "seed %d", seed)
			preemptions += d.Preemptions
			relocations += d.Relocations
			bytes += d.ContextBytes
		}
		sum := uint64(0)
		for _, n := range got.SM.Total().Stalls {
			sum += n
		}
		require.Equal(t, gpu.Cycles(0)*uint64(len(gpu.SMs)*4), sum, "seed %d", seed)
	}
	t.Logf("%d preemptions, %d relocations, %d bytes of context", preemptions, relocations, bytes)
	require.Greater(t, preemptions, 10*schedules)
	require.Greater(t, relocations, schedules)
}
