package profile

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// kernelOf makes the kernel of a profile that has just one, from the lines of
// the kernel but for its name, tbs and demands.
func kernelOf(t testing.TB, tbs, threads int, rest string) *workload.Kernel {
	text := fmt.Sprintf(`
name: app
kernels:
  - name: kernel
    tbs: %d
    demands: [{threads: %d, registers_per_thread: 128, shared_bytes_per_tb: 8192}]
%s`, tbs, threads, rest)
	app, err := load("test.yaml", []byte(text), "", 1)
	require.NoError(t, err)
	return app.Kernels()[0]
}

// eachTB runs through the first tbs thread blocks, warp after warp.
func eachTB(t testing.TB, k *workload.Kernel, tbs int, visit func(tb, warp int, inst *workload.Inst)) {
	launch, err := k.Source.Open()
	require.NoError(t, err)
	var tb workload.TB
	for i := range tbs {
		require.NoError(t, launch.Next(&tb))
		require.Equal(t, i, tb.ID)
		require.Len(t, tb.Warps, k.WarpsPerTB())
		for w, stream := range tb.Warps {
			var inst workload.Inst
			for stream.Fetch(&inst) {
				stream.Execute(&inst)
				visit(i, w, &inst)
			}
			require.False(t, stream.Fetch(&inst), "a stream that has ended stays so")
		}
		launch.Recycle(&tb)
	}
	require.NoError(t, launch.Close())
}

// record is an instruction with its lanes, which the stream takes back.
type record struct {
	inst  workload.Inst
	lanes [workload.WarpSize]uint64
}

func recordOf(inst *workload.Inst) record {
	r := record{inst: *inst}
	if inst.Lanes != nil {
		r.lanes, r.inst.Lanes = *inst.Lanes, nil
	}
	return r
}

const everything = `
    instructions: 500
    spread: 0.3
    phases:
      - share: 0.6
        mix: {int: 0.2, fp32: 0.2, sfu: 0.05, constant: 0.05, branch: 0.1, global_load: 0.1, gather_load: 0.1,
              global_store: 0.1, shared_load: 0.05, atomic: 0.05}
        barrier_every: 50
        split_probability: 0.5
        shared_conflict: 2
        load: {lines: 1.5, warp_reuse: 0.2, tb_reuse: 0.2, grid_reuse: 0.2}
        gather: {pattern: random, lines: 5.5}
        atomic: {pattern: strided, lines: 8}
      - share: 0.4
        mix: {fp64: 0.5, tensor: 0.2, reduction: 0.1, shared_store: 0.1, shared_atomic: 0.1}
`

func TestStreamsDoNotDependOnTheOrderInWhichWarpsRun(t *testing.T) {
	k := kernelOf(t, 6, 80, everything)
	inOrder := map[[2]int][]record{}
	eachTB(t, k, 6, func(tb, warp int, inst *workload.Inst) {
		inOrder[[2]int{tb, warp}] = append(inOrder[[2]int{tb, warp}], recordOf(inst))
	})

	// All TBs at once, one instruction of each warp in turn, the last first,
	// while another run of the same kernel is open.
	launch, err := k.Source.Open()
	require.NoError(t, err)
	other, err := k.Source.Open()
	require.NoError(t, err)
	tbs := make([]workload.TB, 6)
	for i := range tbs {
		require.NoError(t, launch.Next(&tbs[i]))
		var tb workload.TB
		require.NoError(t, other.Next(&tb))
	}
	interleaved := map[[2]int][]record{}
	for more := true; more; {
		more = false
		for i := len(tbs) - 1; i >= 0; i-- {
			for w := len(tbs[i].Warps) - 1; w >= 0; w-- {
				var inst workload.Inst
				if tbs[i].Warps[w].Fetch(&inst) {
					more = true
					interleaved[[2]int{i, w}] = append(interleaved[[2]int{i, w}], recordOf(&inst))
				}
			}
		}
	}
	assert.Equal(t, inOrder, interleaved)
}

