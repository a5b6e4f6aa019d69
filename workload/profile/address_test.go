package profile

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// linesOf is the set of lines that the active lanes of an access touch.
func linesOf(inst *workload.Inst) map[uint64]bool {
	lines := map[uint64]bool{}
	first := -1
	for lane := range workload.WarpSize {
		if inst.Active>>lane&1 == 0 {
			continue
		}
		if first < 0 {
			first = lane
		}
		addr := inst.Base + uint64(int64(inst.Stride)*int64(lane-first))
		if inst.Lanes != nil {
			addr = inst.Lanes[lane]
		}
		lines[addr/lineBytes] = true
		lines[(addr+uint64(inst.Width)-1)/lineBytes] = true
	}
	return lines
}

// loads is a kernel of loads that follow the given Access.
func loads(t *testing.T, tbs, threads, instructions int, access string) *workload.Kernel {
	return kernelOf(t, tbs, threads, fmt.Sprintf(`
    instructions: %d
    phases:
      - mix: {global_load: 1}
        load: %s
`, instructions, access))
}

func TestMeanLinesPerAccess(t *testing.T) {
	for _, pattern := range []string{"stream", "strided", "random"} {
		for _, lines := range []float64{1, 1.3, 2, 4, 6.5, 17.5, 31.5, 32} {
			k := loads(t, 50, 64, 101, fmt.Sprintf("{pattern: %s, lines: %v, footprint: 1GiB}", pattern, lines))
			touched, accesses := 0, 0
			eachTB(t, k, 50, func(_, _ int, inst *workload.Inst) {
				if inst.Class != workload.Load {
					return
				}
				n := len(linesOf(inst))
				if n < int(lines) || n > int(math.Ceil(lines)) {
					t.Fatalf("%s: an access of %d lines, mean %v", pattern, n, lines)
				}
				touched += n
				accesses++
			})
			assert.Equal(t, 10000, accesses)
			assert.InDelta(t, lines, float64(touched)/float64(accesses), 0.02, "%s %v", pattern, lines)
		}
	}
}

func TestAccessesStayInTheFootprintAndAreAligned(t *testing.T) {
	for _, pattern := range []string{"stream", "strided", "random"} {
		for _, lines := range []float64{1, 1.5, 3, 12.5, 32} {
			k := loads(t, 20, 90, 200, fmt.Sprintf(
				"{pattern: %s, lines: %v, footprint: 5000, warp_reuse: 0.2, tb_reuse: 0.2, grid_reuse: 0.2, grid_set: 4096}", pattern, lines))
			eachTB(t, k, 20, func(_, _ int, inst *workload.Inst) {
				if inst.Class != workload.Load {
					return
				}
				for line := range linesOf(inst) {
					if line*lineBytes < heap || (line+1)*lineBytes > heap+5000 {
						t.Fatalf("line %#x is outside of the array", line*lineBytes)
					}
				}
				if inst.Lanes == nil && (inst.Base%uint64(inst.Width) != 0 || inst.Stride%int32(inst.Width) != 0) {
					t.Fatalf("%d bytes at %#x and on by %d", inst.Width, inst.Base, inst.Stride)
				}
			})
		}
	}
}

func TestAStreamCoversTheArrayOnceWithNeighboursSideBySide(t *testing.T) {
	// 8 TBs of 2 warps make 64 accesses each: 1024 lines of 128 bytes.
	k := loads(t, 8, 64, 65, "{footprint: 128KiB}")
	seen := map[uint64]int{}
	access := map[[2]int]uint64{}
	eachTB(t, k, 8, func(tb, warp int, inst *workload.Inst) {
		if inst.Class != workload.Load {
			return
		}
		line := inst.Base/lineBytes - heap/lineBytes
		seen[line]++
		at := [2]int{tb, warp}
		assert.Equal(t, access[at]*16+uint64(2*tb+warp), line, "in step with its neighbours")
		access[at]++
	})
	assert.Len(t, seen, 1024)
}

func TestStridedWarpsKeepToTheirBlocks(t *testing.T) {
	k := loads(t, 8, 64, 65, "{pattern: strided, footprint: 128KiB}")
	eachTB(t, k, 8, func(tb, warp int, inst *workload.Inst) {
		if inst.Class == workload.Load {
			line := inst.Base/lineBytes - heap/lineBytes
			assert.Equal(t, uint64(2*tb+warp), line/64)
		}
	})
}

