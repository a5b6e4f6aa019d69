package sass

import (
	"fmt"
	"math"
	"strings"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// shapeOf is the shape of mma: its size, and the type of the accumulators if the elements have
// 16 bits, else of the elements. That of wgmma is the shape of 8 columns of a warp's 16 rows.
func shapeOf(in *ptx.Inst) workload.Shape {
	size, types := "", make([]string, 0, 4) // of D, A, B and C
	for _, mod := range in.Mods {
		switch {
		case strings.HasPrefix(mod, "m") && strings.Contains(mod, "k"):
			if size = mod; in.Op == "wgmma" {
				size = "m16n8" + mod[strings.LastIndexByte(mod, 'k'):]
			}
		case kinds[mod] != "":
			types = append(types, mod)
		}
	}
	if len(types) < 2 {
		return workload.NoShape
	}
	if types[1] == "f16" || types[1] == "bf16" {
		return workload.ShapeOf(size, types[0])
	}
	return workload.ShapeOf(size, kinds[types[1]])
}

// parts is how many parts of 8 columns a warp's part of wgmma has.
func parts(in *ptx.Inst) uint8 {
	for _, mod := range in.Mods {
		var rows, columns int
		if n, _ := fmt.Sscanf(mod, "m%dn%dk", &rows, &columns); n == 2 {
			return uint8(columns / 8)
		}
	}
	return 0
}

// sharedMatrices is the number of matrices that wgmma reads from shared memory.
func sharedMatrices(in *ptx.Inst) uint8 {
	if in.Src[0].Kind == ptx.Vector {
		return 1
	}
	return 2
}

// groupKind is the kind of the groups that a commit or wait is about.
func groupKind(in *ptx.Inst) uint8 {
	switch {
	case in.Op == "wgmma":
		return workload.ProductGroups
	case in.Has("bulk"):
		return workload.BulkGroups
	case in.Has("test_wait"), in.Has("try_wait"):
		return workload.PhaseWaits
	case in.Has("cluster"):
		return workload.ClusterWaits
	}
	return workload.CopyGroups
}

// mayWait is the number of groups that cp.async.wait_group leaves under way, and 0 of
// cp.async.wait_all. A warp has fewer groups than the largest number here.
func mayWait(in *ptx.Inst) uint8 {
	if len(in.Src) == 0 {
		return 0
	}
	return uint8(min(in.Src[0].Imm, math.MaxUint8))
}

// kinds are the types of matrices as the names of shapes have them.
var kinds = map[string]string{"f16": "f16", "bf16": "bf16", "tf32": "tf32", "e4m3": "f8", "e5m2": "f8", "s8": "s8", "u8": "s8",
	"s4": "s4", "u4": "s4", "b1": "b1", "f32": "f32", "s32": "s32", "f64": "f64"}