func TestStreamsFollowSeedTBAndWarp(t *testing.T) {
	stream := func(seed uint64) map[[2]int][]record {
		text := "name: a\nkernels:\n  - name: k\n    tbs: 2\n    demands: [{threads: 64, registers_per_thread: 32, shared_bytes_per_tb: 8192}]" + everything
		app, err := load("a.yaml", []byte(text), "", seed)
		require.NoError(t, err)
		all := map[[2]int][]record{}
		eachTB(t, app.Kernels()[0], 2, func(tb, warp int, inst *workload.Inst) {
			all[[2]int{tb, warp}] = append(all[[2]int{tb, warp}], recordOf(inst))
		})
		return all
	}
	one := stream(1)
	assert.Equal(t, one, stream(1))
	assert.NotEqual(t, one, stream(2))
	assert.NotEqual(t, one[[2]int{0, 0}], one[[2]int{0, 1}])
	assert.NotEqual(t, one[[2]int{0, 0}], one[[2]int{1, 0}])
}

func TestStreamsAreTheSameOnEveryMachine(t *testing.T) {
	// The digest changes only when the generator does, and then on purpose.
	digest := fnv.New64a()
	eachTB(t, kernelOf(t, 5, 80, everything), 5, func(_, _ int, inst *workload.Inst) {
		r := recordOf(inst)
		i := &r.inst
		fmt.Fprintln(digest, struct {
			Lanes                 *[workload.WarpSize]uint64
			Base                  uint64
			Stride                int32
			Active, PC            uint32
			Dst                   [4]uint8
			Src                   [6]uint8 // a profile's instructions have no more
			Class                 workload.Class
			Space                 workload.Space
			Flags                 workload.Flags
			Width, Barrier, Warps uint8
		}{i.Lanes, i.Base, i.Stride, i.Active, i.PC, i.Dst, [6]uint8(i.Src[:6]), i.Class, i.Space, i.Flags, i.Width, i.Barrier, i.Warps}, r.lanes)
	})
	assert.Equal(t, uint64(0xe3a7b9e2aa7be808), digest.Sum64())
}

func TestMixAndLengthAreThoseOfTheProfile(t *testing.T) {
	k := kernelOf(t, 1000, 64, everything)
	counts := map[[2]int]int{}
	total, streams := 0, 0
	lengths := map[int]int{}
	eachTB(t, k, 1000, func(tb, warp int, inst *workload.Inst) {
		counts[[2]int{int(inst.Class), int(inst.Space)}]++
		total++
		lengths[tb]++
		if inst.Class == workload.Exit {
			streams++
		}
	})
	assert.Equal(t, 2000, streams, "every stream ends with one exit")
	mean := float64(total) / 2000
	assert.InDelta(t, 500, mean, 8)
	share := func(class workload.Class, space workload.Space) float64 {
		return float64(counts[[2]int{int(class), int(space)}]) / float64(total)
	}
	barriers := share(workload.Barrier, 0)
	// After every 50th of about 300 instructions; the last, incomplete 50 have
	// none, which makes half a barrier less on average.
	assert.InDelta(t, 5.5/500, barriers, 0.0002)
	first := 0.6 - barriers
	// A body of 256 and a last body cut short leave a difference of half a
	// percent in each class.
	for _, c := range []struct {
		class workload.Class
		space workload.Space
		want  float64
	}{
		{workload.Int, 0, 0.2 * first}, {workload.FP32, 0, 0.2 * first}, {workload.SFU, 0, 0.05 * first},
		{workload.Constant, 0, 0.05 * first}, {workload.Branch, 0, 0.1 * first},
		{workload.Load, workload.Global, 0.2 * first}, {workload.Store, workload.Global, 0.1 * first},
		{workload.Load, workload.Shared, 0.05 * first}, {workload.Atomic, workload.Global, 0.05 * first},
		{workload.FP64, 0, 0.2}, {workload.Tensor, 0, 0.08}, {workload.Reduction, 0, 0.04},
		{workload.Store, workload.Shared, 0.04}, {workload.Atomic, workload.Shared, 0.04},
	} {
		assert.InDelta(t, c.want, share(c.class, c.space), 0.006, "%v %v", c.class, c.space)
	}
	shortest, longest := math.MaxInt, 0
	for _, n := range lengths {
		require.Zero(t, n%2, "the two warps of a TB are equally long")
		shortest, longest = min(shortest, n/2), max(longest, n/2)
	}
	assert.GreaterOrEqual(t, shortest, 350)
	assert.LessOrEqual(t, shortest, 360)
	assert.LessOrEqual(t, longest, 650)
	assert.GreaterOrEqual(t, longest, 640)
}