func TestReuseHitsWhatItSaysAndNothingElse(t *testing.T) {
	// A large footprint makes accidental repeats rare, so repeats are reuse.
	const accesses = 2000
	repeats := func(access string, threads int) (ofWarp, ofTB float64) {
		k := loads(t, 2, threads, accesses+1, access)
		warps := k.WarpsPerTB()
		own, shared := 0, 0
		var mine, tbs map[uint64]bool
		eachTB(t, k, 2, func(tb, warp int, inst *workload.Inst) {
			if inst.Class == workload.Exit {
				mine = nil
				return
			}
			if mine == nil {
				mine = map[uint64]bool{}
				if warp == 0 {
					tbs = map[uint64]bool{}
				}
			}
			line := inst.Base / lineBytes
			if mine[line] {
				own++
			}
			if tbs[line] {
				shared++
			}
			mine[line], tbs[line] = true, true
		})
		n := float64(2 * warps * accesses)
		return float64(own) / n, float64(shared) / n
	}
	for _, pattern := range []string{"stream", "random"} {
		ofWarp, ofTB := repeats(fmt.Sprintf("{pattern: %s, footprint: 16GiB}", pattern), 128)
		assert.Less(t, ofWarp, 0.001)
		assert.Less(t, ofTB, 0.001)
		ofWarp, _ = repeats(fmt.Sprintf("{pattern: %s, footprint: 16GiB, warp_reuse: 0.6, warp_window: 8}", pattern), 128)
		assert.InDelta(t, 0.6, ofWarp, 0.02)
		// What four warps share, a single warp touches first.
		ofWarp, ofTB = repeats(fmt.Sprintf("{pattern: %s, footprint: 16GiB, tb_reuse: 0.8}", pattern), 128)
		assert.Less(t, ofWarp, 0.001)
		assert.InDelta(t, 0.8*3/4, ofTB, 0.02)
		// 32 lines that everybody comes back to.
		_, ofTB = repeats(fmt.Sprintf("{pattern: %s, footprint: 16GiB, grid_reuse: 0.5, grid_set: 4KiB}", pattern), 128)
		assert.InDelta(t, 0.5, ofTB, 0.02)
	}
}

func TestWarpReuseStaysInItsWindow(t *testing.T) {
	k := loads(t, 20, 32, 1001, "{footprint: 16GiB, warp_reuse: 0.7, warp_window: 5}")
	var recent []uint64 // lines met for the first time, newest last
	eachTB(t, k, 20, func(_, _ int, inst *workload.Inst) {
		if inst.Class != workload.Load {
			return
		}
		line := inst.Base / lineBytes
		if at := slices.Index(recent, line); at < 0 {
			recent = append(recent, line)
		} else if len(recent)-at > 5 {
			t.Fatalf("repeats the %dth last new access", len(recent)-at)
		}
	})
	assert.InDelta(t, 0.3*20000, len(recent), 200)
}

func TestArraysOfLoadsAndStoresAreApart(t *testing.T) {
	k := kernelOf(t, 4, 64, `
    instructions: 1000
    phases:
      - mix: {global_load: 0.4, global_store: 0.3, reduction: 0.3}
        load: {footprint: 1MiB}
        store: {footprint: 3000}
`)
	eachTB(t, k, 4, func(_, _ int, inst *workload.Inst) {
		offset := inst.Base - heap
		switch inst.Class {
		case workload.Load, workload.Reduction: // which has no array of its own
			assert.Less(t, offset, uint64(1<<20))
		case workload.Store:
			assert.GreaterOrEqual(t, offset, uint64(1<<20))
			assert.Less(t, offset, uint64(1<<20+3000))
		}
	})
}

func TestMeanSharedConflict(t *testing.T) {
	for _, want := range []float64{1, 1.5, 3.5, 16, 32} {
		k := kernelOf(t, 4, 64, fmt.Sprintf(`
    instructions: 1001
    phases:
      - mix: {shared_load: 1}
        shared_conflict: %v
`, want))
		sum := 0
		eachTB(t, k, 4, func(_, _ int, inst *workload.Inst) {
			if inst.Class != workload.Load {
				return
			}
			require.NotZero(t, inst.Stride, "every lane reads a word of its own")
			banks, worst := [32]int{}, 0
			for lane := range uint64(32) {
				addr := inst.Base + uint64(inst.Stride)*lane
				if addr+4 > 8192 {
					t.Fatalf("%#x is outside of the TB's shared memory", addr)
				}
				banks[addr/4%32]++
				worst = max(worst, banks[addr/4%32])
			}
			sum += worst
		})
		assert.InDelta(t, want, float64(sum)/8000, 0.06, "%v", want)
	}
}

func TestSharedMemoryTooSmallForAWarpIsBroadcast(t *testing.T) {
	app, err := Builtin("mri-gridding", "", 1)
	require.NoError(t, err)
	for _, k := range app.Kernels() {
		if k.Name == "uniformAdd" { // 16 bytes of shared memory
			eachTB(t, k, 2, func(_, _ int, inst *workload.Inst) {
				if inst.Space == workload.Shared {
					assert.Zero(t, inst.Stride)
					assert.LessOrEqual(t, inst.Base, uint64(12))
				}
			})
			return
		}
	}
}
