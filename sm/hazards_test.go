package sm

import (
	"testing"

	"cotenant/sm/pipes"
	"cotenant/sm/warps"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// latency is the least time from an instruction's issue to the issue of a dependent
// instruction; 0 if it has no result.
func latency(spec *Spec, inst *workload.Inst) uint64 {
	var p pipes.Pipes
	p.Init(&spec.Pipes, &spec.Tensor, spec.Schedulers)
	_, latency := p.Timing(inst)
	switch unit := pipes.UnitOf(inst.Class); {
	case inst.Dst[0] == workload.NoReg || unit == warps.Control:
		return 0
	case unit != warps.LSU || inst.Active == 0 || inst.Class == workload.Constant && spec.Pipes.Constant.Unit != "":
		return latency
	case inst.Class == workload.Constant && spec.LSU.ConstantCache.Sets > 0, inst.Class == workload.Load && spec.LSU.TextureCache.Sets > 0 &&
		(inst.Space == workload.Texture || inst.Flags&workload.ReadOnly != 0):
		return 1 // it may join a miss with data at the next edge
	case inst.Class == workload.Constant:
		return uint64(spec.LSU.ConstantLatency)
	case inst.Space == workload.Shared:
		return uint64(spec.LSU.SharedLatency)
	case inst.Class == workload.Load && inst.Flags&workload.BypassL1 == 0:
		return uint64(spec.L1.HitLatency)
	default:
		return uint64(spec.L1.MissLatency)
	}
}

func overlaps(d [4]uint8, regs ...uint8) bool {
	for _, r := range regs {
		if r != workload.NoReg && r == d[0] {
			return true
		}
	}
	return false
}

func TestNoInstructionOvertakesWhatItNeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		_, all := runBlocks(t, spec, blocks, false, 0)
		for _, r := range all {
			for i := range r.list {
				if i > 0 {
					require.LessOrEqual(t, r.issued[i-1], r.issued[i], "program order")
				}
				early := latency(&spec, &r.list[i])
				if early == 0 {
					continue
				}
				for j := i + 1; j < len(r.list); j++ {
					if overlaps(r.list[i].Dst, r.list[j].Src[0], r.list[j].Dst[0]) {
						require.GreaterOrEqual(t, r.issued[j], r.issued[i]+early, "%d needs %d", j, i)
					}
				}
			}
		}
	})
}

func TestNoWarpPassesABarrierAheadOfAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		_, all := runBlocks(t, spec, blocks, false, 0)
		for _, blk := range blocks {
			block := all[:len(blk.warps)]
			all = all[len(blk.warps):]
			for _, a := range block {
				for _, b := range block {
					requireInStep(t, a, b)
				}
			}
		}
	})
}

// requireInStep checks that what follows a's n-th barrier does not issue before
// b's n-th, if it has one.
func requireInStep(t require.TestingT, a, b *recorder) {
	barriers := func(r *recorder) (at []int) {
		for i := range r.list {
			if r.list[i].Class == workload.Barrier && r.list[i].Active != 0 {
				at = append(at, i)
			}
		}
		return at
	}
	theirs := barriers(b)
	for n, i := range barriers(a) {
		if n < len(theirs) && i+1 < len(a.list) {
			require.Greater(t, a.issued[i+1], b.issued[theirs[n]])
		}
	}
}

func TestNoPipeTakesMoreThanOneInstructionAnInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, blocks := anySpec(t), anyBlocks(t)
		spec.Schedulers = 1
		b, all := runBlocks(t, spec, blocks, false, 0)
		type slot struct {
			unit  warps.Unit
			cycle uint64
		}
		taken, width := map[slot]int{}, map[uint64]int{}
		units := map[warps.Unit]int{warps.ALU: spec.Pipes.ALU.Units, warps.FP64: spec.Pipes.FP64.Units,
			warps.SFU: spec.Pipes.SFU.Units, warps.Tensor: spec.Pipes.Tensor.Units, warps.Branch: 1, warps.Barrier: 1}
		for _, r := range all {
			for i := range r.list {
				width[r.issued[i]]++
				require.LessOrEqual(t, width[r.issued[i]], spec.IssueWidth)
				unit := b.sm.pipes.Unit(&r.list[i])
				if unit == warps.LSU || unit == warps.Control {
					continue
				}
				interval, _ := b.sm.pipes.Timing(&r.list[i])
				for c := range interval {
					at := slot{unit, r.issued[i] + c}
					taken[at]++
					require.LessOrEqual(t, taken[at], units[unit], "%v at %d", r.list[i].Class, at.cycle)
				}
			}
		}
	})
}