func TestWarpsOfATBMeetAtTheSameBarriers(t *testing.T) {
	for _, name := range append(Names(), "everything") {
		kernels := []*workload.Kernel{kernelOf(t, 20, 200, everything)}
		if name != "everything" {
			app, err := Builtin(name, "", 3)
			require.NoError(t, err)
			kernels = app.Kernels()
		}
		seen := map[string]bool{}
		for _, k := range kernels {
			if seen[k.Name] {
				continue
			}
			seen[k.Name] = true
			place := map[[2]int]int{}
			meets := map[[2]int][]int{}
			eachTB(t, k, min(4, k.TBs()), func(tb, warp int, inst *workload.Inst) {
				at := [2]int{tb, warp}
				place[at]++
				if inst.Class == workload.Barrier {
					meets[at] = append(meets[at], place[at])
				}
			})
			for at, places := range meets {
				require.Equal(t, meets[[2]int{at[0], 0}], places, "%s %s TB %d warp %d", name, k.Name, at[0], at[1])
			}
		}
	}
}

func TestDependenceDistancesHaveTheirMeans(t *testing.T) {
	for _, c := range []struct{ short, load float64 }{{1, 1}, {4, 8}, {2.5, 30}, {10, 20}} {
		k := kernelOf(t, 4, 64, fmt.Sprintf(`
    instructions: 20000
    phases:
      - mix: {int: 0.3, fp32: 0.45, branch: 0.02, global_load: 0.15, global_store: 0.08}
        body: 1000
        distance: %v
        load_distance: %v
`, c.short, c.load))
		var shortSum, shortCount, loadSum, loadCount float64
		written := [256]int{} // place of the last write
		fromLoad, used := [256]bool{}, [256]bool{}
		place := 0
		eachTB(t, k, 2, func(tb, warp int, inst *workload.Inst) {
			place++
			if place%20000 > 1100 { // past the first body; nothing wrote its registers
				for _, r := range inst.Src {
					if r == workload.NoReg {
						break
					}
					distance := float64(place - written[r])
					if !fromLoad[r] {
						shortSum, shortCount = shortSum+distance, shortCount+1
					} else if !used[r] {
						loadSum, loadCount = loadSum+distance, loadCount+1
						used[r] = true
					}
				}
			}
			if r := inst.Dst[0]; r != workload.NoReg {
				written[r], fromLoad[r], used[r] = place, inst.Class == workload.Load, false
			}
		})
		require.Greater(t, shortCount, 10000.0)
		require.Greater(t, loadCount, 2000.0)
		// A quarter of the places hold no short producer, which moves the
		// shortest distances up; the rest of the tolerance is sampling.
		assert.InDelta(t, c.short, shortSum/shortCount, 0.35+0.08*c.short, "short %v", c)
		assert.InDelta(t, c.load, loadSum/loadCount, 0.08*c.load, "load %v", c)
	}
}

func TestRegistersStayBelowThoseOfTheThread(t *testing.T) {
	for _, name := range Names() {
		app, err := Builtin(name, "k20c", 1)
		require.NoError(t, err)
		for _, k := range app.Kernels()[:1] {
			limit := k.RegistersPerTB / k.ThreadsPerTB()
			eachTB(t, k, 1, func(_, _ int, inst *workload.Inst) {
				for _, r := range append(inst.Dst[:], inst.Src[:]...) {
					if r != workload.NoReg && int(r) >= limit {
						t.Fatalf("%s %s: register %d of %d", name, k.Name, r, limit)
					}
				}
			})
		}
	}
}

func TestPCsRepeatAndTheLoopIsClosedByABranch(t *testing.T) {
	k := kernelOf(t, 1, 32, `
    instructions: 1001
    phases:
      - mix: {int: 0.9, branch: 0.1}
        body: 100
`)
	n := 0
	eachTB(t, k, 1, func(_, _ int, inst *workload.Inst) {
		if inst.Class != workload.Exit {
			assert.Equal(t, uint32(n%100*8), inst.PC)
			last := n%100 == 99
			assert.Equal(t, last, inst.Flags&workload.Redirect != 0)
			assert.True(t, !last || inst.Class == workload.Branch)
		}
		n++
	})
	assert.Equal(t, 1001, n)
}

func TestASplitLastsToTheNextBranchOrBarrier(t *testing.T) {
	k := kernelOf(t, 50, 256, `
    instructions: 2000
    phases:
      - mix: {int: 0.9, branch: 0.1}
        barrier_every: 100
        split_probability: 0.4
        split_active: 0.3
`)
	branches, splits, lanes := 0, 0, 0
	before, current := workload.Nop, uint32(math.MaxUint32)
	eachTB(t, k, 50, func(_, _ int, inst *workload.Inst) {
		switch {
		case inst.Class == workload.Barrier, inst.Class == workload.Exit:
			assert.Equal(t, uint32(math.MaxUint32), inst.Active)
			current = math.MaxUint32
		case before == workload.Branch:
			branches++
			if current = inst.Active; current != math.MaxUint32 {
				splits++
				lanes += bits.OnesCount32(current)
			}
		default:
			if inst.Active != current {
				t.Fatalf("lanes change from %#x to %#x at %v", current, inst.Active, inst.Class)
			}
		}
		if inst.Active == 0 {
			t.Fatal("no lane is active")
		}
		before = inst.Class
	})
	assert.InDelta(t, 0.4, float64(splits)/float64(branches), 0.01)
	assert.InDelta(t, 0.3*32, float64(lanes)/float64(splits), 0.1)
}

func TestTheLastWarpIsPartFilled(t *testing.T) {
	k := kernelOf(t, 1, 70, everything)
	var lanes [3]uint32
	eachTB(t, k, 1, func(_, warp int, inst *workload.Inst) { lanes[warp] |= inst.Active })
	assert.Equal(t, [3]uint32{math.MaxUint32, math.MaxUint32, 1<<6 - 1}, lanes)
}

func TestALaunchHandsOutItsTBsAndNoMore(t *testing.T) {
	launch, err := kernelOf(t, 1, 32, everything).Source.Open()
	require.NoError(t, err)
	var tb workload.TB
	require.NoError(t, launch.Next(&tb))
	assert.EqualError(t, launch.Next(&tb), "kernel kernel has only 1 thread blocks")
}

func TestFetchAndRecycledTBsDoNotAllocate(t *testing.T) {
	k := kernelOf(t, 1000, 64, everything)
	launch, err := k.Source.Open()
	require.NoError(t, err)
	var tb workload.TB
	var inst workload.Inst
	run := func() {
		if launch.Next(&tb) != nil {
			t.Fatal("no TB")
		}
		for _, w := range tb.Warps {
			for w.Fetch(&inst) {
				w.Execute(&inst)
			}
		}
		launch.Recycle(&tb)
	}
	run()
	assert.Zero(t, testing.AllocsPerRun(100, run))
}
